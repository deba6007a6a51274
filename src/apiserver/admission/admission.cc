#include "apiserver/admission/admission.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "api/kubernetes/kubernetes_fields.h"
#include "apiserver/admission/builtin_types.h"
#include "apiserver/admission/host_reach.h"
#include "apiserver/admission/metadata_rules.h"
#include "apiserver/admission/pod_templates.h"
#include "apiserver/admission/references.h"
#include "apiserver/apply/ownership.h"
#include "apiserver/http/status_error.h"
#include "apiserver/protobuf/body.h"
#include "base/random.h"
#include "base/strings.h"
#include "json/yaml.h"
#include "reflect/reflect.h"

namespace muster::apiserver {
namespace {

using json::Document;

constexpr std::size_t kMaxGeneratedBase = 58;  // five more characters still fit into a DNS label
constexpr int kNameAttempts = 8;

/// Returns the message of every error about a body that cannot be decoded as an object of its kind.
std::string cannot_be_handled(const api::Resource& resource, std::string_view why) {
  return fmt::format("{0} in version \"{1}\" cannot be handled as a {0}: {2}", resource.kind, resource.version, why);
}

Status check_namespace(Context& context, const ResourceRequest& request, std::string_view name) {
  if (request.resource->scope == api::Scope::kCluster) return ok();
  const api::Resource& namespaces = *api::find_resource("", "v1", "namespaces");
  const store::Entry* found = context.store.latest({"namespaces", "", request.ns});
  if (found == nullptr) return not_found(namespaces, request.ns);
  // This runs for every new object, and for most namespaces a search of the text shows that they are not being deleted.
  if (found->bytes->find("deletionTimestamp") == std::string::npos) return ok();
  TRY_ASSIGN(const Document ns, json::parse(*found->bytes));
  if (ns.string_at("metadata", "deletionTimestamp").empty()) return ok();
  Error error =
      forbidden(*request.resource, name,
                fmt::format("unable to create new content in namespace {} because it is being terminated", request.ns));
  error.causes = {
      {"NamespaceTerminating", fmt::format("namespace {} is being terminated", request.ns), "metadata.namespace"}};
  return error;
}

Status set_namespace(const ResourceRequest& request, Document& object) {
  Document& metadata = object["metadata"];
  const std::string given = metadata.string_at("namespace");
  if (request.resource->scope == api::Scope::kCluster) {
    if (!given.empty()) metadata.as_object().erase("namespace");
    return ok();
  }
  if (!given.empty() && given != request.ns) {
    return bad_request("the namespace of the provided object does not match the namespace sent on the request");
  }
  metadata.as_object().set("namespace", request.ns);
  return ok();
}

Status set_name(Context& context, const ResourceRequest& request, Document& object) {
  Document& metadata = object["metadata"];
  if (!metadata.string_at("name").empty()) return ok();
  const std::string base = metadata.string_at("generateName").substr(0, kMaxGeneratedBase);
  if (base.empty()) {
    return invalid(*request.resource, "", {required("metadata.name", "name or generateName is required")});
  }
  for (int attempt = 0; attempt < kNameAttempts; ++attempt) {
    const std::string name = base + make_name_suffix(context.rng);
    metadata.as_object().set("name", name);
    if (context.store.latest({request.resource->qualified_name(), request.ns, name}) == nullptr) break;
  }
  return ok();
}

/// The error for an object that cannot be decoded: BadRequest for a whole body, Invalid for a patch.
Error undecodable(const api::Resource& resource, const Document& object, Origin origin, std::string_view why) {
  if (origin != Origin::kPatch) return bad_request(cannot_be_handled(resource, why));
  const std::string shown = resource.is_confidential ? "" : brief(object);
  Error error;
  error.reason = Reason::kInvalid;
  error.causes = {invalid_value("patch", quote(shown), why)};
  error.message = " \"\" is invalid: patch: " + error.causes[0].message;
  return error;
}

std::vector<std::string> in_words(const std::vector<FieldCause>& causes) {
  std::vector<std::string> texts;
  for (const FieldCause& cause : causes) texts.push_back(fmt::format("{}: {}", cause.field, cause.message));
  return texts;
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
/// depending on `validation`. Unknown fields are dropped.
Status normalise_fields(const api::Resource& resource, const api::kubernetes::Message* message, Document& object,
                        Origin origin, FieldValidation validation, std::vector<std::string>& warnings) {
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
      return undecodable(resource, object, origin, why);
    }
  }
  if (!found.wrong.empty()) return undecodable(resource, object, origin, join(in_words(found.wrong), ", "));
  join_equal_owners(object, warnings);
  return ok();
}

/// Turns what was sent into an object of the kind, without nulls and unknown members.
Status decode(const api::Resource& resource, Document& object, Origin origin, FieldValidation validation,
              std::vector<std::string>& warnings) {
  if (const auto known = check_kind(resource, object); !known) {
    if (origin != Origin::kPatch || known.error().reason != Reason::kBadRequest) return known.error();
    return undecodable(resource, object, origin, known.error().message);
  }
  normalise_nulls(resource, object);
  if (object.find("metadata") == nullptr) object["metadata"] = json::Object();
  return normalise_fields(resource, api::kubernetes::find_message(resource), object, origin, validation, warnings);
}

/// A spec that did not change is not checked again: an object that an older version stored can still be labelled,
/// report its status and be deleted, even if this version would reject it.
enum class Spec { kNew, kAsBefore };

/// Kubernetes decodes built-in kinds into Go types, so a wrong type makes the whole body undecodable and is not an
/// invalid field.
Status check_valid(const api::Resource& resource, const Document& object, Origin origin, std::vector<FieldCause> causes,
                   Spec spec) {
  std::vector<FieldCause> more = reflect::validate(*resource.type, object);
  // Metadata has rules of its own in check_metadata.
  std::erase_if(more, [spec](const FieldCause& cause) {
    return cause.field.starts_with("metadata.") || (spec == Spec::kAsBefore && cause.field.starts_with("spec."));
  });
  if (resource.built_in) {
    std::vector<FieldCause> wrong;
    std::ranges::copy_if(more, std::back_inserter(wrong),
                         [](const FieldCause& cause) { return cause.reason == "FieldValueTypeInvalid"; });
    if (!wrong.empty()) return undecodable(resource, object, origin, join(in_words(wrong), ", "));
  }
  // The rules read fields whose types must be right.
  if (more.empty() && spec == Spec::kNew && !resource.built_in) more = check_template_types(resource, object);
  if (more.empty() && spec == Spec::kNew) more = resource.check(object);
  causes.insert(causes.end(), more.begin(), more.end());
  if (causes.empty()) return ok();
  return invalid(resource, object.string_at("metadata", "name"), std::move(causes));
}

/// The stored object as this version would have stored it: an older version may have left out a default, or spelled the
/// same quantity differently.
Document in_this_version(const api::Resource& resource, Document stored) {
  if (const api::kubernetes::Message* message = api::kubernetes::find_message(resource))
    normalise_types(*message, stored);
  reflect::apply_defaults(*resource.type, stored);
  if (resource.set_defaults != nullptr) resource.set_defaults(stored);
  return stored;
}

/// Reports changes that the kind does not allow.
std::vector<FieldCause> check_change(const api::Resource& resource, const Document& before, const Document& after) {
  std::vector<FieldCause> causes = resource.check_change(before, after);
  return causes.empty() ? causes : resource.check_change(in_this_version(resource, before), after);
}

/// True when the client wants the same as before.
bool wants_the_same(const api::Resource& resource, const Document& before, const Document& after) {
  if (before.find("spec") == nullptr) return false;  // rules of the other kinds look at metadata too
  return !wants_differ(resource, before, after) || !wants_differ(resource, in_this_version(resource, before), after);
}

/// Warnings for deprecated fields of our own kinds.
std::vector<std::string> deprecations(const api::Resource& resource, const Document& object) {
  std::vector<std::string> out;
  if (resource.built_in) return out;
  for (const reflect::DeprecatedField& field : reflect::deprecated_fields(*resource.type, object)) {
    out.push_back(fmt::format("{}: deprecated; use {}", field.path, field.use_instead));
  }
  return out;
}

/// Warnings for values that are valid but probably a mistake, except those that `before` already had.
std::vector<std::string> new_warnings(const api::Resource& resource, const Document* before, const Document& object) {
  if (resource.warn == nullptr) return {};
  std::vector<std::string> out = resource.warn(object);
  if (before == nullptr) return out;
  const std::vector<std::string> known = resource.warn(*before);
  std::erase_if(out, [&](const std::string& one) { return std::ranges::find(known, one) != known.end(); });
  return out;
}

void add_all(std::vector<std::string> from, std::vector<std::string>& to) {
  for (std::string& one : from) to.push_back(std::move(one));
}

std::vector<FieldCause> check_folders(const Context& context, const Document* before, const Document& after) {
  if (!context.node_policy) return {};
  return check_host_folders(*context.node_policy, before, after);
}

std::vector<FieldCause> check_security(const Context& context, const api::Resource& resource, const Document& object) {
  if (!context.node_policy) return {};
  return check_pod_security(resource, object);
}

/// True for a number that can be the version of an object; any other text in a new object is ignored.
bool is_version(std::string_view text) {
  const bool digits = text.find_first_not_of("0123456789") == std::string_view::npos;
  return digits && text.find_first_not_of('0') != std::string_view::npos;
}

Status check_version(const ResourceRequest& request, Origin origin, const Document& before, const Document& after) {
  const api::Resource& resource = *request.resource;
  const std::string& name = before.string_at("metadata", "name");
  const std::string& version = after.string_at("metadata", "resourceVersion");
  if (version.empty() || version == "0") {
    if (origin == Origin::kPatch || resource.built_in) return ok();
    Error error =
        invalid(resource, name, {invalid_value("metadata.resourceVersion", "0x0", "must be specified for an update")});
    // In Kubernetes the storage layer reports this, and it knows resources, not kinds.
    error.kind = resource.plural;
    error.message.replace(0, error.message.find(' '), resource.qualified_name());
    return error;
  }
  return version == before.string_at("metadata", "resourceVersion") ? ok() : Status(stale(resource, name));
}

/// A write to /status changes only the status; any other write changes everything except the status.
void split_status(const ResourceRequest& request, const Document& before, Document& after) {
  if (!request.resource->has_status) return;
  if (request.subresource == "status") {
    Document merged = before;
    copy_member(after, merged, "status");
    // Built-in kinds accept labels and annotations here; the metadata of a custom resource stays as it is.
    if (request.resource->built_in) merged.as_object().set("metadata", *after.find("metadata"));
    after = std::move(merged);
    return;
  }
  copy_member(before, after, "status");
  // The finalizers in the spec of a namespace belong to the server and change only through /finalize.
  if (request.resource->qualified_name() == "namespaces" && request.subresource.empty())
    copy_member(before, after, "spec");
}

}  // namespace

