#include <fmt/core.h>

#include <map>

#include "base/strings.h"
#include "control/job/launch_parts.h"

namespace muster::control {

namespace {

std::string address_of(const Job& job, const TfConfigLaunch& launch, const Role& role, int index, int port) {
  return fmt::format("{}{}:{}", host_name(job, role, index), launch.domain, replica_port(job, role, index, port));
}

json::Array addresses_of(const Job& job, const TfConfigLaunch& launch, const Role& role, int port) {
  json::Array addresses;
  for (int i = 0; i < role.replicas; ++i) addresses.emplace_back(address_of(job, launch, role, i, port));
  return addresses;
}

/// In alphabetical order, as Kubeflow writes it.
json::Document whole_cluster(const Job& job, const TfConfigLaunch& launch, int port) {
  std::map<std::string, const Role*> by_type;
  for (const Role& role : job.roles) {
    const std::string type = to_lower(role.type);
    if (role.replicas > 0 && (type != "evaluator" || launch.lists_evaluator)) by_type[type] = &role;
  }
  json::Document cluster = json::Object{};
  for (const auto& [type, role] : by_type) cluster[type] = addresses_of(job, launch, *role, port);
  return cluster;
}

/// A parameter server sees only itself, every other replica itself and all parameter servers, so that workers can come
/// and go.
json::Document sparse_cluster(const Job& job, const TfConfigLaunch& launch, const Replica& replica, int port) {
  const std::string type = to_lower(replica.role->type);
  const std::string own_address = address_of(job, launch, *replica.role, replica.index, port);
  json::Document cluster = json::Object{{"worker", json::Object{}}, {"ps", json::Array{}}};
  if (type == "worker") {
    cluster["worker"][std::to_string(replica.index)] = own_address;
  } else {
    cluster[type] = json::Array{own_address};
  }
  for (const Role& role : job.roles) {
    if (type != "ps" && to_lower(role.type) == "ps") cluster["ps"] = addresses_of(job, launch, role, port);
  }
  return cluster;
}

}  // namespace

std::string tf_config(const Job& job, const TfConfigLaunch& launch, const Replica& replica, int port) {
  json::Document config = json::Object{};
  config["cluster"] =
      launch.has_dynamic_workers ? sparse_cluster(job, launch, replica, port) : whole_cluster(job, launch, port);
  config["task"] = json::Object{{"type", to_lower(replica.role->type)}, {"index", replica.index}};
  if (!launch.environment.empty() && !launch.has_dynamic_workers) config["environment"] = launch.environment;
  return json::serialize(config);
}

}  // namespace muster::control
