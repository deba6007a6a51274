// Rules for metadata: what the server sets, what users may set, and what is valid. Pure functions over Documents.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/resource.h"
#include "base/ports.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::apiserver {

/// Removes members whose value is null, at every depth, because they mean nothing in an API object. In the maps of
/// built-in kinds and in all metadata (a label, a key of a ConfigMap) null becomes an empty value instead.
void normalise_nulls(const api::Resource& resource, json::Document& object);

/// Sets uid, creationTimestamp and generation, and drops what only the server may set. The name must be set already.
void stamp_new(const api::Resource& resource, json::Document& object, Rng& rng, Time now);
/// Copies what the server owns into the changed object: uid, creationTimestamp, deletionTimestamp, generation, ….
void carry_over(const api::Resource& resource, const json::Document& before, json::Document& after);

/// Reports the members of metadata that have a wrong type. Metadata is decoded before anything is validated, so these
/// are decoding errors and not invalid fields.
std::vector<FieldCause> check_metadata_types(const json::Document& object);
/// Removes duplicate owner references, with a warning.
void join_equal_owners(json::Document& object, std::vector<std::string>& warnings);
std::vector<FieldCause> check_metadata(const api::Resource& resource, const json::Document& object);
std::vector<FieldCause> check_metadata_change(const json::Document& before, const json::Document& after);

/// Sets the member to its value in `from`, or removes it.
void copy_member(const json::Document& from, json::Document& to, std::string_view key);

/// True when the desired state differs: all but apiVersion, kind, metadata and, where it is a subresource, status.
bool wants_differ(const api::Resource& resource, const json::Document& before, const json::Document& after);

std::vector<std::string> strings_at(const json::Document& object, std::string_view a, std::string_view b);
std::vector<std::string> finalizers_of(const json::Document& object);
void set_finalizers(json::Document& object, const std::vector<std::string>& finalizers);

}  // namespace muster::apiserver
