// The merge patch that client-side apply sends: what the user changed since the last apply, on top of what the server
// or others set meanwhile.
#pragma once

#include "json/document.h"

namespace muster::cli {

inline constexpr const char* kLastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/// `original`: what was applied last (null when nothing was). `modified`: what the user wants now. `live`: what the
/// server has. Members in original but not in modified are deleted, members of modified that differ from live are set,
/// all else is left alone. A list is replaced as a whole, unless live has the same items and only adds members to them
/// (defaults). An empty object when there is nothing to do.
json::Document three_way_patch(const json::Document& original, const json::Document& modified,
                               const json::Document& live);

/// The object with itself, as it was, in its annotation.
json::Document with_last_applied(json::Document object);
/// What the annotation holds; null when there is none or it cannot be read.
json::Document last_applied(const json::Document& live);

}  // namespace muster::cli
