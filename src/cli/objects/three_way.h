// The merge patch of client-side apply. It contains what the user changed since the last apply and keeps what the
// server or other clients have set in the meantime.
#pragma once

#include "json/document.h"

namespace muster::cli {

inline constexpr const char* kLastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/// `original` is the last applied object (null when there is none), `modified` is what the user wants now, `live` is
/// what the server has. Members of original that modified lacks are deleted, members of modified that differ from live
/// are set, and all others are kept. A list is replaced as a whole, unless live has the same items with additional
/// members (defaults). Returns an empty object when nothing needs to change.
json::Document three_way_patch(const json::Document& original, const json::Document& modified,
                               const json::Document& live);

/// Returns the object with its original form added as an annotation.
json::Document with_last_applied(json::Document object);
/// Returns the object in the annotation; null when there is none or it is invalid.
json::Document last_applied(const json::Document& live);

}  // namespace muster::cli
