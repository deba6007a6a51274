// Documents and sets of their fields: which fields a document sets, what changed between two, one merged into another,
// and fields taken out. Pure functions; the schema says what merges how.
#pragma once

#include "apiserver/apply/field_set.h"
#include "apiserver/apply/merge_schema.h"
#include "json/document.h"

namespace muster::apiserver::apply {

/// The fields an applied configuration speaks for.
FieldSet extract_fields(const MergeSchema& schema, const json::Document& config);

struct Changes {
  FieldSet added;
  FieldSet modified;
  FieldSet removed;
};
Changes compare(const MergeSchema& schema, const json::Document& before, const json::Document& after);

/// `config` over `live`. Lists that merge by item take the order of `config`, and what only `live` has stays near its
/// neighbours.
json::Document merge(const MergeSchema& schema, const json::Document& live, const json::Document& config);

/// Takes out the members and items that are in the set. Containers that become empty by it go too.
void remove_fields(const MergeSchema& schema, json::Document& value, const FieldSet& fields);

/// The set and every declared member on the way to its paths: these have no path of their own in what was applied.
FieldSet with_declared_parents(const MergeSchema& schema, const FieldSet& fields);

}  // namespace muster::apiserver::apply
