#include "apiserver/verbs/usage.h"

#include <fmt/core.h>

#include <cmath>

#include "apiserver/errors/status_error.h"
#include "apiserver/list/page.h"
#include "apiserver/list/read.h"

namespace muster::apiserver {
namespace {

using json::Document;

/// The response of a cluster whose metrics server is down. An empty list would mean that nothing runs.
Error nothing_measures() {
  return {.reason = Reason::kServiceUnavailable,
          .message = "metrics are not available: pods and nodes are not measured here"};
}

Document usage_document(const node::ResourceUsage& usage) {
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
std::optional<Document> pod_metrics(const node::MetricsApi& metrics, const api::Resource& resource,
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
std::optional<Document> node_metrics(const node::NodeUsage& usage, const api::Resource& resource,
                                     const Document& node) {
  if (node.string_at("metadata", "name") != usage.node) return std::nullopt;
  json::Object object = metrics_head(resource, node, usage.time, usage.window);
  object.append("usage", usage_document(usage.usage));
  return Document(std::move(object));
}

using Measure = std::function<std::optional<Document>(const Document& object)>;

Result<Measure> measure_for(node::MetricsApi& metrics, const api::Resource& resource) {
  if (resource.scope == api::Scope::kNamespaced) {
    return Measure([&](const Document& pod) { return pod_metrics(metrics, resource, pod); });
  }
  TRY_ASSIGN(node::NodeUsage usage, metrics.node_usage());
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

}  // namespace

void answer_usage(Context& context, node::MetricsApi* metrics, const ResourceRequest& request, const Reply& reply) {
  if (metrics == nullptr) return reply.fail(nothing_measures());
  const auto measure = measure_for(*metrics, *request.resource);
  if (!measure) return reply.fail(measure.error());
  auto listed = list_measured(context, *measure, request);
  if (!listed) return reply.fail(listed.error());
  if (request.verb == Verb::kList) return send_list(context, *request.resource, *std::move(listed), reply);
  if (listed->items.empty()) return reply.fail(not_found(*request.resource, request.name));
  reply.object(200, *request.resource, listed->items.front());
}

}  // namespace muster::apiserver
