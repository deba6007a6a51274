#include "control/runtime/child_index.h"

#include <algorithm>

namespace muster::control {

const api::OwnerReference* controller_of(const api::ObjectMeta& meta) {
  const auto found = std::ranges::find_if(
      meta.owner_references, [](const api::OwnerReference& owner) { return owner.controller.value_or(false); });
  return found == meta.owner_references.end() ? nullptr : &*found;
}

}  // namespace muster::control
