// The patch formats of the Kubernetes API that work on Documents alone.
#pragma once

#include <cstddef>
#include <optional>

#include "json/document.h"

namespace muster::json {

/// Applies a merge patch, RFC 7386.
void merge_patch(Document& target, const Document& patch);
/// Returns the smallest merge patch from `before` to `after`; absent when they are equal. Removed members become null.
std::optional<Document> merge_patch_between(const Document& before, const Document& after);

// These are Kubernetes' limits: a short patch must not grow a document without bound.
inline constexpr std::size_t kMaxPatchOperations = 10'000;
inline constexpr std::size_t kMaxCopiedBytes = 3 * 1024 * 1024;
/// Our own limit on the elements that all operations together may move, visit or look through: about a
/// quarter of a second.
inline constexpr std::size_t kMaxPatchWork = 50'000'000;

/// Applies a JSON patch, RFC 6902, entirely or not at all. A bad operation or a failed `test` is Invalid; a patch that
/// is not a list of operations is BadRequest.
Result<Document> json_patch(Document target, const Document& operations);

}  // namespace muster::json
