// Discovery: the served groups and resources, in the aggregated form (v2, v2beta1) and the legacy one; /version; /.
#pragma once

#include <string>
#include <vector>

#include "api/resource.h"
#include "apiserver/http/negotiation.h"
#include "json/document.h"

namespace muster::apiserver {

struct DiscoveryAnswer {
  json::Document body;
  std::string content_type;
};

/// True for /api, /api/v1 and /apis, and for /apis/G and /apis/G/V of served groups and versions.
bool is_discovery(const std::vector<std::string>& path);
/// Answers the paths for which is_discovery is true.
Result<DiscoveryAnswer> answer_discovery(const std::vector<std::string>& path, std::string_view accept);

/// What can be asked of one object in addition to the object itself.
struct Subresource {
  std::string name;
  std::string group;  // group of the kind that it accepts and returns
  std::string version;
  std::string kind;
  std::vector<std::string> verbs;
};
std::vector<Subresource> subresources(const api::Resource& resource);

json::Document version_answer();
/// Answers /: every path from which a client can start.
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
