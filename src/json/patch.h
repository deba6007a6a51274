// The patch formats of the Kubernetes API that work on Documents alone.
#pragma once

#include <cstddef>

#include "json/document.h"

namespace muster::json {

/// RFC 7386.
void merge_patch(Document& target, const Document& patch);
// Kubernetes' bounds: a short patch must not grow a document without limit.
inline constexpr std::size_t kMaxPatchOperations = 10'000;
inline constexpr std::size_t kMaxCopiedBytes = 3 * 1024 * 1024;
/// Ours: what operations on large lists and objects may shift or look through together, about a quarter of a second.
inline constexpr std::size_t kMaxPatchWork = 50'000'000;

/// RFC 6902. All or nothing; a bad operation and a failing `test` are Invalid, what is no list of operations
/// BadRequest.
Result<Document> json_patch(Document target, const Document& operations);

}  // namespace muster::json
