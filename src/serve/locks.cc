#include "serve/locks.h"

#include <utility>

#include "base/file.h"
#include "base/log.h"

namespace auscult::serve {
namespace {

constexpr size_t max_pem_bytes = size_t{1} << 20U;         // some hundred certificates
constexpr size_t max_token_file_bytes = size_t{4} << 20U;  // max_tokens with long names

Result<std::string> text_of(const std::filesystem::path& file, size_t max_bytes) {
  if (file.empty()) return std::string();
  return read_file(file, max_bytes);
}

}  // namespace

Result<Ok> read_lock_options(const Yaml* tokens, const Yaml* tls, LockOptions& options) {
  if (tokens != nullptr && tokens->kind == Yaml::Kind::scalar && !tokens->scalar.empty()) {
    options.token_file = tokens->scalar;
  } else if (tokens != nullptr) {
    options.tokens = TRY(read_tokens(*tokens));
  }
  if (tls == nullptr) return Ok{};
  if (tls->kind != Yaml::Kind::map) {
    return tls->error("'tls' is {certificate: FILE, key: FILE, client_ca: FILE}");
  }
  YamlReader reader(*tls);
  options.certificate = reader.required("certificate");
  options.key = reader.required("key");
  options.client_ca = reader.text("client_ca");
  TRY(reader.finish());
  if (options.certificate.empty() || options.key.empty()) {
    return tls->error("'certificate' and 'key' must name files");
  }
  return Ok{};
}

Result<std::unique_ptr<Locks>> Locks::open(const LockOptions& options) {
  std::unique_ptr<Locks> locks(new Locks(options));
  auto texts = TRY(locks->read());
  TRY(locks->use(std::move(texts)));
  return locks;
}

std::shared_ptr<const Access> Locks::access() const {
  const std::lock_guard lock(mutex_);
  return access_;
}

net::TlsContext Locks::tls() const {
  const std::lock_guard lock(mutex_);
  return tls_;
}

std::optional<grpc::Tls> Locks::grpc_tls() const {
  if (!has_tls()) return {};
  const std::lock_guard lock(mutex_);
  return grpc::Tls{
      .certificate = texts_.certificate, .key = texts_.key, .client_ca = texts_.client_ca};
}

bool Locks::reload() {
  const auto fail = [&](const Error& error) {
    if (error.message != complaint_) log_error("tokens and certificates stay: " + error.message);
    complaint_ = error.message;
    return false;
  };
  auto texts = read();
  if (!texts) return fail(texts.error());
  const Texts before = texts_;
  if (*texts == before) {
    complaint_.clear();
    return false;
  }
  const bool new_tls = texts->certificate != before.certificate || texts->key != before.key ||
                       texts->client_ca != before.client_ca;
  if (auto used = use(*std::move(texts)); !used) return fail(used.error());
  complaint_.clear();
  log_info("tokens or certificates changed and are in use");
  return new_tls;
}

Result<Locks::Texts> Locks::read() const {
  Texts texts;
  texts.tokens = TRY(text_of(options_.token_file, max_token_file_bytes));
  texts.certificate = TRY(text_of(options_.certificate, max_pem_bytes));
  texts.key = TRY(text_of(options_.key, max_pem_bytes));
  texts.client_ca = TRY(text_of(options_.client_ca, max_pem_bytes));
  return texts;
}

Result<Ok> Locks::use(Texts texts) {
  auto tokens = options_.tokens;
  if (!options_.token_file.empty()) {
    const auto list = TRY(parse_yaml(texts.tokens, options_.token_file.string()));
    tokens = TRY(read_tokens(list));
  }
  net::TlsContext tls;
  if (has_tls()) {
    // An empty file must not mean that no certificate is asked for.
    if (!options_.client_ca.empty() && texts.client_ca.empty()) {
      return Error{ErrorCode::invalid_input, options_.client_ca.string() + " is empty"};
    }
    tls =
        TRY(net::server_context(
                {.certificate = texts.certificate, .key = texts.key, .client_ca = texts.client_ca}),
            options_.certificate.string());
  }
  const std::lock_guard lock(mutex_);
  texts_ = std::move(texts);
  access_ = std::make_shared<const Access>(std::move(tokens));
  tls_ = std::move(tls);
  return Ok{};
}

}  // namespace auscult::serve
