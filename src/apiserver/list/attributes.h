// What is taken out of an object's bytes once per version: what selectors look at, and what garbage collection needs.
// The prefixes here keep labels, fields and owners apart in store::Attributes. The name and namespace are not among
// them, they are in the key; a field that is absent or empty is left out.
#pragma once

#include <string>
#include <string_view>

#include "json/document.h"
#include "store/store.h"

namespace muster::apiserver {

inline constexpr std::string_view kLabelPrefix = "l/";
inline constexpr std::string_view kFieldPrefix = "f/";
inline constexpr std::string_view kOwnerPrefix = "o/";  // + uid -> "apiVersion kind name blocks"
inline constexpr std::string_view kNameField = "metadata.name";
inline constexpr std::string_view kNamespaceField = "metadata.namespace";
inline constexpr std::string_view kUid = "u";
/// Present when deletionTimestamp is set; the value is the collector's finalizer among the object's, or "".
inline constexpr std::string_view kDeleting = "d";

store::Attributes attributes_of(std::string_view resource, const json::Document& object);

/// Whether selectors of the resource may name the field, metadata.name and metadata.namespace included.
bool is_selectable(std::string_view resource, std::string_view field);
/// Under which a selectable field stands: its place among those of the resource, since every event has ten of them.
std::string field_key(std::string_view resource, std::string_view field);

}  // namespace muster::apiserver
