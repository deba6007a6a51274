#include "apiserver/admission/host_reach.h"

#include <fmt/core.h>

#include "api/names.h"
#include "apiserver/http/status_error.h"
#include "reflect/place.h"

namespace muster::apiserver {
namespace {

using json::Document;
using reflect::Place;

/// Kinds are not told apart, so that a kind added later, and members that a descriptor does not model, are covered. In
/// a ConfigMap, `hostPath` is text.
bool reaches_host(const json::Member& member) {
  return member.key == api::kPathAnnotation || (member.key == "hostPath" && member.value.is_object());
}

std::string find_reach(const Document& value, const Place& place) {
  if (value.is_object()) {
    for (const json::Member& member : value.as_object()) {
      const Place at = place.member(member.key);
      if (reaches_host(member)) return at.text();
      if (std::string found = find_reach(member.value, at); !found.empty()) return found;
    }
  } else if (value.is_array()) {
    std::size_t index = 0;
    for (const Document& item : value.as_array()) {
      if (std::string found = find_reach(item, place.item(index++)); !found.empty()) return found;
    }
  }
  return "";
}

}  // namespace

std::string host_reach(const Document& object) {
  return find_reach(object, reflect::kRoot);
}

Status check_host_reach(const ResourceRequest& request, const Document* before, const Document& after) {
  if (request.who.is_owner()) return ok();
  std::string found = host_reach(after);
  if (found.empty() && before != nullptr) found = host_reach(*before);
  if (found.empty()) return ok();
  return forbidden(
      *request.resource, after.string_at("metadata", "name"),
      fmt::format("{}: only the owner of this engine may use folders of the host, got a request of {}; use "
                  "a persistentVolumeClaim or an emptyDir, or ask the owner to write the object",
                  found, user_name(request.who)));
}

}  // namespace muster::apiserver
