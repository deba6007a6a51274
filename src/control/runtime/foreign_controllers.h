// ForeignControllers: other operators of our kinds that are alive on the cluster. They are known by the Leases that
// they renew and by their Deployments, which are looked at when the operator starts and every 30 s. What may not be
// read is unknown, and counts as absent. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/lifetime.h"
#include "base/ports.h"
#include "client/api_client.h"

namespace muster::control {

/// Returns whether the holder of a Lease has renewed it within twice its duration.
bool is_renewed(const json::Document& lease, Time now);

/// Whether somebody else ships an operator of the kind, by qualified name, that we know how to find.
bool has_known_operator(const std::string& kind);
/// Returns the names of the Leases that these operators hold.
std::vector<std::string> leases_of_known_operators();

class ForeignControllers {
 public:
  /// Gets the qualified name of each kind that another operator has begun or stopped to run.
  using OnChange = std::function<void(const std::string& kind)>;

  /// Looks for the operators of these kinds, by qualified name, in all namespaces or only in the given ones.
  ForeignControllers(Loop& loop, client::ApiClient& client, const std::set<std::string>& kinds,
                     const std::vector<std::string>& namespaces, OnChange on_change);
  /// Calls `first` once, when the first look is complete.
  void start(Task first);
  /// Returns who runs the kind: "training-operator (Lease kubeflow/…)"; "" when nobody else does.
  const std::string& operator_of(const std::string& kind) const;

 private:
  struct Probe {
    std::string name;  // of the operator
    client::ResourceName resource;
    std::string ns;
    client::ListOptions selector;
    std::set<std::string> kinds;
    std::string found = {};  // at the last look that succeeded: who it is
  };

  void look();
  void note(Probe& probe, const Result<json::Document>& list);
  std::string alive_in(const Probe& probe, const json::Document& list) const;
  void compare();

  Loop& loop_;
  client::ApiClient& client_;
  std::vector<Probe> probes_;
  OnChange on_change_;
  std::map<std::string, std::string> operators_;  // by kind
  std::size_t awaited_ = 0;
  Task first_;
  Lifetime lifetime_;
};

}  // namespace muster::control
