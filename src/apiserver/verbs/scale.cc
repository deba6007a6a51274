// The scale subresource: how many replicas are wanted and how many run, in the form that autoscalers and `kubectl
// scale` understand.
#include <fmt/core.h>

#include <map>
#include <set>

#include "apiserver/admission/admission.h"
#include "apiserver/apply/ownership.h"
#include "apiserver/errors/status_error.h"
#include "apiserver/http/body.h"
#include "apiserver/patch/patch_request.h"
#include "apiserver/verbs/apply.h"
#include "apiserver/verbs/verbs.h"
#include "apiserver/verbs/write.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

using json::Document;

/// The value at a simple path such as ".spec.replicas", as written in the CRD.
const Document* value_at(const Document& object, std::string_view path) {
  const Document* at = &object;
  for (const std::string& step : split(path.substr(1), '.')) {
    at = at->find(step);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::int64_t number_at(const Document& object, std::string_view path) {
  const Document* found = value_at(object, path);
  return found != nullptr && found->is_int() ? found->as_int() : 0;
}

Document scale_of(const api::ScalePaths& paths, const Document& object) {
  const Document& metadata = *object.find("metadata");
  json::Object shown;
  for (const char* key : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (const Document* value = metadata.find(key)) shown.append(key, *value);
  }
  json::Object status;
  status.append("replicas", number_at(object, paths.status_replicas));
  const Document* selector = value_at(object, paths.label_selector);
  if (selector != nullptr && selector->is_string() && !selector->as_string().empty())
    status.append("selector", *selector);
  // A deployment stores its selector as an object.
  if (selector != nullptr && selector->is_object()) status.append("selector", api::selector_text(*selector));
  return json::Object{{"kind", "Scale"},
                      {"apiVersion", "autoscaling/v1"},
                      {"metadata", std::move(shown)},
                      {"spec", json::Object{{"replicas", number_at(object, paths.spec_replicas)}}},
                      {"status", std::move(status)}};
}

/// A Scale is not a resource of its own, but it is printed like one.
const api::Resource& scale_kind() {
  static const api::Resource kind = [] {
    api::Resource scale{.group = "autoscaling", .version = "v1", .kind = "Scale", .plural = "scales"};
    scale.columns = {{"Desired", "integer", ".spec.replicas", "Wanted number of replicas.", 0},
                     {"Available", "integer", ".status.replicas", "Current number of replicas.", 0},
                     {"Age", "date", ".metadata.creationTimestamp", "When the scaled object was created.", 0}};
    return scale;
  }();
  return kind;
}

void answer_with(const Reply& reply, const Document& scale) {
  reply.object(200, scale_kind(), std::make_shared<const std::string>(json::serialize(scale)));
}

/// Members that a Scale does not have, in the format of the strict decoder.
std::vector<std::string> unknown_in(const Document& scale) {
  static const std::map<std::string, std::set<std::string>> known = {
      {"", {"kind", "apiVersion", "metadata", "spec", "status"}},
      {"spec", {"replicas"}},
      {"status", {"replicas", "selector"}}};
  std::vector<std::string> unknown;
  for (const auto& [part, members] : known) {
    const Document* object = part.empty() ? &scale : scale.find(part);
    if (object == nullptr || !object->is_object()) continue;
    for (const json::Member& member : object->as_object()) {
      if (members.contains(member.key)) continue;
      unknown.push_back(fmt::format("unknown field \"{}\"", part.empty() ? member.key : part + "." + member.key));
    }
  }
  return unknown;
}

Error undecodable_scale(Origin origin, const Document& scale, std::string_view why) {
  if (origin == Origin::kBody) {
    return bad_request(fmt::format("Scale in version \"v1\" cannot be handled as a Scale: {}", why));
  }
  Error error;
  error.reason = Reason::kInvalid;
  error.causes = {invalid_value("patch", quote(json::serialize(scale)), why)};
  error.message = " \"\" is invalid: patch: " + error.causes[0].message;
  return error;
}

Status check_scale(const ResourceRequest& request, Origin origin, const Document& scale, FieldValidation validation,
                   std::vector<std::string>& warnings) {
  const std::string& kind = scale.string_at("kind");
  const std::string& version = scale.string_at("apiVersion");
  const bool other_kind = (!kind.empty() && kind != "Scale") || (!version.empty() && version != "autoscaling/v1");
  if (!scale.is_object() || other_kind) {
    return bad_request(
        fmt::format("invalid object type: {}, Kind={}; must be autoscaling/v1, Kind=Scale", version, kind));
  }
  if (const Document* replicas = scale.at("spec", "replicas"); replicas != nullptr && !replicas->is_int()) {
    return undecodable_scale(
        origin, scale, fmt::format("spec.replicas: must be an integer, got {}", json::kind_name(replicas->kind())));
  }
  const bool named = !scale.string_at("metadata", "name").empty();
  if (named || origin == Origin::kBody) TRY(check_identity(request, scale));
  const std::vector<std::string> unknown = unknown_in(scale);
  warnings.insert(warnings.end(), unknown.begin(), unknown.end());
  if (validation == FieldValidation::kIgnore) warnings.clear();
  if (validation != FieldValidation::kStrict || warnings.empty()) return ok();
  return undecodable_scale(origin, scale, "strict decoding error: " + join(warnings, ", "));
}

/// The current object and the scale that is wanted for it.
struct Wanted {
  Current current;
  Document scale;
};

/// The body of a PUT is checked before the object is looked up.
Result<Wanted> replacing_scale(Context& context, const ResourceRequest& request, const net::Request& http,
                               const WriteParameters& parameters, std::vector<std::string>& warnings) {
  Wanted wanted;
  TRY_ASSIGN(wanted.scale, read_body(request, http, warnings));
  TRY(check_scale(request, Origin::kBody, wanted.scale, parameters.field_validation, warnings));
  TRY_ASSIGN(wanted.current, replaced_object(context, request, wanted.scale));
  return wanted;
}

Result<Wanted> patching_scale(Context& context, const ResourceRequest& request, const net::Request& http,
                              const WriteParameters& parameters, std::vector<std::string>& warnings) {
  Wanted wanted;
  TRY_ASSIGN(wanted.current, current_object(context, request));
  if (is_apply(http)) {
    TRY_ASSIGN(wanted.scale, read_applied(request, http, parameters.field_validation, warnings));
  } else {
    TRY_ASSIGN(const Patch patch, read_patch(request, http, warnings));
    TRY_ASSIGN(wanted.scale, apply_patch(patch, nullptr, scale_of(*request.resource->scale, wanted.current.object)));
  }
  TRY(check_scale(request, Origin::kPatch, wanted.scale, parameters.field_validation, warnings));
  const std::string& uid = wanted.current.object.string_at("metadata", "uid");
  TRY(check_uid(*request.resource, request.name, uid, wanted.scale));
  return wanted;
}

/// Sets the number of replicas in `object`. Missing parents on the path are created only in an applied configuration: a
/// job without that role has nothing to scale, and the role is not invented here.
Status set_replicas(const api::Resource& resource, std::int64_t wanted, bool make_path, Document& object) {
  Document* at = &object;
  for (const std::string& step : split(std::string_view(resource.scale->spec_replicas).substr(1), '.')) {
    if (!at->is_object() || (at->find(step) == nullptr && step != "replicas" && !make_path)) {
      return invalid(resource, object.string_at("metadata", "name"),
                     {invalid_value("spec.replicas", std::to_string(wanted),
                                    fmt::format("the job has no {}", resource.scale->spec_replicas))});
    }
    if (at->find(step) == nullptr) (*at)[step] = json::Object();
    at = &(*at)[step];
  }
  *at = wanted;
  return ok();
}

Result<Document> scaled(const api::Resource& resource, const Document& object, const Document& scale) {
  Document after = object;
  TRY(set_replicas(resource, scale.int_at("spec", "replicas"), false, after));
  const std::string& version = scale.string_at("metadata", "resourceVersion");
  if (!version.empty()) after["metadata"]["resourceVersion"] = version;
  return after;
}

/// The same request as a configuration of the object itself, where the owner of the field is recorded.
Result<Document> scaled_config(const ResourceRequest& request, const Document& scale) {
  Document config = json::Object{{"apiVersion", request.resource->api_version()},
                                 {"kind", request.resource->kind},
                                 {"metadata", json::Object{{"name", request.name}}}};
  TRY(set_replicas(*request.resource, scale.int_at("spec", "replicas"), true, config));
  return config;
}

Result<Document> admit_scaled(Context& context, const ResourceRequest& request, const net::Request& http,
                              const Wanted& target, const WriteParameters& parameters,
                              std::vector<std::string>& warnings) {
  const auto& [current, scale] = target;
  // Whichever verb is used, the job must have the role that is scaled.
  TRY_ASSIGN(Document wanted, scaled(*request.resource, current.object, scale));
  if (request.verb == Verb::kPatch && is_apply(http)) {
    TRY_ASSIGN(Document config, scaled_config(request, scale));
    return admit_applied(context, request, current, std::move(config), parameters, warnings);
  }
  ResourceRequest whole = request;
  whole.subresource.clear();
  TRY_ASSIGN(Document admitted,
             admit_change(context, whole, Origin::kPatch, current.object, std::move(wanted), parameters, warnings));
  own_change(request, current.object, {}, admitted, parameters.field_manager, context.loop.now());
  return admitted;
}

void read_scale(Context& context, const ResourceRequest& request, Reply reply) {
  const auto current = current_object(context, request);
  if (!current) return reply.fail(current.error());
  answer_with(reply, scale_of(*request.resource->scale, current->object));
}

}  // namespace

void answer_scale(Context& context, const ResourceRequest& request, const net::Request& http, Reply reply) {
  if (request.verb == Verb::kGet) return read_scale(context, request, std::move(reply));
  const auto parameters = parse_write_parameters(request, http);
  if (!parameters) return reply.fail(parameters.error());
  std::vector<std::string> warnings;
  auto target = request.verb == Verb::kUpdate ? replacing_scale(context, request, http, *parameters, warnings)
                                              : patching_scale(context, request, http, *parameters, warnings);
  if (!target) return reply.fail(target.error());
  auto admitted = admit_scaled(context, request, http, *target, *parameters, warnings);
  for (std::string& warning : warnings) reply.warn(std::move(warning));
  if (!admitted) return reply.fail(admitted.error());
  const Current& current = target->current;
  const api::ScalePaths& paths = *request.resource->scale;
  store_change(context, *request.resource, current.key, current.entry, current.object, *std::move(admitted),
               parameters->dry_run, [&paths, reply = std::move(reply)](Result<store::Bytes> result) {
                 if (!result) return reply.fail(result.error());
                 const auto object = json::parse(**result);
                 if (!object) return reply.fail(object.error());
                 answer_with(reply, scale_of(paths, *object));
               });
}

}  // namespace muster::apiserver
