// Documents and sets of their fields: which fields a document sets, what changed between two documents, merging one
// into another, and removing fields. Pure functions; the schema says how each field merges.
#pragma once

#include "apiserver/apply/field_set.h"
#include "apiserver/apply/merge_schema.h"
#include "json/document.h"

namespace muster::apiserver::apply {

/// The fields that an applied configuration sets.
FieldSet extract_fields(const MergeSchema& schema, const json::Document& config);

struct Changes {
  FieldSet added;
  FieldSet modified;
  FieldSet removed;
};
Changes compare(const MergeSchema& schema, const json::Document& before, const json::Document& after);

/// Merges `config` into `live`. Lists that merge by item take the order of `config`; items that only `live` has stay
/// close to their neighbours.
json::Document merge(const MergeSchema& schema, const json::Document& live, const json::Document& config);

/// Removes the members and items in the set, and the containers that become empty as a result.
void remove_fields(const MergeSchema& schema, json::Document& value, const FieldSet& fields);

/// The set plus every declared member on the way to its paths, which the fields of a configuration do not include.
FieldSet with_declared_parents(const MergeSchema& schema, const FieldSet& fields);

}  // namespace muster::apiserver::apply
