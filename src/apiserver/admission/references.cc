#include "apiserver/admission/references.h"

#include <fmt/core.h>

#include <set>

#include "apiserver/admission/pod_templates.h"
#include "apiserver/errors/status_error.h"
#include "base/strings.h"
#include "reflect/causes.h"

namespace muster::apiserver {
namespace {

constexpr const char* kQueues = "queues.scheduler.tensorstack.dev";

std::vector<std::string> queue_names(const store::Store& store) {
  std::vector<std::string> names;
  store.scan(kQueues, "", [&](const store::Key& key, const store::Entry&) { names.push_back(key.name); });
  return names;
}

bool is_priority_class(const Context& context, const std::string& name) {
  // Every cluster has these two classes from the start.
  if (name == "system-cluster-critical" || name == "system-node-critical") return true;
  return context.store.latest({"priorityclasses.scheduling.k8s.io", "", name}) != nullptr;
}

void check_template_priorities(const Context& context, const api::Resource& resource, const json::Document* before,
                               const json::Document& object, std::vector<FieldCause>& causes) {
  const auto class_of = [](const json::Document& pod_template) {
    return pod_template.string_at("spec", "priorityClassName");
  };
  std::set<std::string> known = {""};
  if (before != nullptr) {
    visit_pod_templates(resource, *before, [&](const json::Document& pod_template, const reflect::Place&) {
      known.insert(class_of(pod_template));
    });
  }
  visit_pod_templates(resource, object, [&](const json::Document& pod_template, const reflect::Place& at) {
    const std::string name = class_of(pod_template);
    if (known.contains(name) || is_priority_class(context, name)) return;
    const std::string path = reflect::child_path(at.keyed_text(), "spec.priorityClassName");
    causes.push_back(reflect::not_found_cause(path, name));
  });
}

struct MissingQueue {
  std::string path;
  std::string name;
};

/// Returns the queues that do not exist, except those that `before` (may be null) already names.
std::vector<MissingQueue> missing_queues(const Context& context, const api::Resource& resource,
                                         const json::Document* before, const json::Document& object) {
  std::vector<MissingQueue> missing;
  if (resource.built_in) return missing;
  const auto check = [&](const char* path, auto... keys) {
    const std::string& queue = object.string_at(keys...);
    if (queue.empty() || (before != nullptr && before->string_at(keys...) == queue)) return;
    if (context.store.latest({kQueues, "", queue}) == nullptr) missing.push_back({path, queue});
  };
  check("spec.scheduler.t9kScheduler.queue", "spec", "scheduler", "t9kScheduler", "queue");
  check("spec.tensorboardSpec.scheduler.t9kScheduler.queue", "spec", "tensorboardSpec", "scheduler", "t9kScheduler",
        "queue");
  check("spec.runPolicy.schedulingPolicy.queue", "spec", "runPolicy", "schedulingPolicy", "queue");
  if (resource.kind == "PodGroup") check("spec.queue", "spec", "queue");
  return missing;
}

std::string what_else(const Context& context, const std::string& queue) {
  const auto near = did_you_mean(queue, queue_names(context.store));
  return near ? "did you mean " + quote(*near) + "?" : "create it or use another one";
}

bool needs_queues(const Context& context) {
  return context.node_policy && context.node_policy->strict_queues;
}

}  // namespace

Status check_pod_priority(const Context& context, const api::Resource& resource, const json::Document& object) {
  const std::string& name = object.string_at("spec", "priorityClassName");
  if (resource.qualified_name() != "pods" || name.empty() || is_priority_class(context, name)) return ok();
  return forbidden(resource, object.string_at("metadata", "name"),
                   fmt::format("no PriorityClass with name {} was found", name));
}

std::vector<FieldCause> check_references(const Context& context, const api::Resource& resource,
                                         const json::Document* before, const json::Document& object) {
  std::vector<FieldCause> causes;
  if (resource.built_in) return causes;
  check_template_priorities(context, resource, before, object, causes);
  if (!needs_queues(context)) return causes;
  for (const auto& [path, queue] : missing_queues(context, resource, before, object)) {
    causes.push_back(reflect::not_found_cause(path, queue));
    causes.back().message += "; " + what_else(context, queue);
  }
  return causes;
}

std::vector<std::string> missing_queue_warnings(const Context& context, const api::Resource& resource,
                                                const json::Document* before, const json::Document& object) {
  std::vector<std::string> warnings;
  if (needs_queues(context)) return warnings;  // they are refused
  for (const auto& [path, queue] : missing_queues(context, resource, before, object)) {
    warnings.push_back(fmt::format("{}: queue {} does not exist, the default queue is used; {}", path, quote(queue),
                                   what_else(context, queue)));
  }
  return warnings;
}

}  // namespace muster::apiserver
