#include "apiserver/http/request.h"

#include <fmt/core.h>

#include <algorithm>

#include "apiserver/errors/status_error.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// True for the subresources that this server serves.
bool has_subresource(const api::Resource& resource, std::string_view name) {
  if (name == "status") return resource.has_status;
  if (name == "finalize") return resource.qualified_name() == "namespaces";
  return contains(resource.other_subresources, name);
}

Result<Verb> verb_for(const std::string& method, const ResourceRequest& request) {
  const bool one = !request.name.empty();
  if (method == "GET" || method == "HEAD") {
    if (one) return Verb::kGet;
    return request.query.flag("watch") ? Verb::kWatch : Verb::kList;
  }
  if (method == "POST" && !(one && request.subresource.empty())) return Verb::kCreate;
  if (method == "PUT" && one) return Verb::kUpdate;
  if (method == "PATCH" && one) return Verb::kPatch;
  if (method == "DELETE") return one ? Verb::kDelete : Verb::kDeleteCollection;
  return method_not_allowed();
}

/// The verbs of each subresource; those of the main resource are in the resource table.
bool allows(const ResourceRequest& request) {
  if (request.subresource.empty()) return contains(request.resource->verbs, verb_name(request.verb));
  if (request.subresource == "log") return request.verb == Verb::kGet;
  if (request.subresource == "binding" || request.subresource == "token") return request.verb == Verb::kCreate;
  if (becomes_stream(request)) return request.verb == Verb::kGet || request.verb == Verb::kCreate;
  if (request.subresource == "finalize") return request.verb == Verb::kUpdate;
  return request.verb == Verb::kGet || request.verb == Verb::kUpdate || request.verb == Verb::kPatch;
}

/// Only the engine writes definitions. A client that sends one needs more explanation than "method not allowed".
Error read_only_definitions() {
  Error error = method_not_allowed();
  error.message =
      "customresourcedefinitions can only be read here: this engine serves its own kinds (kubectl get crd) and accepts "
      "no "
      "others; install this definition on a Kubernetes cluster";
  return error;
}

bool writes_definitions(const ResourceRequest& request) {
  if (request.resource->qualified_name() != "customresourcedefinitions.apiextensions.k8s.io") return false;
  return request.verb != Verb::kGet && request.verb != Verb::kList && request.verb != Verb::kWatch;
}

Error broken_escape(std::string_view where, std::string_view text) {
  return bad_request(
      fmt::format("{}: broken percent escape in {}; write % and two hexadecimal digits, and %25 for a % itself", where,
                  quote(text)));
}

}  // namespace

bool becomes_stream(const ResourceRequest& request) {
  return request.subresource == "exec" || request.subresource == "attach" || request.subresource == "portforward";
}

Result<Query> Query::parse(std::string_view text) {
  Query query;
  if (text.empty()) return query;
  for (const std::string& part : split(text, '&')) {
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    auto name = net::percent_decode(std::string_view(part).substr(0, equals), true);
    auto value = equals == std::string::npos ? std::optional<std::string>("")
                                             : net::percent_decode(std::string_view(part).substr(equals + 1), true);
    if (!name || !value) return broken_escape("query", part);
    query.items_.emplace_back(std::move(*name), std::move(*value));
  }
  return query;
}

std::string_view Query::get(std::string_view name) const {
  for (const auto& [key, value] : items_) {
    if (key == name) return value;
  }
  return {};
}

bool Query::has(std::string_view name) const {
  return std::ranges::any_of(items_, [&](const auto& item) { return item.first == name; });
}

std::vector<std::string> Query::all(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [key, value] : items_) {
    if (key == name) values.push_back(value);
  }
  return values;
}

Status Query::allow_only(const std::vector<std::string_view>& names) const {
  for (const auto& [name, value] : items_) {
    if (std::ranges::find(names, name) != names.end()) continue;
    return Error{.reason = Reason::kBadRequest,
                 .message = fmt::format("{}: unknown parameter; this path takes {}", name,
                                        join(std::vector<std::string>(names.begin(), names.end()), ", "))};
  }
  return ok();
}

bool Query::flag(std::string_view name) const {
  const std::string value = to_lower(get(name));
  return has(name) && value != "false" && value != "0";
}

Result<std::optional<std::int64_t>> Query::number(std::string_view name) const {
  if (!has(name)) return std::optional<std::int64_t>();
  const auto value = parse_int(get(name));
  if (!value)
    return bad_request(fmt::format("query parameter {}: must be a whole number, got {}", name, quote(get(name))));
  return std::optional<std::int64_t>(*value);
}

