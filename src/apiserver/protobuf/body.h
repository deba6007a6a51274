// Request bodies of Content-Type application/vnd.kubernetes.protobuf: the four bytes "k8s\0", then a runtime.Unknown
// that names the kind. Responses are always JSON, which every client that sends protobuf can read.
#pragma once

#include <string_view>

#include "base/result.h"
#include "json/document.h"

namespace muster::apiserver::protobuf {

inline constexpr std::string_view kContentType = "application/vnd.kubernetes.protobuf";

/// Returns the object as it would be in JSON, with apiVersion and kind. BadRequest for malformed bytes,
/// UnsupportedMediaType for kinds that have no table here.
Result<json::Document> decode_body(std::string_view body);

}  // namespace muster::apiserver::protobuf
