// Strategic merge patch: like a JSON merge patch, but lists whose items have a key are merged item by item.
// Directives: $patch (replace, delete, merge), $deleteFromPrimitiveList/FIELD, $retainKeys; $setElementOrder/FIELD is
// read over, new items go to the end.
#pragma once

#include <string_view>

#include "base/result.h"
#include "json/document.h"
#include "reflect/type_desc.h"

namespace muster::apiserver {

/// The descriptor says which lists have a key; lists of open or unknown types use the keys Kubernetes gives them.
Status strategic_merge(json::Document& target, const json::Document& patch, const reflect::TypeDesc& type);

/// Of the lists that our descriptors do not model: the member by which Kubernetes pairs their items; "" when it
/// replaces them as a whole.
std::string_view well_known_merge_key(std::string_view field);

}  // namespace muster::apiserver
