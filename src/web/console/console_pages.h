// ConsolePages: what the main port answers under /console/. The files of the console are the same for everybody and
// hold no secrets, so they need no login; what the console shows comes from the API, with a token that a browser gets
// here for the code of a one-time link. Loop thread only.
#pragma once

#include <string>
#include <vector>

#include "apiserver/http/router.h"
#include "net/http.h"
#include "web/console/asset_pack.h"
#include "web/console/console_sessions.h"
#include "web/pages/one_time_links.h"
#include "web/pages/page_access.h"

namespace muster::web {

class ConsolePages {
 public:
  /// All three references outlive the pages.
  ConsolePages(AssetPack assets, const PageAccess& access, OneTimeLinks& links, ConsoleSessions& sessions);

  /// Whether a request is for the console and not for the API: its paths, and "/" for a browser.
  static bool serves(const net::Request& head);
  net::Response answer(const net::Request& request);

 private:
  net::Response answer_file(const net::Request& request, std::string_view path) const;
  net::Response log_in(const net::Request& request);

  AssetPack assets_;
  std::string index_etag_;
  const PageAccess& access_;
  OneTimeLinks& links_;
  ConsoleSessions& sessions_;
};

/// Returns a link to the console at `origin` that logs one browser in.
std::string console_link(const std::string& origin, OneTimeLinks& links);
/// The paths of the API about logins: a new link to the console at `origin`, another token before the present
/// one expires, and logout.
std::vector<apiserver::Route> console_routes(std::string origin, OneTimeLinks& links, ConsoleSessions& sessions);

}  // namespace muster::web
