#include "apiserver/admission/admission.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "apiserver/admission/host_reach.h"
#include "apiserver/admission/metadata_rules.h"
#include "apiserver/admission/node_policy.h"
#include "apiserver/admission/notify_rules.h"
#include "apiserver/admission/owner_claims.h"
#include "apiserver/admission/references.h"
#include "apiserver/admission/validity.h"
#include "apiserver/errors/status_error.h"
#include "base/random.h"
#include "reflect/reflect.h"

namespace muster::apiserver {
namespace {

using json::Document;

constexpr std::size_t kMaxGeneratedBase = 58;  // five more characters still fit into a DNS label
constexpr int kNameAttempts = 8;

/// An object on its way through the steps.
struct Write {
  Context& context;
  const ResourceRequest& request;
  const WriteParameters& parameters;
  const Origin origin;
  const Document* const before;  // null for a new object
  Document object;               // as it was sent; after the last step, as it may be stored
  std::vector<std::string>& warnings;
  const api::Resource& resource = *request.resource;
  Spec spec = Spec::kNew;
  std::vector<FieldCause> causes = {};   // why it is refused
  std::vector<std::string> advice = {};  // warnings about its values
  std::string sent_version = {};         // the resourceVersion that a new object was sent with

  Status refuse_for(std::vector<FieldCause> more) {
    std::ranges::move(more, std::back_inserter(causes));
    return ok();
  }
  void warn(std::vector<std::string> more) { std::ranges::move(more, std::back_inserter(warnings)); }
};

Status decode_object(Write& write) {
  const bool decoded = write.before != nullptr && write.origin == Origin::kBody;
  if (decoded) return ok();  // by check_replacement
  TRY(decode(write.resource, write.object, write.origin, write.parameters.field_validation, write.warnings));
  return write.before == nullptr ? ok() : check_identity(write.request, write.object);
}

Status set_namespace(Write& write) {
  Document& metadata = write.object["metadata"];
  const std::string given = metadata.string_at("namespace");
  if (write.resource.scope == api::Scope::kCluster) {
    if (!given.empty()) metadata.as_object().erase("namespace");
    return ok();
  }
  if (!given.empty() && given != write.request.ns) {
    return bad_request("the namespace of the provided object does not match the namespace sent on the request");
  }
  metadata.as_object().set("namespace", write.request.ns);
  return ok();
}

Status set_name(Write& write) {
  Document& metadata = write.object["metadata"];
  if (!metadata.string_at("name").empty()) return ok();
  const std::string base = metadata.string_at("generateName").substr(0, kMaxGeneratedBase);
  if (base.empty()) {
    return invalid(write.resource, "", {required("metadata.name", "name or generateName is required")});
  }
  for (int attempt = 0; attempt < kNameAttempts; ++attempt) {
    const std::string name = base + make_name_suffix(write.context.rng);
    metadata.as_object().set("name", name);
    if (write.context.store.latest({write.resource.qualified_name(), write.request.ns, name}) == nullptr) break;
  }
  return ok();
}

Status check_namespace(const Write& write) {
  if (write.resource.scope == api::Scope::kCluster) return ok();
  const std::string& name = write.request.ns;
  const store::Entry* found = write.context.store.latest({"namespaces", "", name});
  if (found == nullptr) return not_found(*api::find_resource("", "v1", "namespaces"), name);
  // This runs for every new object, and for most namespaces a search of the text shows that they are not being deleted.
  if (found->bytes->find("deletionTimestamp") == std::string::npos) return ok();
  TRY_ASSIGN(const Document ns, json::parse(*found->bytes));
  if (ns.string_at("metadata", "deletionTimestamp").empty()) return ok();
  Error error =
      forbidden(write.resource, write.object.string_at("metadata", "name"),
                fmt::format("unable to create new content in namespace {} because it is being terminated", name));
  error.causes = {
      {"NamespaceTerminating", fmt::format("namespace {} is being terminated", name), "metadata.namespace"}};
  return error;
}

Status name_in_namespace(Write& write) {
  TRY(set_namespace(write));
  const Status named = set_name(write);  // reported last: a missing namespace comes first
  TRY(check_namespace(write));
  return named;
}

Status stamp(Write& write) {
  write.sent_version = write.object.string_at("metadata", "resourceVersion");
  stamp_new(write.resource, write.object, write.context.rng, write.context.loop.now());
  return ok();
}

Status check_version(Write& write) {
  const api::Resource& resource = write.resource;
  const std::string& name = write.before->string_at("metadata", "name");
  const std::string& version = write.object.string_at("metadata", "resourceVersion");
  if (version.empty() || version == "0") {
    if (write.origin == Origin::kPatch || resource.built_in) return ok();
    Error error =
        invalid(resource, name, {invalid_value("metadata.resourceVersion", "0x0", "must be specified for an update")});
    // In Kubernetes the storage layer reports this, and it knows resources, not kinds.
    error.kind = resource.plural;
    error.message.replace(0, error.message.find(' '), resource.qualified_name());
    return error;
  }
  return version == write.before->string_at("metadata", "resourceVersion") ? ok() : Status(stale(resource, name));
}

Status drop_status(Write& write) {
  const bool takes_status = !write.resource.has_status || write.resource.brings_status;
  if (!takes_status) write.object.as_object().erase("status");
  return ok();
}

/// A write to /status changes only the status; any other write changes everything except the status.
Status split_status(Write& write) {
  if (!write.resource.has_status) return ok();
  if (write.request.subresource == "status") {
    Document merged = *write.before;
    copy_member(write.object, merged, "status");
    // Built-in kinds accept labels and annotations here; the metadata of a custom resource stays as it is.
    if (write.resource.built_in) merged.as_object().set("metadata", *write.object.find("metadata"));
    write.object = std::move(merged);
    return ok();
  }
  copy_member(*write.before, write.object, "status");
  // The finalizers in the spec of a namespace belong to the server and change only through /finalize.
  const bool is_namespace = write.resource.qualified_name() == "namespaces";
  if (is_namespace && write.request.subresource.empty()) copy_member(*write.before, write.object, "spec");
  return ok();
}

Status check_sender(Write& write) {
  TRY(check_notify_sender(write.request, write.before, write.object));
  TRY(check_host_reach(write.request, write.before, write.object));
  return check_owner_claims(write.context, write.request, write.before, write.object);
}

std::vector<std::string> advice_about(const Write& write, const Document& object) {
  std::vector<std::string> advice;
  if (write.resource.warn != nullptr) advice = write.resource.warn(object);
  const auto& policy = write.context.node_policy;
  if (!policy) return advice;
  std::ranges::move(warn_about_idle_fields(write.resource, object), std::back_inserter(advice));
  std::ranges::move(warn_about_host_ports(*policy, write.resource, object), std::back_inserter(advice));
  return advice;
}

/// Notes warnings for values that are valid but probably a mistake or have no effect, except those that the object
/// already had.
Status note_advice(Write& write) {
  if (!write.request.subresource.empty()) return ok();
  write.advice = advice_about(write, write.object);
  if (write.before == nullptr || write.advice.empty()) return ok();
  const std::vector<std::string> known = advice_about(write, *write.before);
  std::erase_if(write.advice, [&](const std::string& one) { return std::ranges::find(known, one) != known.end(); });
  return ok();
}

Status set_defaults(Write& write) {
  reflect::apply_defaults(*write.resource.type, write.object);
  if (write.resource.set_defaults != nullptr) write.resource.set_defaults(write.object);
  return ok();
}

Status keep_servers_fields(Write& write) {
  carry_over(write.resource, *write.before, write.object);
  return ok();
}

Status check_priority(Write& write) {
  return check_pod_priority(write.context, write.resource, write.object);
}

Status compare_specs(Write& write) {
  const bool of_status = write.request.subresource == "status";
  if (of_status || wants_the_same(write.resource, *write.before, write.object)) write.spec = Spec::kAsBefore;
  return ok();
}

Status check_kept_metadata(Write& write) {
  return write.refuse_for(check_metadata_change(*write.before, write.object));
}

Status check_own_metadata(Write& write) {
  return write.refuse_for(check_metadata(write.resource, write.object));
}

Status check_kept_fields(Write& write) {
  return write.refuse_for(forbidden_changes(write.resource, *write.before, write.object));
}

Status check_other_objects(Write& write) {
  return write.refuse_for(check_references(write.context, write.resource, write.before, write.object));
}

Status check_node_policy(Write& write) {
  if (!write.context.node_policy) return ok();
  TRY(write.refuse_for(check_host_folders(*write.context.node_policy, write.before, write.object)));
  if (!write.resource.built_in) {  // a job, or what makes jobs
    TRY(write.refuse_for(check_notify_targets(write.before, write.object)));
  }
  if (write.spec == Spec::kAsBefore) return ok();
  return write.refuse_for(check_pod_security(write.resource, write.object));
}

Status check_fields(Write& write) {
  TRY_ASSIGN(auto causes, invalid_fields(write.resource, write.object, write.origin, write.spec));
  return write.refuse_for(std::move(causes));
}

Status report_causes(Write& write) {
  if (write.causes.empty()) return ok();
  return invalid(write.resource, write.object.string_at("metadata", "name"), std::move(write.causes));
}

Status start_status(Write& write) {
  if (write.resource.start != nullptr) write.resource.start(write.object);
  return ok();
}

Status add_warnings(Write& write) {
  if (!write.request.subresource.empty()) return ok();
  const api::Resource& resource = write.resource;
  if (!resource.built_in) {
    for (const reflect::DeprecatedField& field : reflect::deprecated_fields(*resource.type, write.object)) {
      write.warnings.push_back(fmt::format("{}: deprecated; use {}", field.path, field.use_instead));
    }
  }
  write.warn(std::move(write.advice));
  const Context& context = write.context;
  const bool is_new = write.before == nullptr;
  if (is_new && context.node_policy) write.warn(warn_about_images(*context.node_policy, resource, write.object));
  write.warn(missing_queue_warnings(context, resource, write.before, write.object));
  if (is_new && context.is_acted_on && !context.is_acted_on(resource)) {
    write.warnings.push_back(fmt::format("{} is stored but nothing acts on it yet in this version", resource.kind));
  }
  return ok();
}

/// True for a number that can be the version of an object; any other text in a new object is ignored.
bool is_version(std::string_view text) {
  const bool digits = text.find_first_not_of("0123456789") == std::string_view::npos;
  return digits && text.find_first_not_of('0') != std::string_view::npos;
}

Status check_unversioned(Write& write) {
  if (write.parameters.dry_run) {
    if (write.sent_version.empty()) return ok();
    write.object["metadata"].as_object().set("resourceVersion", write.sent_version);
  } else if (write.request.verb == Verb::kCreate && is_version(write.sent_version)) {
    return Error{.reason = Reason::kInternalError,
                 .message = "resourceVersion should not be set on objects to be created"};
  }
  return ok();
}

enum class On { kCreate, kChange, kBoth };
struct Step {
  On on;
  Status (*run)(Write&);
};

/// Every step of admission, in order. The first error ends it.
constexpr Step kSteps[] = {
    // All other steps read an object of its kind, under the name that the request has.
    {On::kBoth, &decode_object},
    // Messages of later steps contain the name, and it must be known before anything is said about the contents.
    {On::kCreate, &name_in_namespace},
    // A client with an old copy is told so, not that its copy is invalid.
    {On::kChange, &check_version},
    // What a client may not set is replaced before it is checked, so that it cannot be wrong.
    {On::kCreate, &stamp},
    {On::kCreate, &drop_status},
    {On::kChange, &split_status},
    // Like every question of rights, before anything is said about the contents.
    {On::kBoth, &check_sender},
    // Before the defaults: the advice is about what was sent.
    {On::kCreate, &note_advice},
    // From here on every rule sees the whole object.
    {On::kBoth, &set_defaults},
    // After the defaults, because the generation counts changes of the whole object.
    {On::kChange, &keep_servers_fields},
    // Refused alone, as Kubernetes does in its admission, before it validates a pod.
    {On::kCreate, &check_priority},
    // The next steps only collect causes, in the order in which the client reads them; first, which of them apply.
    {On::kChange, &compare_specs},
    {On::kChange, &check_kept_metadata},
    {On::kBoth, &check_own_metadata},
    {On::kChange, &check_kept_fields},
    {On::kBoth, &check_other_objects},
    {On::kBoth, &check_node_policy},
    {On::kBoth, &check_fields},
    {On::kBoth, &report_causes},
    // The first status is the server's: the defaults of an absent one go, and the rules above do not concern it.
    {On::kCreate, &drop_status},
    {On::kCreate, &start_status},
    // A refused object has no warnings about its contents, and a change is compared as it will be stored.
    {On::kChange, &note_advice},
    {On::kBoth, &add_warnings},
    // In Kubernetes the storage layer reports this, after admission and not in a dry run.
    {On::kCreate, &check_unversioned},
};

Result<Document> admit(Write write) {
  const On now = write.before == nullptr ? On::kCreate : On::kChange;
  for (const Step& step : kSteps) {
    if (step.on == On::kBoth || step.on == now) TRY(step.run(write));
  }
  return std::move(write.object);
}

}  // namespace

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
  return admit({context, request, parameters, Origin::kBody, nullptr, std::move(object), warnings});
}

Result<Document> admit_change(Context& context, const ResourceRequest& request, Origin origin, const Document& before,
                              Document after, const WriteParameters& parameters, std::vector<std::string>& warnings) {
  return admit({context, request, parameters, origin, &before, std::move(after), warnings});
}

Result<Document> admit_question(const api::Resource& resource, Document object, const WriteParameters& parameters,
                                std::vector<std::string>& warnings) {
  TRY(decode_question(resource, object, parameters.field_validation, warnings));
  reflect::apply_defaults(*resource.type, object);
  TRY_ASSIGN(auto causes, invalid_fields(resource, object, Origin::kBody, Spec::kNew));
  if (!causes.empty()) return invalid(resource, object.string_at("metadata", "name"), std::move(causes));
  return object;
}

}  // namespace muster::apiserver
