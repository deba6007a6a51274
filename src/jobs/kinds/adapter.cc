#include "jobs/kinds/adapter.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/muster/names.h"
#include "api/resource.h"
#include "base/overloaded.h"
#include "base/strings.h"
#include "reflect/reflect.h"

namespace muster::jobs {

namespace {

constexpr const char* kDefaultQueue = "default";  // it exists from the first start

Error invalid(const api::Resource& resource, const std::string& name, std::vector<FieldCause> causes) {
  std::string list;
  for (const auto& cause : causes) {
    if (!list.empty()) list += ", ";
    list += cause.field + ": " + cause.message;
  }
  if (causes.size() > 1) list = "[" + list + "]";
  const std::string kind = resource.group.empty() ? resource.kind : resource.kind + "." + resource.group;
  return {.reason = Reason::kInvalid,
          .message = fmt::format("{} \"{}\" is invalid: {}", kind, name, list),
          .causes = std::move(causes),
          .retry_after = std::nullopt,
          .group = resource.group,
          .kind = resource.kind,
          .name = name};
}

/// All kinds of a family have queue and priority in the same place.
void set_queue(const json::Document& object, Job& job) {
  job.queue = object.string_at("spec", "scheduler", "t9kScheduler", "queue");
  if (job.queue.empty()) job.queue = object.string_at("spec", "runPolicy", "schedulingPolicy", "queue");
  if (job.queue.empty()) job.queue = kDefaultQueue;
  if (object.at("spec", "scheduler", "t9kScheduler", "priority") != nullptr) {
    job.priority = static_cast<std::int32_t>(object.int_at("spec", "scheduler", "t9kScheduler", "priority"));
  }
}

}  // namespace

Result<json::Document> checked(const json::Document& object, std::string_view api_version, std::string_view kind) {
  const api::Resource* resource = api::find_kind(api_version, kind);
  CHECK(resource != nullptr);
  json::Document complete = object;
  reflect::apply_defaults(*resource->type, complete);
  auto causes = reflect::validate(*resource->type, complete);
  if (causes.empty()) causes = resource->check(complete);
  if (!causes.empty()) return invalid(*resource, object.string_at("metadata", "name"), std::move(causes));
  return complete;
}

RestartPolicy restart_policy_from(std::string_view name, RestartPolicy fallback) {
  if (name == "Never") return RestartPolicy::kNever;
  if (name == "OnFailure") return RestartPolicy::kOnFailure;
  if (name == "Always") return RestartPolicy::kAlways;
  if (name == "ExitCode") return RestartPolicy::kExitCode;
  return fallback;
}

void set_identity(const json::Document& object, Job& job) {
  job.api_version = object.string_at("apiVersion");
  job.kind = object.string_at("kind");
  job.ns = object.string_at("metadata", "namespace");
  job.name = object.string_at("metadata", "name");
  job.uid = object.string_at("metadata", "uid");
  job.group_name = job.name;
  job.generation = object.int_at("metadata", "generation");
  job.deleting = object.at("metadata", "deletionTimestamp") != nullptr;
  set_queue(object, job);
  job.stopped = object.string_at("metadata", "annotations", api::kStopAnnotation) == "true";
}

void note_ignored(std::string_view path, std::string_view why, Job& job) {
  job.notices.push_back({.reason = "FieldIgnored", .message = fmt::format("{} has no effect: {}", path, why)});
}

void set_processes(std::string_view per_replica, Job& job) {
  const auto number = parse_int(per_replica);
  if (!number || *number < 1 || *number > INT16_MAX) return;
  for (Role& role : job.roles) role.processes = static_cast<int>(*number);
}

int declared_port(const Job& job, int fallback) {
  for (const Role& role : job.roles) {
    const api::Container* training = training_container(job, role.pod_template.spec);
    if (training == nullptr) continue;
    const auto named = std::ranges::find(training->ports, job.port_name, &api::ContainerPort::name);
    if (named != training->ports.end()) return named->container_port;
  }
  return fallback;
}

bool shares_ports(Where where, const Job& job) {
  const auto is_on_host = [](const Role& role) { return role.pod_template.spec.rest.bool_at("hostNetwork"); };
  return where == Where::kEngine || (where == Where::kJobNetworks && std::ranges::any_of(job.roles, is_on_host));
}

void set_port(Where where, int port, Job& job) {
  if (shares_ports(where, job)) return;
  (where == Where::kCluster ? job.fixed_port : job.own_port) = port;
}

bool is_parameter_server(std::string_view role_type) {
  return to_lower(role_type) == "ps";
}

void set_failure_rules(const json::Document& object, RestartUnit natural, Job& job) {
  const std::string& unit = object.string_at("metadata", "annotations", api::kRestartAnnotation);
  job.restart_unit = natural;
  if (unit == "gang") job.restart_unit = RestartUnit::kGang;
  if (unit == "replica") job.restart_unit = RestartUnit::kReplica;
  if (object.string_at("metadata", "annotations", api::kFailFastAnnotation) != "false") return;
  // Only the replicas without which the job cannot succeed count.
  job.fails_when = job.succeeds_when;
  for (ReplicaRule& rule : job.fails_when) {
    rule.takes = ReplicaRule::Takes::kAny;
    rule.path.clear();
  }
}

namespace {

/// Returns the variables that the launch sets whatever the template says.
std::vector<std::string> reserved_variables(const Job& job) {
  return std::visit(Overloaded{
                        [](const PlainLaunch&) {
                          return std::vector<std::string>{"MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE"};
                        },
                        [](const TorchrunLaunch&) {
                          return std::vector<std::string>{"MASTER_ADDR", "MASTER_PORT"};
                        },
                        [](const KubeflowLaunch& launch) {
                          if (!launch.has_master) return std::vector<std::string>{};
                          return std::vector<std::string>{"MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE"};
                        },
                        [&](const TfConfigLaunch& launch) {
                          if (total_replicas(job) == 1 && !launch.describes_one) return std::vector<std::string>{};
                          return std::vector<std::string>{"TF_CONFIG"};
                        },
                        [](const GenericLaunch&) { return std::vector<std::string>{}; },
                        [](const CompleteLaunch&) { return std::vector<std::string>{}; },
                    },
                    job.launch);
}

}  // namespace

void note_reserved_variables(Job& job) {
  const std::vector<std::string> reserved = reserved_variables(job);
  for (const Role& role : job.roles) {
    for (const auto& container : role.pod_template.spec.containers) {
      for (const auto& variable : container.env) {
        if (std::ranges::find(reserved, variable.name) == reserved.end()) continue;
        job.notices.push_back({.reason = "ReservedVariable",
                               .message = fmt::format("container {} of role {} sets {} itself; the job's value is used",
                                                      container.name, role.type, variable.name)});
      }
    }
  }
}

}  // namespace muster::jobs
