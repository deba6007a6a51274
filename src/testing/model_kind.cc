#include "testing/model_kind.h"

#include "api/kubernetes/core_v1.h"
#include "base/strings.h"
#include "jobs/kinds/tensorstack.h"

namespace muster::control {

namespace {

std::optional<int> optional_int(const json::Document& object, std::string_view key) {
  if (object.find(key) == nullptr) return std::nullopt;
  return static_cast<int>(object.int_at(key));
}

Role role_from(const json::Document& from) {
  Role role;
  role.type = from.string_at("type");
  role.replicas = optional_int(from, "replicas").value_or(1);
  role.restart_policy = restart_policy_from(from.string_at("restartPolicy"), RestartPolicy::kOnFailure);
  role.has_index = !from.bool_at("withoutIndex");
  role.starts_after = from.string_at("startsAfter");
  role.backoff_limit = optional_int(from, "backoffLimit");
  role.ports = optional_int(from, "ports").value_or(0);
  api::Container container;
  container.name = "main";
  container.image = "image";
  role.pod_template.spec.containers = {container};
  return role;
}

/// Of "worker-0" and "worker".
Member member_from(const std::string& text) {
  const auto dash = text.rfind('-');
  const auto index = dash == std::string::npos ? std::nullopt : parse_int(text.substr(dash + 1));
  if (!index) return {.role = text};
  return {.role = text.substr(0, dash), .index = static_cast<int>(*index)};
}

/// Of [{every: [chief-0, worker]}, {any: []}].
std::vector<ReplicaRule> rules_from(const json::Array& list) {
  std::vector<ReplicaRule> rules;
  for (const json::Document& from : list) {
    const bool any = from.find("any") != nullptr;
    ReplicaRule rule{.takes = any ? ReplicaRule::Takes::kAny : ReplicaRule::Takes::kEvery};
    for (const auto& member : from.array_at(any ? "any" : "every")) {
      rule.members.push_back(member_from(member.as_string()));
    }
    rules.push_back(std::move(rule));
  }
  return rules;
}

Result<Job> normalise_model(const json::Document& object, Where where) {
  const json::Document& spec = *object.find("spec");
  Job job;
  set_identity(object, job);
  for (const json::Document& role : spec.array_at("roles")) job.roles.push_back(role_from(role));
  job.succeeds_when = rules_from(spec.array_at("succeedsWhen"));
  if (spec.find("failsWhen") != nullptr) job.fails_when = rules_from(spec.array_at("failsWhen"));
  if (spec.string_at("restart") == "gang") job.restart_unit = RestartUnit::kGang;
  job.run_policy.backoff_limit = optional_int(spec, "backoffLimit");
  job.run_mode.paused = spec.bool_at("paused");
  set_tensorstack_children(where, job);
  job.pod_name_prefix = job.name + "-";
  job.port_name = spec.string_at("portName");
  if (!job.port_name.empty()) job.services = Services::kPerReplica;
  for (const json::Document& child : spec.array_at("objects")) job.objects.push_back(child);
  job.events = tensorstack_events();
  return job;
}

}  // namespace

const JobKind& model_job_kind() {
  static const JobKind kKind{.api_version = "test.muster.dev/v1",
                             .kind = "ModelJob",
                             .normalise = normalise_model,
                             .read_status = read_tensorstack_status,
                             .project = project_tensorstack_status,
                             .objects = {JobObject::kConfigMap}};
  return kKind;
}

}  // namespace muster::control
