// Discovery: what is served, in the aggregated form (v2, v2beta1) and in the legacy one; /version and /.
#pragma once

#include <string>
#include <vector>

#include "apiserver/negotiation.h"
#include "json/document.h"

namespace muster::apiserver {

struct DiscoveryAnswer {
  json::Document body;
  std::string content_type;
};

/// /api, /api/v1, /apis, /apis/G or /apis/G/V, of what is served.
bool is_discovery(const std::vector<std::string>& path);
/// For these paths.
Result<DiscoveryAnswer> answer_discovery(const std::vector<std::string>& path, std::string_view accept);

json::Document version_answer();
/// For /: every path that can be begun with.
json::Document root_answer();

/// Group and version pairs in the order of the resource table.
struct GroupVersion {
  std::string group;
  std::string version;
  std::string text() const { return group.empty() ? version : group + "/" + version; }
  bool operator==(const GroupVersion&) const = default;
};
std::vector<GroupVersion> served_versions();

}  // namespace muster::apiserver
