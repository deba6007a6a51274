// The names and addresses of the pods on this node: each pod has a loopback address, and /etc/hosts maps the names of
// pods and services to these addresses. There is one such file for each network of a job, and one per namespace for its
// pods in the machine's network. It is bound into its pods, so that pods that run see the names of pods that start
// later.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/disk/paths.h"
#include "agent/launch/isolator.h"
#include "agent/names/addresses.h"
#include "base/ports.h"
#include "client/informer.h"

namespace muster::agent {

class Names final : public Isolator {
 public:
  using Cache = client::Informer::Cache;
  using Documents = std::vector<const json::Document*>;
  /// Receives the pods and Services of a namespace when names have changed.
  using OnChange = std::function<void(const std::string& ns, const Documents& pods, const Documents& services)>;
  /// The caches are those of the informers of pods and services.
  /// With networks of jobs, pods of other namespaces cannot be reached, and their names are left out. `network_of`
  /// returns NAMESPACE.NAME for a pod that has a network of its job.
  Names(Loop& loop, const Paths& paths, bool shows_other_namespaces, NetworkOfPod network_of, OnChange on_change)
      : loop_(loop),
        paths_(paths),
        shows_other_namespaces_(shows_other_namespaces),
        network_of_(std::move(network_of)),
        on_change_(std::move(on_change)) {}
  void use(const Cache& pods, const Cache& services);

  /// Returns the pod's address; it is chosen when the pod is first seen and kept until `clean_up`.
  std::string address_of(const json::Document& pod);
  void on_pod_changed(const json::Document* before, const json::Document* now);
  void on_names_changed(const std::string& ns) { outdated_.insert(ns); }
  /// Writes what has changed, with a pause in proportion to the time that it takes: every change of a pod asks for it,
  /// and it costs time in proportion to all pods. Returns when to call again.
  std::optional<Duration> write_outdated();

  /// Removes the files of networks that have no pods any more. After all pods were reported.
  void remove_unused();

  /// The names that it may know are up to date before a pod starts, and its own is remembered for its logs.
  Status prepare(const json::Document& pod, LaunchPlan& plan) override;
  void recover(const std::string&) override {}
  void release(const std::string&) override {}
  void clean_up(const std::string& uid) override;

 private:
  struct File {
    std::string text;
    std::uint64_t round = 0;  // of names_, when it was written
  };
  void collect_outdated();
  void write(const std::string& file, const std::string& host_entries);
  void count(const json::Document& pod, int change);
  void remove(const std::string& network);

  Loop& loop_;
  const Paths& paths_;
  const bool shows_other_namespaces_;
  const NetworkOfPod network_of_;
  const OnChange on_change_;
  const Cache* pods_ = nullptr;
  const Cache* services_ = nullptr;
  std::map<std::string, std::string> addresses_;  // uid -> address
  std::map<std::string, int> in_use_;             // address -> number of pods that have it or show it
  std::set<std::string> outdated_;                // namespaces
  std::map<std::string, NamespaceNames> names_;   // by namespace
  std::map<std::string, int> pods_in_;            // network -> number of its pods that have not ended
  std::map<std::string, File> written_;           // by namespace or network
  std::uint64_t round_ = 0;                       // of names_, which change with each
  bool files_are_outdated_ = false;
  MonoTime next_write_{};
};

}  // namespace muster::agent
