#include "jobs/model/model.h"

#include <algorithm>

#include "base/sha256.h"
#include "base/strings.h"

namespace muster::jobs {

api::OwnerReference owner_of_children(const Job& job) {
  return {.api_version = job.api_version,
          .kind = job.kind,
          .name = job.name,
          .uid = job.uid,
          .controller = true,
          .block_owner_deletion = true};
}

int total_replicas(const Job& job) {
  int total = 0;
  for (const Role& role : job.roles) total += role.replicas;
  return total;
}

ReplicaRule first_replica_rule(const Job& job) {
  const auto first = std::ranges::find_if(job.roles, [](const Role& role) { return role.replicas > 0; });
  // A job without replicas never succeeds, because no replica can.
  return {.members = {{.role = first == job.roles.end() ? "" : first->type, .index = 0}}};
}

int gang_size(const Job& job, const Role& role) {
  if (job.elastic_min) return *job.elastic_min;
  int size = 0;
  for (const Role& other : job.roles) {
    if (other.starts_after == role.starts_after) size += other.replicas;
  }
  return size;
}

namespace {

int own_port_count(const Job& job) {
  return std::max(1, static_cast<int>(job.shared_ports.size()));
}

}  // namespace

int port_count(const Job& job) {
  int count = own_port_count(job);
  for (const Role& role : job.roles) count += role.replicas * role.ports;
  return count;
}

int offered_port_count(const Job& job) {
  return port_count(job) + job.spare_ports;
}

int replica_port(const Job& job, const Role& role, int index, int first) {
  if (job.fixed_port || role.ports == 0) return first;
  // In a network of its own the first replica has the port that the manifest names.
  int port = job.own_port == first ? first : first + own_port_count(job);
  for (const Role& other : job.roles) {
    if (&other == &role) break;
    port += other.replicas * other.ports;
  }
  return port + index * role.ports;
}

int shared_port(const Job& job, std::size_t position, int first) {
  return job.fixed_port || job.own_port == first ? job.shared_ports[position].port : first + static_cast<int>(position);
}

std::string replica_key(const Role& role, int index) {
  return to_lower(role.type) + "-" + std::to_string(index);
}

namespace {

std::string name_of(const std::string& prefix, const Role& role, int index) {
  return prefix + (role.has_index ? replica_key(role, index) : to_lower(role.type));
}

}  // namespace

std::string pod_name(const Job& job, const Role& role, int index) {
  return name_of(job.pod_name_prefix, role, index);
}

std::string unique_name(const Job& job) {
  return job.name + "-" + sha256_hex(job.uid).substr(0, 5);
}

std::string host_name(const Job& job, const Role& role, int index) {
  return job.host_name_prefix.empty() ? pod_name(job, role, index) : name_of(job.host_name_prefix, role, index);
}

bool concerns(const ReplicaRule& rule, const Role& role, int index) {
  return rule.members.empty() || std::ranges::any_of(rule.members, [&](const Member& member) {
           return member.role == role.type && member.index.value_or(index) == index;
         });
}

bool decides(const Job& job, const Role& role, int index) {
  return std::ranges::any_of(job.succeeds_when, [&](const ReplicaRule& rule) { return concerns(rule, role, index); });
}

bool has_role(const Job& job, std::string_view type) {
  return std::ranges::any_of(job.roles, [&](const Role& role) { return role.type == type && role.replicas > 0; });
}

const api::Container* training_container(const Job& job, const api::PodSpec& spec) {
  for (const std::string& name : job.training_containers) {
    const auto found = std::ranges::find(spec.containers, name, &api::Container::name);
    if (found != spec.containers.end()) return &*found;
  }
  return spec.containers.empty() ? nullptr : &spec.containers.front();
}

bool is_finished(Phase phase) {
  return phase == Phase::kSucceeded || phase == Phase::kFailed;
}

}  // namespace muster::jobs
