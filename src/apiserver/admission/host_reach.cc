#include "apiserver/admission/host_reach.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/muster/names.h"
#include "apiserver/errors/status_error.h"
#include "base/strings.h"
#include "reflect/place.h"

namespace muster::apiserver {
namespace {

using json::Document;
using reflect::Place;

bool shares_host_network(const json::Member& member) {
  return member.key == "hostNetwork" && member.value.is_bool() && member.value.as_bool();
}

bool takes_host_port(const json::Member& member) {
  return member.key == "hostPort" && member.value.is_int() && member.value.as_int() != 0;
}

/// Kinds are not told apart, so that a kind added later, and members that a descriptor does not model, are covered. In
/// a ConfigMap, `hostPath` is text.
bool reaches_host(const json::Member& member) {
  return member.key == api::kPathAnnotation || (member.key == "hostPath" && member.value.is_object()) ||
         shares_host_network(member) || takes_host_port(member);
}

/// A member that reaches the host, and where it is.
struct Reach {
  std::string path;
  const json::Member* member;
};

void find_reaches(const Document& value, const Place& place, std::vector<Reach>& found) {
  if (value.is_object()) {
    for (const json::Member& member : value.as_object()) {
      const Place at = place.member(member.key);
      if (reaches_host(member)) {
        found.push_back({at.text(), &member});
      } else {
        find_reaches(member.value, at, found);
      }
    }
  } else if (value.is_array()) {
    std::size_t index = 0;
    for (const Document& item : value.as_array()) find_reaches(item, place.item(index++), found);
  }
}

std::vector<Reach> reaches_of(const Document& object) {
  std::vector<Reach> found;
  find_reaches(object, reflect::kRoot, found);
  return found;
}

FieldCause named_cause(const Reach& reach, const std::string& folder, const std::string& problem) {
  const bool is_volume = reach.member->key == "hostPath";
  return invalid_value(is_volume ? reach.path + ".path" : reach.path, quote(folder), problem);
}

/// Other rules report a path that is absent or not a text. The host's network and ports have none.
std::string folder_of(const Reach& reach) {
  const Document& value = reach.member->value;
  if (shares_host_network(*reach.member) || takes_host_port(*reach.member)) return "";
  return value.is_string() ? value.as_string() : value.string_at("path");
}

std::string named_problem(const std::string& folder, const NodePolicy& policy) {
  std::string problem = api::named_folder_problem(folder, policy.folders.data_dir);
  if (problem.empty() && policy.missing_folder) problem = policy.missing_folder(folder);
  return problem;
}

}  // namespace

std::string host_reach(const Document& object) {
  const std::vector<Reach> found = reaches_of(object);
  return found.empty() ? "" : found.front().path;
}

std::vector<FieldCause> check_host_folders(const NodePolicy& policy, const Document* before, const Document& after) {
  std::vector<FieldCause> causes;
  const std::vector<Reach> found = reaches_of(after);
  if (found.empty()) return causes;
  const std::vector<Reach> known = before == nullptr ? std::vector<Reach>{} : reaches_of(*before);
  for (const Reach& reach : found) {
    const std::string folder = folder_of(reach);
    const bool is_known = std::ranges::any_of(
        known, [&](const Reach& old) { return old.path == reach.path && folder_of(old) == folder; });
    if (is_known || folder.empty()) continue;
    const std::string problem = reach.member->key == "hostPath" ? api::host_path_problem(folder, policy.folders)
                                                                : named_problem(folder, policy);
    if (!problem.empty()) causes.push_back(named_cause(reach, folder, problem));
  }
  return causes;
}

Status check_host_reach(const ResourceRequest& request, const Document* before, const Document& after) {
  if (request.who.is_owner()) return ok();
  std::string found = host_reach(after);
  if (found.empty() && before != nullptr) found = host_reach(*before);
  if (found.empty()) return ok();
  const bool is_network = found.ends_with("hostNetwork");
  const bool is_port = found.ends_with("hostPort");
  return forbidden(
      *request.resource, after.string_at("metadata", "name"),
      fmt::format("{}: only the owner of this engine may use {}, got a request from {}; {}, or ask the owner to write "
                  "the object",
                  found,
                  is_network ? "the network of the host"
                  : is_port  ? "ports of the host"
                             : "folders of the host",
                  user_name(request.who),
                  is_network || is_port ? "remove it" : "use a persistentVolumeClaim or an emptyDir"));
}

}  // namespace muster::apiserver
