// Ownership of fields: metadata.managedFields, how every write changes it, and server-side apply. Pure: documents in,
// documents out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/apply/fields.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::apiserver::apply {

inline constexpr std::string_view kApply = "Apply";
inline constexpr std::string_view kUpdate = "Update";

/// One entry of managedFields.
struct Owner {
  std::string manager;
  std::string operation;
  std::string api_version;
  std::string subresource;
  std::string time;  // RFC 3339
  FieldSet fields;

  /// True for the same writer. An applier stays the same whatever API version it uses.
  bool same_as(const Owner& other) const;
};
using Owners = std::vector<Owner>;

/// BadRequest when `managed_fields` is not a list of entries.
Result<Owners> decode_owners(const json::Document& managed_fields);
/// Sorts as Kubernetes does: appliers first, then by time.
json::Document encode_owners(Owners owners);

/// The fields that can be owned, beyond the schema: fields that the server sets have no owner, and a write of one part
/// of the object (the status, or everything else) owns only that part.
struct Scope {
  MergeSchema schema;
  std::vector<std::string> unowned;  // elements of the root: "f:status"
};

/// After a write of a whole object or a patch, `writer` (whose own `fields` are ignored) owns what changed, and no
/// other manager does.
Owners after_update(const Scope& scope, const json::Document& before, const json::Document& after, Owners owners,
                    Owner writer);

struct Applied {
  json::Document object;
  Owners owners;
};
/// What one client wants to apply.
struct Application {
  json::Document config;  // without managedFields
  json::Document known;   // the part of it that the schema knows; only this is owned
  Owner applier;          // its fields are computed here
  bool force = false;
  FieldSet yielding;  // fields that other managers give up without a conflict
};
/// Fields that the applier named before and no longer names are removed, unless another manager owns them. Conflict,
/// with a cause per field, if others own a field that would change, unless forced. `live` has no managedFields.
Result<Applied> apply(const Scope& scope, const json::Document& live, const Owners& owners, Application application);

}  // namespace muster::apiserver::apply
