// Computes the smallest merge patch between two documents.
#pragma once

#include <optional>

#include "json/document.h"

namespace muster::control {

/// Returns the RFC 7386 patch from `before` to `after`; absent when they are equal. Removed members become null.
std::optional<json::Document> merge_patch_between(const json::Document& before, const json::Document& after);

}  // namespace muster::control
