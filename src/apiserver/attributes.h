// What is taken out of an object's bytes once per version: what selectors look at, and what garbage collection needs.
// store::Attributes is a sorted list of pairs; the prefixes here keep labels, fields and owners apart in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"
#include "store/store.h"

namespace muster::apiserver {

inline constexpr std::string_view kLabelPrefix = "l/";
inline constexpr std::string_view kFieldPrefix = "f/";
inline constexpr std::string_view kOwnerPrefix = "o/";  // + uid -> "apiVersion kind name blocks"
inline constexpr std::string_view kUid = "u";
/// Present when deletionTimestamp is set; the value is the collector's finalizer among the object's, or "".
inline constexpr std::string_view kDeleting = "d";

store::Attributes attributes_of(std::string_view resource, const json::Document& object);

/// Null pointer when absent.
const std::string* attribute(const store::Attributes& attributes, std::string_view prefix, std::string_view key);

/// Fields that selectors of the resource may name, metadata.name and metadata.namespace included.
const std::vector<std::string>& selectable_fields(std::string_view resource);

}  // namespace muster::apiserver
