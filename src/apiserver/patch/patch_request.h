// Reads the patch in a request and applies it to a document.
#pragma once

#include <string>
#include <vector>

#include "api/kubernetes/kubernetes_fields.h"
#include "apiserver/http/request.h"
#include "base/result.h"
#include "json/document.h"
#include "net/http.h"

namespace muster::apiserver {

struct Patch {
  enum class Type { kMerge, kJson, kStrategic };
  Type type = Type::kMerge;
  json::Document body;
};

/// Content-Type determines the type of the patch. Strategic merge is for built-in kinds only; UnsupportedMediaType
/// lists the accepted types. Repeated fields, and unknown fields of a JSON patch operation, are reported in `warnings`.
Result<Patch> read_patch(const ResourceRequest& request, const net::Request& http, std::vector<std::string>& warnings);
/// Only a strategic merge uses `type`, which is null when the tables do not contain it.
Result<json::Document> apply_patch(const Patch& patch, const api::kubernetes::Message* type, json::Document target);

}  // namespace muster::apiserver
