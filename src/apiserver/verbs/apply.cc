#include "apiserver/verbs/apply.h"

#include <fmt/core.h>

#include "apiserver/admission/metadata_rules.h"
#include "apiserver/apply/ownership.h"
#include "apiserver/errors/status_error.h"
#include "apiserver/http/body.h"
#include "apiserver/verbs/write.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

using json::Document;

constexpr std::string_view kKubectl = "kubectl";
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

Result<Document> read_config(const ResourceRequest& request, const net::Request& http, FieldValidation validation,
                             std::vector<std::string>& warnings) {
  const api::Resource& resource = *request.resource;
  TRY_ASSIGN(Document config, read_applied(request, http, validation, warnings));
  if (config.string_at("apiVersion") != resource.api_version()) {
    return bad_request(
        fmt::format("Incorrect version specified in apply patch. Specified patch version: {}, expected: {}",
                    config.string_at("apiVersion"), resource.api_version()));
  }
  normalise_nulls(resource, config);
  TRY(check_kind(resource, config));
  if (config.at("metadata", "managedFields") != nullptr) return bad_request("metadata.managedFields must be nil");
  return config;
}

/// The fields that kubectl applied on the client side before; its server-side apply may take these over.
apply::FieldSet client_applied(const apply::Scope& scope, const Document& live) {
  const std::string& text = live.string_at("metadata", "annotations", kLastApplied);
  if (text.empty()) return {};
  const auto config = json::parse(text);
  if (!config || !config->is_object()) return {};
  return apply::extract_fields(scope.schema, *config);
}

/// Updates the record of client-side apply, if the object has one, with what kubectl applies here.
void renew_last_applied(const Document& config, Document& object) {
  if (object.string_at("metadata", "annotations", kLastApplied).empty()) return;
  Document record = config;
  if (Document* annotations = record["metadata"].find("annotations")) annotations->as_object().erase(kLastApplied);
  object["metadata"]["annotations"].as_object().set(std::string(kLastApplied), json::serialize(record) + "\n");
}

apply::Application application_of(const ResourceRequest& request, Document config, const WriteParameters& parameters,
                                  Time now) {
  apply::Application wanted;
  wanted.known = config;
  drop_unknown(*request.resource, wanted.known);
  wanted.config = std::move(config);
  wanted.applier.manager = parameters.field_manager;
  wanted.applier.operation = apply::kApply;
  wanted.applier.api_version = request.resource->api_version();
  wanted.applier.subresource = request.subresource;
  wanted.applier.time = format_rfc3339(now);
  wanted.force = parameters.force;
  return wanted;
}

/// The fields of an object that was stored without owners belong to the manager "before-first-apply".
apply::Owners owners_of(const ResourceRequest& request, const Document& stored, const Document& bare, Time now) {
  if (auto owners = apply::decode_owners(managed_fields_of(stored)); owners && !owners->empty()) {
    return *std::move(owners);
  }
  apply::Owner unknown;
  unknown.manager = "before-first-apply";
  unknown.operation = apply::kUpdate;
  unknown.api_version = request.resource->api_version();
  unknown.time = format_rfc3339(now);
  return apply::after_update(ownership_scope(request), json::Object(), bare, {}, std::move(unknown));
}

void create_applied(Context& context, const ResourceRequest& request, Document config,
                    const WriteParameters& parameters, std::vector<std::string> warnings, Reply reply) {
  const api::Resource& resource = *request.resource;
  const std::string& name = config.string_at("metadata", "name");
  if (name != request.name) {
    return reply.fail(bad_request(
        fmt::format("the name of the object ({}) does not match the name on the URL ({})", name, request.name)));
  }
  if (const std::string& uid = config.string_at("metadata", "uid"); !uid.empty()) {
    return reply.fail(conflict(
        resource, name,
        fmt::format("uid mismatch: the provided object specified uid {}, and no existing object was found", uid)));
  }
  auto applied = apply::apply(ownership_scope(request), json::Object(), {},
                              application_of(request, std::move(config), parameters, context.loop.now()));
  if (!applied) return reply.fail(applied.error());
  auto object = admit_new(context, request, std::move(applied->object), parameters, warnings);
  for (std::string& warning : warnings) reply.warn(std::move(warning));
  if (!object) return reply.fail(object.error());
  set_owners(*object, std::move(applied->owners));
  store_new(context, resource, key_of(resource, request.ns, request.name), *std::move(object), parameters.dry_run,
            reply_with_stored(201, resource, std::move(reply)));
}

void change_applied(Context& context, const ResourceRequest& request, const Current& current, Document config,
                    const WriteParameters& parameters, std::vector<std::string> warnings, Reply reply) {
  auto admitted = admit_applied(context, request, current, std::move(config), parameters, warnings);
  for (std::string& warning : warnings) reply.warn(std::move(warning));
  if (!admitted) return reply.fail(admitted.error());
  store_asked_change(context, request, current, *std::move(admitted), parameters.dry_run, std::move(reply));
}

}  // namespace

Result<Document> read_applied(const ResourceRequest& request, const net::Request& http, FieldValidation validation,
                              std::vector<std::string>& warnings) {
  TRY_ASSIGN(Document config, read_body(request, http, warnings));
  if (validation == FieldValidation::kStrict && !warnings.empty()) {
    return bad_request("error strict decoding YAML: " + join(warnings, ", "));
  }
  if (!config.is_object()) {
    return bad_request(fmt::format("error decoding YAML: must be an object, got {}", json::kind_name(config.kind())));
  }
  return config;
}

Result<Document> admit_applied(Context& context, const ResourceRequest& request, const Current& current,
                               Document config, const WriteParameters& parameters, std::vector<std::string>& warnings) {
  const Time now = context.loop.now();
  const apply::Scope scope = ownership_scope(request);
  Document live = current.object;
  live["metadata"].as_object().erase("managedFields");
  const bool by_kubectl = parameters.field_manager == kKubectl && request.subresource.empty();
  apply::Application wanted = application_of(request, config, parameters, now);
  if (by_kubectl) wanted.yielding = client_applied(scope, live);
  TRY_ASSIGN(auto applied, apply::apply(scope, live, owners_of(request, current.object, live, now), std::move(wanted)));
  if (by_kubectl) renew_last_applied(config, applied.object);
  // A write to /scale changes the object itself.
  ResourceRequest whole = request;
  if (whole.subresource == "scale") whole.subresource.clear();
  TRY_ASSIGN(Document admitted, admit_change(context, whole, Origin::kPatch, current.object, std::move(applied.object),
                                             parameters, warnings));
  set_owners(admitted, std::move(applied.owners));
  return admitted;
}

void apply_object(Context& context, const ResourceRequest& request, const net::Request& http,
                  const WriteParameters& parameters, Reply reply) {
  std::vector<std::string> warnings;
  auto config = read_config(request, http, parameters.field_validation, warnings);
  if (!config) return reply.fail(config.error());
  const auto current = current_object(context, request);
  if (current) {
    return change_applied(context, request, *current, *std::move(config), parameters, std::move(warnings),
                          std::move(reply));
  }
  const bool creates = current.error().reason == Reason::kNotFound && request.subresource.empty();
  if (!creates) return reply.fail(current.error());
  create_applied(context, request, *std::move(config), parameters, std::move(warnings), std::move(reply));
}

}  // namespace muster::apiserver
