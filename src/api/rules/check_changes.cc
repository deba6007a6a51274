// Rejects changes to immutable fields of built-in kinds.
#include <fmt/core.h>

#include <optional>
#include <string>

#include "api/rules/check_pod_parts.h"
#include "api/rules/checks.h"
#include "base/quantity.h"
#include "base/shortened.h"
#include "base/strings.h"
#include "reflect/causes.h"

namespace muster::api {
namespace {

using json::Document;

constexpr std::string_view kPodChange =
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

void erase_changeable(Document& spec) {
  for (const char* key : {"activeDeadlineSeconds", "schedulingGates", "tolerations"}) spec.as_object().erase(key);
  for (const char* list : {"containers", "initContainers"}) {
    Document* containers = spec.find(list);
    if (containers == nullptr || !containers->is_array()) continue;
    for (Document& container : containers->as_array()) {
      if (container.is_object()) container.as_object().erase("image");
    }
  }
}

/// A pod waits until all of its gates are removed.
void check_gates(const Document& before, const Document& after, Findings& found) {
  std::vector<std::string> known;
  for (const Document& gate : before.array_at("spec", "schedulingGates")) known.push_back(gate.string_at("name"));
  std::size_t index = 0;
  for (const Document& gate : after.array_at("spec", "schedulingGates")) {
    const std::size_t at = index++;
    const std::string& name = gate.string_at("name");
    if (contains(known, name)) continue;
    found.forbidden(fmt::format("spec.schedulingGates[{}].name", at),
                    fmt::format("only deletion is allowed, but found new scheduling gate '{}'", name));
  }
}

bool same(const Document* before, const Document* after) {
  return before == nullptr || after == nullptr ? before == after : *before == *after;
}

/// Reports the member at the path if it was added, removed or changed.
void check_fixed(const Document& before, const Document& after, const std::vector<std::string>& path, Findings& found) {
  const Document* old_value = &before;
  const Document* new_value = &after;
  for (const std::string& key : path) {
    old_value = old_value == nullptr ? nullptr : old_value->find(key);
    new_value = new_value == nullptr ? nullptr : new_value->find(key);
  }
  if (same(old_value, new_value)) return;
  const std::string shown = new_value == nullptr ? "null" : shortened(json::serialize(*new_value));
  found.add({.reason = "FieldValueInvalid",
             .message = fmt::format("Invalid value: {}: field is immutable", shown),
             .field = join(path, ".")});
}

/// Returns the members of the spec that define what the volume is made of.
Document source_of(const Document& volume) {
  json::Object sources;
  for (const auto& [key, value] : members_of(volume, "spec")) {
    if (is_volume_source(key)) sources.append(key, value);
  }
  return sources;
}

std::optional<Quantity> storage_amount(const Document* value) {
  const auto text = value == nullptr ? std::nullopt : reflect::quantity_text(*value);
  return text ? Quantity::parse(*text) : std::nullopt;
}

/// What is stored already would have no place in less.
void check_claim_shrinks(const Document& before, const Document& after, Findings& found) {
  const auto wanted = storage_amount(after.at("spec", "resources", "requests", "storage"));
  const auto wanted_before = storage_amount(before.at("spec", "resources", "requests", "storage"));
  const auto present = storage_amount(before.at("status", "capacity", "storage"));
  if (!wanted || !wanted_before || !present || *wanted >= *wanted_before || *wanted >= *present) return;
  found.forbidden("spec.resources.requests.storage", "field can not be less than status.capacity");
}

}  // namespace

void check_config_map_change(const Document& before, const Document& after, Findings& found) {
  if (!before.bool_at("immutable")) return;
  if (!after.bool_at("immutable")) {
    found.forbidden("immutable", "field is immutable when `immutable` is set");
  }
  for (const char* field : {"data", "binaryData"}) {
    if (same(before.find(field), after.find(field))) continue;
    found.forbidden(field, "field is immutable when `immutable` is set");
  }
}

void check_deployment_change(const Document& before, const Document& after, Findings& found) {
  if (after.at("spec", "selector") == nullptr) return;  // validation reports the missing field
  check_fixed(before, after, {"spec", "selector"}, found);
}

void check_pod_change(const Document& before, const Document& after, Findings& found) {
  if (before.find("spec") == nullptr || after.find("spec") == nullptr) return;
  Document old_spec = *before.find("spec");
  Document new_spec = *after.find("spec");
  erase_changeable(old_spec);
  erase_changeable(new_spec);
  if (!(old_spec == new_spec)) found.forbidden("spec", kPodChange);
  check_gates(before, after, found);
  const std::int64_t old_deadline = before.int_at("spec", "activeDeadlineSeconds");
  const std::int64_t deadline = after.int_at("spec", "activeDeadlineSeconds");
  if (old_deadline != 0 && deadline > old_deadline) {
    found.invalid("spec.activeDeadlineSeconds", deadline, "must be less than or equal to previous value");
  }
}

void check_priority_class_change(const Document& before, const Document& after, Findings& found) {
  if (!same(before.find("value"), after.find("value"))) found.forbidden("value", "may not be changed in an update.");
  check_fixed(before, after, {"preemptionPolicy"}, found);
}

void check_resource_quota_change(const Document& before, const Document& after, Findings& found) {
  check_fixed(before, after, {"spec", "scopes"}, found);
}

void check_secret_change(const Document& before, const Document& after, Findings& found) {
  check_config_map_change(before, after, found);
  check_fixed(before, after, {"type"}, found);
}

void check_volume_change(const Document& before, const Document& after, Findings& found) {
  if (!(source_of(before) == source_of(after))) {
    found.forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation");
  }
  if (before.string_at("spec", "volumeMode") != after.string_at("spec", "volumeMode")) {
    found.invalid("volumeMode", after.string_at("spec", "volumeMode"), "field is immutable");
  }
}

/// A claim may still receive a class and a volume, and may grow once it is bound.
void check_volume_claim_change(const Document& before, const Document& after, Findings& found) {
  if (before.find("spec") == nullptr || after.find("spec") == nullptr) return;
  check_claim_shrinks(before, after, found);
  Document old_spec = *before.find("spec");
  Document new_spec = *after.find("spec");
  for (const char* key : {"storageClassName", "volumeName"}) {
    if (old_spec.string_at(key).empty()) new_spec.as_object().erase(key);
  }
  if (before.string_at("status", "phase") == "Bound") {
    for (Document* spec : {&old_spec, &new_spec}) {
      spec->as_object().erase("volumeAttributesClassName");
      if (Document* resources = spec->find("resources")) resources->as_object().erase("requests");
    }
  }
  if (old_spec == new_spec) return;
  found.forbidden(
      "spec",
      "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims");
}

}  // namespace muster::api
