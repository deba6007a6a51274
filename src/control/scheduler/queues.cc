#include "control/scheduler/queues.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "control/scheduler/requests.h"
#include "control/scheduler/selectors.h"

namespace muster::control {

namespace {

/// Returns the quota's amounts; null when nothing is limited.
const api::ResourceList* limits_of(const api::Queue* queue) {
  return queue == nullptr || !queue->spec.quota ? nullptr : &queue->spec.quota->requests;
}

bool is_for_namespace(const api::Queue& queue, const std::string& ns, const ClusterObjects& objects) {
  if (!queue.spec.namespace_selector) return true;
  const auto found =
      std::ranges::find(objects.namespaces, ns, [](const auto& n) -> const std::string& { return n->metadata.name; });
  return found != objects.namespaces.end() &&
         selector_matches(*queue.spec.namespace_selector, (*found)->metadata.labels);
}

}  // namespace

std::string wanted_queue(const Gang& gang, const Ledger& ledger) {
  const api::PodGroup* group = ledger.group_of(gang);
  const std::string& queue = group == nullptr ? gang.queue : group->spec.queue;
  return queue.empty() ? kDefaultQueue : queue;
}

Queues::Queues(const Ledger& ledger, const ClusterObjects& objects) : ledger_(ledger), objects_(objects) {
  for (const Gang* gang : ledger.holding()) charge(*gang, gang->held);
}

const api::Queue* Queues::find(const std::string& name) const {
  const auto found =
      std::ranges::find(objects_.queues, name, [](const auto& q) -> const std::string& { return q->metadata.name; });
  return found == objects_.queues.end() ? nullptr : found->get();
}

const api::Queue* Queues::queue_of(const Gang& gang) const {
  const api::Queue* queue = find(wanted_queue(gang, ledger_));
  return queue == nullptr ? find(kDefaultQueue) : queue;
}

std::int64_t Queues::class_value(const api::Pod& pod) const {
  const std::string& name = pod.spec.rest.string_at("priorityClassName");
  // Kubernetes' own classes, which exist everywhere.
  if (name == "system-node-critical") return 2'000'001'000;
  if (name == "system-cluster-critical") return 2'000'000'000;
  for (const auto& priority_class : objects_.priority_classes) {
    const bool is_meant = name.empty() ? priority_class->global_default : priority_class->metadata.name == name;
    if (is_meant) return priority_class->value;
  }
  return 0;
}

Queues::Rank Queues::rank_of(const Gang& gang) const {
  const api::Queue* queue = queue_of(gang);
  const api::PodGroup* group = ledger_.group_of(gang);
  std::int64_t highest = std::numeric_limits<std::int64_t>::min();
  Time oldest = Time::max();
  for (const auto& [name, pod] : gang.waiting) {
    highest = std::max(highest, class_value(*pod));
    oldest = std::min(oldest, pod->metadata.creation_timestamp.value_or(Time::min()));
  }
  return {queue == nullptr ? 0 : -queue->spec.priority.value_or(0),
          group == nullptr ? 0 : -group->spec.priority.value_or(0), -highest, oldest, gang.id};
}

std::string Queues::refusal(const Gang& gang) const {
  const std::string wanted = wanted_queue(gang, ledger_);
  if (objects_.strict && find(wanted) == nullptr) {
    return fmt::format("queue {} does not exist; create it or use another one", wanted);
  }
  const api::Queue* queue = queue_of(gang);
  if (queue == nullptr) return {};
  if (!is_for_namespace(*queue, gang.ns, objects_)) {
    return fmt::format("queue {} does not allow namespace {}; use another queue or change its namespaceSelector",
                       queue->metadata.name, gang.ns);
  }
  // A gang that already runs may get replacements: a queue is closed to stop new work, not to break work in progress.
  if (queue->spec.closed && gang.holders == 0) {
    return fmt::format("queue {} is closed; open it or use another one", queue->metadata.name);
  }
  return {};
}

bool Queues::is_possible(const Gang& gang, const api::ResourceList& wanted) const {
  const api::ResourceList* limits = limits_of(queue_of(gang));
  return limits == nullptr || std::ranges::all_of(*limits, [&](const auto& limit) {
           return amount_of(wanted, limit.first) <= limit.second;
         });
}

std::string Queues::shortage(const Gang& gang, const api::ResourceList& wanted) const {
  const api::Queue* queue = queue_of(gang);
  const api::ResourceList* limits = limits_of(queue);
  if (limits == nullptr) return {};
  const auto used = used_.find(queue->metadata.name);
  std::vector<std::string> clauses;
  for (const auto& [resource, limit] : *limits) {
    const Quantity amount = amount_of(wanted, resource);
    const Quantity in_use = used == used_.end() ? Quantity() : amount_of(used->second, resource);
    if (amount.is_zero() || in_use + amount <= limit) continue;
    const std::string needs = fmt::format("needs {} {}", amount_text(resource, amount), resource);
    const std::string allowed = amount_text(resource, limit);
    if (amount > limit) {
      clauses.push_back(
          fmt::format("{}, queue {} allows {}; request less or raise its quota", needs, queue->metadata.name, allowed));
    } else {
      const Quantity left = std::max(Quantity(), limit - in_use);
      std::string clause = fmt::format("{}, queue {} has {} of {} left", needs, queue->metadata.name,
                                       amount_text(resource, left), allowed);
      const std::vector<std::string> names = holders(*queue, resource);
      if (!names.empty()) clause += ", held by " + first_names(names);
      clauses.push_back(std::move(clause));
    }
  }
  return join(clauses, "; ");
}

void Queues::charge(const Gang& gang, const api::ResourceList& admitted) {
  if (const api::Queue* queue = queue_of(gang)) add_to(used_[queue->metadata.name], admitted);
}

std::vector<std::string> Queues::holders(const api::Queue& queue, const std::string& resource) const {
  std::set<std::string> names;
  for (const Gang* gang : ledger_.holding()) {
    if (!amount_of(gang->held, resource).is_zero() && queue_of(*gang) == &queue) names.insert(gang->name);
  }
  return {names.begin(), names.end()};
}

std::string first_names(std::vector<std::string> names) {
  constexpr std::size_t kNamed = 3;
  if (names.size() > kNamed) {
    const std::size_t more = names.size() - kNamed;
    names.resize(kNamed);
    names.push_back(fmt::format("{} more", more));
  }
  return join(names, ", ");
}

}  // namespace muster::control
