// A request of the resource API, taken apart: which resource, which object, which verb, which parameters.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/resource.h"
#include "base/result.h"
#include "net/http.h"

namespace muster::apiserver {

/// Query parameters in order; the first of a name counts, as in Go's url.Values.Get.
class Query {
 public:
  static Result<Query> parse(std::string_view text);
  std::string_view get(std::string_view name) const;  // "" when absent
  bool has(std::string_view name) const;
  std::vector<std::string> all(std::string_view name) const;
  /// There, and neither "false" nor "0": as Kubernetes reads them.
  bool flag(std::string_view name) const;
  /// nullopt when absent, BadRequest when it is no number.
  Result<std::optional<std::int64_t>> number(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> items_;
};

struct Target {
  std::vector<std::string> path;  // decoded segments
  Query query;
};
/// BadRequest for broken escapes, "." and "..".
Result<Target> parse_target(std::string_view target);

enum class Verb { kGet, kList, kWatch, kCreate, kUpdate, kPatch, kDelete, kDeleteCollection };
std::string_view verb_name(Verb verb);  // as in discovery: "get", "deletecollection"

struct ResourceRequest {
  const api::Resource* resource = nullptr;
  Verb verb = Verb::kGet;
  std::string ns;  // "" for cluster scope and for all namespaces
  std::string name;
  std::string subresource;
  Query query;
};

/// For targets under /api/v1 and /apis/G/V that go beyond the discovery documents. NotFound for paths that name
/// nothing, MethodNotAllowed where the resource does not do that.
Result<ResourceRequest> parse_resource_request(const std::string& method, Target target);

}  // namespace muster::apiserver
