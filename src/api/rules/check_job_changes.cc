// Rejects changes to a job that runs which its pods cannot follow. A job that waits, is paused or has ended may change.
#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "api/rules/checks.h"
#include "api/rules/job_checks.h"
#include "api/tensorstack/tensorstack_replicas.h"
#include "base/strings.h"
#include "reflect/causes.h"

namespace muster::api {
namespace {

using json::Document;
using reflect::child_path;
using reflect::item_path;
using reflect::key_path;

bool equal(const Document* before, const Document* after) {
  return before == nullptr || after == nullptr ? before == after : *before == *after;
}

bool has_condition(const Document& job, std::string_view type) {
  return std::ranges::any_of(job.array_at("status", "conditions"), [&](const Document& condition) {
    return condition.string_at("type") == type && condition.string_at("status") == "True";
  });
}

/// What a user can do instead, by the way in which the kind is paused.
struct Advice {
  std::string_view pause;    // "set spec.runPolicy.suspend to true"
  std::string_view elastic;  // the field that makes the number of replicas changeable; "" if none does
};

void forbid(const std::string& path, std::string_view what, const Advice& advice, Findings& found) {
  found.forbidden(
      path, fmt::format("{} cannot change while the job runs; {} first, or create a new job", what, advice.pause));
}

/// Compares one role. Its restart policy may change: it is about what happens next.
void check_role(const Document& before, const Document& after, const std::string& path, bool is_elastic,
                const Advice& advice, Findings& found) {
  if (!is_elastic && int_in(&before, "replicas").value_or(1) != int_in(&after, "replicas").value_or(1)) {
    const std::string or_elastic =
        advice.elastic.empty() ? "" : fmt::format(", or make it elastic from the start ({})", advice.elastic);
    found.forbidden(child_path(path, "replicas"),
                    fmt::format("the number of replicas cannot change while the job runs: every rank knows it; {} first"
                                "{}, or create a new job",
                                advice.pause, or_elastic));
  }
  if (!equal(before.at("template", "spec"), after.at("template", "spec"))) {
    forbid(child_path(path, "template.spec"), "the pods", advice, found);
  }
}

/// Compares the members of the spec that are neither roles nor changeable.
void check_rest(const Document& before, const Document& after, const std::vector<std::string>& changeable,
                const Advice& advice, Findings& found) {
  const auto check = [&](const std::string& key) {
    if (contains(changeable, key) || equal(before.find(key), after.find(key))) return;
    forbid(child_path("spec", key), "it", advice, found);
  };
  for (const auto& [key, value] : before.as_object()) check(key);
  for (const auto& [key, value] : after.as_object()) {
    if (before.find(key) == nullptr) check(key);
  }
}

bool have_same_types(const json::Array& before, const json::Array& after) {
  return std::ranges::equal(
      before, after, {}, [](const Document& role) { return role.string_at("type"); },
      [](const Document& role) { return role.string_at("type"); });
}

bool have_same_keys(const Document& before, const Document& after) {
  if (before.as_object().size() != after.as_object().size()) return false;
  return std::ranges::all_of(before.as_object(), [&](const auto& role) { return after.find(role.key) != nullptr; });
}

/// Returns the member of the spec that holds the roles of a Kubeflow job: "pytorchReplicaSpecs".
std::string roles_member(const Document& spec) {
  for (const auto& [key, value] : spec.as_object()) {
    if (key.ends_with("ReplicaSpecs") && value.is_object()) return key;
  }
  return {};
}

}  // namespace

void check_tensorstack_job_change(const Document& before, const Document& after, Findings& found) {
  static const std::vector<std::string> kChangeable = {"replicaSpecs", "runMode",       "runPolicy",      "scheduler",
                                                       "elastic",      "cleanUpPolicy", "tensorboardSpec"};
  constexpr Advice kAdvice{.pause = "pause it (spec.runMode.pause.enabled)", .elastic = "spec.elastic"};
  if (before.string_at("status", "phase") != "Running") return;
  const Document* old_spec = before.find("spec");
  const Document* new_spec = after.find("spec");
  if (old_spec == nullptr || new_spec == nullptr) return;
  const json::Array& old_roles = old_spec->array_at("replicaSpecs");
  const json::Array& new_roles = new_spec->array_at("replicaSpecs");
  if (!have_same_types(old_roles, new_roles)) {
    forbid("spec.replicaSpecs", "the roles", kAdvice, found);
  } else {
    const bool is_elastic = reflect::is_switched_on(old_spec->find("elastic"));
    for (std::size_t i = 0; i < old_roles.size(); ++i) {
      check_role(old_roles[i], new_roles[i], item_path("spec.replicaSpecs", i), is_elastic, kAdvice, found);
    }
  }
  check_rest(*old_spec, *new_spec, kChangeable, kAdvice, found);
}

void check_kubeflow_job_change(const Document& before, const Document& after, Findings& found) {
  constexpr Advice kAdvice{.pause = "suspend it (spec.runPolicy.suspend)", .elastic = "spec.elasticPolicy"};
  if (!has_condition(before, "Running") && !has_condition(before, "Restarting")) return;
  const Document* old_spec = before.find("spec");
  const Document* new_spec = after.find("spec");
  if (old_spec == nullptr || new_spec == nullptr) return;
  const std::string member = roles_member(*old_spec);
  const Document* old_roles = old_spec->find(member);
  const Document* new_roles = new_spec->find(member);
  if (old_roles != nullptr && new_roles != nullptr && new_roles->is_object()) {
    const std::string path = child_path("spec", member);
    if (!have_same_keys(*old_roles, *new_roles)) {
      forbid(path, "the roles", kAdvice, found);
    } else {
      const bool is_elastic = old_spec->find("elasticPolicy") != nullptr || old_spec->bool_at("enableDynamicWorker");
      for (const auto& [role, spec] : old_roles->as_object()) {
        check_role(spec, *new_roles->find(role), key_path(path, role), is_elastic, kAdvice, found);
      }
    }
  }
  check_rest(*old_spec, *new_spec, {member, "runPolicy", "elasticPolicy"}, kAdvice, found);
}

}  // namespace muster::api
