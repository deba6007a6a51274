// ConsoleSessions: the tokens that browsers use the API with. A browser trades the code of a one-time link for one, so
// that it never holds the owner's own token. They are signed and survive a restart of the engine. A session that was
// logged out stays so for all of its tokens, also after a restart: it is remembered until the last of them would have
// expired. Loop thread only.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/ports.h"
#include "base/result.h"

namespace muster::web {

class ConsoleSessions {
 public:
  ConsoleSessions(const Clock& clock, Rng& rng, std::string key) : clock_(clock), rng_(rng), key_(std::move(key)) {}

  /// Reads from the file which sessions were logged out, and from now on stores it there.
  Status keep_in(std::string file);

  struct Session {
    std::string token;
    Time expires;
  };
  Session open();
  bool is_open(std::string_view token) const;
  /// Returns a later token of the same session. The token must be open.
  Result<Session> renew(std::string_view token);
  /// Logs out: no token of this session is open any more. Does nothing to a token that is not open. After an error the
  /// session is closed until this process ends.
  Status close(std::string_view token);

 private:
  Session session_of(const std::string& id) const;
  Status save() const;

  const Clock& clock_;
  Rng& rng_;
  std::string key_;
  std::string file_;
  std::map<std::string, Time, std::less<>> closed_;  // ids of sessions, until when their tokens would have been valid
  Time all_closed_at_{};                             // sessions that got their token until then are closed
};

}  // namespace muster::web
