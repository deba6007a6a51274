#include "api/job_checks.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/check_pod_parts.h"
#include "api/pod_defaults.h"
#include "base/strings.h"
#include "reflect/causes.h"

namespace muster::api {

using reflect::child_path;

std::optional<std::int64_t> int_in(const json::Document* object, std::string_view key) {
  const json::Document* found = object == nullptr ? nullptr : object->find(key);
  if (found == nullptr || !reflect::is_whole(*found)) return std::nullopt;
  return reflect::whole_value(*found);
}

void check_name_budget(const json::Document& job, const std::string& suffix, std::vector<FieldCause>& causes) {
  const std::string& name = job.string_at("metadata", "name");
  const std::size_t size = name.size() + suffix.size();
  if (name.empty() || size <= kMaxPodName) return;
  causes.push_back(reflect::invalid_cause(
      "metadata.name", name,
      fmt::format("the pod name {} has {} characters, at most {} are allowed; shorten the job's name by {}",
                  quote(name + suffix), size, kMaxPodName, size - kMaxPodName)));
}

void keep_longest(std::string suffix, std::string& longest) {
  if (suffix.size() > longest.size()) longest = std::move(suffix);
}

bool check_template_spec(const json::Document& holder, const std::string& path, std::vector<FieldCause>& causes) {
  const std::string spec_path = child_path(path, "template.spec");
  if (holder.array_at("template", "spec", "containers").empty()) {
    causes.push_back(reflect::required_cause(child_path(spec_path, "containers"), "at least one container"));
    return false;
  }
  json::Document pod = *holder.find("template");
  default_pod(pod);
  Findings found(causes);
  check_pod_spec(*pod.find("spec"), reflect::kRoot.member(spec_path), found);
  return true;
}

bool check_template(const json::Document& holder, const std::string& path, std::vector<FieldCause>& causes) {
  if (!check_template_spec(holder, path, causes)) return false;
  Findings found(causes);
  const std::string metadata_path = child_path(path, "template.metadata");
  const reflect::Place at = reflect::kRoot.member(metadata_path);
  found.labels(holder.at("template", "metadata", "labels"), at.member("labels"));
  found.annotations(holder.at("template", "metadata", "annotations"), at.member("annotations"));
  return true;
}

bool has_container(const json::Document& replica, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(replica.at("template", "spec", "containers")->as_array(), [&](const json::Document& c) {
    return std::ranges::find(names, c.string_at("name")) != names.end();
  });
}

}  // namespace muster::api
