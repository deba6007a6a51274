#include "web/pages/one_time_links.h"

#include <algorithm>

#include "apiserver/access/token.h"
#include "base/random.h"
#include "json/document.h"

namespace muster::web {
namespace {

constexpr Duration kLinkLife = std::chrono::minutes(5);
constexpr int kMostLinksOfAccount = 100;

}  // namespace

std::string OneTimeLinks::make(const std::string& account, const std::string& page) {
  while (!links_.empty() && links_.front().expires <= clock_.mono()) links_.pop_front();
  if (std::ranges::count(links_, account, &Link::account) >= kMostLinksOfAccount) {
    links_.erase(std::ranges::find(links_, account, &Link::account));
  }
  links_.push_back({.token = make_token(rng_), .page = page, .account = account, .expires = clock_.mono() + kLinkLife});
  return links_.back().token;
}

bool OneTimeLinks::redeem(std::string_view token, const std::string& page) {
  const auto link = std::ranges::find_if(links_, [&](const Link& one) {
    return one.page == page && apiserver::same_secret(token, one.token) && one.expires > clock_.mono();
  });
  if (link == links_.end()) return false;
  links_.erase(link);
  return true;
}

net::Response page_link_response(const std::string& url) {
  const json::Document link = json::Object{{"apiVersion", "muster.dev/v1"}, {"kind", "PageLink"}, {"url", url}};
  net::Response response{.status = 200, .headers = {}, .body = json::serialize(link)};
  response.headers.set("Content-Type", "application/json");
  response.headers.set("Cache-Control", "no-store");
  return response;
}

}  // namespace muster::web
