#include "agent/metrics/process_usage.h"

#include <algorithm>

namespace muster::agent {
namespace {

constexpr std::int64_t kRoundsOfRest = 5;
constexpr int kMaxLevels = 64;  // between a process and the first one of its container, for the walk to stay short

class RealProcessFiles final : public ProcessFiles {
 public:
  std::vector<pid_t> ids() override { return linux_os::process_ids(); }
  std::optional<linux_os::ProcessTimes> times(pid_t pid) override { return linux_os::process_times(pid); }
  std::optional<linux_os::ProcessMemory> memory(pid_t pid) override { return linux_os::process_memory(pid); }
  std::optional<linux_os::ProcessIo> io(pid_t pid) override { return linux_os::process_io(pid); }
  std::vector<std::uint64_t> sockets(pid_t pid) override { return linux_os::socket_inodes(pid); }
  Result<linux_os::TcpBytesByInode> tcp_bytes(const Fd* network) override {
    return network == nullptr ? linux_os::tcp_bytes() : linux_os::tcp_bytes(*network);
  }
};

/// The kernel adds the time and the bytes of a process to those of its parent once it was waited for. So the sum over
/// the living processes of a tree includes those that have ended.
std::int64_t all_ticks(const linux_os::ProcessTimes& times) {
  return times.own_ticks + times.child_ticks;
}

}  // namespace

std::unique_ptr<ProcessFiles> real_process_files() {
  return std::make_unique<RealProcessFiles>();
}

std::vector<PodReading> ProcessUsage::read(const std::vector<MeasuredPod>& pods) {
  ++round_;
  find_processes(pods);
  count_traffic();
  std::map<std::string, std::vector<pid_t>> trees;
  for (const auto& [pid, process] : processes_) {
    if (!process.pod.empty()) trees[process.pod].push_back(pid);
  }
  std::vector<PodReading> readings;
  for (const MeasuredPod& pod : pods) {
    if (const auto tree = trees.find(pod.uid); tree != trees.end()) readings.push_back(reading_of(pod, tree->second));
  }
  return readings;
}

void ProcessUsage::find_processes(const std::vector<MeasuredPod>& pods) {
  std::map<pid_t, std::string> inits;
  networks_.clear();
  for (const MeasuredPod& pod : pods) {
    inits[pod.init] = pod.uid;
    networks_[pod.uid] = pod.network;
  }
  // Processes of a new pod may have been seen before it was known: look at all of them again.
  const bool has_new = std::ranges::any_of(inits, [this](const auto& init) { return !inits_.contains(init.first); });
  if (has_new) std::erase_if(processes_, [](const auto& entry) { return entry.second.pod.empty(); });
  inits_ = std::move(inits);
  std::erase_if(traffic_, [this](const auto& entry) {
    return std::ranges::none_of(inits_, [&](const auto& init) { return init.second == entry.first; });
  });

  Processes next;
  std::vector<pid_t> unplaced;
  for (const pid_t pid : files_->ids()) {
    const auto known = processes_.find(pid);
    if (known != processes_.end() && known->second.pod.empty()) {
      next.insert(processes_.extract(known));
      continue;
    }
    const auto times = files_->times(pid);
    if (!times) continue;  // it has just ended
    if (known != processes_.end() && known->second.times.start_time == times->start_time) {
      next.emplace(pid, looked_at_again(pid, std::move(known->second), *times));
    } else {
      next.emplace(pid, Process{.pod = "", .times = *times});
      unplaced.push_back(pid);
    }
  }
  processes_ = std::move(next);
  place(unplaced);
}

ProcessUsage::Process ProcessUsage::looked_at_again(pid_t pid, Process process,
                                                    const linux_os::ProcessTimes& times) const {
  const bool rested = all_ticks(process.times) == all_ticks(times);
  process.times = times;
  if (!rested || (round_ + pid) % kRoundsOfRest == 0) refresh(pid, process);
  return process;
}

/// Gives each process the pod of its nearest ancestor that has one. A chain of processes can be as long as the machine
/// allows, so this walks in a loop, and each process of a chain only once.
void ProcessUsage::place(const std::vector<pid_t>& pids) {
  std::set<pid_t> open(pids.begin(), pids.end());
  for (const pid_t first : pids) {
    std::vector<pid_t> path;
    std::string pod;
    for (pid_t pid = first; open.contains(pid);) {
      open.erase(pid);
      path.push_back(pid);
      if (const auto init = inits_.find(pid); init != inits_.end()) {
        pod = init->second;
        break;
      }
      pid = processes_.at(pid).times.parent;
      if (open.contains(pid)) continue;
      if (const auto parent = processes_.find(pid); parent != processes_.end()) pod = parent->second.pod;
    }
    if (pod.empty()) continue;
    for (const pid_t pid : path) {
      Process& process = processes_.at(pid);
      process.pod = pod;
      refresh(pid, process);
    }
  }
}

void ProcessUsage::refresh(pid_t pid, Process& process) const {
  process.memory = files_->memory(pid).value_or(linux_os::ProcessMemory{});
  if (const auto io = files_->io(pid)) process.io = io;
  process.sockets = files_->sockets(pid);
}

void ProcessUsage::count_traffic() {
  std::map<std::string, std::set<std::uint64_t>> sockets;
  for (const auto& [pid, process] : processes_) {
    if (!process.sockets.empty()) sockets[process.pod].insert(process.sockets.begin(), process.sockets.end());
  }
  if (sockets.empty()) return;
  std::map<const Fd*, Result<linux_os::TcpBytesByInode>> by_network;
  traffic_is_known_ = true;
  for (const auto& [pod, inodes] : sockets) {
    const Fd* network = networks_[pod].get();
    auto asked = by_network.find(network);
    if (asked == by_network.end()) asked = by_network.emplace(network, files_->tcp_bytes(network)).first;
    const auto& bytes = asked->second;
    traffic_is_known_ = traffic_is_known_ && bytes.has_value();
    if (!bytes) continue;
    Traffic& traffic = traffic_[pod];
    std::map<std::uint64_t, linux_os::TcpBytes> open;
    for (const std::uint64_t inode : inodes) {
      const auto now = bytes->find(inode);
      if (now == bytes->end()) continue;  // not a TCP connection
      const auto before = traffic.open.find(inode);
      const linux_os::TcpBytes from = before == traffic.open.end() ? linux_os::TcpBytes{} : before->second;
      traffic.total.received += std::max<std::int64_t>(0, now->second.received - from.received);
      traffic.total.sent += std::max<std::int64_t>(0, now->second.sent - from.sent);
      open.insert(*now);
    }
    traffic.open = std::move(open);
  }
}

std::string ProcessUsage::container_of(const MeasuredPod& pod, pid_t pid) const {
  // What has no container's process above it was orphaned. It can only be of the container that is alone.
  const std::string otherwise = pod.containers.size() == 1 ? pod.containers.begin()->first : "";
  for (int level = 0; pid != pod.init && level < kMaxLevels; ++level) {
    const auto root = std::ranges::find(pod.containers, pid, [](const auto& entry) { return entry.second; });
    if (root != pod.containers.end()) return root->first;
    const auto process = processes_.find(pid);
    if (process == processes_.end()) return otherwise;
    pid = process->second.times.parent;
  }
  return otherwise;
}

PodReading ProcessUsage::reading_of(const MeasuredPod& pod, const std::vector<pid_t>& tree) const {
  PodReading reading{.uid = pod.uid};
  std::map<std::string, std::int64_t> most_shared;  // "": of all
  linux_os::ProcessIo io;
  bool io_is_known = false;
  for (const auto& [name, first] : pod.containers) reading.containers[name];
  for (const pid_t pid : tree) {
    const Process& process = processes_.at(pid);
    const Duration cpu = linux_os::from_ticks(all_ticks(process.times));
    reading.cpu += cpu;
    reading.memory += process.memory.own;
    most_shared[""] = std::max(most_shared[""], process.memory.shared);
    io_is_known = io_is_known || process.io.has_value();
    if (process.io) io = {.read = io.read + process.io->read, .written = io.written + process.io->written};
    const std::string container = container_of(pod, pid);
    if (!pod.memory_limits.empty() && pid != pod.init) reading.processes[container].push_back(pid);
    if (container.empty()) continue;
    node::ContainerTotals& totals = reading.containers[container];
    totals.cpu += cpu;
    totals.memory += process.memory.own;
    most_shared[container] = std::max(most_shared[container], process.memory.shared);
  }
  reading.memory += most_shared[""];
  for (auto& [name, totals] : reading.containers) totals.memory += most_shared[name];
  if (io_is_known) {
    reading.disk_read = io.read;
    reading.disk_written = io.written;
  }
  if (traffic_is_known_) {
    const auto traffic = traffic_.find(pod.uid);
    const linux_os::TcpBytes total = traffic == traffic_.end() ? linux_os::TcpBytes{} : traffic->second.total;
    reading.received = total.received;
    reading.sent = total.sent;
  }
  return reading;
}

}  // namespace muster::agent
