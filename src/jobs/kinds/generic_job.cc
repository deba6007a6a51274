#include "jobs/kinds/generic_job.h"

#include <fmt/core.h>

#include "jobs/kinds/tensorstack.h"
#include "reflect/reflect.h"

namespace muster::jobs {

namespace {

constexpr std::string_view kGenericKind = "GenericJob";

/// Each role has a budget of its own, which by default allows no restart.
void add_generic_roles(const std::vector<api::GenericReplicaSpec>& specs, Job& job) {
  for (const auto& replica_spec : specs) {
    const auto policy = replica_spec.restart_policy.value_or(api::GenericRestartPolicy{});
    job.roles.push_back({.type = replica_spec.type,
                         .replicas = replica_spec.replicas.value_or(1),
                         .restart_policy = restart_policy_from(policy.policy, RestartPolicy::kOnFailure),
                         .pod_template = replica_spec.template_,
                         .only_serves = is_parameter_server(replica_spec.type),
                         .backoff_limit = policy.limit.value_or(0)});
  }
}

std::vector<ReplicaRule> rules_of(const std::vector<api::GenericRule>& written, std::string_view path) {
  std::vector<ReplicaRule> rules;
  for (const api::GenericRule& from : written) {
    ReplicaRule& rule = rules.emplace_back();
    rule.path = fmt::format("{}[{}]", path, rules.size() - 1);
    for (const auto& [role, indices] : from) {
      for (const std::int32_t index : indices) rule.members.push_back({.role = role, .index = index});
    }
  }
  return rules;
}

/// Without rules the job succeeds when every replica does, and fails when any of them has failed for good.
void set_generic_rules(const json::Document& object, const api::GenericJobSpec& spec, Job& job) {
  job.succeeds_when = rules_of(spec.success_rules, "spec.successRules");
  if (job.succeeds_when.empty()) job.succeeds_when.emplace_back();
  set_failure_rules(object, RestartUnit::kReplica, job);
  if (!spec.failure_rules.empty()) job.fails_when = rules_of(spec.failure_rules, "spec.failureRules");
}

/// Names resolve only for a job with a service. On a shared network its ports come from the range of the job, because
/// another job may have the same manifest.
void set_generic_network(const std::optional<api::GenericService>& service, Where where, Job& job) {
  job.subdomain.clear();
  job.host_name_prefix = job.name + "-";
  job.services = service ? Services::kPerReplica : Services::kNone;
  job.has_port = service.has_value();
  if (!service) return;
  job.shared_ports = service->ports;
  for (std::size_t i = 0; i < service->ports.size(); ++i) {
    for (const char* field : {"targetPort", "nodePort"}) {
      if (service->ports[i].rest.find(field) == nullptr) continue;
      note_ignored(fmt::format("spec.service.ports[{}].{}", i, field),
                   "the names of replicas resolve to their pods, without a proxy", job);
    }
  }
  set_port(where, job.shared_ports.front().port, job);
  const std::string own_address = "if several replicas listen, each must listen on the address of its own pod name";
  if (job.own_port && total_replicas(job) > 1) {
    job.notices.push_back({.reason = "PortsOfTheJob", .message = "the replicas share one network: " + own_address});
  }
  if (!shares_ports(where, job)) return;
  job.notices.push_back({.reason = "PortsOfThisMachine",
                         .message = "pods share the network of this machine, so the ports of spec.service have other "
                                    "numbers here: use $(service.port[NAME]); " +
                                    own_address});
}

void set_generic_children(Where where, Job& job) {
  set_tensorstack_children(where, job);
  job.labels.common["genericjob"] = job.name;
  job.labels.common["tensorstack.dev/component"] = "genericjob";
  job.labels.common["tensorstack.dev/component-type"] = "user";
}

Result<Job> normalise_generic(const json::Document& object, Where where) {
  TRY_ASSIGN(const json::Document complete, checked(object, kTensorStackVersion, kGenericKind));
  TRY_ASSIGN(const auto decoded, reflect::decode<api::GenericJob>(complete));
  const api::GenericJobSpec& spec = decoded.spec;
  Job job;
  set_identity(object, job);
  job.run_policy.clean_up = tensorstack_clean_up(spec.clean_up_policy);
  if (spec.ttl_seconds_after_finished) {
    job.run_policy.ttl_after_finished = std::chrono::seconds(*spec.ttl_seconds_after_finished);
  }
  add_generic_roles(spec.replica_specs, job);
  if (spec.run_mode) set_tensorstack_run_mode(*spec.run_mode, job);
  set_generic_rules(object, spec, job);
  job.launch = GenericLaunch{};
  set_generic_children(where, job);
  set_generic_network(spec.service, where, job);
  job.events = tensorstack_events();
  return job;
}

}  // namespace

JobKind generic_job_kind() {
  return {.api_version = kTensorStackVersion,
          .kind = kGenericKind,
          .family = JobFamily::kTensorStack,
          .normalise = normalise_generic,
          .read_status = read_tensorstack_status,
          .project = project_tensorstack_status};
}

}  // namespace muster::jobs
