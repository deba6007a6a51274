#include "apiserver/api_server.h"

#include "apiserver/admission/metadata_rules.h"
#include "apiserver/context/context.h"
#include "apiserver/errors/status_error.h"
#include "apiserver/housekeeping/default_accounts.h"
#include "apiserver/housekeeping/definitions.h"
#include "apiserver/housekeeping/garbage_collector.h"
#include "apiserver/housekeeping/quota_status.h"
#include "apiserver/http/auth.h"
#include "apiserver/http/body_reader.h"
#include "apiserver/http/conditional.h"
#include "apiserver/http/health.h"
#include "apiserver/http/metrics.h"
#include "apiserver/http/overload.h"
#include "apiserver/http/reply.h"
#include "apiserver/openapi/discovery.h"
#include "apiserver/openapi/openapi.h"
#include "apiserver/quota/quotas.h"
#include "apiserver/verbs/usage.h"
#include "apiserver/verbs/verbs.h"
#include "apiserver/verbs/write.h"
#include "apiserver/watch/watch.h"
#include "base/log.h"
#include "base/strings.h"
#include "reflect/reflect.h"

namespace muster::apiserver {
namespace {

net::Response metrics_response(std::string body) {
  net::Response response = text_response(std::move(body));
  response.headers.set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  return response;
}

net::Response json_response(std::string body, const std::string& content_type) {
  net::Response response;
  response.headers.set("Content-Type", content_type);
  response.body = std::move(body);
  return response;
}

net::Response openapi_response(const OpenApiText& text, const net::Request& request) {
  net::Response response;
  response.headers.set("ETag", text.etag);
  response.headers.set("Vary", "Accept");
  response.headers.set("Cache-Control", "no-cache, private");
  if (names_etag(request.headers.get("If-None-Match"), text.etag)) {
    response.status = 304;
    return response;
  }
  response.headers.set("Content-Type", text.content_type);
  response.pieces.push_back(text.body);
  return response;
}

}  // namespace

struct ApiServer::State {
  State(Loop& loop, Rng& rng, store::Store& store, Options given)
      : options(std::move(given)),
        context{loop, rng, store, nullptr, nullptr},
        overload(std::make_shared<Overload>(options.max_requests, options.max_streams)),
        watches(context),
        collector(context, options.event_life),
        accounts(context),
        tokens(loop, store, options.account_key),
        authentication{.owner_token = options.token,
                       .allowed_hosts = options.allowed_hosts,
                       .is_owners = options.is_owners_token,
                       .find_account = [this](std::string_view token) { return tokens.find(token); }},
        quotas(store),
        quota_status(context, quotas),
        bodies(loop) {
    context.quotas = &quotas;
    context.is_acted_on = options.is_acted_on;
    context.node_policy = options.node_policy;
    context.namespace_limits = options.namespace_limits;
    checks = health_checks();
  }

  std::vector<HealthCheck> health_checks();

  /// Answers paths that are not resources: discovery, OpenAPI, version, health.
  net::Response answer_path(const Principal& who, const Target& target, const net::Request& request);
  net::Response read_path(const Target& target, const net::Request& request);
  net::Response answer_openapi(const std::vector<std::string>& path, const net::Request& request);
  void read_and_dispatch(ResourceRequest request, net::Request http, std::shared_ptr<net::Exchange> exchange);
  void dispatch(const ResourceRequest& request, const net::Request& http, Reply reply);
  void make_unless_there(const api::Resource& resource, const std::string& name);

