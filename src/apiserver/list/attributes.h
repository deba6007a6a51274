// The attributes of an object, extracted once per version: what selectors match and what garbage collection needs. The
// prefixes here keep labels, fields and owners apart in store::Attributes. The name and namespace are not attributes,
// since they are in the key. Fields that are absent or empty are omitted.
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
/// Present when deletionTimestamp is set. The value is "orphan" or "foregroundDeletion" if it is a finalizer, else "".
inline constexpr std::string_view kDeleting = "d";

store::Attributes attributes_of(std::string_view resource, const json::Document& object);
/// The same for stored bytes, for store::Options::extract.
store::Attributes extract_attributes(std::string_view resource, std::string_view bytes);

/// Whether field selectors of the resource may use the field. This includes metadata.name and metadata.namespace.
bool is_selectable(std::string_view resource, std::string_view field);
/// Returns the attribute of a selectable field. It has an index, not a name, to save memory: every event has ten.
std::string field_key(std::string_view resource, std::string_view field);

}  // namespace muster::apiserver
