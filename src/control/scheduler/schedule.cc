#include "control/scheduler/schedule.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "api/muster/names.h"
#include "api/owners.h"
#include "base/strings.h"
#include "control/observe.h"
#include "control/scheduler/node_fit.h"
#include "control/scheduler/selectors.h"

namespace muster::control {

namespace {

using NodePtr = std::shared_ptr<const api::Node>;

/// The devices and pod slots that are free on a node. CPU and memory may become negative.
struct Room {
  NodePtr node;
  api::ResourceList free;
};

bool is_ready(const api::Node& node) {
  if (node.spec.unschedulable) return false;
  const api::Condition* ready = api::find_condition(node.status.conditions, "Ready");
  return ready != nullptr && ready->status == "True";
}

std::vector<Room> rooms_of(const Ledger& ledger, const ClusterObjects& objects) {
  std::vector<Room> rooms;
  for (const NodePtr& node : objects.nodes) {
    if (!is_ready(*node)) continue;
    rooms.push_back({.node = node, .free = node->status.allocatable});
    take_from(rooms.back().free, ledger.taken_on(node->metadata.name));
  }
  std::ranges::sort(rooms, {}, [](const Room& room) -> const std::string& { return room.node->metadata.name; });
  return rooms;
}

// ---- gangs that are complete ----

/// The controllers of jobs write the size of the gang on its pods.
bool is_made_by_job(const Gang& gang) {
  return gang.waiting.begin()->second->metadata.annotations.contains(api::kGangSizeAnnotation);
}

std::size_t size_of(const Gang& gang, const api::PodGroup* group) {
  std::size_t size = 1;
  if (!is_made_by_job(gang)) return group == nullptr ? size : std::max<std::size_t>(size, group->spec.min_member);
  for (const auto& [name, pod] : gang.waiting) size = std::max(size, api::gang_size(pod->metadata));
  return size;
}

/// Returns what the gang still lacks; "" when it can be considered.
std::string missing_members(const Gang& gang, const api::PodGroup* group) {
  if (!gang.group.empty() && group == nullptr) {
    return fmt::format("PodGroup {}/{} does not exist; create it or remove the label {}", gang.ns, gang.group,
                       api::kGroupNameLabel);
  }
  const std::size_t size = size_of(gang, group);
  if (gang.present < size) return fmt::format("{} of {} pods of the group exist", gang.present, size);
  if (group == nullptr || is_made_by_job(gang)) return {};
  for (const api::PodGroupRole& role : group->spec.roles) {
    const auto found = gang.roles.find(role.name);
    const std::size_t present = found == gang.roles.end() ? 0 : found->second;
    if (present >= static_cast<std::size_t>(role.min_member)) continue;
    return fmt::format("{} of {} pods of role {} exist", present, role.min_member, role.name);
  }
  return {};
}

// ---- one pass ----

/// Why pods were not placed.
struct Obstacle {
  enum class Kind {
    kNone,    // they were placed
    kNever,   // waiting does not help, so others must not wait behind them
    kSweep,   // as many jobs of their sweep run as may; what they want is free for others
    kQuota,   // their queue's quota is in use, or claimed by an earlier gang
    kDevice,  // what the nodes offer is in use, or claimed by an earlier gang
  };
  Kind kind = Kind::kNone;
  std::string message = {};
};

class Pass {
 public:
  Pass(const Ledger& ledger, const ClusterObjects& objects)
      : ledger_(ledger), objects_(objects), queues_(ledger, objects), rooms_(rooms_of(ledger, objects)) {
    for (const Gang* gang : ledger.holding()) note_in_sweep(*gang);
  }

  Schedule run() {
    for (const Gang* gang : in_order()) consider(*gang);
    report_unknown_nodes();
    return std::move(result_);
  }

 private:
  std::vector<const Gang*> in_order() const {
    std::vector<std::pair<Queues::Rank, const Gang*>> ranked;
    for (const Gang* gang : ledger_.waiting()) ranked.emplace_back(queues_.rank_of(*gang), gang);
    std::ranges::sort(ranked);
    std::vector<const Gang*> gangs;
    for (const auto& [rank, gang] : ranked) gangs.push_back(gang);
    return gangs;
  }

