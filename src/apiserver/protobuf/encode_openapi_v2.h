// OpenAPI v2 in protobuf, as gnostic's openapi.v2.Document. kubectl up to 1.28 reads it before it creates or applies
// anything.
#pragma once

#include <string>

#include "json/document.h"

namespace muster::apiserver::protobuf {

/// `document` may have only the keywords that the tables here name; others are a broken invariant.
std::string encode_openapi_v2(const json::Document& document);

}  // namespace muster::apiserver::protobuf
