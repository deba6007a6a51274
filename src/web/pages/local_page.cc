#include "web/pages/local_page.h"

#include <algorithm>

#include "apiserver/http/request.h"
#include "base/random.h"
#include "base/strings.h"
#include "web/pages/content_port.h"
#include "web/pages/forward.h"
#include "web/pages/page_transfer.h"

namespace muster::web {
namespace {

constexpr const char* kHost = "127.0.0.1";

/// Scripts of the page must reach nothing else with these credentials.
bool is_part_of(const std::string& page, const std::string& target) {
  if (!target.starts_with(page)) return false;
  const auto path = net::percent_decode(target.substr(0, target.find('?')), false);
  return path && std::ranges::none_of(split(*path, '/'), [](const std::string& segment) { return segment == ".."; });
}

}  // namespace

LocalPage::LocalPage(net::EventLoop& loop, Rng& rng, net::Transport& server, std::string path)
    : loop_(loop),
      server_(server),
      path_(std::move(path)),
      access_(loop, rng, {.owner_token = make_token(rng), .key = make_token(rng), .allowed_hosts = {kHost}}),
      http_(
          loop, {},
          [this](net::Request request, const std::shared_ptr<net::Exchange>& exchange) {
            answer(std::move(request), exchange);
          },
          net::ServerLimits{},
          [this](const net::Request& head) {
            return access_.may_see(head, {path_, ""});
          }) {}

Status LocalPage::listen(int port) {
  TRY_ASSIGN(const int listening, http_.listen(kHost, port));
  origin_ = loopback_url(listening);
  return ok();
}

std::string LocalPage::make_link() {
  return origin_ + path_ + "?token=" + access_.make_link_token("", {path_, ""});
}

void LocalPage::answer(net::Request request, const std::shared_ptr<net::Exchange>& exchange) {
  const auto target = apiserver::parse_target(request.target);
  if (request.target.starts_with(path_ + "?") && target && target->query.has("token") &&
      access_.is_from_here(request)) {
    if (auto opened = access_.open(request, target->query.get("token"), {path_, ""})) {
      return exchange->respond(*std::move(opened));
    }
  }
  if (!access_.may_see(request, {path_, ""})) {
    return respond_text(*exchange, 401,
                        "the printed link opens this page only once; start the command again for a new one");
  }
  if (!is_part_of(path_, request.target)) return respond_text(*exchange, 404, "this path is not served");
  request.headers = passed_on_to_api(request.headers);
  forward(loop_, server_, std::move(request), exchange, {.on_unreachable = [](net::Exchange& to, const Error& error) {
            respond_later(to, "the server does not answer: " + error.message);
          }});
}

}  // namespace muster::web
