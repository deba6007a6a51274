// Turns what a client sent into an object of its kind: kind and version, nulls, unknown fields, wrong types.
#pragma once

#include <string>
#include <vector>

#include "api/resource.h"
#include "apiserver/http/write_parameters.h"
#include "base/error.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::apiserver {

/// Where a wanted object comes from: a whole body, or a patch of the current object.
enum class Origin { kBody, kPatch };

/// Removes nulls and unknown members. Repeated fields, which are already in `warnings`, and unknown ones are an error,
/// warnings or ignored, as `validation` says.
Status decode(const api::Resource& resource, json::Document& object, Origin origin, FieldValidation validation,
              std::vector<std::string>& warnings);
/// The same for a question, which is never stored.
Status decode_question(const api::Resource& resource, json::Document& object, FieldValidation validation,
                       std::vector<std::string>& warnings);

/// Checks that the object has the resource's kind and version. For built-in kinds, missing ones are filled in, as in
/// Kubernetes.
Status check_kind(const api::Resource& resource, json::Document& object);
/// Removes the members that the kind does not have.
void drop_unknown(const api::Resource& resource, json::Document& object);
/// The error for an object with these wrong types: BadRequest for a whole body, Invalid for a patch.
Error undecodable(const api::Resource& resource, const json::Document& object, Origin origin,
                  const std::vector<FieldCause>& wrong);

}  // namespace muster::apiserver