  void consider(const Gang& gang) {
    const api::PodGroup* group = ledger_.group_of(gang);
    if (std::string missing = missing_members(gang, group); !missing.empty()) {
      // A job's controller is still creating them.
      if (!is_made_by_job(gang)) wait(gang, members_of(gang), std::move(missing));
      return;
    }
    report_missing_queue(gang);
    std::vector<PodPtr> pods = members_of(gang);
    const std::size_t with_nodes = gang.present - std::min(gang.present, gang.waiting.size());
    const std::size_t size = size_of(gang, group);
    const bool has_roles = group != nullptr && !group->spec.roles.empty();
    const std::size_t needed = has_roles ? pods.size() : std::min(pods.size(), size - std::min(size, with_nodes));
    const std::span<const PodPtr> core = std::span(pods).first(needed);
    const std::size_t first_binding = result_.bindings.size();
    if (!core.empty()) {
      if (Obstacle obstacle = place(gang, core); obstacle.kind != Obstacle::Kind::kNone) {
        claim(gang, core, obstacle.kind);
        return wait(gang, std::move(pods), std::move(obstacle.message));
      }
    }
    if (!core.empty()) note_overcommitment(gang, core);
    place_extras(gang, std::span(pods).subspan(needed));
    if (is_made_by_job(gang) || core.size() < 2) return;
    for (std::size_t i = first_binding; i < first_binding + core.size(); ++i)
      result_.bindings[i].gang_size = core.size();
  }

  /// What a gang has beyond its minimum takes what is free and blocks nobody.
  void place_extras(const Gang& gang, std::span<const PodPtr> extras) {
    std::vector<PodPtr> left;
    std::string reason;
    for (const PodPtr& pod : extras) {
      Obstacle obstacle = place(gang, {&pod, 1});
      if (obstacle.kind == Obstacle::Kind::kNone) continue;
      left.push_back(pod);
      if (reason.empty()) reason = std::move(obstacle.message);
    }
    if (!left.empty()) wait(gang, std::move(left), std::move(reason));
  }

  /// Places all of the pods, or nothing.
  Obstacle place(const Gang& gang, std::span<const PodPtr> pods) {
    using Kind = Obstacle::Kind;
    if (rooms_.empty()) return {Kind::kNever, "no node is ready"};
    if (std::string refusal = queues_.refusal(gang); !refusal.empty()) return {Kind::kNever, std::move(refusal)};
    if (std::string mismatch = mismatch_of(gang, pods); !mismatch.empty()) return {Kind::kNever, std::move(mismatch)};
    const api::ResourceList wanted = wanted_by(pods);
    if (!queues_.is_possible(gang, wanted)) return {Kind::kNever, queues_.shortage(gang, wanted)};
    if (!is_possible(wanted)) return {Kind::kNever, shortage(wanted)};
    if (std::string full = full_sweep(gang); !full.empty()) return {Kind::kSweep, std::move(full)};
    if (Obstacle earlier = blocked_by_earlier(gang, wanted); earlier.kind != Kind::kNone) return earlier;
    if (std::string short_of = queues_.shortage(gang, wanted); !short_of.empty()) {
      return {Kind::kQuota, std::move(short_of)};
    }
    if (!bind_all(gang, pods)) return {Kind::kDevice, shortage(wanted)};
    queues_.charge(gang, wanted);
    note_in_sweep(gang);
    return {};
  }

  // ---- sweeps ----

  void note_in_sweep(const Gang& gang) {
    if (!gang.sweep.empty()) in_sweeps_[{gang.ns, gang.sweep}].insert(gang.id);
  }

  /// Returns why the gang waits for others of its sweep; "" when it does not. One that holds resources may get
  /// replacements.
  std::string full_sweep(const Gang& gang) const {
    if (gang.sweep.empty() || gang.parallel == 0) return {};
    const auto running = in_sweeps_.find({gang.ns, gang.sweep});
    if (running == in_sweeps_.end() || running->second.contains(gang.id)) return {};
    const std::size_t count = running->second.size();
    return count < gang.parallel ? "" : fmt::format("waits for its sweep: {} of {} run", count, gang.parallel);
  }

  bool bind_all(const Gang& gang, std::span<const PodPtr> pods) {
    std::vector<Room> left = rooms_;
    std::vector<Binding> placed;
    for (const PodPtr& pod : pods) {
      const auto wanted = taken_by(*pod);
      const auto room = std::ranges::find_if(left, [&](const Room& r) {
        return fits(wanted, r) && is_for_queue(gang, *r.node) && node_mismatch(*pod, *r.node).empty();
      });
      if (room == left.end()) return false;
      take_from(room->free, wanted);
      placed.push_back({.ns = pod->metadata.ns,
                        .pod = pod->metadata.name,
                        .uid = pod->metadata.uid,
                        .node = room->node->metadata.name});
    }
    rooms_ = std::move(left);
    result_.bindings.insert(result_.bindings.end(), placed.begin(), placed.end());
    return true;
  }

