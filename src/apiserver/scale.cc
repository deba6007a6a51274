// The scale subresource of job kinds: how many workers are wanted and how many run, in the form every autoscaler and
// `kubectl scale` understand.
#include <fmt/core.h>

#include "apiserver/admission.h"
#include "apiserver/change.h"
#include "apiserver/handlers.h"
#include "apiserver/ownership.h"
#include "apiserver/patching.h"
#include "apiserver/selectors.h"
#include "apiserver/status_error.h"
#include "apiserver/writes.h"
#include "base/strings.h"
#include "reflect/type_desc.h"

namespace muster::apiserver {
namespace {

using json::Document;

/// The value at a simple path, ".spec.replicas", as it stands in the CRD.
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
  // A deployment has its selector as an object.
  if (selector != nullptr && selector->is_object()) status.append("selector", selector_text(*selector));
  return json::Object{{"kind", "Scale"},
                      {"apiVersion", "autoscaling/v1"},
                      {"metadata", std::move(shown)},
                      {"spec", json::Object{{"replicas", number_at(object, paths.spec_replicas)}}},
                      {"status", std::move(status)}};
}

Result<Document> wanted_scale(const ResourceRequest& request, const net::Request& http, const Document& now) {
  if (request.verb == Verb::kUpdate) return read_body(http);
  TRY_ASSIGN(const Patch patch, read_patch(*request.resource, http));
  static const reflect::TypeDesc any;
  return apply_patch(patch, any, now);
}

Result<Document> scaled(const api::Resource& resource, const Document& object, const Document& scale) {
  const std::string& name = object.string_at("metadata", "name");
  const Document* replicas = scale.at("spec", "replicas");
  const std::int64_t wanted = replicas != nullptr && replicas->is_int() ? replicas->as_int() : 0;
  if (wanted < 0) {
    return invalid(resource, name,
                   {invalid_value("spec.replicas", std::to_string(wanted), "should be a non-negative integer")});
  }
  Document after = object;
  Document* at = &after;
  for (const std::string& step : split(std::string_view(resource.scale->spec_replicas).substr(1), '.')) {
    // A job without that role has nothing to scale; its number is not made up here.
    if (!at->is_object() || (at->find(step) == nullptr && step != "replicas")) {
      return invalid(resource, name,
                     {invalid_value("spec.replicas", std::to_string(wanted),
                                    fmt::format("the job has no {}", resource.scale->spec_replicas))});
    }
    at = &(*at)[step];
  }
  *at = wanted;
  const std::string& version = scale.string_at("metadata", "resourceVersion");
  if (!version.empty()) after["metadata"]["resourceVersion"] = version;
  return after;
}

}  // namespace

void answer_scale(Context& context, const ResourceRequest& request, const net::Request& http, Reply reply) {
  const auto current = current_object(context, request);
  if (!current) return reply.fail(current.error());
  const api::ScalePaths& paths = *request.resource->scale;
  if (request.verb == Verb::kGet) return reply.json(200, json::serialize(scale_of(paths, current->object)));
  const auto parameters = parse_write_parameters(request, http);
  if (!parameters) return reply.fail(parameters.error());
  const auto scale = wanted_scale(request, http, scale_of(paths, current->object));
  if (!scale) return reply.fail(scale.error());
  auto wanted = scaled(*request.resource, current->object, *scale);
  if (!wanted) return reply.fail(wanted.error());

  ResourceRequest of_job = request;
  of_job.subresource.clear();
  std::vector<std::string> warnings;
  auto admitted = admit_change(of_job, Origin::kPatch, current->object, *std::move(wanted), *parameters, warnings);
  if (!admitted) return reply.fail(admitted.error());
  own_change(request, current->object, {}, *admitted, parameters->field_manager, context.loop.now());
  store_change(context, *request.resource, current->key, current->entry, current->object, *std::move(admitted),
               parameters->dry_run, [&paths, reply = std::move(reply)](Result<store::Bytes> result) {
                 if (!result) return reply.fail(result.error());
                 const auto object = json::parse(**result);
                 if (!object) return reply.fail(object.error());
                 reply.json(200, json::serialize(scale_of(paths, *object)));
               });
}

}  // namespace muster::apiserver
