// The smallest merge patch between two documents.
#pragma once

#include <optional>

#include "json/document.h"

namespace muster::control {

/// RFC 7386: what turns `before` into `after`; absent when they are equal. Members that are gone become null.
std::optional<json::Document> merge_patch_between(const json::Document& before, const json::Document& after);

}  // namespace muster::control
