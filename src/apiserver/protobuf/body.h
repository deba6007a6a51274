// Request bodies of Content-Type application/vnd.kubernetes.protobuf: the four bytes "k8s\0", then a runtime.Unknown
// that says which kind follows. Answers are always JSON, which every client that sends protobuf also reads.
#pragma once

#include <string_view>

#include "base/result.h"
#include "json/document.h"

namespace muster::apiserver::protobuf {

inline constexpr std::string_view kContentType = "application/vnd.kubernetes.protobuf";

/// The object as it would be in JSON, with apiVersion and kind. BadRequest for broken bytes, UnsupportedMediaType for
/// kinds that have no table here.
Result<json::Document> decode_body(std::string_view body);

}  // namespace muster::apiserver::protobuf
