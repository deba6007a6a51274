#include <fmt/core.h>

#include "apiserver/errors/status_error.h"
#include "apiserver/http/body.h"
#include "apiserver/http/write_parameters.h"
#include "apiserver/verbs/verbs.h"
#include "apiserver/verbs/write.h"

namespace muster::apiserver {
namespace {

Error binding_conflict(const std::string& pod, std::string_view why) {
  Error error;
  error.reason = Reason::kConflict;
  error.message = fmt::format("Operation cannot be fulfilled on pods/binding \"{}\": {}", pod, why);
  error.kind = "pods/binding";
  error.name = pod;
  return error;
}

void set_scheduled(json::Document& pod, Time now) {
  json::Document& conditions = pod["status"]["conditions"];
  if (!conditions.is_array()) conditions = json::Array();
  json::Document scheduled =
      json::Object{{"type", "PodScheduled"}, {"status", "True"}, {"lastTransitionTime", format_rfc3339(now)}};
  for (json::Document& condition : conditions.as_array()) {
    if (condition.string_at("type") != "PodScheduled") continue;
    condition = std::move(scheduled);
    return;
  }
  conditions.as_array().push_back(std::move(scheduled));
}

/// As in Kubernetes, a scheduler can annotate the pod together with its binding.
void add_annotations(const json::Document& annotations, json::Document& pod) {
  if (!annotations.is_object()) return;
  for (const auto& [key, value] : annotations.as_object()) {
    if (value.is_string()) pod["metadata"]["annotations"][key] = value;
  }
}

}  // namespace

void bind_pod(Context& context, const ResourceRequest& request, const net::Request& http, Reply reply) {
  const auto parameters = parse_write_parameters(request, http);
  if (!parameters) return reply.fail(parameters.error());
  std::vector<std::string> repeated;
  const auto body = read_body(request, http, repeated);
  if (!body) return reply.fail(body.error());
  const std::string node = body->string_at("target", "name");
  const std::string& kind = body->string_at("target", "kind");
  const api::Resource& pods = *request.resource;
  const std::string& named = body->string_at("metadata", "name");
  if (!named.empty() && named != request.name) {
    return reply.fail(bad_request("name in URL does not match name in Binding object"));
  }
  if (node.empty()) return reply.fail(invalid(pods, request.name, {required("target.name", "")}));
  if (!kind.empty() && kind != "Node") {
    return reply.fail(
        invalid(pods, request.name,
                {{"FieldValueNotSupported", fmt::format("Unsupported value: \"{}\": supported values: \"Node\"", kind),
                  "target.kind"}}));
  }
  edit_object(
      context, pods, key_of(pods, request.ns, request.name),
      [node, name = request.name, binding = *body, now = context.loop.now(),
       dry_run = parameters->dry_run](json::Document& pod) -> Status {
        const std::string& uid = binding.string_at("metadata", "uid");
        if (!uid.empty() && uid != pod.string_at("metadata", "uid")) {
          return binding_conflict(
              name, fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}", uid,
                                pod.string_at("metadata", "uid")));
        }
        if (!pod.string_at("metadata", "deletionTimestamp").empty()) {
          return binding_conflict(name, fmt::format("pod {} is being deleted, cannot be assigned to a host", name));
        }
        if (const std::string& bound = pod.string_at("spec", "nodeName"); !bound.empty()) {
          return binding_conflict(name, fmt::format("pod {} is already assigned to node \"{}\"", name, bound));
        }
        if (dry_run) return ok();
        pod["spec"]["nodeName"] = node;
        if (const json::Document* annotations = binding.at("metadata", "annotations"); annotations != nullptr) {
          add_annotations(*annotations, pod);
        }
        set_scheduled(pod, now);
        return ok();
      },
      [reply = std::move(reply)](Result<store::Bytes> result) {
        if (!result) return reply.fail(result.error());
        reply.json(201, success_status({}, 201));
      });
}

}  // namespace muster::apiserver
