#include "main/pages/page_proxy.h"

#include <fmt/core.h>

#include "api/names.h"
#include "api/owners.h"
#include "apiserver/http/request.h"
#include "base/log.h"
#include "base/strings.h"
#include "control/tensorboard/tensorboard.h"
#include "main/pages/forward.h"

namespace muster {
namespace {

// How Arena labels the Deployments of TensorBoards and their pods.
constexpr const char* kArenaLabel = "role=tensorboard";

void respond(net::Exchange& exchange, int status, std::string text, net::Headers headers = {}) {
  net::Response response{.status = status, .headers = std::move(headers), .body = std::move(text) + "\n"};
  response.headers.set("Content-Type", "text/plain; charset=utf-8");
  response.headers.set("Cache-Control", "no-store");
  exchange.respond(std::move(response));
}

/// A page that is not there yet; the browser tries again by itself.
void respond_later(net::Exchange& exchange, std::string text) {
  respond(exchange, 503, std::move(text), {{"Refresh", "3"}, {"Retry-After", "3"}});
}

client::ListOptions with_label(const char* label) {
  client::ListOptions options;
  options.label_selector = label;
  return options;
}

client::ResourceName resource_of_kind(std::string_view api_version, std::string_view kind) {
  const api::Resource* resource = api::find_kind(api_version, kind);
  CHECK(resource != nullptr);
  return *resource;
}

/// Returns the command that makes a link to the page. A stranger sees it, so it depends on the name alone.
std::string link_command(const PageName& page) {
  constexpr std::string_view kOfArena = "-tensorboard";
  if (!page.name.ends_with(kOfArena)) return fmt::format("muster tensorboard {} -n {}", page.name, page.ns);
  return fmt::format("arena tensorboard {} -n {}", page.name.substr(0, page.name.size() - kOfArena.size()), page.ns);
}

Error unavailable(std::string message) {
  return Error{.reason = Reason::kServiceUnavailable, .message = std::move(message)};
}

}  // namespace

std::optional<PageName> page_of(std::string_view target) {
  const auto parsed = apiserver::parse_target(target);
  if (!parsed || parsed->path.size() < 3 || parsed->path[0] != "tb") return std::nullopt;
  const std::string& ns = parsed->path[1];
  const std::string& name = parsed->path[2];
  return PageName{.ns = ns, .name = name, .path = control::tensorboard_path(ns, name)};
}

PageProxy::PageProxy(net::EventLoop& loop, Rng& rng, client::ApiClient& client, PageAccess& access, Options options)
    : loop_(loop),
      client_(client),
      access_(access),
      options_(std::move(options)),
      boards_(loop, rng, client, resource_of_kind("tensorstack.dev/v1beta1", "TensorBoard"), {},
              [this](const client::Informer::Key&, const json::Document* before, const json::Document* now) {
                if (now == nullptr) logged_.erase(before->string_at("metadata", "uid"));
              }),
      pods_(loop, rng, client, resource_of_kind("v1", "Pod"), with_label(api::kTensorBoardUidLabel),
            [this](const client::Informer::Key&, const json::Document* before, const json::Document* now) {
              on_pod(before, now);
            }),
      deployments_(loop, rng, client, resource_of_kind("apps/v1", "Deployment"), with_label(kArenaLabel),
                   [](const client::Informer::Key&, const json::Document*, const json::Document*) {}),
      deployment_pods_(loop, rng, client, resource_of_kind("v1", "Pod"), with_label(kArenaLabel),
                       [this](const client::Informer::Key&, const json::Document* before, const json::Document* now) {
                         on_pod(before, now);
                       }) {}

PageProxy::~PageProxy() {
  *alive_ = false;
}

void PageProxy::start() {
  boards_.start();
  pods_.start();
  deployments_.start();
  deployment_pods_.start();
}

bool PageProxy::knows_sender(const net::Request& head) const {
  const auto page = page_of(head.target);
  return page && access_.may_see(head, page->path);
}

/// The connections to a pod that is gone are closed.
void PageProxy::on_pod(const json::Document* before, const json::Document* now) {
  if (before == nullptr) return;
  const std::string& address = before->string_at("status", "podIP");
  if (now == nullptr || now->string_at("status", "podIP") != address) clients_.erase(address);
}

Result<PageProxy::Backend> PageProxy::find_backend(const PageName& page) const {
  if (const auto board = boards_.find(page.ns, page.name)) return find_board(page, *board);
  if (const auto deployment = deployments_.find(page.ns, page.name)) return find_deployment(page, *deployment);
  return Error{.reason = Reason::kNotFound,
               .message = fmt::format("there is no TensorBoard {} in namespace {}", quote(page.name), quote(page.ns))};
}

Result<PageProxy::Backend> PageProxy::find_board(const PageName& page, const json::Document& board) const {
  const std::string& phase = board.string_at("status", "phase");
  std::string why = "it was just created";
  for (const json::Document& condition : board.array_at("status", "conditions")) {
    if (condition.string_at("type") == "Ready") why = condition.string_at("message");
  }
  const auto pod = pods_.find(page.ns, board.string_at("status", "pod", "reference", "name"));
  const std::string address = pod == nullptr ? "" : pod->string_at("status", "podIP");
  if (phase != "Running" || address.empty()) {
    return unavailable(fmt::format("TensorBoard {} is {}: {}", page.name, phase.empty() ? "Initializing" : phase, why));
  }
  return Backend{.address = address};
}

Result<PageProxy::Backend> PageProxy::find_deployment(const PageName& page, const json::Document& deployment) const {
  const std::string& uid = deployment.string_at("metadata", "uid");
  std::string address;
  for (const auto& [key, held] : deployment_pods_.cache()) {
    const bool runs = held.document->string_at("status", "phase") == "Running";
    if (runs && api::is_controlled_by(*held.document, uid)) address = held.document->string_at("status", "podIP");
  }
  if (address.empty()) return unavailable(fmt::format("TensorBoard {} is starting", page.name));
  return Backend{.address = std::move(address), .knows_prefix = false};
}

void PageProxy::open_with_link(const PageName& page, std::string_view token,
                               const std::shared_ptr<net::Exchange>& exchange) {
  const auto cookie = access_.redeem(token, page.path);
  if (!cookie) {
    return respond(*exchange, 403,
                   fmt::format("this link was used already or is older than five minutes; `{}` makes another",
                               link_command(page)));
  }
  net::Response response{.status = 303, .headers = {{"Location", page.path}, {"Set-Cookie", *cookie}}, .body = ""};
  response.headers.set("Cache-Control", "no-store");
  response.headers.set("Referrer-Policy", "no-referrer");
  exchange->respond(std::move(response));
}

void PageProxy::handle(net::Request request, const std::shared_ptr<net::Exchange>& exchange) {
  const auto page = page_of(request.target);
  if (!page) {
    return respond(*exchange, 404,
                   "This port shows what programs in pods render, such as TensorBoard. Nothing is shown under this "
                   "path; the API is on the main port.");
  }
  if (!access_.is_from_here(request)) return respond(*exchange, 403, "this is not a name of this server");
  const auto target = apiserver::parse_target(request.target);
  if (request.method == "GET" && target && target->query.has("token")) {
    return open_with_link(*page, target->query.get("token"), exchange);
  }
  if (!access_.may_see(request, page->path)) {
    return respond(*exchange, 401, fmt::format("log in with a link from `{}`", link_command(*page)));
  }
  // TensorBoard answers nothing outside of its prefix, and the prefix ends with the slash.
  if (request.target + "/" == page->path) {
    return exchange->respond({.status = 308, .headers = {{"Location", page->path}}, .body = ""});
  }
  const auto board = boards_.find(page->ns, page->name);
  if (board != nullptr) note_visit(*page, *board);
  const auto backend = find_backend(*page);
  if (!backend && backend.error().reason == Reason::kNotFound) return respond(*exchange, 404, backend.error().message);
  if (!backend) return respond_later(*exchange, backend.error().message);
  const bool opens_page = request.method == "GET" && request.target == page->path;
  if (board != nullptr && opens_page && options_.find_logs != nullptr) {
    return pass_on_when_logged(*backend, *page, *board, std::move(request), exchange);
  }
  pass_on_to(*backend, *page, std::move(request), exchange);
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
  client_.patch({resource_of_kind("tensorstack.dev/v1beta1", "TensorBoard"), page.ns, page.name},
                client::PatchType::kMerge, patch, {},
                [this, alive = alive_, path = page.path](Result<json::Document> done) {
                  if (!done && done.error().reason != Reason::kNotFound) {
                    LOG_WARN("visit not noted", {"page", path}, {"error", done.error().message});
                  }
                  if (*alive) being_noted_.erase(path);
                });
}

void PageProxy::pass_on_when_logged(const Backend& backend, const PageName& page, const json::Document& board,
                                    net::Request request, const std::shared_ptr<net::Exchange>& exchange) {
  const std::string& uid = board.string_at("metadata", "uid");
  if (logged_.contains(uid)) return pass_on_to(backend, page, std::move(request), exchange);
  options_.find_logs(board, [this, alive = alive_, uid, backend, page, request = std::move(request),
                             exchange](Result<std::string> nowhere) mutable {
    if (!*alive) return;
    // Whatever cannot be searched is TensorBoard's to explain.
    if (nowhere && !nowhere->empty()) {
      return respond_later(*exchange, fmt::format("TensorBoard {} runs, but nothing was logged yet ({}). This page "
                                                  "opens by itself when the training writes its first event file.",
                                                  page.name, *nowhere));
    }
    if (nowhere) logged_.insert(uid);
    pass_on_to(backend, page, std::move(request), exchange);
  });
}

void PageProxy::pass_on_to(const Backend& backend, const PageName& page, net::Request request,
                           const std::shared_ptr<net::Exchange>& exchange) {
  if (!backend.knows_prefix) {
    if (!request.target.starts_with(page.path)) return respond(*exchange, 404, "escape no letter of the page's path");
    request.target.erase(0, page.path.size() - 1);
  }
  pass_on(backend.address, std::move(request), exchange);
}

net::HttpClient& PageProxy::client_of(const std::string& address) {
  auto& client = clients_[address];
  if (client == nullptr) {
    client = std::make_unique<net::HttpClient>(
        loop_, net::Endpoint{.host = address, .port = control::kTensorBoardPort, .tls = false});
  }
  return *client;
}

void PageProxy::pass_on(const std::string& address, net::Request request,
                        const std::shared_ptr<net::Exchange>& exchange) {
  request.headers = passed_on(request.headers);
  forward(loop_, client_of(address), std::move(request), exchange,
          {.on_unreachable = [](net::Exchange& to, const Error&) { respond_later(to, "TensorBoard is starting"); }});
}

}  // namespace muster
