// MetricsRecorder: measures the running pods every two seconds and keeps their history. Nothing is measured, and no
// timer is set, while no pod runs.
//
// Memory holds the last ten minutes; everything else is in one file per pod. Files are written once a minute and when
// a pod or the engine ends, in the background: an engine that is killed loses the last minute of the history.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/disk/paths.h"
#include "agent/metrics/history.h"
#include "agent/metrics/usage_source.h"
#include "agent/settings/options.h"
#include "base/lifetime.h"
#include "base/ports.h"
#include "linux/process_usage.h"
#include "node/metrics_api.h"

namespace muster::agent {

class MetricsRecorder final : public node::MetricsApi {
 public:
  struct Ports {
    /// The pods that run now.
    std::function<std::vector<MeasuredPod>()> running;
    /// Runs tasks one after another, off the loop. They may outlive the recorder; `source` outlives them.
    std::function<void(Task)> in_background;
    UsageSource* source = nullptr;
    std::function<Result<linux_os::MachineUsage>()> machine;
    /// What a pod uses was read.
    std::function<void(const PodReading&)> on_reading = [](const PodReading&) {};
  };
  MetricsRecorder(Loop& loop, const Paths& paths, std::string node_name, const MetricsOptions& options, Ports ports);
  /// Hands over what is not saved yet.
  ~MetricsRecorder() override;

  Status start();
  /// A pod may have started or ended. Cheap.
  void wake();

  Result<node::NodeUsage> node_usage() override;
  std::optional<node::PodUsage> pod_usage(const std::string& uid) const override;
  Result<node::History> history(const node::HistoryRequest& request) const override;
  std::vector<node::PodTotals> totals() const override;

 private:
  struct Sample {
    MonoTime at;
    std::map<std::string, node::ContainerTotals> containers;
  };
  /// A running pod.
  struct Live {
    MeasuredPod pod;
    HistoryLayout layout;
    FrameRing fine;
    Average average;
    std::vector<Frame> coarse = {};  // complete and not saved
    std::int64_t saved_until = 0;    // the time of the last fine frame that is saved
    PodReading last;
    MonoTime last_at;
    std::deque<Sample> recent = {};  // for the usage of late
  };
  struct NodeReading {
    MonoTime at;
    linux_os::MachineUsage usage;
  };

  void measure();
  void take(const std::vector<MeasuredPod>& pods, std::vector<PodReading> readings);
  void begin(const MeasuredPod& pod, PodReading reading);
  void restore(const std::string& uid, Live& live);
  void add(Live& live, PodReading reading);
  void end_missing(const std::vector<MeasuredPod>& pods);
  void save_all();
  void save(const std::string& uid, Live& live);
  void write(const std::string& uid, const HistoryLayout& layout, std::vector<FilePatch> patches);
  void remove_old();
  StoredHistory with_live(StoredHistory stored, const Live& live) const;

  Loop& loop_;
  const Paths& paths_;
  std::string node_name_;
  MetricsOptions options_;
  Ports ports_;
  std::map<std::string, Live> live_;  // by uid
  Loop::Id timer_ = 0;
  bool is_measuring_ = false;
  MonoTime saved_at_{};
  std::optional<MonoTime> tidied_at_;
  std::optional<NodeReading> node_before_;
  std::optional<node::NodeUsage> node_usage_;
  std::string last_problem_;
  Lifetime lifetime_;
};

}  // namespace muster::agent