Result<Target> parse_target(std::string_view target) {
  Target parsed;
  const std::size_t mark = target.find('?');
  const std::string_view path = target.substr(0, mark);
  if (path.find("//") != std::string_view::npos) return unknown_path();
  if (mark != std::string_view::npos) {
    TRY_ASSIGN(parsed.query, Query::parse(target.substr(mark + 1)));
  }
  for (const std::string& part : split(path, '/')) {
    if (part.empty()) continue;
    auto decoded = net::percent_decode(part, false);
    if (!decoded) return broken_escape("path", part);
    if (*decoded == "." || *decoded == "..") {
      return bad_request(fmt::format("path: segment {} is not allowed", quote(part)));
    }
    parsed.path.push_back(std::move(*decoded));
  }
  return parsed;
}

std::string_view verb_name(Verb verb) {
  switch (verb) {
    case Verb::kGet:
      return "get";
    case Verb::kList:
      return "list";
    case Verb::kWatch:
      return "watch";
    case Verb::kCreate:
      return "create";
    case Verb::kUpdate:
      return "update";
    case Verb::kPatch:
      return "patch";
    case Verb::kDelete:
      return "delete";
    case Verb::kDeleteCollection:
      return "deletecollection";
  }
  return "";
}

Result<ResourceRequest> parse_resource_request(const std::string& method, Target target) {
  std::vector<std::string>& path = target.path;
  std::string group;
  std::size_t at = 1;
  if (!path.empty() && path[0] == "apis" && path.size() > 1) group = path[at++];
  if (path.size() <= at + 1 || (path[0] != "api" && path[0] != "apis")) return unknown_path();
  const std::string version = path[at++];
  // The older way to ask for a watch, from before the query parameter existed: /api/v1/watch/namespaces/NS/pods.
  const bool watches = path[at] == "watch" && path.size() > at + 1;
  if (watches) ++at;

  ResourceRequest request;
  request.query = std::move(target.query);
  // /namespaces/NS/PLURAL… names objects inside; /namespaces/NS and /namespaces/NS/status name the namespace itself.
  const bool inside = path[at] == "namespaces" && path.size() > at + 2 &&
                      api::find_resource(group, version, path[at + 2]) != nullptr &&
                      api::find_resource(group, version, path[at + 2])->scope == api::Scope::kNamespaced;
  if (inside) {
    request.ns = path[at + 1];
    at += 2;
  }
  request.resource = api::find_resource(group, version, path[at]);
  if (request.resource == nullptr) return unknown_path();
  if (++at < path.size()) request.name = path[at++];
  if (at < path.size()) request.subresource = path[at++];
  const bool namespaced = request.resource->scope == api::Scope::kNamespaced;
  if (at != path.size() || (!request.name.empty() && namespaced && request.ns.empty())) return unknown_path();
  if (!request.subresource.empty() && !has_subresource(*request.resource, request.subresource)) return unknown_path();
  if (watches && !request.subresource.empty()) return unknown_path();
  if (watches && method != "GET") return method_not_allowed();

  TRY_ASSIGN(request.verb, watches ? Result<Verb>(Verb::kWatch) : verb_for(method, request));
  const bool needs_namespace = request.verb == Verb::kCreate || request.verb == Verb::kDeleteCollection;
  const bool homeless = namespaced && request.ns.empty() && needs_namespace;
  if (writes_definitions(request)) return read_only_definitions();
  if (homeless || !allows(request)) return method_not_allowed();
  return request;
}

bool names_objects(const std::vector<std::string>& path) {
  return (path.size() > 2 && path[0] == "api") || (path.size() > 3 && path[0] == "apis");
}

Action action_of(const ResourceRequest& request) {
  // Kubernetes counts a Namespace as an object inside itself.
  const bool is_namespace = request.resource->qualified_name() == "namespaces";
  return {.verb = std::string(verb_name(request.verb)),
          .group = request.resource->group,
          .resource = request.resource->plural,
          .subresource = request.subresource,
          .ns = is_namespace ? request.name : request.ns,
          .name = request.name};
}

Action action_of_route(const std::string& method, const std::vector<std::string>& path) {
  if (!names_objects(path)) return action_at(method, "/" + join(path, "/"));
  const bool in_core = path[0] == "api";
  const std::size_t start = in_core ? 2 : 3;
  const bool inside = path[start] == "namespaces" && path.size() > start + 2;
  const auto part = [&](std::size_t index) {
    const std::size_t at = (inside ? start + 2 : start) + index;
    return at < path.size() ? path[at] : std::string();
  };
  ResourceRequest named;
  named.name = part(1);
  named.subresource = part(2);
  const auto verb = verb_for(method, named);
  return {.verb = verb ? std::string(verb_name(*verb)) : to_lower(method),
          .group = in_core ? "" : path[1],
          .resource = part(0),
          .subresource = part(2),
          .ns = inside ? path[start + 1] : "",
          .name = part(1)};
}

}  // namespace muster::apiserver
