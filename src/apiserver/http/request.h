// A parsed request of the resource API: resource, object, verb and parameters.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/resource.h"
#include "apiserver/access/authorize.h"
#include "base/result.h"
#include "net/http.h"

namespace muster::apiserver {

/// Query parameters in order; the first value of a name counts, as in Go's url.Values.Get.
class Query {
 public:
  static Result<Query> parse(std::string_view text);
  std::string_view get(std::string_view name) const;  // "" when absent
  bool has(std::string_view name) const;
  std::vector<std::string> all(std::string_view name) const;
  /// BadRequest for a parameter that is not one of these: one that is ignored would look as if it worked.
  Status allow_only(const std::vector<std::string_view>& names) const;
  /// True when the parameter is present and neither "false" nor "0", as in Kubernetes.
  bool flag(std::string_view name) const;
  /// Nullopt when absent, BadRequest when it is not a number.
  Result<std::optional<std::int64_t>> number(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> items_;
};

struct Target {
  std::vector<std::string> path;  // decoded segments
  Query query;
};
/// BadRequest for malformed escapes, "." and "..".
Result<Target> parse_target(std::string_view target);

enum class Verb { kGet, kList, kWatch, kCreate, kUpdate, kPatch, kDelete, kDeleteCollection };
std::string_view verb_name(Verb verb);  // as in discovery: "get", "deletecollection"

struct Body;

struct ResourceRequest {
  Principal who;  // set by the server once the request is parsed
  const api::Resource* resource = nullptr;
  Verb verb = Verb::kGet;
  std::string ns;  // "" for cluster scope and for all namespaces
  std::string name;
  std::string subresource;
  Query query;
  bool in_process = false;               // sent by the engine's own controllers and agent
  std::shared_ptr<Body> body = nullptr;  // when it was read before, because it is large
};
/// True for the subresources that become a stream in both directions: exec, attach, portforward.
bool becomes_stream(const ResourceRequest& request);

/// Parses targets under /api/v1 and /apis/G/V that are not discovery documents. NotFound for paths that name nothing,
/// MethodNotAllowed when the resource does not have the verb.
Result<ResourceRequest> parse_resource_request(const std::string& method, Target target);

/// True for paths such as /api/v1/R and /apis/G/V/R, which name objects; discovery, health and the like do not.
bool names_objects(const std::vector<std::string>& path);
Action action_of(const ResourceRequest& request);
/// The action of a request for one of the engine's own paths: under /apis/G/V or /api/V,
/// [/namespaces/NS]/R[/NAME[/SUB…]].
Action action_of_route(const std::string& method, const std::vector<std::string>& path);

}  // namespace muster::apiserver
