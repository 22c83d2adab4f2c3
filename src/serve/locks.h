// Locks: the tokens and certificates of a server, from its configuration and from files, which are
// read again when they change.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/yaml.h"
#include "grpc/front.h"
#include "net/tls.h"
#include "serve/access.h"

namespace auscult::serve {

struct LockOptions {
  std::vector<Token> tokens;         // given in the configuration, or
  std::filesystem::path token_file;  // in a file of their own
  // PEM files. The first two go together; client_ca asks clients for a certificate.
  std::filesystem::path certificate;
  std::filesystem::path key;
  std::filesystem::path client_ca;
};

// The values of `tokens:` (a file, or a list of tokens) and `tls:` ({certificate, key, client_ca}).
// Null nodes set nothing.
Result<Ok> read_lock_options(const Yaml* tokens, const Yaml* tls, LockOptions& options);

// Thread-safe.
class Locks {
 public:
  // invalid_input or not_found: a file that cannot be read or used, by its name.
  static Result<std::unique_ptr<Locks>> open(const LockOptions& options);

  // Shared: a request goes on with the tokens that were there when it came.
  std::shared_ptr<const Access> access() const;
  bool asks() const { return access()->asks(); }

  bool has_tls() const { return !options_.certificate.empty(); }
  net::TlsContext tls() const;  // null without TLS
  std::optional<grpc::Tls> grpc_tls() const;

  // Reads the files again. What cannot be used is logged once and changes nothing. True: there is
  // a new certificate, key or authority.
  bool reload();

 private:
  // The texts of the files, as they were when they were last used.
  struct Texts {
    std::string tokens;
    std::string certificate;
    std::string key;
    std::string client_ca;
    bool operator==(const Texts&) const = default;
  };

  explicit Locks(const LockOptions& options) : options_(options) {}
  Result<Texts> read() const;
  Result<Ok> use(Texts texts);

  const LockOptions options_;
  std::string complaint_;  // the last one of reload()

  mutable std::mutex mutex_;
  Texts texts_;
  std::shared_ptr<const Access> access_;  // shared: see access()
  net::TlsContext tls_;
};

}  // namespace auscult::serve
