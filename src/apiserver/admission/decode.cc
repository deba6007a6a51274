#include "apiserver/admission/decode.h"

#include <fmt/core.h>

#include <utility>

#include "apiserver/admission/builtin_types.h"
#include "apiserver/admission/metadata_rules.h"
#include "apiserver/errors/status_error.h"
#include "base/strings.h"
#include "reflect/reflect.h"

namespace muster::apiserver {
namespace {

using json::Document;

/// Returns the message of every error about a body that cannot be decoded as an object of its kind.
std::string cannot_be_handled(const api::Resource& resource, std::string_view why) {
  return fmt::format("{0} in version \"{1}\" cannot be handled as a {0}: {2}", resource.kind, resource.version, why);
}

Error cannot_decode(const api::Resource& resource, const Document& object, Origin origin, std::string_view why) {
  if (origin != Origin::kPatch) return bad_request(cannot_be_handled(resource, why));
  const std::string shown = resource.is_confidential ? "" : brief(object);
  Error error;
  error.reason = Reason::kInvalid;
  error.causes = {invalid_value("patch", quote(shown), why)};
  error.message = " \"\" is invalid: patch: " + error.causes[0].message;
  return error;
}

/// Drops unknown members and reports them. Without a message the descriptor decides what is known, and only the types
/// of metadata are checked here: validation reports all other wrong types as invalid fields.
TypeFindings normalise_members(const api::Resource& resource, const api::kubernetes::Message* message,
                               Document& object) {
  if (message != nullptr) {
    return normalise_types(*message, object, resource.is_confidential ? Echo::kNoValues : Echo::kValues);
  }
  TypeFindings found{.unknown = reflect::unknown_fields(*resource.type, object), .wrong = {}};
  using reflect::OpenTypes;
  reflect::prune(*resource.type, object, resource.built_in ? OpenTypes::kKnownNames : OpenTypes::kEverything);
  found.wrong = check_metadata_types(object);
  return found;
}

/// Reports repeated fields, which are already in `warnings`, and unknown ones: as an error, as warnings or not at all,
/// depending on `validation`. Nulls and unknown fields are dropped.
Status normalise_fields(const api::Resource& resource, const api::kubernetes::Message* message, Document& object,
                        Origin origin, FieldValidation validation, std::vector<std::string>& warnings) {
  normalise_nulls(resource, object);
  if (object.find("metadata") == nullptr) object["metadata"] = json::Object();
  const TypeFindings found = normalise_members(resource, message, object);
  if (validation == FieldValidation::kIgnore) {
    warnings.clear();
  } else {
    std::vector<std::string> hints;
    for (const reflect::UnknownField& field : found.unknown) {
      warnings.push_back(fmt::format("unknown field \"{}\"", field.path));
      if (!field.suggestion.empty()) {
        hints.push_back(fmt::format("{}: did you mean {}?", field.path, quote(field.suggestion)));
      }
    }
    if (validation == FieldValidation::kStrict && !warnings.empty()) {
      std::string why = "strict decoding error: " + join(std::exchange(warnings, {}), ", ");
      if (!hints.empty()) why += "; " + join(hints, ", ");
      return cannot_decode(resource, object, origin, why);
    }
  }
  if (!found.wrong.empty()) return undecodable(resource, object, origin, found.wrong);
  join_equal_owners(object, warnings);
  return ok();
}

}  // namespace

Status decode(const api::Resource& resource, Document& object, Origin origin, FieldValidation validation,
              std::vector<std::string>& warnings) {
  if (const auto known = check_kind(resource, object); !known) {
    if (origin != Origin::kPatch || known.error().reason != Reason::kBadRequest) return known.error();
    return cannot_decode(resource, object, origin, known.error().message);
  }
  return normalise_fields(resource, resource.message(), object, origin, validation, warnings);
}

Status decode_question(const api::Resource& resource, Document& object, FieldValidation validation,
                       std::vector<std::string>& warnings) {
  TRY(check_kind(resource, object));
  // The protobuf tables describe only the question, but clients also send the fields of the answer.
  return normalise_fields(resource, nullptr, object, Origin::kBody, validation, warnings);
}

Status check_kind(const api::Resource& resource, Document& object) {
  if (!object.is_object()) {
    return bad_request(
        cannot_be_handled(resource, fmt::format("body must be an object, got {}", json::kind_name(object.kind()))));
  }
  for (const char* key : {"apiVersion", "kind"}) {
    const Document* value = object.find(key);
    if (value == nullptr || value->is_string() || value->is_null()) continue;
    return bad_request(
        fmt::format("the object provided is unrecognized (must be of type {}): {}: must be a string, got {}",
                    resource.kind, key, json::kind_name(value->kind())));
  }
  const std::string kind = object.string_at("kind");
  const std::string version = object.string_at("apiVersion");
  if (!resource.built_in && (kind.empty() || version.empty())) {
    return bad_request(
        fmt::format("the object provided is unrecognized (must be of type {0}): Object '{1}' is missing; write "
                    "apiVersion: {2} and kind: {0}",
                    resource.kind, kind.empty() ? "Kind" : "apiVersion", resource.api_version()));
  }
  const bool wrong_version = !version.empty() && version != resource.api_version();
  if (!resource.built_in && wrong_version) {
    return bad_request(fmt::format("the API version in the data ({}) does not match the expected API version ({})",
                                   version, resource.api_version()));
  }
  if (!resource.built_in && kind != resource.kind) {
    return invalid(resource, object.string_at("metadata", "name"),
                   {invalid_value("kind", quote(kind), "must be " + resource.kind)});
  }
  if (wrong_version || (!kind.empty() && kind != resource.kind)) {
    return bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}: the body must be of kind {} in {}",
                                   kind, version, resource.kind, resource.kind, resource.api_version()));
  }
  const Document* metadata = object.find("metadata");
  if (metadata != nullptr && !metadata->is_object() && !metadata->is_null()) {
    return bad_request(cannot_be_handled(
        resource, fmt::format("metadata: must be an object, got {}", json::kind_name(metadata->kind()))));
  }
  if (metadata == nullptr || metadata->is_null()) object["metadata"] = json::Object();
  object["kind"] = resource.kind;
  object["apiVersion"] = resource.api_version();
  return ok();
}

void drop_unknown(const api::Resource& resource, Document& object) {
  normalise_members(resource, resource.message(), object);
}

Error undecodable(const api::Resource& resource, const Document& object, Origin origin,
                  const std::vector<FieldCause>& wrong) {
  std::vector<std::string> texts;
  for (const FieldCause& cause : wrong) texts.push_back(fmt::format("{}: {}", cause.field, cause.message));
  return cannot_decode(resource, object, origin, join(texts, ", "));
}

}  // namespace muster::apiserver
