#include "apiserver/housekeeping/namespace_conditions.h"

#include <fmt/core.h>

#include <vector>

#include "base/strings.h"

namespace muster::apiserver {
namespace {

std::string since(const json::Document& ns, const std::string& type, const std::string& status, Time now) {
  for (const json::Document& condition : ns.array_at("status", "conditions")) {
    if (condition.string_at("type") == type && condition.string_at("status") == status) {
      return condition.string_at("lastTransitionTime");
    }
  }
  return format_rfc3339(now);
}

std::string counted(const std::map<std::string, int>& counts, std::string_view form) {
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts) parts.push_back(fmt::format(fmt::runtime(form), name, count));
  return join(parts, ", ");
}

}  // namespace

void set_terminating_conditions(json::Document& ns, const std::map<std::string, int>& resources,
                                const std::map<std::string, int>& finalizers, Time now) {
  json::Array conditions;
  const auto add = [&](const std::string& type, bool holds, const std::string& reason, const std::string& message) {
    const std::string status = holds ? "True" : "False";
    conditions.emplace_back(json::Object{{"type", type},
                                         {"status", status},
                                         {"lastTransitionTime", since(ns, type, status, now)},
                                         {"reason", reason},
                                         {"message", message}});
  };
  add("NamespaceDeletionDiscoveryFailure", false, "ResourcesDiscovered", "All resources successfully discovered");
  add("NamespaceDeletionGroupVersionParsingFailure", false, "ParsedGroupVersions",
      "All legacy kube types successfully parsed");
  add("NamespaceDeletionContentFailure", false, "ContentDeleted",
      "All content successfully deleted, may be waiting on finalization");
  if (resources.empty()) {
    add("NamespaceContentRemaining", false, "ContentRemoved", "All content successfully removed");
  } else {
    add("NamespaceContentRemaining", true, "SomeResourcesRemain",
        "Some resources are remaining: " + counted(resources, "{} has {} resource instances"));
  }
  if (finalizers.empty()) {
    add("NamespaceFinalizersRemaining", false, "ContentHasNoFinalizers", "All content-preserving finalizers finished");
  } else {
    add("NamespaceFinalizersRemaining", true, "SomeFinalizersRemain",
        "Some content in the namespace has finalizers remaining: " +
            counted(finalizers, "{} in {} resource instances"));
  }
  ns["status"].as_object().set("conditions", std::move(conditions));
}

}  // namespace muster::apiserver