  bool fits(const api::ResourceList& wanted, const Room& room) const {
    return std::ranges::all_of(wanted, [&](const auto& entry) {
      return is_elastic(entry.first) || entry.second.is_zero() || amount_of(room.free, entry.first) >= entry.second;
    });
  }

  /// Returns true for what may be requested beyond what exists.
  bool is_elastic(const std::string& resource) const {
    if (resource == "ephemeral-storage") return true;
    return !objects_.strict && (resource == "cpu" || resource == "memory");
  }

  bool is_for_queue(const Gang& gang, const api::Node& node) const {
    const api::Queue* queue = queues_.queue_of(gang);
    return queue == nullptr || !queue->spec.node_selector ||
           selector_matches(*queue->spec.node_selector, node.metadata.labels);
  }

  /// Returns why no node is for one of the pods, whatever is free there; "" when each has one.
  std::string mismatch_of(const Gang& gang, std::span<const PodPtr> pods) const {
    if (std::ranges::none_of(rooms_, [&](const Room& room) { return is_for_queue(gang, *room.node); })) {
      return fmt::format("no node matches the nodeSelector of queue {}; label a node or use another queue",
                         queues_.queue_of(gang)->metadata.name);
    }
    for (const PodPtr& pod : pods) {
      std::string first_mismatch;
      for (const Room& room : rooms_) {
        std::string mismatch = node_mismatch(*pod, *room.node);
        if (first_mismatch.empty()) first_mismatch = mismatch;
        if (mismatch.empty()) {
          first_mismatch.clear();
          break;
        }
      }
      if (!first_mismatch.empty()) return first_mismatch;
    }
    return {};
  }

  static api::ResourceList wanted_by(std::span<const PodPtr> pods) {
    api::ResourceList wanted;
    for (const PodPtr& pod : pods) add_to(wanted, taken_by(*pod));
    return wanted;
  }

  static std::vector<PodPtr> members_of(const Gang& gang) {
    std::vector<PodPtr> pods;
    for (const auto& [name, pod] : gang.waiting) pods.push_back(pod);
    return pods;
  }

  // ---- no starvation ----

  /// Returns whether the nodes would have enough if nothing ran on them.
  bool is_possible(const api::ResourceList& wanted) const {
    return std::ranges::all_of(
        wanted, [&](const auto& entry) { return is_elastic(entry.first) || allocatable(entry.first) >= entry.second; });
  }

  /// Keeps the place of a gang that waits: later gangs of its queue, or of any queue, wait behind it.
  void claim(const Gang& gang, std::span<const PodPtr> core, Obstacle::Kind kind) {
    const api::Queue* queue = queues_.queue_of(gang);
    for (const auto& [resource, amount] : wanted_by(core)) {
      if (amount.is_zero()) continue;
      if (kind == Obstacle::Kind::kQuota) quota_claims_.try_emplace({queue->metadata.name, resource}, gang.name);
      // Every gang needs pod slots, so a claim on those would stop all others.
      const bool is_device = !is_elastic(resource) && resource != kPodSlots;
      if (kind == Obstacle::Kind::kDevice && is_device) device_claims_.try_emplace(resource, gang.name);
    }
  }

  Obstacle blocked_by_earlier(const Gang& gang, const api::ResourceList& wanted) const {
    const api::Queue* queue = queues_.queue_of(gang);
    for (const auto& [resource, amount] : wanted) {
      if (amount.is_zero()) continue;
      const std::string needs = fmt::format("needs {} {}", amount_text(resource, amount), resource);
      if (const auto device = device_claims_.find(resource); device != device_claims_.end()) {
        return {Obstacle::Kind::kDevice, fmt::format("{}, waits behind {}", needs, device->second)};
      }
      if (queue == nullptr || !queue->spec.quota || !queue->spec.quota->requests.contains(resource)) continue;
      if (const auto quota = quota_claims_.find({queue->metadata.name, resource}); quota != quota_claims_.end()) {
        return {Obstacle::Kind::kQuota,
                fmt::format("{}, waits behind {} in queue {}", needs, quota->second, queue->metadata.name)};
      }
    }
    return {};
  }

  // ---- reasons ----

  Quantity allocatable(const std::string& resource) const {
    Quantity sum;
    for (const Room& room : rooms_) sum = sum + amount_of(room.node->status.allocatable, resource);
    return sum;
  }

