// A patch as received, and its effect on a document.
#pragma once

#include <string>
#include <vector>

#include "api/kubernetes/kubernetes_fields.h"
#include "api/resource.h"
#include "base/result.h"
#include "json/document.h"
#include "net/http.h"

namespace muster::apiserver {

struct Patch {
  enum class Type { kMerge, kJson, kStrategic };
  Type type = Type::kMerge;
  json::Document body;
};

/// Chooses the type by Content-Type. Strategic merge is for built-in kinds only; UnsupportedMediaType lists what is
/// accepted. Repeated fields, and fields that a JSON patch operation does not have, are reported in `warnings`.
Result<Patch> read_patch(const api::Resource& resource, const net::Request& http, std::vector<std::string>& warnings);
/// `type` is asked by a strategic merge; null where the tables do not have it.
Result<json::Document> apply_patch(const Patch& patch, const api::kubernetes::Message* type, json::Document target);

}  // namespace muster::apiserver
