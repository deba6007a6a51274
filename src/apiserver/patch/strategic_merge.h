// Strategic merge patch: like a JSON merge patch, but lists whose items have a key are merged item by item.
// Directives: $patch (replace, delete, merge), $deleteFromPrimitiveList/FIELD, $retainKeys, $setElementOrder/FIELD.
#pragma once

#include "api/kubernetes/kubernetes_fields.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::apiserver {

/// `type` defines which lists have a key. When it is null, lists are replaced as a whole.
Status strategic_merge(json::Document& target, const json::Document& patch, const api::kubernetes::Message* type);

}  // namespace muster::apiserver
