// OpenAPI v2, said with what OpenAPI v3 says: one document of all groups, with schemas under `definitions`, bodies
// among the parameters, and keywords beside a reference.
#pragma once

#include "json/document.h"

namespace muster::apiserver {

/// Adds what one of the v3 documents of openapi.cc says; no two of them have a path or the name of a schema in common.
void add_as_v2(const json::Document& v3, json::Object& paths, json::Object& definitions);

}  // namespace muster::apiserver