Result<WriteParameters> parse_write_parameters(const ResourceRequest& request, const net::Request& http) {
  WriteParameters parameters;
  const std::string_view kind = request.verb == Verb::kCreate   ? "CreateOptions"
                                : request.verb == Verb::kUpdate ? "UpdateOptions"
                                                                : "PatchOptions";
  const std::string_view validation = request.query.get("fieldValidation");
  if (validation == "Strict") {
    parameters.field_validation = FieldValidation::kStrict;
  } else if (validation == "Ignore") {
    parameters.field_validation = FieldValidation::kIgnore;
  } else if (!validation.empty() && validation != "Warn") {
    return invalid_options(kind,
                           {unsupported_value("fieldValidation", quote(validation), {"", "Ignore", "Strict", "Warn"})});
  }
  TRY_ASSIGN(parameters.dry_run, parse_dry_run(kind, request.query, nullptr));
  parameters.force = request.query.flag("force");
  if (std::vector<FieldCause> causes = check_field_manager(request, http); !causes.empty()) {
    return invalid_options(kind, std::move(causes));
  }
  parameters.field_manager = field_manager_of(request, http);
  return parameters;
}

Result<bool> parse_dry_run(std::string_view options_kind, const Query& query, const Document* in_body) {
  std::vector<std::string> words = query.all("dryRun");
  if (in_body != nullptr && in_body->is_array()) {
    for (const Document& word : in_body->as_array()) words.push_back(word.is_string() ? word.as_string() : "");
  }
  if (std::ranges::all_of(words, [](const std::string& word) { return word == "All"; })) return !words.empty();
  for (std::string& word : words) word = quote(word);
  return invalid_options(options_kind,
                         {unsupported_value("dryRun", fmt::format("[]string{{{}}}", join(words, ", ")), {"All"})});
}

