#include "apiserver/verbs/usage.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "apiserver/http/status_error.h"
#include "apiserver/list/page.h"
#include "apiserver/list/read.h"
#include "apiserver/verbs/write.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

using json::Document;

/// The response of a cluster whose metrics server is down. An empty list would mean that nothing runs.
Error nothing_measures() {
  return {.reason = Reason::kServiceUnavailable,
          .message = "metrics are not available: nothing measures pods and nodes here"};
}

Document usage_document(const client::ResourceUsage& usage) {
  return json::Object{{"cpu", fmt::format("{}n", std::llround(usage.cpu * 1e9))},
                      {"memory", fmt::format("{}Ki", usage.memory / 1024)}};
}

std::string window_text(Duration window) {
  return fmt::format("{:.3f}s", std::chrono::duration<double>(window).count());
}

json::Object metrics_head(const api::Resource& resource, const Document& measured, Time time, Duration window) {
  json::Object metadata{{"name", measured.string_at("metadata", "name")}};
  if (const std::string& ns = measured.string_at("metadata", "namespace"); !ns.empty())
    metadata.append("namespace", ns);
  metadata.append("creationTimestamp", format_rfc3339(time));
  if (const Document* labels = measured.at("metadata", "labels")) metadata.append("labels", *labels);
  return json::Object{{"kind", resource.kind},
                      {"apiVersion", resource.api_version()},
                      {"metadata", std::move(metadata)},
                      {"timestamp", format_rfc3339(time)},
                      {"window", window_text(window)}};
}

/// Nullopt for a pod that does not run, or not long enough to be measured.
std::optional<Document> pod_metrics(const client::MetricsApi& metrics, const api::Resource& resource,
                                    const Document& pod) {
  const auto usage = metrics.pod_usage(pod.string_at("metadata", "uid"));
  if (!usage) return std::nullopt;
  json::Array containers;
  for (const auto& [name, used] : usage->containers) {
    containers.emplace_back(json::Object{{"name", name}, {"usage", usage_document(used)}});
  }
  json::Object object = metrics_head(resource, pod, usage->time, usage->window);
  object.append("containers", std::move(containers));
  return Document(std::move(object));
}

/// Nullopt for a Node object that is not this machine.
std::optional<Document> node_metrics(const client::NodeUsage& usage, const api::Resource& resource,
                                     const Document& node) {
  if (node.string_at("metadata", "name") != usage.node) return std::nullopt;
  json::Object object = metrics_head(resource, node, usage.time, usage.window);
  object.append("usage", usage_document(usage.usage));
  return Document(std::move(object));
}

using Measure = std::function<std::optional<Document>(const Document& object)>;

Result<Measure> measure_for(client::MetricsApi& metrics, const api::Resource& resource) {
  if (resource.scope == api::Scope::kNamespaced) {
    return Measure([&](const Document& pod) { return pod_metrics(metrics, resource, pod); });
  }
  TRY_ASSIGN(client::NodeUsage usage, metrics.node_usage());
  return Measure(
      [usage = std::move(usage), &resource](const Document& node) { return node_metrics(usage, resource, node); });
}

/// The measured objects are the pods and nodes themselves, so selectors match those.
Result<Listed> list_measured(const Context& context, const Measure& measure, ResourceRequest request) {
  request.resource = api::find_resource("", "v1", request.resource->plural);
  TRY_ASSIGN(const Selection selection, parse_selection(request));
  TRY_ASSIGN(const Listed objects, list_page(context, selection, {.revision = context.store.revision()}));
  Listed listed;
  for (const store::Bytes& item : objects.items) {
    const auto object = json::parse(*item);
    if (!object) continue;
    if (const auto measured = measure(*object))
      listed.items.push_back(std::make_shared<const std::string>(json::serialize(*measured)));
  }
  return listed;
}

Result<std::optional<Time>> time_parameter(const Query& query, std::string_view name) {
  const std::string_view text = query.get(name);
  if (text.empty()) return std::optional<Time>();
  if (const auto time = parse_rfc3339(text)) return std::optional(*time);
  constexpr std::int64_t kLatest = 4'102'444'800;  // 2100: far from where nanoseconds overflow
  const auto seconds = parse_int(text);
  if (seconds && *seconds >= 0 && *seconds <= kLatest) return std::optional(Time(std::chrono::seconds(*seconds)));
  return bad_request(fmt::format("{}: must be an RFC 3339 time {} or seconds since 1970, up to {}, got {}", name,
                                 kTimeRange, kLatest, quote(text)));
}

