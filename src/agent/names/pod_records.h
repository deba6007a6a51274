// What is kept of each pod for the history of its owner, a job: the pod as it was last, and which pods each owner had.
// It goes with the folder of the pod, and with the namespace.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "agent/disk/paths.h"
#include "base/result.h"
#include "json/document.h"
#include "node/pod_history.h"

namespace muster::agent {

/// Returns what the history shows of a pod: nothing that its containers were given, which may be secret.
json::Document pod_record(const json::Document& pod);

/// Remembers a pod that is about to start.
Status remember_pod(const Paths& paths, const json::Document& pod);
/// Stores the pod as it is now. Does nothing for a pod that never started here, or whose folder is gone.
Status update_record(const Paths& paths, const json::Document& pod);

/// Returns the pods that are remembered, oldest first. Reads a file for each: for the disk threads.
node::PastPods remembered_pods(const Paths& paths, const node::OwnerName& owner);

/// Returns the lists that mention pods without a folder, or pods in `going`. For the disk threads.
std::vector<std::string> outdated_records(const Paths& paths, const std::set<std::string>& going);
/// Forgets those pods but for their number, and the list when none is left. Loop thread only.
Status forget_gone_records(const Paths& paths, const std::string& list);

}  // namespace muster::agent
