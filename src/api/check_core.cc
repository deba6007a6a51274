#include "api/check_container.h"
#include "api/check_pod_values.h"
#include "api/checks.h"
#include "api/findings.h"
#include "api/rule_texts.h"
#include "base/strings.h"
#include "reflect/causes.h"

namespace muster::api {

namespace {

using reflect::Place;

/// A name that must be a DNS label, not used before in `taken`.
void check_name(const json::Document& item, const Place& place, std::vector<std::string>& taken,
                std::vector<FieldCause>& causes) {
  const std::string& name = item.string_at("name");
  if (name.empty()) return;  // the schema reports a missing one
  const Place at = place.member("name");
  if (!is_dns_label(name)) {
    causes.push_back(reflect::invalid_cause(at.text(), name,
                                            name.size() > 63 ? "must be no more than 63 characters" : kDnsLabelRule));
  }
  if (contains(taken, name)) {
    causes.push_back(reflect::duplicate_cause(at.text(), name));
  } else {
    taken.push_back(name);
  }
}

void check_mounts(const json::Document& container, const Place& place, const std::vector<std::string>& volumes,
                  std::vector<FieldCause>& causes) {
  std::vector<std::string> paths;
  const json::Array& mounts = container.array_at("volumeMounts");
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    const Place list = place.member("volumeMounts");
    const Place mount = list.item(i);
    const std::string& name = mounts[i].string_at("name");
    if (!name.empty() && !contains(volumes, name)) {
      FieldCause cause = reflect::not_found_cause(mount.member("name").text(), name);
      if (const auto near = did_you_mean(name, volumes)) cause.message += "; did you mean " + quote(*near) + "?";
      causes.push_back(std::move(cause));
    }
    const std::string& at = mounts[i].string_at("mountPath");
    if (contains(paths, at)) {
      causes.push_back(reflect::invalid_cause(mount.member("mountPath").text(), at, "must be unique"));
    }
    paths.push_back(at);
  }
}

}  // namespace

void check_pod_spec(const json::Document& spec, const std::string& path, std::vector<FieldCause>& causes) {
  const Place place = reflect::kRoot.member(path);
  const Place volume_list = place.member("volumes");
  std::vector<std::string> volumes;
  const json::Array& volume_items = spec.array_at("volumes");
  for (std::size_t i = 0; i < volume_items.size(); ++i) {
    check_name(volume_items[i], volume_list.item(i), volumes, causes);
  }
  std::vector<std::string> names;
  // Containers first: of two that share a name, Kubernetes blames the init container.
  for (const char* list : {"containers", "initContainers"}) {
    const json::Array& containers = spec.array_at(list);
    const Place list_place = place.member(list);
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const Place at = list_place.item(i);
      check_name(containers[i], at, names, causes);
      if (containers[i].string_at("image").empty()) {
        causes.push_back(reflect::required_cause(at.member("image").text()));
      }
      check_mounts(containers[i], at, volumes, causes);
      check_container(containers[i], at, causes);
    }
  }
}

std::vector<FieldCause> check_pod(const json::Document& pod) {
  std::vector<FieldCause> causes;
  if (const json::Document* spec = pod.find("spec")) {
    check_pod_spec(*spec, "spec", causes);
    Findings found(causes);
    check_pod_values(*spec, reflect::kRoot.member("spec"), found);
  }
  return causes;
}

std::vector<FieldCause> check_priority_class(const json::Document& priority) {
  constexpr std::int64_t highest = 1'000'000'000;  // above are those of the cluster itself
  std::vector<FieldCause> causes;
  if (priority.string_at("metadata", "name").starts_with("system-")) {
    causes.push_back({"FieldValueForbidden",
                      "Forbidden: priority class names with 'system-' prefix are reserved for system use only",
                      "metadata.name"});
  } else if (priority.int_at("value") > highest) {
    causes.push_back({"FieldValueForbidden",
                      "Forbidden: maximum allowed value of a user defined priority is " + std::to_string(highest),
                      "value"});
  }
  return causes;
}

}  // namespace muster::api
