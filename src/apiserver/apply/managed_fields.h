// Who owns which fields of an object: metadata.managedFields, how every write changes it, and server-side apply. Pure:
// documents in, documents out.
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

  /// The same writer: an applier stays the same whatever version it speaks.
  bool same_as(const Owner& other) const;
};
using Owners = std::vector<Owner>;

/// BadRequest when it is no list of entries.
Result<Owners> decode_owners(const json::Document& managed_fields);
/// Sorted as Kubernetes does: appliers first, then by time.
json::Document encode_owners(Owners owners);

/// Which fields count, beyond the schema: what the server sets itself has no owner, and a write of one part of the
/// object (its status, or all but it) owns only that part.
struct Scope {
  MergeSchema schema;
  std::vector<std::string> unowned;  // elements of the root: "f:status"
};

/// A write that came as a whole object or a patch: `writer` (its fields aside) now owns what changed, and nobody else
/// does.
Owners after_update(const Scope& scope, const json::Document& before, const json::Document& after, Owners owners,
                    Owner writer);

struct Applied {
  json::Document object;
  Owners owners;
};
/// What one client wants applied.
struct Application {
  json::Document config;  // without managedFields
  json::Document known;   // the part of it that the schema knows: nothing else is owned
  Owner applier;          // its fields are made here
  bool force = false;
  FieldSet yielding;  // fields that others give up without a conflict
};
/// Fields the applier named before and no longer names go, unless somebody else owns them. Conflict, with a cause per
/// field, when others own a field that would change and it is not forced. `live` has no managedFields.
Result<Applied> apply(const Scope& scope, const json::Document& live, const Owners& owners, Application application);

}  // namespace muster::apiserver::apply