Result<Document> read_body(const net::Request& http, std::vector<std::string>& repeated) {
  const std::string_view header = http.headers.get("Content-Type");
  const std::string type = to_lower(trim(header.substr(0, header.find(';'))));
  if (type == "application/yaml") {
    TRY_ASSIGN(auto documents, json::parse_yaml_leniently(http.body));
    if (documents.size() != 1) {
      return bad_request(fmt::format("body: must hold one YAML document, got {}", documents.size()));
    }
    repeated = std::move(documents[0].warnings);
    return std::move(documents[0].value);
  }
  if (type == protobuf::kContentType) return protobuf::decode_body(http.body);
  if (!type.empty() && type != "application/json") {
    return unsupported_media_type("application/json, application/yaml, " + std::string(protobuf::kContentType));
  }
  return parse_noting_repeated(http.body, "", repeated);
}

Result<Document> parse_noting_repeated(std::string_view text, std::string_view context,
                                       std::vector<std::string>& repeated) {
  std::vector<std::string> paths;
  TRY_ASSIGN(Document document, json::parse(text, paths));
  std::set<std::string> known;
  for (const std::string& path : paths) {
    if (known.insert(path).second) repeated.push_back(fmt::format("{}duplicate field \"{}\"", context, path));
  }
  return document;
}

