// Strategic merge patch: like a JSON merge patch, but lists whose items have a key are merged item by item.
// Directives: $patch (replace, delete, merge), $deleteFromPrimitiveList/FIELD, $retainKeys, $setElementOrder/FIELD.
#pragma once

#include "base/result.h"
#include "json/document.h"
#include "reflect/type_desc.h"

namespace muster::apiserver {

/// The descriptor says which lists have a key; lists of open or unknown types use the keys Kubernetes gives them.
Status strategic_merge(json::Document& target, const json::Document& patch, const reflect::TypeDesc& type);

}  // namespace muster::apiserver
