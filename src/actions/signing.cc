#include "actions/signing.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <memory>

#include "actions/action.h"
#include "base/check.h"
#include "base/file.h"

namespace auscult::actions {
namespace {

// RFC 8032: an Ed25519 public key and signature.
constexpr size_t key_bytes = 32;
constexpr size_t signature_bytes = 64;

using Key = std::unique_ptr<EVP_PKEY, decltype(&::EVP_PKEY_free)>;
using Context = std::unique_ptr<EVP_MD_CTX, decltype(&::EVP_MD_CTX_free)>;
using Memory = std::unique_ptr<BIO, decltype(&::BIO_free)>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string signed_text(const Json& request) {
  Json::Object members;
  for (const auto& member : request.object()) {
    if (member.first != "signature") members.push_back(member);
  }
  return Json(std::move(members)).canonical();
}

std::string to_pem(EVP_PKEY* key) {
  const Memory memory(::BIO_new(::BIO_s_mem()), &::BIO_free);
  CHECK(memory && ::PEM_write_bio_PrivateKey(memory.get(), key, nullptr, nullptr, 0, nullptr,
                                             nullptr) == 1,
        "OpenSSL writes keys");
  char* data = nullptr;
  const long size = ::BIO_get_mem_data(memory.get(), &data);
  return {data, static_cast<size_t>(size)};
}

Result<Key> read_pem(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return errno_error("reading", path);
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return Error{ErrorCode::invalid_input,
                 path.string() +
                     ": a signing key that others may read or write is "
                     "no secret: chmod 600, or remove it to get a new one"};
  }
  const std::string text = TRY(read_file(path));
  const Memory memory(::BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &::BIO_free);
  Key key(::PEM_read_bio_PrivateKey(memory.get(), nullptr, nullptr, nullptr), &::EVP_PKEY_free);
  if (!key || ::EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_ED25519) {
    return Error{ErrorCode::corrupt,
                 path.string() + ": this is no Ed25519 private key in PEM form"};
  }
  return key;
}

// Links the file into place when it is whole, so that no one reads half a key, and never over an
// existing one, so that of two who create at once both end with the same key.
Result<Ok> write_new(const std::filesystem::path& path, std::string_view text) {
  std::string beside = path.string() + ".XXXXXX";
  const FileDescriptor file(::mkostemp(beside.data(), O_CLOEXEC));  // mode 0600
  if (!file) return errno_error("creating", path);
  const bool written =
      ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      ::fsync(file.get()) == 0;
  const bool linked = written && (::link(beside.c_str(), path.c_str()) == 0 || errno == EEXIST);
  Error error = errno_error("creating", path);
  ::unlink(beside.c_str());
  if (!linked) return error;
  return Ok{};
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // OpenSSL adds a final zero
  const int size = ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes_of(bytes),
                                     static_cast<int>(bytes.size()));
  text.resize(static_cast<size_t>(size));
  return text;
}

Result<std::string> from_base64(std::string_view text) {
  const Error wrong{ErrorCode::invalid_input, "this is no padded base64"};
  constexpr size_t most_bytes = 4096;  // keys and signatures; keeps sizes far from int's end
  if (text.empty() || text.size() % 4 != 0 || text.size() > most_bytes) return wrong;
  // OpenSSL passes blanks over and forgives padding in the middle.
  if (text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") !=
      std::string_view::npos) {
    return wrong;
  }
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  if (text.substr(0, text.size() - padding).find('=') != std::string_view::npos) return wrong;
  std::string bytes(text.size() / 4 * 3, '\0');
  const int size = ::EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()), bytes_of(text),
                                     static_cast<int>(text.size()));
  if (size < 0) return wrong;
  bytes.resize(static_cast<size_t>(size) - padding);
  return bytes;
}

Result<Ok> verify(const Json& signed_request, std::string_view public_key_base64) {
  const std::string public_key = TRY(from_base64(public_key_base64), "the server's public key");
  const std::string signature =
      TRY(from_base64(signed_request["signature"].string_or("")), "signature");
  if (public_key.size() != key_bytes || signature.size() != signature_bytes) {
    return Error{ErrorCode::invalid_input, "signature or public key has the wrong length"};
  }
  const Key key(::EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_of(public_key),
                                              public_key.size()),
                &::EVP_PKEY_free);
  const Context context(::EVP_MD_CTX_new(), &::EVP_MD_CTX_free);
  const std::string text = signed_text(signed_request);
  const bool good =
      key && context &&
      ::EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
      ::EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(text),
                         text.size()) == 1;
  if (!good) {
    return Error{ErrorCode::invalid_input,
                 "the signature is not the server's, or the request was changed after signing"};
  }
  return Ok{};
}

struct SigningKey::Impl {
  Key key;
};

SigningKey::SigningKey(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SigningKey::SigningKey(SigningKey&&) noexcept = default;
SigningKey& SigningKey::operator=(SigningKey&&) noexcept = default;
SigningKey::~SigningKey() = default;

SigningKey SigningKey::generate() {
  Key key(::EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), &::EVP_PKEY_free);
  CHECK(key, "OpenSSL has Ed25519 and the kernel has random numbers");
  return SigningKey(std::make_unique<Impl>(Impl{std::move(key)}));
}

Result<SigningKey> SigningKey::load_or_create(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    TRY(make_folder(path.parent_path(), 0700));
    TRY(write_new(path, to_pem(generate().impl_->key.get())));
  }
  Key key = TRY(read_pem(path));
  return SigningKey(std::make_unique<Impl>(Impl{std::move(key)}));
}

std::string SigningKey::public_key_base64() const {
  std::array<unsigned char, key_bytes> raw{};
  size_t size = raw.size();
  CHECK(::EVP_PKEY_get_raw_public_key(impl_->key.get(), raw.data(), &size) == 1,
        "an Ed25519 key has a raw public half");
  return to_base64({reinterpret_cast<const char*>(raw.data()), size});
}

Json SigningKey::sign(const ActionRequest& request) const {
  Json json = to_json(request);
  const std::string text = signed_text(json);
  std::array<unsigned char, signature_bytes> signature{};
  size_t size = signature.size();
  const Context context(::EVP_MD_CTX_new(), &::EVP_MD_CTX_free);
  CHECK(context &&
            ::EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, impl_->key.get()) == 1 &&
            ::EVP_DigestSign(context.get(), signature.data(), &size, bytes_of(text), text.size()) ==
                1,
        "OpenSSL signs with Ed25519");
  json.set("signature", to_base64({reinterpret_cast<const char*>(signature.data()), size}));
  return json;
}

}  // namespace auscult::actions
