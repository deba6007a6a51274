#include "web/pages/page_proxy.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/muster/names.h"
#include "apiserver/http/request.h"
#include "base/log.h"

namespace muster::web {

PageProxy::PageProxy(net::EventLoop& loop, Rng& rng, client::ApiClient& client, PageAccess& access, Options options)
    : loop_(loop),
      client_(client),
      access_(access),
      options_(std::move(options)),
      backends_(loop, rng, client,
                {.on_pod_gone = [this](const std::string& uid) { upstreams_.erase(uid); },
                 .on_deleted = [this](const std::string& uid) { logged_.erase(uid); }}) {}

bool PageProxy::knows_sender(const net::Request& head) const {
  const auto page = page_of(head.target);
  return page && access_.may_see(head, subject_of(*page));
}

bool PageProxy::streams_body(const net::Request& head) {
  const auto page = page_of(head.target);
  return page && page->kind->streams_bodies &&
         (head.headers.has("Content-Length") || head.headers.has("Transfer-Encoding"));
}

void PageProxy::handle(net::Request request, const std::shared_ptr<net::Exchange>& exchange) {
  const auto target = apiserver::parse_target(request.target);
  if (!target && target.error().reason == Reason::kBadRequest) {
    return respond_text(*exchange, 400, target.error().message);
  }
  const auto page = page_of(request.target);
  if (!page) {
    return respond_text(
        *exchange, 404,
        "This port serves the pages of programs in pods, such as TensorBoard. This path does not exist; "
        "the API is on the main port.");
  }
  if (!access_.is_from_here(request)) return respond_text(*exchange, 403, "this is not a name of this server");
  const PageSubject subject = subject_of(*page);
  // Below the page, a parameter of this name is the program's own.
  if (request.method == "GET" && target && target->path.size() == 3 && target->query.has("token")) {
    auto opened = access_.open(request, target->query.get("token"), subject);
    if (opened) return exchange->respond(*std::move(opened));
    return respond_text(*exchange, 403,
                        fmt::format("this link was already used or is older than five minutes; `{}` prints a new one",
                                    link_command(*page)));
  }
  if (!access_.may_see(request, subject)) {
    return respond_text(*exchange, 401, fmt::format("log in with a link from `{}`", link_command(*page)));
  }
  // The programs answer nothing outside of their prefix, and the prefix ends with the slash.
  if (request.target + "/" == page->path) {
    return exchange->respond({.status = 308, .headers = {{"Location", page->path}}, .body = ""});
  }
  show(*page, std::move(request), exchange);
}

void PageProxy::show(const PageName& page, net::Request request, const std::shared_ptr<net::Exchange>& exchange) {
  const auto board = page.kind == &tensorboard_pages() ? backends_.object_of(page) : nullptr;
  if (board != nullptr) note_visit(page, *board);
  const auto backend = backends_.find(page);
  if (!backend && backend.error().reason == Reason::kNotFound) {
    return respond_text(*exchange, 404, backend.error().message);
  }
  if (!backend) return respond_later(*exchange, backend.error().message);
  const bool opens_page = request.method == "GET" && request.target == page.path;
  if (board != nullptr && opens_page && options_.find_logs != nullptr) {
    return pass_on_when_logged(*backend, page, *board, std::move(request), exchange);
  }
  pass_on_to(*backend, page, std::move(request), exchange);
}

void PageProxy::note_visit(const PageName& page, const json::Document& board) {
  if (options_.idle_after == Duration(0)) return;
  constexpr Duration kNoteEvery = std::chrono::minutes(1);
  const auto last = parse_rfc3339(board.string_at("metadata", "annotations", api::kLastVisitAnnotation));
  // A clock that was set back must not hide visits.
  if (last && std::chrono::abs(loop_.now() - *last) < std::min(kNoteEvery, options_.idle_after / 4)) return;
  if (!being_noted_.insert(page.path).second) return;
  json::Document patch{json::Object{}};
  patch["metadata"]["annotations"][api::kLastVisitAnnotation] = format_rfc3339_micro(loop_.now());
  client_.patch({{"tensorstack.dev", "v1beta1", page.kind->plural}, page.ns, page.name}, client::PatchType::kMerge,
                patch, {}, [this, alive = lifetime_.watch(), path = page.path](Result<json::Document> done) {
                  if (!done && done.error().reason != Reason::kNotFound) {
                    LOG_WARN("visit not noted", {"page", path}, {"error", done.error().message});
                  }
                  if (!alive.over()) being_noted_.erase(path);
                });
}

void PageProxy::pass_on_when_logged(const PageBackend& backend, const PageName& page, const json::Document& board,
                                    net::Request request, const std::shared_ptr<net::Exchange>& exchange) {
  const std::string& uid = board.string_at("metadata", "uid");
  if (logged_.contains(uid)) return pass_on_to(backend, page, std::move(request), exchange);
  options_.find_logs(board, lifetime_.guard([this, uid, backend, page, request = std::move(request),
                                             exchange](Result<std::string> nowhere) mutable {
    // Whatever cannot be searched is TensorBoard's to explain.
    if (nowhere && !nowhere->empty()) {
      return respond_later(*exchange, fmt::format("TensorBoard {} runs, but nothing was logged yet ({}). This page "
                                                  "opens by itself when the training writes its first event file.",
                                                  page.name, *nowhere));
    }
    if (nowhere) logged_.insert(uid);
    pass_on_to(backend, page, std::move(request), exchange);
  }));
}

void PageProxy::pass_on_to(const PageBackend& backend, const PageName& page, net::Request request,
                           const std::shared_ptr<net::Exchange>& exchange) {
  if (!backend.knows_prefix) {
    if (!request.target.starts_with(page.path)) {
      return respond_text(*exchange, 404, "escape no letter of the page's path");
    }
    request.target.erase(0, page.path.size() - 1);
  }
  pass_on(loop_, upstream_of(backend), page.kind->program, backend.authorization, std::move(request), exchange);
}

std::shared_ptr<PageUpstream> PageProxy::upstream_of(const PageBackend& backend) {
  auto& upstream = upstreams_[backend.pod_uid];
  if (upstream == nullptr) {
    auto sockets = options_.sockets_of == nullptr ? node::PodSockets{} : options_.sockets_of(backend.pod_uid);
    upstream = std::make_shared<PageUpstream>(loop_, backend.address, backend.port, std::move(sockets));
  }
  return upstream;
}

}  // namespace muster::web
