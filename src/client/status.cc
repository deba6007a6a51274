#include "base/clamped_seconds.h"
#include "client/api_client.h"

namespace muster::client {
namespace {

json::Document details_of(const Error& error) {
  json::Object details;
  if (!error.name.empty()) details.append("name", error.name);
  if (!error.group.empty()) details.append("group", error.group);
  if (!error.kind.empty()) details.append("kind", error.kind);
  if (!error.causes.empty()) {
    json::Array causes;
    for (const FieldCause& cause : error.causes) {
      json::Object one;
      if (!cause.reason.empty()) one.append("reason", cause.reason);
      if (!cause.message.empty()) one.append("message", cause.message);
      if (!cause.field.empty()) one.append("field", cause.field);
      causes.emplace_back(std::move(one));
    }
    details.append("causes", std::move(causes));
  }
  if (error.retry_after) {
    details.append("retryAfterSeconds", std::chrono::ceil<std::chrono::seconds>(*error.retry_after).count());
  }
  return details;
}

Reason reason_of(const std::string& name, int http_status) {
  const Reason reason = reason_from_name(name);
  // An unknown reason (Gone, NotAcceptable, a webhook's own) is derived from the code.
  return reason_name(reason) == name ? reason : reason_from_http_code(http_status);
}

}  // namespace

Error error_from_status(const json::Document& status, int http_status) {
  const int code = status.int_at("code") != 0 ? static_cast<int>(status.int_at("code")) : http_status;
  Error error{.reason = reason_of(status.string_at("reason"), code), .message = status.string_at("message")};
  if (error.message.empty()) error.message = "the server answered with status " + std::to_string(code);
  error.name = status.string_at("details", "name");
  error.group = status.string_at("details", "group");
  error.kind = status.string_at("details", "kind");
  if (const auto seconds = status.int_at("details", "retryAfterSeconds"); seconds > 0) {
    error.retry_after = clamped_seconds(seconds);
  }
  const json::Document* causes = status.at("details", "causes");
  if (causes != nullptr && causes->is_array()) {
    for (const json::Document& cause : causes->as_array()) {
      error.causes.push_back(FieldCause{.reason = cause.string_at("reason"),
                                        .message = cause.string_at("message"),
                                        .field = cause.string_at("field")});
    }
  }
  return error;
}

json::Document status_from_error(const Error& error) {
  json::Object status;
  status.append("kind", "Status");
  status.append("apiVersion", "v1");
  status.append("metadata", json::Object{});
  status.append("status", "Failure");
  status.append("message", error.message);
  status.append("reason", reason_name(error.reason));
  json::Document details = details_of(error);
  // Clients such as kubectl read the details of these errors without checking that there are any.
  const bool always = error.reason == Reason::kNotFound || error.reason == Reason::kMethodNotAllowed;
  if (always || !details.as_object().empty()) status.append("details", std::move(details));
  status.append("code", http_code(error.reason));
  return status;
}

}  // namespace muster::client
