// The errors of the API in Kubernetes' format: clients match reason, code and details, people read the message.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/resource.h"
#include "base/error.h"
#include "json/document.h"
#include "net/http.h"

namespace muster::apiserver {

Error bad_request(std::string message);
Error not_found(const api::Resource& resource, std::string_view name);
/// The error for a path that names nothing that is served.
Error unknown_path();
Error already_exists(const api::Resource& resource, std::string_view name);
/// `Operation cannot be fulfilled on pods "x": …`; `why` is the part after the colon.
Error conflict(const api::Resource& resource, std::string_view name, std::string_view why);
/// The conflict of optimistic concurrency.
Error stale(const api::Resource& resource, std::string_view name);
Error invalid(const api::Resource& resource, std::string_view name, std::vector<FieldCause> causes);
/// The same for parameters of a request: `CreateOptions.meta.k8s.io "" is invalid: …`.
Error invalid_options(std::string_view kind, std::vector<FieldCause> causes);
Error forbidden(const api::Resource& resource, std::string_view name, std::string_view why);
Error method_not_allowed();
Error unsupported_media_type(std::string_view accepted);
Error not_acceptable(std::string_view accepted);
Error expired(std::string message);

FieldCause required(std::string field, std::string_view detail);
FieldCause invalid_value(std::string field, std::string_view value, std::string_view detail);
FieldCause unsupported_value(std::string field, std::string_view value, const std::vector<std::string>& supported);
FieldCause wrong_type(std::string field, std::string message);
FieldCause forbidden_value(std::string field, std::string_view detail);

/// A value as JSON for a message; a long one is truncated.
std::string brief(const json::Document& value);

/// The error as a metav1.Status with its HTTP code.
net::Response error_response(const Error& error);

}  // namespace muster::apiserver
