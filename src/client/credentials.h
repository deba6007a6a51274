// The credentials of requests and their sources: fixed, a file that is renewed from outside, or a program.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/ports.h"
#include "base/result.h"

namespace muster::client {

struct Credential {
  std::string token;
  std::string client_certificate_pem;
  std::string client_key_pem;
  bool operator==(const Credential&) const = default;
};

using ReadFile = std::function<Result<std::string>(const std::string& path)>;

/// Loop thread only. The calls may block on a file or a program.
class CredentialSource {
 public:
  virtual ~CredentialSource() = default;
  virtual Result<Credential> get(const Clock& clock) = 0;
  /// Called when the server answered 401 to `refused`. Returns true when get() now has a different credential.
  virtual Result<bool> renew(const Credential& refused, const Clock& clock) = 0;
};

class FixedCredential final : public CredentialSource {
 public:
  explicit FixedCredential(Credential credential) : credential_(std::move(credential)) {}
  Result<Credential> get(const Clock&) override { return credential_; }
  Result<bool> renew(const Credential&, const Clock&) override { return false; }

 private:
  Credential credential_;
};

/// A token file, such as a pod's, which is rewritten long before its token expires: it is read again every minute.
class TokenFile final : public CredentialSource {
 public:
  /// `known` has the token as it was first read, and the parts that do not change.
  TokenFile(std::string path, Credential known, ReadFile read_file, const Clock& clock);
  /// Returns the last token while the file cannot be read.
  Result<Credential> get(const Clock& clock) override;
  Result<bool> renew(const Credential& refused, const Clock& clock) override;

 private:
  void read(const Clock& clock);

  std::string path_;
  Credential known_;
  ReadFile read_file_;
  MonoTime read_at_;
};

}  // namespace muster::client