  Options options;
  node::MetricsApi* usage = nullptr;  // what pods and nodes use; null while nothing measures it
  Context context;
  Router router;
  std::shared_ptr<Overload> overload;  // shared with exchanges in progress
  Watches watches;
  Collector collector;
  DefaultAccounts accounts;
  AccountTokens tokens;
  Authentication authentication;
  Quotas quotas;
  QuotaStatus quota_status;
  OpenApi openapi;
  std::vector<HealthCheck> checks;
  BodyReader bodies;
  int first_objects = 0;                                           // those that are being stored
  std::shared_ptr<Metrics> metrics = std::make_shared<Metrics>();  // shared with exchanges in progress
};

ApiServer::ApiServer(Loop& loop, Rng& rng, store::Store& store, Options options)
    : state_(std::make_unique<State>(loop, rng, store, std::move(options))) {}

ApiServer::~ApiServer() {
  state_->context.lifetime.end();
}

Context& ApiServer::context() {
  return state_->context;
}

void ApiServer::add_routes(std::vector<Route> routes) {
  state_->router.add(std::move(routes));
}

void ApiServer::start() {
  const api::Resource& namespaces = *api::find_resource("", "v1", "namespaces");
  for (const char* name : {"default", "kube-system", "kube-public"}) state_->make_unless_there(namespaces, name);
  state_->make_unless_there(*api::find_kind("scheduler.tensorstack.dev/v1beta1", "Queue"), "default");
  write_definitions(state_->context);
  state_->collector.start();
  state_->accounts.start();
  state_->quotas.start([state = state_.get()](const store::Key& quota) { state->quota_status.write_soon(quota); });
}

bool ApiServer::is_set_up() const {
  return state_->first_objects == 0;
}

std::size_t ApiServer::requests_under_way() const {
  return state_->overload->requests();
}

void ApiServer::set_node(node::NodeApi* node) {
  state_->context.node = node;
}

void ApiServer::set_metrics(node::MetricsApi* metrics) {
  state_->usage = metrics;
}

void ApiServer::State::make_unless_there(const api::Resource& resource, const std::string& name) {
  const store::Key key = key_of(resource, "", name);
  if (context.store.latest(key) != nullptr) return;
  json::Document object = json::Object{
      {"apiVersion", resource.api_version()}, {"kind", resource.kind}, {"metadata", json::Object{{"name", name}}}};
  stamp_new(resource, object, context.rng, context.loop.now());
  reflect::apply_defaults(*resource.type, object);
  if (resource.set_defaults != nullptr) resource.set_defaults(object);
  if (resource.start != nullptr) resource.start(object);
  ++first_objects;
  store_new(context, resource, key, std::move(object), false,
            [this, alive = context.lifetime.watch(), &resource, name](const Result<store::Bytes>& result) {
              if (!alive.over()) --first_objects;
              if (result) return;
              LOG_ERROR("cannot create what every server has", {"kind", resource.kind}, {"name", name},
                        {"error", result.error().message});
            });
}

net::Response ApiServer::State::answer_openapi(const std::vector<std::string>& path, const net::Request& request) {
  if (path.size() == 2 && path[1] == "v2") {
    const auto form = negotiate_openapi_v2(request.headers.get("Accept"));
    if (!form) return error_response(form.error());
    return openapi_response(openapi.v2(*form), request);
  }
  if (path.size() < 2 || path[1] != "v3") return error_response(unknown_path());
  if (path.size() == 2) return json_response(openapi.index(), "application/json");
  const std::string name = join({path.begin() + 2, path.end()}, "/");
  const OpenApiText* document = openapi.document(name);
  if (document == nullptr) return error_response(unknown_path());
  return openapi_response(*document, request);
}

std::vector<HealthCheck> ApiServer::State::health_checks() {
  std::vector<HealthCheck> all;
  all.push_back({.name = "ping", .scope = HealthScope::kAlive, .look = [] { return ok(); }});
  all.push_back({.name = "store", .scope = HealthScope::kHealthy, .look = [this]() -> Status {
                   if (!context.store.stats().is_full) return ok();
                   return Error{.reason = Reason::kStorageFull,
                                .message = "the disk is full: only deletes are accepted"};
                 }});
  if (!options.informers_synced) return all;
  all.push_back({.name = "informer-sync", .scope = HealthScope::kReady, .look = [this]() -> Status {
                   if (options.informers_synced()) return ok();
                   return Error{.reason = Reason::kServiceUnavailable, .message = "the controllers are still reading"};
                 }});
  return all;
}

net::Response ApiServer::State::answer_path(const Principal& who, const Target& target, const net::Request& request) {
  const auto allowed = check_access(who, action_at(request.method, request.target));
  if (!allowed) return error_response(allowed.error());
  net::Response response = read_path(target, request);
  const bool reads = request.method == "GET" || request.method == "HEAD";
  return reads || response.status == 404 ? response : error_response(method_not_allowed());
}

net::Response ApiServer::State::read_path(const Target& target, const net::Request& request) {
  const std::vector<std::string>& path = target.path;
  if (path.empty()) return json_response(json::serialize(root_answer()), "application/json");
  if (path[0] == "openapi") return answer_openapi(path, request);
  if (path.size() == 1 && path[0] == "version") {
    return json_response(json::serialize(version_answer()), "application/json");
  }
  if (path.size() == 1 && path[0] == "metrics")
    return metrics_response(metrics->text(context.store, watches.count(), usage));
  if (auto health = answer_health(checks, target)) return *std::move(health);
  if (!is_discovery(path)) return error_response(unknown_path());
  auto discovery = answer_discovery(path, request.headers.get("Accept"));
  if (!discovery) return error_response(discovery.error());
  return json_response(json::serialize(discovery->body), discovery->content_type);
}

void ApiServer::State::dispatch(const ResourceRequest& request, const net::Request& http, Reply reply) {
  if (request.resource->is_confidential) reply.hide_body();
  if (request.subresource == "log") return read_pod_log(context, request, std::move(reply));
  if (request.subresource == "portforward") return forward_ports(context, request, http, std::move(reply));
  if (becomes_stream(request)) return exec_in_pod(context, request, http, std::move(reply));
  if (request.subresource == "binding") return bind_pod(context, request, http, std::move(reply));
  if (request.subresource == "token") return request_token(context, tokens, request, http, std::move(reply));
  if (request.subresource == "scale") return answer_scale(context, request, http, std::move(reply));
  if (request.resource->answered_by == api::AnsweredBy::kReview) return answer_review(request, http, std::move(reply));
  if (request.resource->answered_by == api::AnsweredBy::kMetrics) return answer_usage(context, usage, request, reply);
  switch (request.verb) {
    case Verb::kGet:
      return get_object(context, request, std::move(reply));
    case Verb::kList:
      return list_objects(context, request, std::move(reply));
    case Verb::kWatch:
      return watches.open(request, std::move(reply));
    case Verb::kCreate:
      return create_object(context, request, http, std::move(reply));
    case Verb::kUpdate:
      return update_object(context, request, http, std::move(reply));
    case Verb::kPatch:
      return patch_object(context, request, http, std::move(reply));
    case Verb::kDelete:
      return delete_object(context, request, http, std::move(reply));
    case Verb::kDeleteCollection:
      return delete_collection(context, request, http, std::move(reply));
  }
}

bool ApiServer::knows_sender(const net::Request& head) const {
  return apiserver::knows_sender(head, state_->authentication);
}

Result<PodToken> ApiServer::issue_pod_token(const json::Document& pod) const {
  return state_->tokens.issue_for(pod);
}

bool ApiServer::streams_body(const net::Request& head) const {
  return state_->router.streams_body(head);
}

void ApiServer::handle(net::Request request, std::shared_ptr<net::Exchange> answered) {
  auto labels = std::make_shared<RequestLabels>(labels_of_method(request.method));
  auto exchange = state_->metrics->measure(state_->context.loop, std::move(answered), labels);
  const auto who = authenticate(request, state_->authentication);
  if (!who) return exchange->respond(error_response(who.error()));
  auto target = parse_target(request.target);
  if (!target) return exchange->respond(error_response(target.error()));
  auto routed = state_->router.find(request.method, target->path);
  if (!routed) return exchange->respond(error_response(routed.error()));
  if (auto& match = *routed) {
    const auto allowed = check_access(*who, action_of_route(request.method, target->path));
    if (!allowed) return exchange->respond(error_response(allowed.error()));
    if (!request.peer.in_process) {
      auto entered = state_->overload->enter(exchange, match->route->streams_body);
      if (!entered) return exchange->respond(error_response(entered.error()));
      exchange = *std::move(entered);
    }
    return match->route->handle({std::move(request), std::move(target->query), std::move(match->at), *who},
                                std::move(exchange));
  }
  if (!names_objects(target->path)) return exchange->respond(state_->answer_path(*who, *target, request));
  auto parsed = parse_resource_request(request.method, *std::move(target));
  if (!parsed) return exchange->respond(error_response(parsed.error()));
  *labels = labels_of(*parsed);
  if (const auto allowed = check_access(*who, action_of(*parsed)); !allowed) {
    return exchange->respond(error_response(allowed.error()));
  }
  parsed->who = *who;
  parsed->in_process = request.peer.in_process;
  // The engine's own controllers limit themselves, and they must keep running to reduce the load.
  if (!request.peer.in_process) {
    const bool streams = parsed->verb == Verb::kWatch || parsed->query.flag("follow") || becomes_stream(*parsed);
    auto entered = state_->overload->enter(exchange, streams);
    if (!entered) return exchange->respond(error_response(entered.error()));
    exchange = *std::move(entered);
  }
  state_->read_and_dispatch(*std::move(parsed), std::move(request), std::move(exchange));
}

/// A large body is read on another thread first. The connection's next request waits meanwhile.
void ApiServer::State::read_and_dispatch(ResourceRequest request, net::Request http,
                                         std::shared_ptr<net::Exchange> exchange) {
  // Logs are plain text, exec and port-forward are WebSockets, whatever the client accepts.
  const bool fixed = request.subresource == "log" || becomes_stream(request);
  auto form = fixed ? Form{} : negotiate_form(http.headers.get("Accept"), request.query);
  if (!form) return exchange->respond(error_response(form.error()));
  const bool writes = request.verb == Verb::kCreate || request.verb == Verb::kUpdate || request.verb == Verb::kPatch;
  if (!writes || http.peer.in_process || http.body.size() <= kLargeBody) {
    return dispatch(request, http, Reply(context.loop, std::move(exchange), *std::move(form)));
  }
  const std::string account = account_name(request.who);
  const auto sent = std::make_shared<const net::Request>(std::move(http));
  const auto begun =
      bodies.read(account, sent, [this, request = std::move(request), sent, exchange, form = *form](Body body) mutable {
        request.body = std::make_shared<Body>(std::move(body));
        dispatch(request, *sent, Reply(context.loop, std::move(exchange), std::move(form)));
      });
  if (!begun) exchange->respond(error_response(begun.error()));
}

}  // namespace muster::apiserver
