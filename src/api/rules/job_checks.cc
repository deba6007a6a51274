#include "api/rules/job_checks.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/kubernetes/pod_defaults.h"
#include "api/muster/limits.h"
#include "api/muster/names.h"
#include "api/rules/check_pod_parts.h"
#include "base/strings.h"
#include "reflect/causes.h"

namespace muster::api {

using reflect::child_path;

std::optional<std::int64_t> int_in(const json::Document* object, std::string_view key) {
  const json::Document* found = object == nullptr ? nullptr : object->find(key);
  if (found == nullptr || !reflect::is_whole(*found)) return std::nullopt;
  return reflect::whole_value(*found);
}

void ReplicaBudget::add(std::string_view stem, std::int64_t count, std::int64_t grows_to) {
  total_ += count;
  std::string suffix = fmt::format("{}{}", stem, std::max<std::int64_t>({count - 1, grows_to - 1, 0}));
  if (suffix.size() > longest_suffix_.size()) longest_suffix_ = std::move(suffix);
}

void ReplicaBudget::check_name(const json::Document& job, Findings& found) const {
  const std::string& name = job.string_at("metadata", "name");
  const std::size_t size = name.size() + longest_suffix_.size();
  if (name.empty() || size <= kMaxPodName) return;
  found.invalid("metadata.name", name,
                fmt::format("the pod name {} has {} characters, at most {} are allowed; shorten the job's name by {}",
                            quote(name + longest_suffix_), size, kMaxPodName, size - kMaxPodName));
}

void ReplicaBudget::check_total(const std::string& path, Findings& found) const {
  if (total_ <= kMaxReplicas) return;
  found.invalid(path, total_,
                fmt::format("a job may have at most {} replicas over all roles, one pod each", kMaxReplicas));
}

void check_failure_annotations(const json::Document& job, Findings& found) {
  const json::Document* annotations = job.at("metadata", "annotations");
  if (annotations == nullptr) return;
  const auto check = [&](const char* key, const std::vector<std::string>& values) {
    const json::Document* value = annotations->find(key);
    if (value == nullptr || !value->is_string() || contains(values, value->as_string())) return;
    found.not_supported(fmt::format("metadata.annotations[{}]", key), value->as_string(), values);
  };
  check(kRestartAnnotation, {"gang", "replica"});
  check(kFailFastAnnotation, {"true", "false"});
}

bool check_template_spec(const json::Document& holder, const std::string& path, Findings& found) {
  const std::string spec_path = child_path(path, "template.spec");
  if (holder.array_at("template", "spec", "containers").empty()) {
    found.required(child_path(spec_path, "containers"), "at least one container");
    return false;
  }
  json::Document pod = *holder.find("template");
  default_pod(pod);
  check_pod_spec(*pod.find("spec"), reflect::kRoot.member(spec_path), found);
  return true;
}

bool check_template(const json::Document& holder, const std::string& path, Findings& found) {
  if (!check_template_spec(holder, path, found)) return false;
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
