// Nodes, pods, groups and queues for tests of the scheduler, and a pass over all of them.
#pragma once

#include <fmt/core.h>

#include <memory>
#include <string>
#include <vector>

#include "api/muster/names.h"
#include "api/muster/sweep_names.h"
#include "api/owners.h"
#include "control/scheduler/schedule.h"

namespace muster::control::scheduler_test {

inline constexpr const char* kGpu = "nvidia.com/gpu";

inline std::shared_ptr<api::Node> node(const std::string& name, int gpus, bool ready = true) {
  auto made = std::make_shared<api::Node>();
  made->metadata.name = name;
  made->status.allocatable = {
      {"cpu", Quantity::of(2)}, {"memory", Quantity::of(8LL << 30)}, {"pods", Quantity::of(1000)}};
  if (gpus > 0) made->status.allocatable[kGpu] = Quantity::of(gpus);
  made->status.conditions.push_back({.type = "Ready", .status = ready ? "True" : "False"});
  return made;
}

struct PodSpec {
  std::string job;
  int index = 0;
  int gang = 1;
  int gpus = 0;
  int cpus = 0;
  int created = 0;  // seconds
  std::string node;
  std::string phase = "Pending";
  std::string sweep = {};
  int parallel = 0;
};

inline std::shared_ptr<api::Pod> pod(const PodSpec& spec) {
  auto made = std::make_shared<api::Pod>();
  made->metadata.ns = "default";
  made->metadata.name = fmt::format("{}-{}", spec.job, spec.index);
  made->metadata.uid = "uid-" + made->metadata.name;
  made->metadata.creation_timestamp = Time(std::chrono::seconds(spec.created));
  made->metadata.labels[api::kGroupNameLabel] = spec.job;
  made->metadata.annotations[api::kGangSizeAnnotation] = std::to_string(spec.gang);
  made->metadata.owner_references.push_back(
      {.api_version = "v1", .kind = "J", .name = spec.job, .uid = "job-" + spec.job, .controller = true});
  api::Container container;
  if (spec.gpus > 0) container.resources.limits[kGpu] = Quantity::of(spec.gpus);
  if (spec.cpus > 0) container.resources.requests["cpu"] = Quantity::of(spec.cpus);
  made->spec.containers.push_back(container);
  if (!spec.sweep.empty()) made->metadata.labels[api::kSweepLabel] = spec.sweep;
  if (spec.parallel != 0) made->metadata.annotations[api::kParallelAnnotation] = std::to_string(spec.parallel);
  made->spec.node_name = spec.node;
  made->status.phase = spec.phase;
  return made;
}

/// A pod that no job made, in a group that a user made.
inline std::shared_ptr<api::Pod> own_pod(const std::string& name, const std::string& group) {
  auto made = pod({.job = name});
  made->metadata.annotations.clear();
  made->metadata.owner_references.clear();
  made->metadata.labels.clear();
  if (!group.empty()) made->metadata.labels[api::kGroupNameLabel] = group;
  return made;
}

inline std::shared_ptr<api::PodGroup> group(const std::string& name, int members, const std::string& queue = "default",
                                            int priority = 0) {
  auto made = std::make_shared<api::PodGroup>();
  made->metadata.ns = "default";
  made->metadata.name = name;
  made->spec.queue = queue;
  made->spec.priority = priority;
  made->spec.min_member = members;
  return made;
}

inline std::shared_ptr<api::Queue> queue(const std::string& name, int gpus = -1) {
  auto made = std::make_shared<api::Queue>();
  made->metadata.name = name;
  if (gpus >= 0) made->spec.quota = api::QueueQuota{.requests = {{kGpu, Quantity::of(gpus)}}};
  return made;
}

/// Everything that exists. The groups of jobs are made up for jobs that have none here.
struct Cluster {
  std::vector<PodPtr> pods;
  std::vector<std::shared_ptr<const api::Node>> nodes;
  std::vector<PodGroupPtr> groups = {};
  std::vector<std::shared_ptr<const api::Queue>> queues = {};
  bool strict = false;
};

inline Ledger ledger_of(const Cluster& cluster) {
  Ledger ledger;
  for (const PodPtr& pod : cluster.pods) {
    ledger.note_pod({pod->metadata.ns, pod->metadata.name}, pod);
    if (const auto* owner = api::controller_of(pod->metadata)) {
      ledger.note_group({pod->metadata.ns, owner->name}, group(owner->name, 1));
    }
  }
  for (const PodGroupPtr& group : cluster.groups) {
    ledger.note_group({group->metadata.ns, group->metadata.name}, group);
  }
  return ledger;
}

inline ClusterObjects objects_of(const Cluster& cluster) {
  ClusterObjects objects{.nodes = cluster.nodes, .queues = cluster.queues, .strict = cluster.strict};
  objects.queues.push_back(queue(kDefaultQueue));
  return objects;
}

inline Schedule schedule(const Cluster& cluster) {
  return control::schedule(ledger_of(cluster), objects_of(cluster));
}

/// "a-0@machine", in the order of binding.
inline std::vector<std::string> bound(const Schedule& schedule) {
  std::vector<std::string> names;
  for (const auto& binding : schedule.bindings) names.push_back(binding.pod + "@" + binding.node);
  return names;
}

/// "default/a: needs 1 pods, …", in order of rank.
inline std::vector<std::string> waiting(const Schedule& schedule) {
  std::vector<std::string> lines;
  for (const auto& gang : schedule.waiting) lines.push_back(gang.gang + ": " + gang.message);
  return lines;
}

}  // namespace muster::control::scheduler_test
