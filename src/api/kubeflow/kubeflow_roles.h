// The roles of Kubeflow's jobs, which are the keys of a map and may be written in any case: Worker, worker or WORKER.
// Objects are stored as they were written, so whoever looks for a role does it here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "json/document.h"

namespace muster::api {

/// Returns the one of `roles` that `key` means; nullptr when it means none.
const std::string* role_meant(std::string_view key, const std::vector<std::string>& roles);
/// Returns the member of `roles`, a map by role, that means this role; nullptr when there is none.
const json::Document* find_role(const json::Document* roles, std::string_view role);

/// The same for a map of decoded specs, which may come from an object that no check has seen: an exact key comes first.
template <typename Specs>
typename Specs::const_iterator find_role_in(const Specs& specs, const std::string& role) {
  if (const auto exact = specs.find(role); exact != specs.end()) return exact;
  const std::string wanted = to_lower(role);
  auto found = specs.begin();
  while (found != specs.end() && to_lower(found->first) != wanted) ++found;
  return found;
}

/// Returns the spellings of a role that CustomResourceDefinitions accept, as a list in CEL. CEL could compare without
/// case, but the cost of that has no bound that an API server would accept.
std::string cel_spellings(const std::string& role);

}  // namespace muster::api
