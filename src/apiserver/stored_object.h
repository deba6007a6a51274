// What the store may hold of an object, and how it is read back. Everything stored is parsed again by this server and
// by its own clients, inside lists and events, so what goes in is kept well within what json::parse takes: the server
// adds to objects itself (managedFields, deletion marks), and lists and events wrap them.
#pragma once

#include "api/resource.h"
#include "json/document.h"
#include "store/store.h"

namespace muster::apiserver {

inline constexpr std::size_t kMaxStoredMembers = 19'000;
inline constexpr int kMaxStoredDepth = 180;

/// Invalid, with the field, when an object has too many members in one place or is nested too deep. Objects that are
/// being deleted get the room that is left, so that limits never keep one from going.
Status check_shape(const api::Resource& resource, const json::Document& object);

/// InternalError, and the way out, for bytes that are no object any more.
Result<json::Document> read_stored(const store::Key& key, const store::Entry& entry);
/// Its identity alone, of one that cannot be read as a whole: enough to delete it.
Result<json::Document> read_identity(const store::Entry& entry);

}  // namespace muster::apiserver
