// Gangs: pods that start together. No pod of a gang starts before all are bound here and have an address, so that each
// can resolve the others from the start; and no shim is sent "go" before the shims of all are ready.
#pragma once

#include <map>
#include <set>
#include <string>

#include "json/document.h"

namespace muster::agent {

class Gangs {
 public:
  /// Returns true when a pod has joined its gang, for which the others may have waited.
  bool on_pod_changed(const json::Document* before, const json::Document* now);
  bool is_bound(const json::Document& pod) const;
  /// The uids of the pod's gang, itself included once it has an address.
  const std::set<std::string>& members(const json::Document& pod) const;

 private:
  std::map<std::string, std::set<std::string>> members_;  // gang -> uids of its pods that are bound and have an address
};

}  // namespace muster::agent