Result<std::optional<Duration>> step_parameter(const Query& query) {
  const std::string_view text = query.get("step");
  if (text.empty()) return std::optional<Duration>();
  constexpr std::int64_t kLongest = 366LL * 24 * 3600;
  if (const auto seconds = parse_int(text); seconds && *seconds <= kLongest) {
    return std::optional<Duration>(std::chrono::seconds(*seconds));
  }
  if (const auto duration = parse_duration(text)) return std::optional(*duration);
  return bad_request(fmt::format("step: must be a duration such as 15s, got {}", quote(std::string(text))));
}

Result<client::HistoryRequest> history_request(const Context& context, const RoutedRequest& request) {
  client::HistoryRequest wanted{.ns = request.at.at("namespace"), .pod = request.at.at("name")};
  TRY_ASSIGN(wanted.from, time_parameter(request.query, "from"));
  TRY_ASSIGN(wanted.to, time_parameter(request.query, "to"));
  TRY_ASSIGN(wanted.step, step_parameter(request.query));
  const api::Resource& pods = *api::find_resource("", "v1", "pods");
  const store::Entry* entry = context.store.get(key_of(pods, wanted.ns, wanted.pod));
  if (entry == nullptr) return wanted;  // deleted: its name is enough
  TRY_ASSIGN(const Document pod, json::parse(*entry->bytes));
  wanted.pod_uid = pod.string_at("metadata", "uid");
  return wanted;
}

Document value_document(float value, std::string_view unit) {
  if (std::isnan(value)) return nullptr;
  if (unit == "bytes") return static_cast<std::int64_t>(std::llround(value));
  constexpr double kDigits = 10'000;  // more are noise
  return std::round(static_cast<double>(value) * kDigits) / kDigits;
}

Document history_document(const client::HistoryRequest& request, const client::History& history) {
  json::Array times;
  for (const Time time : history.times)
    times.emplace_back(std::int64_t{time.time_since_epoch() / std::chrono::seconds(1)});
  json::Array series;
  for (const client::Series& one : history.series) {
    json::Array values;
    for (const float value : one.values) values.push_back(value_document(value, one.unit));
    series.emplace_back(json::Object{{"name", one.name}, {"unit", one.unit}, {"values", std::move(values)}});
  }
  return json::Object{
      {"apiVersion", "muster.dev/v1"},
      {"kind", "PodMetricsHistory"},
      {"metadata", json::Object{{"name", request.pod}, {"namespace", request.ns}, {"uid", history.pod_uid}}},
      {"stepSeconds", std::int64_t{history.step / std::chrono::seconds(1)}},
      {"times", std::move(times)},
      {"series", std::move(series)}};
}

Result<Document> answer_history(const Context& context, const client::MetricsApi* metrics,
                                const RoutedRequest& request) {
  if (metrics == nullptr) return nothing_measures();
  TRY_ASSIGN(const client::HistoryRequest wanted, history_request(context, request));
  TRY_ASSIGN(const client::History history, metrics->history(wanted));
  return history_document(wanted, history);
}

}  // namespace

void answer_usage(Context& context, client::MetricsApi* metrics, const ResourceRequest& request, const Reply& reply) {
  if (metrics == nullptr) return reply.fail(nothing_measures());
  const auto measure = measure_for(*metrics, *request.resource);
  if (!measure) return reply.fail(measure.error());
  auto listed = list_measured(context, *measure, request);
  if (!listed) return reply.fail(listed.error());
  if (request.verb == Verb::kList) return send_list(context, *request.resource, *std::move(listed), reply);
  if (listed->items.empty()) return reply.fail(not_found(*request.resource, request.name));
  reply.object(200, *request.resource, listed->items.front());
}

Route history_route(const Context& context, client::MetricsApi* const& metrics) {
  return {.pattern = "apis/muster.dev/v1/namespaces/{namespace}/pods/{name}/metrics",
          .methods = {"GET"},
          .handle = [&context, &metrics](const RoutedRequest& request, const std::shared_ptr<net::Exchange>& exchange) {
            const auto answer = answer_history(context, metrics, request);
            if (!answer) return exchange->respond(error_response(answer.error()));
            net::Response response;
            response.headers.set("Content-Type", "application/json");
            response.body = json::serialize(*answer);
            exchange->respond(std::move(response));
          }};
}

}  // namespace muster::apiserver
