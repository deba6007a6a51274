#include "main/page_access.h"

#include <fmt/core.h>

#include <algorithm>

#include "apiserver/access/token.h"
#include "base/random.h"
#include "base/sha256.h"
#include "base/strings.h"

namespace muster {
namespace {

constexpr Duration kLinkLife = std::chrono::minutes(5);
constexpr std::size_t kMostLinks = 1000;
constexpr std::chrono::seconds kCookieLife = std::chrono::days(7);
constexpr std::string_view kCookieName = "muster-page";

std::int64_t unix_seconds(Time time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

}  // namespace

std::string PageAccess::make_link_token(const std::string& page) {
  while (!links_.empty() && (links_.front().expires <= clock_.mono() || links_.size() >= kMostLinks)) {
    links_.pop_front();
  }
  links_.push_back({.token = make_token(rng_), .page = page, .expires = clock_.mono() + kLinkLife});
  return links_.back().token;
}

std::optional<std::string> PageAccess::redeem(std::string_view token, const std::string& page) {
  const auto link = std::ranges::find_if(links_, [&](const Link& one) {
    return one.page == page && apiserver::same_secret(token, one.token) && one.expires > clock_.mono();
  });
  if (link == links_.end()) return std::nullopt;
  links_.erase(link);
  const std::string expires = std::to_string(unix_seconds(clock_.now() + kCookieLife));
  return fmt::format("{}={}.{}; Path={}; Max-Age={}; HttpOnly; SameSite=Lax", kCookieName, expires, sign(page, expires),
                     page, kCookieLife.count());
}

std::string PageAccess::sign(const std::string& page, const std::string& expires) const {
  return base64_encode(hmac_sha256(options_.key, fmt::format("page {} {}", page, expires)));
}

bool PageAccess::is_valid_cookie(std::string_view cookie, const std::string& page) const {
  const auto dot = cookie.find('.');
  if (dot == std::string_view::npos || options_.key.empty()) return false;
  const std::string expires(cookie.substr(0, dot));
  const auto until = parse_int(expires);
  return until && *until > unix_seconds(clock_.now()) &&
         apiserver::same_secret(cookie.substr(dot + 1), sign(page, expires));
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

bool PageAccess::may_see(const net::Request& head, const std::string& page) const {
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
        is_valid_cookie(cookie.substr(kCookieName.size() + 1), page)) {
      return true;
    }
  }
  return false;
}

}  // namespace muster
