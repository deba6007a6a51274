#include "apiserver/patch/patch_request.h"

#include <fmt/core.h>

#include <set>

#include "apiserver/admission/metadata_rules.h"
#include "apiserver/errors/status_error.h"
#include "apiserver/http/body.h"
#include "apiserver/patch/strategic_merge.h"
#include "base/strings.h"
#include "json/patch.h"

namespace muster::apiserver {
namespace {

Result<Patch::Type> patch_type(const api::Resource& resource, std::string_view header) {
  const std::string type = to_lower(trim(header.substr(0, header.find(';'))));
  if (type == "application/merge-patch+json") return Patch::Type::kMerge;
  if (type == "application/json-patch+json") return Patch::Type::kJson;
  if (type == "application/strategic-merge-patch+json" && resource.built_in) return Patch::Type::kStrategic;
  return unsupported_media_type(
      resource.built_in ? "application/json-patch+json, application/merge-patch+json, "
                          "application/strategic-merge-patch+json, application/apply-patch+yaml"
                        : "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
}

void note_unknown_in_operations(const json::Array& operations, std::vector<std::string>& warnings) {
  static const std::set<std::string, std::less<>> known = {"op", "path", "from", "value"};
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (!operations[i].is_object()) continue;
    for (const json::Member& member : operations[i].as_object()) {
      if (known.contains(member.key)) continue;
      warnings.push_back(fmt::format("json patch unknown field \"[{}].{}\"", i, member.key));
    }
  }
}

}  // namespace

Result<Patch> read_patch(const ResourceRequest& request, const net::Request& http, std::vector<std::string>& warnings) {
  Patch patch;
  TRY_ASSIGN(patch.type, patch_type(*request.resource, http.headers.get("Content-Type")));
  TRY_ASSIGN(patch.body, read_body(request, http, warnings));
  if (patch.type == Patch::Type::kJson) {
    if (!patch.body.is_array()) return bad_request("error decoding patch: a JSON patch is a list of operations");
    if (const std::size_t count = patch.body.as_array().size(); count > json::kMaxPatchOperations) {
      Error error;
      error.reason = Reason::kRequestEntityTooLarge;
      error.message =
          fmt::format("The allowed maximum operations in a JSON patch is {}, got {}", json::kMaxPatchOperations, count);
      return error;
    }
    note_unknown_in_operations(patch.body.as_array(), warnings);
  } else if (!patch.body.is_object()) {
    return bad_request(
        fmt::format("error decoding patch: must be an object, got {}", json::kind_name(patch.body.kind())));
  }
  return patch;
}

Result<json::Document> apply_patch(const Patch& patch, const api::kubernetes::Message* type, json::Document target) {
  switch (patch.type) {
    case Patch::Type::kMerge:
      json::merge_patch(target, patch.body);
      return target;
    case Patch::Type::kJson: {
      auto patched = json::json_patch(std::move(target), patch.body);
      if (!patched && patched.error().reason == Reason::kInvalid) {
        Error error = std::move(patched).error();
        error.message = "the server rejected our request due to an error in our request: " + error.message;
        return error;
      }
      return patched;
    }
    case Patch::Type::kStrategic: {
      json::Document patched = target;
      TRY(strategic_merge(patched, patch.body, type));
      // Kubernetes merges into the decoded object, so this kind of patch cannot change the object's type.
      for (const char* key : {"apiVersion", "kind"}) copy_member(target, patched, key);
      return patched;
    }
  }
  return target;
}

}  // namespace muster::apiserver
