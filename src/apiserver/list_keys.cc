#include "apiserver/list_keys.h"

#include <algorithm>
#include <array>

namespace muster::apiserver {
namespace {

constexpr std::array kLists = {
    ListKeys{"addresses", "type", "type", ""},
    ListKeys{"allocatedResourcesStatus", "name", "name", ""},
    ListKeys{"conditions", "type", "type", ""},
    ListKeys{"containers", "name", "name", ""},
    ListKeys{"env", "name", "name", ""},
    ListKeys{"ephemeralContainers", "name", "name", ""},
    ListKeys{"hostAliases", "ip", "ip", ""},
    ListKeys{"hostIPs", "ip", "", ""},
    ListKeys{"imagePullSecrets", "name", "name", ""},
    ListKeys{"initContainers", "name", "name", ""},
    ListKeys{"ownerReferences", "uid", "uid", ""},
    ListKeys{"podIPs", "ip", "ip", ""},
    ListKeys{"resourceClaimStatuses", "name", "name", ""},
    ListKeys{"resourceClaims", "name", "name", ""},
    ListKeys{"schedulingGates", "name", "name", ""},
    ListKeys{"secrets", "name", "name", ""},
    ListKeys{"topologySpreadConstraints", "topologyKey", "topologyKey", "whenUnsatisfiable"},
    ListKeys{"volumeDevices", "devicePath", "devicePath", ""},
    ListKeys{"volumeMounts", "mountPath", "mountPath", ""},
    ListKeys{"volumes", "name", "name", ""},
};
static_assert(std::ranges::is_sorted(kLists, {}, &ListKeys::list));

}  // namespace

ListKeys well_known_keys(std::string_view list) {
  const auto found = std::ranges::lower_bound(kLists, list, {}, &ListKeys::list);
  return found != kLists.end() && found->list == list ? *found : ListKeys{};
}

}  // namespace muster::apiserver
