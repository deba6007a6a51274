#include "main/queues.h"

#include "api/resource.h"
#include "api/tensorstack/scheduler_v1beta1.h"
#include "base/check.h"
#include "base/log.h"
#include "reflect/reflect.h"

namespace muster {
namespace {

const api::Resource& queue_resource() {
  const api::Resource* resource = api::find_kind("scheduler.tensorstack.dev/v1beta1", "Queue");
  CHECK(resource != nullptr);
  return *resource;
}

/// Kubernetes labels each namespace with its own name.
api::LabelSelector selector_of(const std::vector<std::string>& namespaces) {
  json::Array values;
  for (const std::string& name : namespaces) values.push_back(name);
  return {.match_labels = {},
          .rest = json::Object{{"matchExpressions", json::Array{json::Object{{"key", "kubernetes.io/metadata.name"},
                                                                             {"operator", "In"},
                                                                             {"values", std::move(values)}}}}}};
}

void log_failure(const std::string& queue, const Result<json::Document>& written) {
  if (!written)
    LOG_ERROR("queue of the configuration not written", {"queue", queue}, {"error", written.error().message});
}

}  // namespace

json::Document queue_object(const QueueConfig& config) {
  api::Queue queue;
  queue.metadata.name = config.name;
  if (!config.quota.empty()) queue.spec.quota = api::QueueQuota{.requests = config.quota};
  queue.spec.priority = config.priority;
  queue.spec.closed = config.closed;
  if (!config.namespaces.empty()) queue.spec.namespace_selector = selector_of(config.namespaces);
  json::Document object = reflect::encode(queue);
  object.as_object().erase("status");
  return object;
}

void make_queues(client::ApiClient& client, const std::vector<QueueConfig>& queues) {
  for (const QueueConfig& config : queues) {
    const json::Document object = queue_object(config);
    client.create(queue_resource(), "", object, {}, [&client, object](Result<json::Document> made) {
      const std::string& name = object.string_at("metadata", "name");
      if (made || made.error().reason != Reason::kAlreadyExists) return log_failure(name, made);
      const json::Document patch =
          json::Array{json::Object{{"op", "add"}, {"path", "/spec"}, {"value", *object.find("spec")}}};
      client.patch({queue_resource(), "", name}, client::PatchType::kJson, patch, {},
                   [name](Result<json::Document> written) { log_failure(name, written); });
    });
  }
}

}  // namespace muster
