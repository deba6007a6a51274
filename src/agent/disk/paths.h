// The agent's files. They hold everything that a restart needs and that the API does not know.
//
//   DIR/
//     shim-HASH                 the shim program, 0700
//     hosts/KEY                 bound at /etc/hosts in the pods of a network; written in place
//     hosts/NAMESPACE           the same for the namespace's pods in the machine's network
//     names/NAMESPACE/.uid      of the namespace whose pods had the names
//     names/NAMESPACE/.owners/HASH   one line per pod of an owner: "UID OWNER-UID"; "- OWNER-UID N" counts forgotten
//     ones names/NAMESPACE/POD       one line per pod that had the name: "UID OWNER-UID ATTEMPT-LABEL", oldest first
//     networks/KEY/             of the network of a job or pod, by uid: the socket of its owner
//     volumes/NAMESPACE/NAME    what a PersistentVolumeClaim holds
//     deleted-volumes/NAMESPACE/NAME.UID   what a deleted claim held, for seven days
//     pods/UID/                 one folder per pod, kept for its logs after the pod is gone
//       pod.json                the pod as it was last, for the history of its owner (agent/names/pod_records.h)
//       volumes/NAME            emptyDir on disk; removed with the pod
//       logs/CONTAINER/         what the container wrote, by run
//       gpus                    the identities of its GPUs, one per line, while it runs
//       network                 the key of its network, while it runs
//       cgroups                 the folders of its control groups, one per line, while it runs
//       LAUNCH/                 0, 1, …: one folder per shim; what is in it and in logs: shim/format.h
//     metrics/UID               what the pod used over time (agent/metrics/history.h), kept after the pod is gone
//     trash/                    what was in the folders above and is being removed (agent/disk/trash.h)
#pragma once

#include <string>

namespace muster::agent {

class Paths {
 public:
  explicit Paths(std::string root) : root_(std::move(root)) {}

  const std::string& root() const { return root_; }
  std::string hosts_folder() const { return root_ + "/hosts"; }
  std::string hosts(const std::string& of) const { return hosts_folder() + "/" + of; }
  std::string names_folder() const { return root_ + "/names"; }
  std::string namespace_of_names(const std::string& ns) const { return names_folder() + "/" + ns + "/.uid"; }
  std::string names(const std::string& ns, const std::string& pod) const {
    return names_folder() + "/" + ns + "/" + pod;
  }
  std::string owners(const std::string& ns) const { return names_folder() + "/" + ns + "/.owners"; }
  std::string owner(const std::string& ns, const std::string& key) const { return owners(ns) + "/" + key; }
  std::string networks() const { return root_ + "/networks"; }
  std::string network(const std::string& key) const { return networks() + "/" + key; }
  std::string claim(const std::string& ns, const std::string& name) const {
    return root_ + "/volumes/" + ns + "/" + name;
  }
  std::string deleted_claims() const { return root_ + "/deleted-volumes"; }
  std::string metrics_folder() const { return root_ + "/metrics"; }
  std::string metrics(const std::string& uid) const { return metrics_folder() + "/" + uid; }
  std::string trash() const { return root_ + "/trash"; }
  std::string pods() const { return root_ + "/pods"; }
  std::string pod(const std::string& uid) const { return pods() + "/" + uid; }
  std::string record(const std::string& uid) const { return pod(uid) + "/pod.json"; }
  std::string pod_volumes(const std::string& uid) const { return pod(uid) + "/volumes"; }
  std::string logs(const std::string& uid) const { return pod(uid) + "/logs"; }
  std::string gpus(const std::string& uid) const { return pod(uid) + "/gpus"; }
  std::string cgroups(const std::string& uid) const { return pod(uid) + "/cgroups"; }
  std::string pod_network(const std::string& uid) const { return pod(uid) + "/network"; }
  std::string attempt(const std::string& uid, int attempt) const { return pod(uid) + "/" + std::to_string(attempt); }

 private:
  std::string root_;
};

// Files inside an attempt's folder.
inline constexpr const char* kGraceFile = "/grace";
inline constexpr const char* kStoppedFile = "/stopped";  // ended by `muster down --stop-jobs`, not by itself
inline constexpr const char* kLockFile = "/lock";
inline constexpr const char* kShimFile = "/shim.json";
inline constexpr const char* kStateFile = "/state.json";
inline constexpr const char* kExitFile = "/exit.json";

}  // namespace muster::agent
