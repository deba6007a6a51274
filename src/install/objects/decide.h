// What `muster install` and `muster uninstall` may do with an object that is already on the cluster. Pure.
#pragma once

#include <string>
#include <vector>

#include "control/runtime/kind_choice.h"
#include "json/document.h"

namespace muster::install {

enum class Step {
  kApply,
  kLeave,   // it belongs to somebody else, and the installation works without changing it
  kRefuse,  // it belongs to somebody else, who would undo the change, or a change would lose objects
};
struct Decision {
  Step step = Step::kApply;
  std::string why = {};  // unless it is applied
};

struct Choices {
  std::vector<std::string> adopted = {};  // names of foreign CRDs that may be replaced by ours
  control::Wishes wishes = {};
};

/// `live` is null when the object does not exist.
Decision decide(const json::Document& wanted, const json::Document* live, const Choices& choices);

/// Returns who installed the object if a tool keeps records of its own about it: "the Helm release x/y"; else "".
std::string keeper_of(const json::Document& live);

/// Returns the fields that differ, as "spec.replicas: 1 -> 2"; what servers add by themselves is left out.
std::vector<std::string> changed_fields(const json::Document& before, const json::Document& after);

}  // namespace muster::install
