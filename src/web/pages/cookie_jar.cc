#include "web/pages/cookie_jar.h"

#include "base/strings.h"

namespace muster::web {
namespace {

constexpr std::size_t kMostCookies = 20;
constexpr std::size_t kLongestCookie = 4096;

}  // namespace

void CookieJar::keep(const net::Headers& headers) {
  for (const auto& [name, value] : headers) {
    if (to_lower(name) != "set-cookie") continue;
    const std::string_view pair = trim(std::string_view(value).substr(0, value.find(';')));
    const auto equals = pair.find('=');
    if (equals == std::string_view::npos || pair.size() > kLongestCookie) continue;
    const std::string cookie(pair.substr(0, equals));
    const std::string_view content = pair.substr(equals + 1);
    if (content.empty() || content == "\"\"") {
      cookies_.erase(cookie);
    } else if (cookies_.contains(cookie) || cookies_.size() < kMostCookies) {
      cookies_[cookie] = content;
    }
  }
}

std::string CookieJar::header() const {
  std::vector<std::string> pairs;
  for (const auto& [name, value] : cookies_) pairs.push_back(name + "=" + value);
  return join(pairs, "; ");
}

}  // namespace muster::web
