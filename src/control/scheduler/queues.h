// Queues: which one a gang waits in, before whom it goes, and whether its queue admits it now.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "api/kubernetes/core_v1.h"
#include "api/kubernetes/records_v1.h"
#include "api/tensorstack/scheduler_v1beta1.h"
#include "control/scheduler/ledger.h"

namespace muster::control {

inline constexpr const char* kDefaultQueue = "default";

/// What a scheduling pass depends on besides pods and groups: few objects, which change rarely.
struct ClusterObjects {
  std::vector<std::shared_ptr<const api::Node>> nodes = {};  // all in any order
  std::vector<std::shared_ptr<const api::Queue>> queues = {};
  std::vector<std::shared_ptr<const api::PriorityClass>> priority_classes = {};
  std::vector<std::shared_ptr<const api::Namespace>> namespaces = {};
  // CPU and memory also make pods wait, and a queue that does not exist is an error.
  bool strict = false;
};

/// Returns the name of the queue that the gang asks for, whether or not it exists.
std::string wanted_queue(const Gang& gang, const Ledger& ledger);

/// The queues during one pass. Gangs that the pass admits are charged to their queue.
class Queues {
 public:
  Queues(const Ledger& ledger, const ClusterObjects& objects);

  /// Returns the queue that the gang waits in: the default queue stands in for one that does not exist. Null when there
  /// is not even a default queue; then nothing limits the gang.
  const api::Queue* queue_of(const Gang& gang) const;
  /// Smaller goes first: by the queue's priority, the group's, the pods' priority class, and then by age.
  using Rank = std::tuple<std::int64_t, std::int64_t, std::int64_t, Time, std::string>;
  Rank rank_of(const Gang& gang) const;

  /// Returns why the queue does not take the gang, however much is free: it is missing, closed or for others; "" if it
  /// does.
  std::string refusal(const Gang& gang) const;
  /// Returns why `wanted` more exceeds the quota of the gang's queue; "" if it does not.
  std::string shortage(const Gang& gang, const api::ResourceList& wanted) const;
  /// Returns false when `wanted` alone exceeds the quota, so that waiting does not help.
  bool is_possible(const Gang& gang, const api::ResourceList& wanted) const;
  /// Charges what was admitted.
  void charge(const Gang& gang, const api::ResourceList& admitted);

 private:
  const api::Queue* find(const std::string& name) const;
  std::int64_t class_value(const api::Pod& pod) const;
  std::vector<std::string> holders(const api::Queue& queue, const std::string& resource) const;

  const Ledger& ledger_;
  const ClusterObjects& objects_;
  std::map<std::string, api::ResourceList> used_;  // by queue
};

/// Returns "a, b, c, 2 more".
std::string first_names(std::vector<std::string> names);

}  // namespace muster::control
