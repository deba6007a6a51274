// metadata: what the server sets, what users may set, and what must be true of it. Pure functions over Documents.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/resource.h"
#include "base/ports.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::apiserver {

/// Members whose value is null mean nothing in an API object; they go, at every depth. In the maps of Kubernetes' own
/// kinds, and of the metadata of every kind, null is a value that is empty: a label, a key of a ConfigMap.
void settle_nulls(const api::Resource& resource, json::Document& object);

/// Sets uid, creationTimestamp and generation, and drops what only the server may set. The name is set already.
void stamp_new(const api::Resource& resource, json::Document& object, Rng& rng, Time now);
/// Gives the changed object what the server owns: uid, creationTimestamp, deletionTimestamp, generation, ….
void carry_over(const api::Resource& resource, const json::Document& before, json::Document& after);

/// What is of the wrong type in it, in words. It is decoded before anything else is looked at, so this is no matter of
/// invalid fields.
std::vector<FieldCause> check_metadata_types(const json::Document& object);
/// Equal owner references count once, with a warning.
void join_equal_owners(json::Document& object, std::vector<std::string>& warnings);
std::vector<FieldCause> check_metadata(const api::Resource& resource, const json::Document& object);
std::vector<FieldCause> check_metadata_change(const json::Document& before, const json::Document& after);

/// Sets the member as it is in `from`, or removes it.
void copy_member(const json::Document& from, json::Document& to, std::string_view key);

/// True when what is wanted differs: everything but apiVersion, kind, metadata and, where it is a subresource, status.
bool wants_differ(const api::Resource& resource, const json::Document& before, const json::Document& after);

std::vector<std::string> strings_at(const json::Document& object, std::string_view a, std::string_view b);
std::vector<std::string> finalizers_of(const json::Document& object);
void set_finalizers(json::Document& object, const std::vector<std::string>& finalizers);

}  // namespace muster::apiserver
