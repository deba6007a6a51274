#include "apiserver/errors/status_error.h"

#include <fmt/core.h>

#include "base/shortened.h"
#include "base/strings.h"
#include "client/api_client.h"

namespace muster::apiserver {
namespace {

Error about(Reason reason, const api::Resource& resource, std::string_view name, std::string message) {
  Error error;
  error.reason = reason;
  error.message = std::move(message);
  error.group = resource.group;
  error.kind = resource.plural;
  error.name = shortened(name);
  return error;
}

std::string all_causes(const std::vector<FieldCause>& causes) {
  std::vector<std::string> texts;
  for (const FieldCause& cause : causes) texts.push_back(fmt::format("{}: {}", cause.field, cause.message));
  return texts.size() == 1 ? texts[0] : "[" + join(texts, ", ") + "]";
}

/// A few lines can have thousands of faults, and a path can have a key of a megabyte in it.
Error bounded(Error error) {
  constexpr std::size_t kMostText = 16 * 1024;
  error.message = shortened(error.message, kMostText);
  std::size_t size = 0;
  std::size_t kept = 0;
  for (FieldCause& cause : error.causes) {
    cause.field = shortened(cause.field);
    cause.message = shortened(cause.message, kMostText);
    size += cause.field.size() + cause.message.size();
    if (kept > 0 && size > 2 * kMostText) break;
    ++kept;
  }
  error.causes.resize(kept);
  return error;
}

/// A name in a message.
std::string named(std::string_view name) {
  return quote(shortened(name));
}

}  // namespace

Error bad_request(std::string message) {
  Error error;
  error.reason = Reason::kBadRequest;
  error.message = std::move(message);
  return error;
}

Error not_found(const api::Resource& resource, std::string_view name) {
  return about(Reason::kNotFound, resource, name,
               fmt::format("{} {} not found", resource.qualified_name(), named(name)));
}

Error unknown_path() {
  Error error;
  error.reason = Reason::kNotFound;
  error.message = "the server could not find the requested resource";
  return error;
}

Error already_exists(const api::Resource& resource, std::string_view name) {
  return about(Reason::kAlreadyExists, resource, name,
               fmt::format("{} {} already exists", resource.qualified_name(), named(name)));
}

Error conflict(const api::Resource& resource, std::string_view name, std::string_view why) {
  return about(Reason::kConflict, resource, name,
               fmt::format("Operation cannot be fulfilled on {} {}: {}", resource.qualified_name(), named(name), why));
}

Error stale(const api::Resource& resource, std::string_view name) {
  return conflict(resource, name,
                  "the object has been modified; please apply your changes to the latest version and try again");
}

Error invalid(const api::Resource& resource, std::string_view name, std::vector<FieldCause> causes) {
  const std::string kind = resource.group.empty() ? resource.kind : resource.kind + "." + resource.group;
  Error error = about(Reason::kInvalid, resource, name,
                      fmt::format("{} {} is invalid: {}", kind, named(name), all_causes(causes)));
  error.kind = resource.kind;
  error.causes = std::move(causes);
  return error;
}

Error invalid_options(std::string_view kind, std::vector<FieldCause> causes) {
  Error error;
  error.reason = Reason::kInvalid;
  error.group = "meta.k8s.io";
  error.kind = std::string(kind);
  error.message = fmt::format("{}.meta.k8s.io \"\" is invalid: {}", kind, all_causes(causes));
  error.causes = std::move(causes);
  return error;
}

Error forbidden(const api::Resource& resource, std::string_view name, std::string_view why) {
  return about(Reason::kForbidden, resource, name,
               fmt::format("{} {} is forbidden: {}", resource.qualified_name(), named(name), why));
}

Error method_not_allowed() {
  Error error;
  error.reason = Reason::kMethodNotAllowed;
  error.message = "the server does not allow this method on the requested resource";
  return error;
}

Error unsupported_media_type(std::string_view accepted) {
  Error error;
  error.reason = Reason::kUnsupportedMediaType;
  error.message =
      fmt::format("the body of the request was in an unknown format - accepted media types include: {}", accepted);
  return error;
}

Error not_acceptable(std::string_view accepted) {
  Error error;
  error.reason = Reason::kNotAcceptable;
  error.message = fmt::format("only the following media types are accepted: {}", accepted);
  return error;
}

Error expired(std::string message) {
  Error error;
  error.reason = Reason::kExpired;
  error.message = std::move(message);
  return error;
}

FieldCause required(std::string field, std::string_view detail) {
  return {"FieldValueRequired", detail.empty() ? "Required value" : fmt::format("Required value: {}", detail),
          std::move(field)};
}

FieldCause invalid_value(std::string field, std::string_view value, std::string_view detail) {
  return {"FieldValueInvalid", fmt::format("Invalid value: {}: {}", shortened(value), detail), std::move(field)};
}

FieldCause unsupported_value(std::string field, std::string_view value, const std::vector<std::string>& supported) {
  std::vector<std::string> quoted;
  for (const std::string& word : supported) quoted.push_back(quote(word));
  return {"FieldValueNotSupported",
          fmt::format("Unsupported value: {}: supported values: {}", shortened(value), join(quoted, ", ")),
          std::move(field)};
}

FieldCause wrong_type(std::string field, std::string message) {
  return {"FieldValueTypeInvalid", std::move(message), std::move(field)};
}

FieldCause forbidden_value(std::string field, std::string_view detail) {
  return {"FieldValueForbidden", fmt::format("Forbidden: {}", detail), std::move(field)};
}

std::string brief(const json::Document& value) {
  return shortened(json::serialize(value), 200);
}

net::Response error_response(const Error& error) {
  net::Response response;
  response.status = http_code(error.reason);
  response.headers.set("Content-Type", "application/json");
  if (error.retry_after) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(*error.retry_after).count();
    response.headers.set("Retry-After", std::to_string(seconds));
  }
  response.body = json::serialize(client::status_from_error(bounded(error))) + "\n";
  return response;
}

}  // namespace muster::apiserver
