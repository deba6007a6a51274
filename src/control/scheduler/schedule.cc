#include "control/scheduler/schedule.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "api/owners.h"
#include "base/strings.h"
#include "control/observe.h"

namespace muster::control {

namespace {

using PodPtr = std::shared_ptr<const api::Pod>;

struct Gang {
  std::string id;    // unique
  std::string name;  // for users
  std::vector<PodPtr> waiting;
  api::ResourceList wanted;  // by the waiting members
  std::size_t present = 0;   // members that exist, in any phase
  std::size_t size = 1;
  Time oldest = Time::max();
};

/// The devices and pod slots that are free on a node. CPU and memory may become negative.
struct Room {
  std::string node;
  api::ResourceList free;
};

bool is_elastic(const std::string& resource) {
  return resource == "cpu" || resource == "memory" || resource == "ephemeral-storage";
}

constexpr const char* kPods = "pods";

/// Returns what the pod takes from its node: its requests and one pod slot.
api::ResourceList taken_by(const api::Pod& pod) {
  api::ResourceList taken = requests_of(pod);
  taken[kPods] = Quantity::of(1);
  return taken;
}

/// Returns the name of the job if there is one, else of the pod: "default/bert".
std::string name_for_people(const api::Pod& pod) {
  const auto* owner = api::controller_of(pod.metadata);
  return pod.metadata.ns + "/" + (owner == nullptr ? pod.metadata.name : owner->name);
}

bool wants_a_node(const api::Pod& pod) {
  if (!pod.spec.node_name.empty() || is_finished_pod(pod) || pod.metadata.deletion_timestamp) return false;
  const json::Document* gates = pod.spec.rest.find("schedulingGates");
  return gates == nullptr || !gates->is_array() || gates->as_array().empty();
}

void add_to(api::ResourceList& sum, const api::ResourceList& more) {
  for (const auto& [name, amount] : more) sum[name] = sum[name] + amount;
}

std::vector<Gang> waiting_gangs(const std::vector<PodPtr>& pods) {
  std::map<std::string, Gang> gangs;
  for (const PodPtr& pod : pods) {
    if (pod->metadata.deletion_timestamp) continue;
    std::string id = api::gang_of(pod->metadata);
    Gang& gang = gangs[id];
    ++gang.present;
    if (!wants_a_node(*pod)) continue;
    gang.id = std::move(id);
    gang.name = name_for_people(*pod);
    gang.size = std::max(gang.size, api::gang_size(pod->metadata));
    gang.oldest = std::min(gang.oldest, pod->metadata.creation_timestamp.value_or(Time::min()));
    gang.waiting.push_back(pod);
  }
  std::vector<Gang> result;
  for (auto& [id, gang] : gangs) {
    // The gang is considered only once all of its members exist.
    if (gang.waiting.empty() || gang.present < gang.size) continue;
    for (const PodPtr& pod : gang.waiting) add_to(gang.wanted, taken_by(*pod));
    std::ranges::sort(gang.waiting, {}, [](const PodPtr& p) -> const std::string& { return p->metadata.name; });
    result.push_back(std::move(gang));
  }
  std::ranges::sort(result,
                    [](const Gang& a, const Gang& b) { return std::tie(a.oldest, a.id) < std::tie(b.oldest, b.id); });
  return result;
}

bool is_ready(const api::Node& node) {
  if (node.spec.unschedulable) return false;
  const auto ready = std::ranges::find(node.status.conditions, "Ready", &api::Condition::type);
  return ready != node.status.conditions.end() && ready->status == "True";
}

void take_from(api::ResourceList& sum, const api::ResourceList& less) {
  for (const auto& [name, amount] : less) sum[name] = sum[name] - amount;
}

std::vector<Room> rooms_of(const Cluster& cluster) {
  std::vector<Room> rooms;
  for (const auto& node : cluster.nodes) {
    if (is_ready(*node)) rooms.push_back({.node = node->metadata.name, .free = node->status.allocatable});
  }
  std::ranges::sort(rooms, {}, &Room::node);
  for (const PodPtr& pod : cluster.pods) {
    if (is_finished_pod(*pod)) continue;
    const auto room = std::ranges::find(rooms, pod->spec.node_name, &Room::node);
    if (room != rooms.end()) take_from(room->free, taken_by(*pod));
  }
  return rooms;
}

bool fits(const api::ResourceList& wanted, const Room& room) {
  return std::ranges::all_of(wanted, [&](const auto& entry) {
    if (is_elastic(entry.first) || entry.second.is_zero()) return true;
    const auto free = room.free.find(entry.first);
    return free != room.free.end() && free->second >= entry.second;
  });
}

/// Places the whole gang or nothing.
bool place(const Gang& gang, std::vector<Room>& rooms, std::vector<Binding>& bindings) {
  std::vector<Room> left = rooms;
  std::vector<Binding> placed;
  for (const PodPtr& pod : gang.waiting) {
    const auto wanted = taken_by(*pod);
    const auto room = std::ranges::find_if(left, [&](const Room& r) { return fits(wanted, r); });
    if (room == left.end()) return false;
    take_from(room->free, wanted);
    placed.push_back({.ns = pod->metadata.ns, .pod = pod->metadata.name, .uid = pod->metadata.uid, .node = room->node});
  }
  rooms = std::move(left);
  bindings.insert(bindings.end(), placed.begin(), placed.end());
  return true;
}

std::string text_of(const std::string& resource, const Quantity& amount) {
  return amount.text(resource == "memory" ? Quantity::Form::kBinary : Quantity::Form::kDecimal);
}

/// Returns "default/bert and default/llama", for example.
std::string holders_of(const std::string& resource, const Cluster& cluster) {
  std::set<std::string> names;
  for (const PodPtr& pod : cluster.pods) {
    if (pod->spec.node_name.empty() || is_finished_pod(*pod)) continue;
    const auto requests = taken_by(*pod);
    if (const auto found = requests.find(resource); found != requests.end() && !found->second.is_zero()) {
      names.insert(name_for_people(*pod));
    }
  }
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> shown(names.begin(), names.end());
  if (shown.size() > kNamed) {
    const std::size_t more = shown.size() - kNamed;
    shown.resize(kNamed);
    shown.push_back(fmt::format("{} more", more));
  }
  return join(shown, ", ");
}

Quantity sum_over(const std::vector<Room>& rooms, const std::string& resource) {
  Quantity sum;
  for (const Room& room : rooms) {
    if (const auto found = room.free.find(resource); found != room.free.end()) sum = sum + found->second;
  }
  return sum;
}

Quantity allocatable(const Cluster& cluster, const std::string& resource) {
  Quantity sum;
  for (const auto& node : cluster.nodes) {
    const auto found = node->status.allocatable.find(resource);
    if (is_ready(*node) && found != node->status.allocatable.end()) sum = sum + found->second;
  }
  return sum;
}

/// Returns what prevents the gang from starting: one clause per resource that is short.
std::string shortage(const Gang& gang, const Cluster& cluster, const std::vector<Room>& rooms) {
  std::vector<std::string> clauses;
  for (const auto& [resource, amount] : gang.wanted) {
    if (is_elastic(resource) || amount.is_zero()) continue;
    const Quantity free = sum_over(rooms, resource);
    if (free >= amount) continue;
    const Quantity total = allocatable(cluster, resource);
    std::string clause = fmt::format("needs {} {}", text_of(resource, amount), resource);
    if (total < amount) {
      clause += total.is_zero() ? ", there is none" : fmt::format(", there are {} in all", text_of(resource, total));
    } else {
      clause += fmt::format(", {} free", text_of(resource, free));
    }
    const std::string holders = holders_of(resource, cluster);
    if (total >= amount && !holders.empty()) clause += ", held by " + holders;
    clauses.push_back(std::move(clause));
  }
  return clauses.empty() ? "its pods do not fit on the nodes one by one" : join(clauses, "; ");
}

/// Returns the gang that already waits for a device this one wants; "" when there is none.
std::string blocked_by(const Gang& gang, const std::map<std::string, std::string>& claimed) {
  for (const auto& [resource, amount] : gang.wanted) {
    const auto claim = claimed.find(resource);
    if (claim != claimed.end() && !amount.is_zero()) {
      return fmt::format("needs {} {}, waits behind {}", text_of(resource, amount), resource, claim->second);
    }
  }
  return {};
}

void note_overcommitment(const Gang& gang, const Cluster& cluster, Schedule& result) {
  std::vector<std::string> clauses;
  for (const auto& [resource, amount] : gang.wanted) {
    if (!is_elastic(resource)) continue;
    const Quantity total = allocatable(cluster, resource);
    if (total.is_zero() || amount <= total) continue;
    clauses.push_back(fmt::format("{} {} of {}", text_of(resource, amount), resource, text_of(resource, total)));
  }
  if (clauses.empty()) return;
  result.overcommitted.push_back({.gang = gang.name,
                                  .first_pod = gang.waiting.front(),
                                  .message = "asks for more than there is (" + join(clauses, ", ") +
                                             "); it starts all the same and shares what there is"});
}

}  // namespace

api::ResourceList requests_of(const api::Pod& pod) {
  const auto of_container = [](const api::Container& container) {
    // A limit without a request is also the request.
    api::ResourceList requests = container.resources.limits;
    for (const auto& [name, amount] : container.resources.requests) requests[name] = amount;
    return requests;
  };
  api::ResourceList sum;
  for (const auto& container : pod.spec.containers) add_to(sum, of_container(container));
  for (const auto& container : pod.spec.init_containers) {
    for (const auto& [name, amount] : of_container(container)) sum[name] = std::max(sum[name], amount);
  }
  return sum;
}

Schedule schedule(const Cluster& cluster) {
  Schedule result;
  std::vector<Room> rooms = rooms_of(cluster);
  std::map<std::string, std::string> claimed;  // device -> the gang that waits for it
  for (const Gang& gang : waiting_gangs(cluster.pods)) {
    std::string message = rooms.empty() ? "no node is ready" : blocked_by(gang, claimed);
    if (message.empty() && place(gang, rooms, result.bindings)) {
      note_overcommitment(gang, cluster, result);
      continue;
    }
    if (message.empty()) message = shortage(gang, cluster, rooms);
    for (const auto& [resource, amount] : gang.wanted) {
      // A gang that can never run on these nodes must not block others.
      const bool possible = allocatable(cluster, resource) >= amount;
      // Every gang needs pod slots, so a claim on those would stop all others.
      const bool is_device = !is_elastic(resource) && resource != kPods;
      if (is_device && !amount.is_zero() && possible) claimed.emplace(resource, gang.name);
    }
    result.waiting.push_back({.gang = gang.name, .pods = gang.waiting, .message = std::move(message)});
  }
  return result;
}

}  // namespace muster::control
