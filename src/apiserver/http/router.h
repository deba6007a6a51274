// Router: the engine's own paths, which are not resources of Kubernetes. Other modules add them in main, and the API
// server authenticates and counts their requests like all others.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/access/principal.h"
#include "apiserver/http/request.h"
#include "base/result.h"
#include "net/http.h"

namespace muster::apiserver {

/// A request to one of these paths. `at` has the segments that the pattern names.
struct RoutedRequest {
  net::Request http;
  Query query;
  std::map<std::string, std::string, std::less<>> at;
  Principal sender = owner();
};

struct Route {
  /// Segments such as {namespace} match any one segment; a last segment such as {path...} matches the rest, which may
  /// be empty: "apis/muster.dev/v1/namespaces/{namespace}/persistentvolumeclaims/{name}/files/{path...}".
  std::string pattern;
  std::vector<std::string> methods;
  std::function<void(RoutedRequest, std::shared_ptr<net::Exchange>)> handle;
  bool streams_body = false;  // `handle` takes the body through Exchange::read_input
};

class Router {
 public:
  /// Not during a request.
  void add(std::vector<Route> routes);

  struct Match {
    const Route* route = nullptr;
    std::map<std::string, std::string, std::less<>> at;
  };
  /// Returns nullopt for a path that is not routed, MethodNotAllowed when the path has no such method.
  Result<std::optional<Match>> find(const std::string& method, const std::vector<std::string>& path) const;
  bool streams_body(const net::Request& head) const;

 private:
  struct Entry {
    std::vector<std::string> segments;
    Route route;
  };
  std::vector<Entry> entries_;
};

}  // namespace muster::apiserver
