// The lists of Kubernetes' own kinds whose items have a key, beyond what our descriptors say: by which member a
// strategic merge patch pairs their items, and by which members server-side apply does.
#pragma once

#include <string_view>

namespace muster::apiserver {

struct ListKeys {
  std::string_view list;
  std::string_view patch;         // "" where a patch replaces the list as a whole
  std::string_view apply;         // "" where one owner has the list as a whole
  std::string_view second_apply;  // "" where one member is enough
};

/// All empty for a list that is replaced as a whole.
ListKeys well_known_keys(std::string_view list);

}  // namespace muster::apiserver
