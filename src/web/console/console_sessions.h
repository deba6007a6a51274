// ConsoleSessions: the tokens that browsers use the API with. A browser trades the code of a one-time link for one, so
// that it never holds the owner's own token. They are signed and survive a restart of the engine; one that was logged
// out is remembered until it would have expired. Loop thread only.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/ports.h"

namespace muster::web {

class ConsoleSessions {
 public:
  ConsoleSessions(const Clock& clock, Rng& rng, std::string key) : clock_(clock), rng_(rng), key_(std::move(key)) {}

  struct Session {
    std::string token;
    Time expires;
  };
  Session open();
  bool is_open(std::string_view token) const;
  /// Logs out. Does nothing to a token that is not open.
  void close(std::string_view token);

 private:
  const Clock& clock_;
  Rng& rng_;
  std::string key_;
  std::map<std::string, Time, std::less<>> closed_;  // until when they would have been valid
};

}  // namespace muster::web
