// The writer of a request and what it owns afterwards: connects requests to apply/managed_fields.h.
#pragma once

#include <string>

#include "apiserver/apply/managed_fields.h"
#include "apiserver/http/request.h"
#include "base/time.h"
#include "json/document.h"

namespace muster::apiserver {

/// The fields that a write of this request can own.
apply::Scope ownership_scope(const ResourceRequest& request);
/// metadata.managedFields, or null.
json::Document managed_fields_of(const json::Document& object);
void set_owners(json::Document& object, apply::Owners owners);

/// `object` is admitted and has no owners yet.
void own_new(const ResourceRequest& request, json::Document& object, const std::string& manager, Time now);
/// `after` is admitted; `sent` has the managedFields that the client sent, or null. Objects that were stored without
/// owners get none until the first apply.
void own_change(const ResourceRequest& request, const json::Document& before, const json::Document& sent,
                json::Document& after, const std::string& manager, Time now);

}  // namespace muster::apiserver
