#include "web/pages/page_access.h"

#include <fmt/core.h>

#include <algorithm>

#include "apiserver/access/token.h"
#include "base/strings.h"
#include "web/pages/signed_token.h"

namespace muster::web {
namespace {

constexpr std::chrono::seconds kCookieLife = std::chrono::days(7);
constexpr std::string_view kCookieName = "muster-page";

/// Paths have no spaces.
std::string name_of(const PageSubject& page) {
  return page.path + " " + page.uid;
}

std::string purpose_of(const PageSubject& page) {
  return "page " + name_of(page);
}

}  // namespace

std::string PageAccess::make_link_token(const std::string& account, const PageSubject& page) {
  return links_.make(account, name_of(page));
}

std::optional<std::string> PageAccess::redeem(std::string_view token, const PageSubject& page) {
  if (!links_.redeem(token, name_of(page))) return std::nullopt;
  return fmt::format("{}={}; Path={}; Max-Age={}; HttpOnly; SameSite=Lax", kCookieName,
                     sign_until(options_.key, purpose_of(page), clock_.now() + kCookieLife), page.path,
                     kCookieLife.count());
}

std::optional<net::Response> PageAccess::open(const net::Request& head, std::string_view token,
                                              const PageSubject& page) {
  const auto cookie = redeem(token, page);
  if (!cookie && !may_see(head, page)) return std::nullopt;
  net::Response response{.status = 303, .headers = {{"Location", page.path}}, .body = ""};
  if (cookie) response.headers.set("Set-Cookie", *cookie);
  response.headers.set("Cache-Control", "no-store");
  response.headers.set("Referrer-Policy", "no-referrer");
  return response;
}

bool PageAccess::is_from_here(const net::Request& head) const {
  const std::string_view host = head.headers.get("Host");
  const auto name = net::host_name(host);
  if (!name || std::ranges::find(options_.allowed_hosts, *name) == options_.allowed_hosts.end()) return false;
  if (!head.headers.has("Origin")) return true;
  const std::string_view origin = head.headers.get("Origin");
  const auto scheme = origin.find("://");
  return scheme != std::string_view::npos && to_lower(origin.substr(scheme + 3)) == to_lower(host);
}

bool PageAccess::may_see(const net::Request& head, const PageSubject& page) const {
  if (!is_from_here(head)) return false;
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view given = head.headers.get("Authorization");
  if (given.starts_with(kBearer) && !options_.owner_token.empty() &&
      apiserver::same_secret(given.substr(kBearer.size()), options_.owner_token)) {
    return true;
  }
  for (const std::string& part : split(head.headers.get("Cookie"), ';')) {
    const std::string_view cookie = trim(part);
    if (cookie.starts_with(kCookieName) && cookie.substr(kCookieName.size()).starts_with('=') &&
        is_signed(options_.key, purpose_of(page), cookie.substr(kCookieName.size() + 1), clock_.now())) {
      return true;
    }
  }
  return false;
}

}  // namespace muster::web
