// OpenAPI v2, derived from OpenAPI v3: one document for all groups, with schemas under `definitions`, bodies among the
// parameters, and keywords next to a reference.
#pragma once

#include "json/document.h"

namespace muster::apiserver {

/// Adds one of the v3 documents of openapi.cc; no two of them share a path or the name of a schema.
void add_as_v2(const json::Document& v3, json::Object& paths, json::Object& definitions);

}  // namespace muster::apiserver
