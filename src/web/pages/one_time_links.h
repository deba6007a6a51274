// OneTimeLinks: the tokens of links that open a page once, within minutes. They are kept in memory, because they live
// that short. Each account has a bound of its own, so that nobody pushes out the links of others. Loop thread only.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "base/ports.h"
#include "net/http.h"

namespace muster::web {

class OneTimeLinks {
 public:
  OneTimeLinks(const Clock& clock, Rng& rng) : clock_(clock), rng_(rng) {}

  /// Returns a token for a link to the page, such as "/tb/default/mnist/". It works once, for five minutes. `account`
  /// is the user name of who asks for it; the oldest of too many links of an account makes room.
  std::string make(const std::string& account, const std::string& page);
  /// Uses the token up. Returns false when it does not open this page.
  bool redeem(std::string_view token, const std::string& page);

 private:
  struct Link {
    std::string token;
    std::string page;
    std::string account;
    MonoTime expires;
  };

  const Clock& clock_;
  Rng& rng_;
  std::deque<Link> links_;  // oldest first
};

/// The response of the API to a request for a link.
net::Response page_link_response(const std::string& url);

}  // namespace muster::web
