// ConsolePages: what the main port answers under /console/. The files of the console are the same for everybody and
// hold no secrets, so they need no login; what the console shows comes from the API, with a token that a browser gets
// here for the code of a one-time link. Before it sends the code or the token, it asks for a proof that this is the
// server which made the link: a signature of a number of its choice and of the origin where it believes to be. Loop
// thread only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apiserver/http/router.h"
#include "net/http.h"
#include "net/pki.h"
#include "web/console/asset_pack.h"
#include "web/console/console_sessions.h"
#include "web/pages/one_time_links.h"
#include "web/pages/page_access.h"

namespace muster::web {

class ConsolePages {
 public:
  /// The references outlive the pages.
  ConsolePages(AssetPack assets, const PageAccess& access, OneTimeLinks& links, ConsoleSessions& sessions,
               net::SigningKey key);

  /// Returns whether no other process has connections at the address of this server: what a program has accepted that
  /// held the port before stays open in browsers, and there it can pass on a proof of ours.
  using IsAlone = std::function<Result<bool>()>;
  /// Tells under which origins nobody but this server can be reached, as soon as it listens. The first is that of its
  /// links.
  void serve_at(std::vector<std::string> origins, IsAlone is_alone) {
    origins_ = std::move(origins);
    is_alone_ = std::move(is_alone);
  }
  /// Returns a link to the console that logs one browser in.
  std::string make_link();

  /// Whether a request is for the console and not for the API: its paths, and "/" for a browser.
  static bool serves(const net::Request& head);
  net::Response answer(const net::Request& request);

 private:
  net::Response answer_file(const net::Request& request, std::string_view path) const;
  net::Response log_in(const net::Request& request);
  net::Response prove(const net::Request& request) const;
  std::string origin_of(const net::Request& request) const;
  std::string better_origin(const net::Request& request) const;
  std::string fingerprint() const;

  AssetPack assets_;
  std::string index_etag_;
  const PageAccess& access_;
  OneTimeLinks& links_;
  ConsoleSessions& sessions_;
  net::SigningKey key_;
  std::vector<std::string> origins_;
  IsAlone is_alone_;
};

/// The paths of the API about logins: a new link to the console, another token before the present one expires, and
/// logout. Both references outlive the requests of the routes.
std::vector<apiserver::Route> console_routes(ConsolePages& pages, ConsoleSessions& sessions);

}  // namespace muster::web