void drop_unknown(const api::Resource& resource, Document& object) {
  normalise_members(resource, api::kubernetes::find_message(resource), object);
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

Status check_identity(const ResourceRequest& request, const Document& after) {
  const std::string& name = after.string_at("metadata", "name");
  if (name.empty()) {
    return bad_request(fmt::format("the name of the object ({} based on URL) was undeterminable: name must be provided",
                                   request.name));
  }
  if (name != request.name) {
    return bad_request(
        fmt::format("the name of the object ({}) does not match the name on the URL ({})", name, request.name));
  }
  const std::string& ns = after.string_at("metadata", "namespace");
  if (!ns.empty() && ns != request.ns) {
    return bad_request("the namespace of the provided object does not match the namespace sent on the request");
  }
  return ok();
}

Status check_uid(const api::Resource& resource, const std::string& name, const std::string& now, const Document& sent) {
  const std::string& uid = sent.string_at("metadata", "uid");
  if (uid.empty() || uid == now) return ok();
  return conflict(resource, name,
                  fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}", uid, now));
}

Status check_replacement(const ResourceRequest& request, Document& object, const WriteParameters& parameters,
                         std::vector<std::string>& warnings) {
  TRY(decode(*request.resource, object, Origin::kBody, parameters.field_validation, warnings));
  return check_identity(request, object);
}

Result<Document> admit_new(Context& context, const ResourceRequest& request, Document object,
                           const WriteParameters& parameters, std::vector<std::string>& warnings) {
  const api::Resource& resource = *request.resource;
  TRY(decode(resource, object, Origin::kBody, parameters.field_validation, warnings));
  TRY(set_namespace(request, object));
  const Status named = set_name(context, request, object);  // reported later: a missing namespace comes first
  TRY(check_namespace(context, request, object.string_at("metadata", "name")));
  TRY(named);
  const std::string version = object.string_at("metadata", "resourceVersion");
  stamp_new(resource, object, context.rng, context.loop.now());
  const bool takes_status = !resource.has_status || resource.brings_status;
  if (!takes_status) object.as_object().erase("status");
  TRY(check_host_reach(request, nullptr, object));
  std::vector<std::string> said = new_warnings(resource, nullptr, object);  // about what was sent, not about defaults
  reflect::apply_defaults(*resource.type, object);
  if (resource.set_defaults != nullptr) resource.set_defaults(object);
  TRY(check_pod_priority(context, resource, object));
  std::vector<FieldCause> causes = check_metadata(resource, object);
  for (FieldCause& cause : check_references(context, resource, nullptr, object)) causes.push_back(std::move(cause));
  for (FieldCause& cause : check_folders(context, nullptr, object)) causes.push_back(std::move(cause));
  for (FieldCause& cause : check_security(context, resource, object)) causes.push_back(std::move(cause));
  TRY(check_valid(resource, object, Origin::kBody, std::move(causes), Spec::kNew));
  if (!takes_status) object.as_object().erase("status");  // its defaults
  if (resource.start != nullptr) resource.start(object);
  add_all(deprecations(resource, object), warnings);
  add_all(std::move(said), warnings);
  if (context.node_policy) add_all(warn_about_images(*context.node_policy, resource, object), warnings);
  add_all(missing_queue_warnings(context, resource, nullptr, object), warnings);
  if (context.is_acted_on && !context.is_acted_on(resource)) {
    warnings.push_back(fmt::format("{} is stored but nothing acts on it yet in this version", resource.kind));
  }
  if (parameters.dry_run) {
    if (!version.empty()) object["metadata"].as_object().set("resourceVersion", version);
  } else if (request.verb == Verb::kCreate && is_version(version)) {
    // Kubernetes' storage layer reports this, with this code; a dry run does not reach it.
    return Error{.reason = Reason::kInternalError,
                 .message = "resourceVersion should not be set on objects to be created"};
  }
  return object;
}

Result<Document> admit_question(const api::Resource& resource, Document object, const WriteParameters& parameters,
                                std::vector<std::string>& warnings) {
  TRY(check_kind(resource, object));
  normalise_nulls(resource, object);
  if (object.find("metadata") == nullptr) object["metadata"] = json::Object();
  // The protobuf tables describe only the question, but clients also send the fields of the answer.
  TRY(normalise_fields(resource, nullptr, object, Origin::kBody, parameters.field_validation, warnings));
  reflect::apply_defaults(*resource.type, object);
  TRY(check_valid(resource, object, Origin::kBody, {}, Spec::kNew));
  return object;
}

Result<Document> admit_change(Context& context, const ResourceRequest& request, Origin origin, const Document& before,
                              Document after, const WriteParameters& parameters, std::vector<std::string>& warnings) {
  const api::Resource& resource = *request.resource;
  if (origin == Origin::kPatch) {
    TRY(decode(resource, after, origin, parameters.field_validation, warnings));
    TRY(check_identity(request, after));
  }
  TRY(check_version(request, origin, before, after));
  split_status(request, before, after);
  TRY(check_host_reach(request, &before, after));
  reflect::apply_defaults(*resource.type, after);
  if (resource.set_defaults != nullptr) resource.set_defaults(after);
  carry_over(resource, before, after);
  std::vector<FieldCause> causes = check_metadata_change(before, after);
  for (const FieldCause& cause : check_metadata(resource, after)) causes.push_back(cause);
  for (const FieldCause& cause : reflect::validate_update(*resource.type, before, after)) causes.push_back(cause);
  for (const FieldCause& cause : check_change(resource, before, after)) causes.push_back(cause);
  for (FieldCause& cause : check_references(context, resource, &before, after)) causes.push_back(std::move(cause));
  for (FieldCause& cause : check_folders(context, &before, after)) causes.push_back(std::move(cause));
  const bool as_before = request.subresource == "status" || wants_the_same(resource, before, after);
  if (!as_before) {
    for (FieldCause& cause : check_security(context, resource, after)) causes.push_back(std::move(cause));
  }
  TRY(check_valid(resource, after, origin, std::move(causes), as_before ? Spec::kAsBefore : Spec::kNew));
  if (request.subresource.empty()) {
    add_all(deprecations(resource, after), warnings);
    add_all(new_warnings(resource, &before, after), warnings);
    add_all(missing_queue_warnings(context, resource, &before, after), warnings);
  }
  return after;
}

}  // namespace muster::apiserver
