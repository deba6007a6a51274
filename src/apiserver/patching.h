// A patch as it came in, and its effect on a document.
#pragma once

#include <string>
#include <vector>

#include "api/resource.h"
#include "base/result.h"
#include "json/document.h"
#include "net/http.h"
#include "reflect/type_desc.h"

namespace muster::apiserver {

struct Patch {
  enum class Type { kMerge, kJson, kStrategic };
  Type type = Type::kMerge;
  json::Document body;
};

/// By Content-Type. Strategic merge is for built-in kinds only; UnsupportedMediaType lists what is taken.
/// Repeated fields, and fields that an operation of a JSON patch does not have, are told in `warnings`.
Result<Patch> read_patch(const api::Resource& resource, const net::Request& http, std::vector<std::string>& warnings);
Result<json::Document> apply_patch(const Patch& patch, const reflect::TypeDesc& type, json::Document target);

}  // namespace muster::apiserver
