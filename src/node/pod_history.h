// PodHistory: the pods that a job has had on this node, also those that are deleted. It is part of the seam between
// apiserver and agent (node/node_api.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/unique_function.h"
#include "json/document.h"

namespace muster::node {

/// An object that creates pods, in the words of their ownerReferences.
struct OwnerName {
  std::string ns;
  std::string group;
  std::string kind;
  std::string name;
};

struct PastPod {
  json::Document pod;  // as it was last, without what its containers were given
  bool has_log = false;
  bool has_metrics = false;
};
struct PastPods {
  std::vector<PastPod> pods;                    // of all owners that have had the name, oldest first
  std::map<std::string, std::int64_t> removed;  // by the owner's uid: how many more pods a limit has removed
};

class PodHistory {
 public:
  virtual ~PodHistory() = default;
  /// `done` is never called inline.
  virtual void find(const OwnerName& owner, UniqueFunction<void(PastPods)> done) = 0;
};

}  // namespace muster::node
