// The limits of a stored object, and how it is read back. This server and its own clients parse every stored object
// again, inside lists and events, so the limits stay well below those of json::parse: the server itself adds to objects
// (managedFields, deletion marks), and lists and events wrap them.
#pragma once

#include "api/resource.h"
#include "json/document.h"
#include "store/store.h"

namespace muster::apiserver {

inline constexpr std::size_t kMaxStoredMembers = 19'000;
inline constexpr int kMaxStoredDepth = 180;

/// Invalid, with the field, when an object has too many members in one place or is nested too deep. Objects that are
/// being deleted may use the remaining room, so that the limits never block a deletion.
Status check_shape(const api::Resource& resource, const json::Document& object);

/// InternalError, with advice, for bytes that are no longer a valid object.
Result<json::Document> read_stored(const store::Key& key, const store::Entry& entry);
/// Reads only the identity of an object that cannot be parsed as a whole: enough to delete it.
Result<json::Document> read_identity(const store::Entry& entry);

}  // namespace muster::apiserver
