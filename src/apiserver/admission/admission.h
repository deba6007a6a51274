// Admission turns what a client sent into what may be stored. Its steps are one list in admission.cc, for new objects
// and for changes.
#pragma once

#include <string>
#include <vector>

#include "apiserver/admission/decode.h"
#include "apiserver/context/context.h"
#include "apiserver/http/request.h"
#include "apiserver/http/write_parameters.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::apiserver {

/// Checks that the name and namespace in a body are those of the request.
Status check_identity(const ResourceRequest& request, const json::Document& object);
/// Checks that `sent` is about the current object, whose uid is `now`, and not about an earlier one of the same name.
Status check_uid(const api::Resource& resource, const std::string& name, const std::string& now,
                 const json::Document& sent);
/// Checks that the body of a PUT can be decoded and names the object it is sent to. This runs before the object is
/// looked up.
Status check_replacement(const ResourceRequest& request, json::Document& object, const WriteParameters& parameters,
                         std::vector<std::string>& warnings);

/// Admits a new object: generates a name if asked to, checks the namespace, sets defaults, resets the status,
/// validates. Here and below, `warnings` begins with those from reading the body.
Result<json::Document> admit_new(Context& context, const ResourceRequest& request, json::Document object,
                                 const WriteParameters& parameters, std::vector<std::string>& warnings);

/// Admits a question, which is never stored: kind, unknown fields, defaults and rules, but neither name nor namespace.
Result<json::Document> admit_question(const api::Resource& resource, json::Document object,
                                      const WriteParameters& parameters, std::vector<std::string>& warnings);

/// Admits a change of the current object. A whole body has passed check_replacement and must name the version that it
/// replaces. With the subresource "status", only the status of `after` is used; with "", everything except the status.
Result<json::Document> admit_change(Context& context, const ResourceRequest& request, Origin origin,
                                    const json::Document& before, json::Document after,
                                    const WriteParameters& parameters, std::vector<std::string>& warnings);

}  // namespace muster::apiserver
