// PageAccess: who may see the pages of the content port. The owner's bearer token opens all of them. A browser follows
// a link that works once and gets a cookie for that page alone, and only as long as the same object is behind it: after
// that was deleted, another one with its name is a stranger. Cookies are signed, so that none has to be stored and they
// survive a restart of the engine. Loop thread only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ports.h"
#include "net/http.h"
#include "web/pages/one_time_links.h"

namespace muster::web {

/// A page and the object that has it now.
struct PageSubject {
  std::string path;  // such as "/tb/default/mnist/"
  std::string uid;   // of the object; "": none, or on a server that is not ours
};

class PageAccess {
 public:
  struct Options {
    std::string owner_token;
    std::string key;                         // signs the cookies
    std::vector<std::string> allowed_hosts;  // accepted Host headers, without port: against DNS rebinding
  };
  PageAccess(const Clock& clock, Rng& rng, Options options)
      : clock_(clock), options_(std::move(options)), links_(clock, rng) {}

  /// Returns a token for a link to the page. It works once, for five minutes. `account` is the user name of who asks.
  std::string make_link_token(const std::string& account, const PageSubject& page);
  /// Uses the token up and returns the Set-Cookie header that opens the page; nullopt when it does not open this page.
  std::optional<std::string> redeem(std::string_view token, const PageSubject& page);
  /// Returns the response to a link with this token: the page and its cookie. The browser that used a link
  /// may use it again; for others the result is nullopt.
  std::optional<net::Response> open(const net::Request& head, std::string_view token, const PageSubject& page);
  /// Whether the request came under a name of this server and from no other site.
  bool is_from_here(const net::Request& head) const;
  /// Whether the request also shows the owner's token or a cookie for the page.
  bool may_see(const net::Request& head, const PageSubject& page) const;

 private:
  const Clock& clock_;
  Options options_;
  OneTimeLinks links_;
};

}  // namespace muster::web