  /// Returns what prevents the pods from starting: one clause per resource that is short.
  std::string shortage(const api::ResourceList& wanted) const {
    std::vector<std::string> clauses;
    for (const auto& [resource, amount] : wanted) {
      if (is_elastic(resource) || amount.is_zero()) continue;
      Quantity free;
      for (const Room& room : rooms_) free = free + amount_of(room.free, resource);
      if (free >= amount) continue;
      std::string clause = fmt::format("needs {} {}", amount_text(resource, amount), resource);
      if (allocatable(resource) < amount) {
        clause += never_enough(resource);
      } else {
        clause += fmt::format(", {} free", amount_text(resource, std::max(Quantity(), free)));
        const std::vector<std::string> holders = ledger_.holders_of(resource);
        if (!holders.empty()) clause += ", held by " + first_names(holders);
      }
      clauses.push_back(std::move(clause));
    }
    return clauses.empty() ? "the nodes have enough in total, but not for each of its pods" : join(clauses, "; ");
  }

  const char* owner_of_resources() const { return rooms_.size() == 1 ? "this machine has" : "the nodes have"; }

  /// Returns how much there is, and what to do because waiting does not help.
  std::string never_enough(const std::string& resource) const {
    const Quantity total = allocatable(resource);
    std::string text = fmt::format(", {} {}; ", owner_of_resources(), amount_text(resource, total));
    if (resource == kPodSlots) return text + "use fewer replicas";
    if (resource == "cpu" || resource == "memory") {
      return text + "request less, or remove `scheduling: strict` from the configuration";
    }
    return text + (total.is_zero() ? "declare them with `resources:` in the configuration or remove the request"
                                   : "declare more with `resources:` in the configuration or request less");
  }

  void wait(const Gang& gang, std::vector<PodPtr> pods, std::string message) {
    result_.waiting.push_back(
        {.gang_id = gang.id, .gang = gang.name, .pods = std::move(pods), .message = std::move(message)});
  }

  void report_missing_queue(const Gang& gang) {
    const std::string wanted = wanted_queue(gang, ledger_);
    const api::Queue* queue = queues_.queue_of(gang);
    if (objects_.strict || wanted == kDefaultQueue || (queue != nullptr && queue->metadata.name == wanted)) return;
    result_.without_queues.push_back(
        {.gang_id = gang.id,
         .gang = gang.name,
         .first_pod = gang.waiting.begin()->second,
         .message = fmt::format("queue {} does not exist; its pods use queue {}", wanted, kDefaultQueue)});
  }

  void note_overcommitment(const Gang& gang, std::span<const PodPtr> pods) {
    std::vector<std::string> clauses;
    for (const auto& [resource, amount] : wanted_by(pods)) {
      const Quantity total = allocatable(resource);
      if (!is_elastic(resource) || total.is_zero() || amount <= total) continue;
      const char* unit = resource == "cpu" ? "CPUs" : "of memory";
      clauses.push_back(fmt::format("requests {} {}, {} {}", amount_text(resource, amount), unit, owner_of_resources(),
                                    amount_text(resource, total)));
    }
    if (clauses.empty()) return;
    result_.overcommitted.push_back({.gang_id = gang.id,
                                     .gang = gang.name,
                                     .first_pod = pods.front(),
                                     .message = join(clauses, "; ") + "; started anyway, its pods share them"});
  }

  /// Nobody starts a pod of a node that does not exist.
  void report_unknown_nodes() {
    std::set<std::string> known;
    for (const NodePtr& node : objects_.nodes) known.insert(node->metadata.name);
    if (known.empty()) return;  // the machine has not registered itself yet
    for (const PodPtr& pod : ledger_.pods_of_unknown_nodes(known)) {
      result_.waiting.push_back(
          {.gang_id = "pod/" + pod->metadata.ns + "/" + pod->metadata.name,
           .gang = pod->metadata.ns + "/" + pod->metadata.name,
           .pods = {pod},
           .message = fmt::format("spec.nodeName: node {} does not exist, this is {}; remove nodeName",
                                  quote(pod->spec.node_name), quote(*known.begin()))});
    }
  }

  const Ledger& ledger_;
  const ClusterObjects& objects_;
  Queues queues_;
  std::vector<Room> rooms_;
  std::map<std::pair<std::string, std::string>, std::set<std::string>> in_sweeps_;  // ids of gangs that hold resources
  std::map<std::string, std::string> device_claims_;                         // device -> the gang that waits for it
  std::map<std::pair<std::string, std::string>, std::string> quota_claims_;  // queue and resource -> the gang
  Schedule result_;
};

}  // namespace

Schedule schedule(const Ledger& ledger, const ClusterObjects& objects) {
  return Pass(ledger, objects).run();
}

}  // namespace muster::control
