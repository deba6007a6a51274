// The patch formats of the Kubernetes API that work on Documents alone.
#pragma once

#include <string>
#include <string_view>

#include "json/document.h"

namespace muster::json {

/// RFC 7386.
void merge_patch(Document& target, const Document& patch);
/// RFC 6902. All or nothing; a failing `test` is Invalid, a bad operation BadRequest.
Result<Document> json_patch(Document target, const Document& operations);

/// RFC 6901; null pointer when there is nothing.
const Document* resolve_pointer(const Document& document, std::string_view pointer);

}  // namespace muster::json
