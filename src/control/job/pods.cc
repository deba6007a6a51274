#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "api/muster/names.h"
#include "api/owners.h"
#include "base/strings.h"
#include "control/job/decision.h"
#include "json/patch.h"

namespace muster::control {

namespace {

// Long enough for the first rank to open its port before the others look for it; measured with torch.
constexpr const char* kHeadStart = "100ms";

api::StringMap identity_labels(const Job& job, const Replica& replica) {
  api::StringMap labels = job.labels.common;
  labels[job.labels.type_key] = to_lower(replica.role->type);
  labels[job.labels.index_key] = std::to_string(replica.index);
  return labels;
}

/// Returns true for an unscheduled pod with the size of an earlier gang: it would wait for pods that never come, or
/// start without its peers. It has not run yet, so nothing is lost by recreating it.
bool has_stale_gang(const Job& job, const Replica& replica) {
  const api::Pod& pod = *replica.pod;
  if (!pod.spec.node_name.empty() || pod.status.phase != "Pending" || is_terminating(pod)) return false;
  const auto size = pod.metadata.annotations.find(api::kGangSizeAnnotation);
  return size == pod.metadata.annotations.end() || size->second != std::to_string(gang_size(job, *replica.role));
}

/// Makes the end of a failed container's log part of the pod's status, from which the job says why it failed.
void report_end_of_log(api::Container& container) {
  constexpr const char* kPolicy = "terminationMessagePolicy";
  if (!container.rest.is_object()) container.rest = json::Object{};
  if (container.rest.find(kPolicy) == nullptr) container.rest[kPolicy] = "FallbackToLogsOnError";
}

// ---- services ----

api::Service headless_service(const Job& job, std::string name, api::StringMap selector) {
  api::Service service;
  service.metadata.name = std::move(name);
  service.metadata.ns = job.ns;
  service.metadata.labels = selector;
  service.metadata.labels[api::kGroupNameLabel] = job.name;  // our watch of services selects this label
  service.metadata.owner_references = {owner_of_children(job)};
  service.spec.selector = std::move(selector);
  service.spec.type = "ClusterIP";
  service.spec.cluster_ip = "None";
  // Ranks look each other up before any of them is ready; the master also looks up itself.
  service.spec.publish_not_ready_addresses = true;
  return service;
}

api::ServicePort named_port(const std::string& name, int port) {
  return {.name = name, .port = port, .protocol = "TCP", .rest = {}};
}

/// Returns the service that makes the host name of the replica resolve.
api::Service replica_service(const JobDecision& d, const Replica& replica) {
  const Job& job = d.job();
  const int first = d.status.port.value_or(0);
  api::Service service =
      headless_service(job, host_name(job, *replica.role, replica.index), identity_labels(job, replica));
  if (!job.port_name.empty()) {
    const int port = replica_port(job, *replica.role, replica.index, first);
    service.spec.ports.push_back(named_port(job.port_name, port));
  }
  for (std::size_t i = 0; i < job.shared_ports.size(); ++i) {
    service.spec.ports.push_back(named_port(job.shared_ports[i].name, shared_port(job, i, first)));
    service.spec.ports.back().protocol = job.shared_ports[i].protocol;
  }
  const api::Container* training = training_container(job, replica.role->pod_template.spec);
  if (training == nullptr) return service;
  for (const auto& declared : training->ports) {
    const bool is_there =
        std::ranges::find(service.spec.ports, declared.name, &api::ServicePort::name) != service.spec.ports.end();
    if (!declared.name.empty() && !is_there) {
      service.spec.ports.push_back(named_port(declared.name, declared.container_port));
    }
  }
  return service;
}

/// Returns a service that resolves to the master, by its own name or by the name of the subdomain.
api::Service master_service(const JobDecision& d, const std::string& name, const api::StringMap& selector) {
  api::Service service = headless_service(d.job(), name, selector);
  service.spec.ports.push_back(named_port("master", d.status.port.value_or(0)));
  return service;
}

void delete_service(JobDecision& d, const api::Service& service) {
  if (service.metadata.deletion_timestamp || is_full(d)) return;
  d.plan.actions.emplace_back(Delete{child_ref(service)});
}

/// Sorted by name, so that the plan does not depend on the order of observation.
std::vector<const api::Service*> own_services(const JobDecision& d) {
  std::vector<const api::Service*> services;
  for (const auto& service : d.seen.services) {
    if (api::is_controlled_by(service->metadata, d.job().uid)) services.push_back(service.get());
  }
  std::ranges::sort(services, {}, [](const api::Service* s) -> const std::string& { return s->metadata.name; });
  return services;
}

void converge_services(JobDecision& d) {
  if (d.replicas.empty()) return;
  const Job& job = d.job();
  std::set<std::string> wanted;
  std::set<std::string_view> present;
  const auto existing = own_services(d);
  for (const api::Service* service : existing) present.insert(service->metadata.name);
  // A service is built only when it is missing: a job of many replicas usually has most of its services already.
  const auto want = [&](const std::string& name, const auto& make) {
    wanted.insert(name);
    if (!present.contains(name) && !is_full(d)) d.plan.actions.emplace_back(create_child(make()));
  };
  switch (job.services) {
    case Services::kNone:
      break;
    case Services::kSubdomain:
      want(job.subdomain, [&] { return headless_service(job, job.subdomain, job.labels.common); });
      break;
    case Services::kMasterAndSubdomain: {
      const Replica& first = d.replicas.front();
      want(job.subdomain, [&] { return master_service(d, job.subdomain, job.labels.common); });
      want(first.pod_name, [&] { return master_service(d, first.pod_name, identity_labels(job, first)); });
      break;
    }
    case Services::kPerReplica:
      for (const Replica& replica : d.replicas) {
        want(host_name(job, *replica.role, replica.index), [&] { return replica_service(d, replica); });
      }
      break;
  }
  for (const api::Service* service : existing) {
    if (!wanted.contains(service->metadata.name)) delete_service(d, *service);
  }
}

// ---- further objects ----

json::Document owned_object(const Job& job, const json::Document& wanted) {
  json::Document object = wanted;
  object["metadata"]["namespace"] = job.ns;
  for (const auto& [key, value] : job.labels.common) object["metadata"]["labels"][key] = value;
  object["metadata"]["labels"][api::kGroupNameLabel] = job.name;  // our watch selects this label
  object["metadata"]["ownerReferences"] = json::Array{reflect::encode(owner_of_children(job))};
  return object;
}

bool is_same_object(const Job& job, const json::Document& wanted, const json::Document& found) {
  return found.string_at("kind") == wanted.string_at("kind") &&
         found.string_at("metadata", "name") == wanted.string_at("metadata", "name") &&
         api::is_controlled_by(found, job.uid);
}

/// Returns the patch that gives the object the wanted content. Its metadata is not changed, and what others added
/// stays, such as the suspension of a TensorBoard.
json::Document content_patch(const json::Document& wanted, const json::Document& found) {
  json::Document patch = json::Object{};
  for (const auto& [key, value] : wanted.as_object()) {
    if (key == "metadata") continue;
    const json::Document* now = found.find(key);
    json::Document merged = now == nullptr ? json::Document() : *now;
    json::merge_patch(merged, value);
    if (now == nullptr || merged != *now) patch[key] = value;
  }
  return patch;
}

void converge_objects(JobDecision& d) {
  const Job& job = d.job();
  for (const json::Document& wanted : job.objects) {
    if (is_full(d)) return;
    const auto found =
        std::ranges::find_if(d.seen.objects, [&](const auto& object) { return is_same_object(job, wanted, *object); });
    if (found == d.seen.objects.end()) {
      d.plan.actions.emplace_back(Create{owned_object(job, wanted)});
      continue;
    }
    json::Document patch = content_patch(wanted, **found);
    if (patch.as_object().empty()) continue;
    d.plan.actions.emplace_back(Update{.child = {.api_version = wanted.string_at("apiVersion"),
                                                 .kind = wanted.string_at("kind"),
                                                 .name = wanted.string_at("metadata", "name"),
                                                 .uid = (*found)->string_at("metadata", "uid")},
                                       .resource_version = (*found)->string_at("metadata", "resourceVersion"),
                                       .patch = std::move(patch)});
  }
}

// ---- pods ----

void remove_surplus(JobDecision& d) {
  const std::size_t actions_before = d.plan.actions.size();
  for (const api::Pod* pod : d.surplus) delete_pod(d, *pod);
  const std::size_t removed = d.plan.actions.size() - actions_before;
  if (removed == 0) return;
  const std::string message = fmt::format("{} pod{} beyond the wanted {} replicas removed", removed,
                                          removed == 1 ? "" : "s", total_replicas(d.job()));
  d.plan.reasons.push_back(message);
  emit(d, "Normal", d.job().events.scaled, message);
}

bool must_wait(const JobDecision& d) {
  return d.status.next_retry && d.seen.now < *d.status.next_retry;
}

/// Indexed by position. A role that starts after another gets no pods before that role is up; existing pods stay.
std::vector<bool> roles_that_may_start(JobDecision& d) {
  std::vector<bool> may_start;
  for (const Role& role : d.job().roles) {
    may_start.push_back(role.starts_after.empty() || is_role_up(d, role.starts_after));
    if (!may_start.back()) {
      d.plan.reasons.push_back(
          fmt::format("role {} starts when all replicas of role {} are running", role.type, role.starts_after));
    }
  }
  return may_start;
}

void retire_stale_gang(JobDecision& d) {
  for (const Replica& replica : d.replicas) {
    if (replica.pod == nullptr || is_accounted(d, replica) || !has_stale_gang(d.job(), replica)) continue;
    d.plan.reasons.push_back(fmt::format("replica {} waits in a gang of another size", replica.key));
    retire_attempt(d, replica);
  }
}

/// Returns true while pods of the gang's last attempt exist: the next one must not meet them.
bool waits_for_old_gang(const JobDecision& d) {
  return is_gang(d) &&
         std::ranges::any_of(d.replicas, [&](const Replica& replica) { return is_accounted(d, replica); });
}

/// Returns the attempt of the replica's next pod. Those of a gang share one number, also with a replica that is new.
int next_attempt(const JobDecision& d, const Replica& replica) {
  if (!is_gang(d)) return ended_attempts(d, replica);
  int latest = 0;
  for (const Replica& one : d.replicas) latest = std::max(latest, ended_attempts(d, one));
  return latest;
}

/// Returns true when the replica waits for its retry time or for the removal of its old pod.
bool converge_pod(JobDecision& d, const Replica& replica, bool may_start) {
  if (replica.pod == nullptr) {
    if (has_succeeded(d, replica)) return false;
    const int attempt = next_attempt(d, replica);
    if (attempt > 0 && must_wait(d)) {
      d.plan.reasons.push_back(fmt::format("replica {} waits for its retry time", replica.key));
      return true;
    }
    if (!may_start) return attempt > 0;
    if (is_full(d)) return attempt > 0;
    d.plan.actions.emplace_back(
        create_child(pod_for(d.job(), replica, attempt, d.status.port.value_or(0), d.status.resumed)));
    return attempt > 0;
  }
  if (is_accounted(d, replica)) {
    // A failed pod stays for inspection until its successor is due; its name becomes free only when it is gone. One
    // that still runs is a survivor of its gang, which is stopped at once.
    if (!must_wait(d) || !is_finished_pod(*replica.pod)) delete_pod(d, *replica.pod);
    return true;
  }
  return false;
}

}  // namespace

api::Pod pod_for(const Job& job, const Replica& replica, int attempt, int port, bool resumed) {
  const api::PodTemplateSpec& from = replica.role->pod_template;
  api::Pod pod;
  pod.metadata.name = replica.pod_name;
  pod.metadata.ns = job.ns;
  pod.metadata.labels = from.metadata.labels;
  for (const auto& [key, value] : identity_labels(job, replica)) pod.metadata.labels[key] = value;
  if (replica.leads && !job.labels.role_key.empty()) pod.metadata.labels[job.labels.role_key] = "master";
  pod.metadata.labels[api::kGroupNameLabel] = job.group_name;
  pod.metadata.labels[api::kAttemptLabel] = std::to_string(attempt);
  pod.metadata.annotations = from.metadata.annotations;
  pod.metadata.annotations[api::kGangSizeAnnotation] = std::to_string(gang_size(job, *replica.role));
  if (replica.rank > 0 && first_hosts_rendezvous(job)) pod.metadata.annotations[api::kHeadStartAnnotation] = kHeadStart;
  pod.metadata.owner_references = {owner_of_children(job)};

  pod.spec = from.spec;
  // A restart is always a new pod: a container restarted in place would have no attempt of its own, so it could not be
  // charged exactly once.
  pod.spec.restart_policy = "Never";
  if (!job.subdomain.empty()) {
    if (pod.spec.hostname.empty()) pod.spec.hostname = host_name(job, *replica.role, replica.index);
    if (pod.spec.subdomain.empty()) pod.spec.subdomain = job.subdomain;
  }
  for (auto* list : {&pod.spec.init_containers, &pod.spec.containers}) {
    for (api::Container& container : *list) report_end_of_log(container);
  }
  set_launch(job, replica, port, resumed, pod.spec);
  return pod;
}

void delete_pod(JobDecision& d, const api::Pod& pod) {
  if (is_terminating(pod) || is_full(d)) return;
  d.plan.actions.emplace_back(Delete{child_ref(pod)});
}

void delete_services(JobDecision& d) {
  for (const api::Service* service : own_services(d)) delete_service(d, *service);
}

void delete_all_children(JobDecision& d) {
  for (const Replica& replica : d.replicas) {
    if (replica.pod != nullptr) delete_pod(d, *replica.pod);
  }
  for (const api::Pod* pod : d.surplus) delete_pod(d, *pod);
  delete_services(d);
}

void converge_children(JobDecision& d) {
  remove_surplus(d);
  converge_services(d);
  converge_objects(d);
  const std::vector<bool> may_start = roles_that_may_start(d);
  retire_stale_gang(d);
  const bool old_gang_is_there = waits_for_old_gang(d);
  if (old_gang_is_there && d.replicas.size() > 1) {
    d.plan.reasons.emplace_back("the replicas restart together when all old pods are deleted");
  }
  const bool others_are_there = old_gang_is_there || d.seen.predecessor_runs;
  bool waiting = false;
  for (const Replica& replica : d.replicas) {
    waiting |= converge_pod(d, replica, may_start[replica.role_position] && !others_are_there);
  }
  if (!waiting) d.status.next_retry.reset();
  if (waiting && must_wait(d)) recheck_at(d, *d.status.next_retry);
}

}  // namespace muster::control
