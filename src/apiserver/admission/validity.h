// What is wrong with an object, apart from its metadata and from what other objects and the machine demand.
#pragma once

#include <vector>

#include "api/resource.h"
#include "apiserver/admission/decode.h"
#include "base/error.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::apiserver {

/// A spec that did not change is not checked again: an object that an older version stored can still be labelled,
/// report its status and be deleted, even if this version would reject it.
enum class Spec { kNew, kAsBefore };

/// Returns the invalid fields. An object of a built-in kind with a wrong type is an error instead: Kubernetes decodes
/// it into Go types, so a wrong type makes the whole body undecodable.
Result<std::vector<FieldCause>> invalid_fields(const api::Resource& resource, const json::Document& object,
                                               Origin origin, Spec spec);
/// Returns the changes that the kind does not allow.
std::vector<FieldCause> forbidden_changes(const api::Resource& resource, const json::Document& before,
                                          const json::Document& after);
/// True when the client wants the same as before.
bool wants_the_same(const api::Resource& resource, const json::Document& before, const json::Document& after);

}  // namespace muster::apiserver
