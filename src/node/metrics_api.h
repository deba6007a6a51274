// MetricsApi: what the API server needs to know about the use of processors, memory, disk, network and GPUs. It is part
// of the seam between apiserver and agent (node/node_api.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace muster::node {

struct ResourceUsage {
  double cpu = 0;           // cores
  std::int64_t memory = 0;  // bytes
};

/// What was used lately, on average over the `window` that ended at `time`.
struct NodeUsage {
  std::string node;
  Time time;
  Duration window{0};
  ResourceUsage usage;
};
struct PodUsage {
  Time time;
  Duration window{0};
  std::map<std::string, ResourceUsage> containers;  // the running ones
};

struct HistoryRequest {
  std::string ns;
  std::string pod;
  std::string pod_uid;           // "": the pod that had the name last
  bool is_past = false;          // the uid is what the client says: NotFound unless that pod has had the name
  std::optional<Time> from;      // nullopt: as early as there is anything
  std::optional<Time> to;        // nullopt: until now
  std::optional<Duration> step;  // nullopt: the finest that is kept for all of the time
};
/// A quantity over time. The value at an index belongs to the time at that index; NaN: not measured.
struct Series {
  std::string name;
  std::string unit;
  std::vector<float> values;
};
struct History {
  std::string pod_uid;
  Duration step{0};
  std::vector<Time> times;  // each is the end of a step
  std::vector<Series> series;
};

struct GpuUsage {
  std::string uuid;
  double utilisation = 0;   // percent of the time in which it computed
  std::int64_t memory = 0;  // bytes in use
};

struct ContainerTotals {
  Duration cpu{0};          // processor time so far
  std::int64_t memory = 0;  // bytes at present
};
/// What a running pod has used so far. The counters of the network begin when the engine starts; all can go back when
/// processes end that nobody waits for.
struct PodTotals {
  std::string ns;
  std::string pod;
  std::map<std::string, ContainerTotals> containers;
  // Nullopt: this machine or user cannot read it.
  std::optional<std::int64_t> disk_read = {};  // bytes
  std::optional<std::int64_t> disk_written = {};
  std::optional<std::int64_t> received = {};  // bytes over TCP
  std::optional<std::int64_t> sent = {};
  std::vector<GpuUsage> gpus = {};
};

class MetricsApi {
 public:
  virtual ~MetricsApi() = default;
  virtual Result<NodeUsage> node_usage() = 0;
  /// Nullopt when the pod does not run, or not long enough to be measured.
  virtual std::optional<PodUsage> pod_usage(const std::string& uid) const = 0;
  /// NotFound when no pod of the name was measured, or its history is no longer kept.
  virtual Result<History> history(const HistoryRequest& request) const = 0;
  virtual std::vector<PodTotals> totals() const = 0;
};

}  // namespace muster::node
