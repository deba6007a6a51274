// LogShelf: the logs of this node's pods and what is known of them, those of the past included, until the limits say
// that they go.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "agent/disk/disk_threads.h"
#include "agent/disk/paths.h"
#include "agent/disk/trash.h"
#include "agent/logs/log_reader.h"
#include "agent/settings/options.h"
#include "base/ports.h"
#include "node/node_api.h"
#include "node/pod_history.h"

namespace muster::agent {

class LogShelf final : public node::PodHistory {
 public:
  LogShelf(Loop& loop, const Paths& paths, Trash& trash, DiskThreads& disk, const LogRetention& limits)
      : loop_(loop), paths_(paths), trash_(trash), disk_(disk), limits_(limits) {}

  Result<std::unique_ptr<node::LogStream>> read(const node::LogRequest& request,
                                                UniqueFunction<void(std::string_view)> on_text,
                                                UniqueFunction<void(Status)> on_end) const;

  void find(const node::OwnerName& owner, UniqueFunction<void(node::PastPods)> done) override;
  /// Delivers the end of what the container has written in its last run, with the line that it still writes.
  void end_of(std::string pod_uid, std::string container, UniqueFunction<void(std::string)> done);

  using IsInUse = std::function<bool(const std::string& uid)>;
  /// Removes what is over the limits: the folders of deleted pods with what is remembered of their names, and the logs
  /// of earlier runs of containers. Looking for them happens on the disk threads; a call while one looks does nothing.
  void remove_old(IsInUse is_in_use);

 private:
  struct Found;
  static Found look(const Paths& paths, const std::set<std::string>& in_use, const LogRetention& limits, Time now,
                    const std::stop_token& stop);
  void remove(const Found& found, const IsInUse& is_in_use);

  Loop& loop_;
  const Paths& paths_;
  Trash& trash_;
  DiskThreads& disk_;
  const LogRetention& limits_;
  std::shared_ptr<RemovedLogs> removed_ = std::make_shared<RemovedLogs>();
  bool is_looking_ = false;
};

}  // namespace muster::agent
