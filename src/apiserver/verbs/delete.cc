#include "apiserver/verbs/delete.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "apiserver/admission/metadata_rules.h"
#include "apiserver/admission/stored_object.h"
#include "apiserver/errors/status_error.h"
#include "apiserver/http/body.h"
#include "apiserver/http/write_parameters.h"
#include "apiserver/list/page.h"
#include "apiserver/verbs/verbs.h"
#include "apiserver/verbs/write.h"
#include "base/clamped_seconds.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

using json::Document;

Result<std::optional<Propagation>> parse_propagation(std::string_view word) {
  if (word.empty()) return std::optional<Propagation>();
  if (word == "Background") return std::optional(Propagation::kBackground);
  if (word == "Foreground") return std::optional(Propagation::kForeground);
  if (word == "Orphan") return std::optional(Propagation::kOrphan);
  return invalid_options("DeleteOptions", {unsupported_value("propagationPolicy", quote(word),
                                                             {"Foreground", "Background", "Orphan", "nil"})});
}

Status check_preconditions(const api::Resource& resource, const Document& object, const DeleteOptions& options) {
  const std::string& name = object.string_at("metadata", "name");
  const std::string& uid = object.string_at("metadata", "uid");
  if (options.uid && *options.uid != uid) {
    return conflict(resource, name,
                    fmt::format("the UID in the precondition ({}) does not match the UID in record ({}). The object "
                                "might have been deleted and then recreated",
                                *options.uid, uid));
  }
  const std::string& version = object.string_at("metadata", "resourceVersion");
  if (options.resource_version && *options.resource_version != version) {
    return conflict(resource, name,
                    fmt::format("the ResourceVersion in the precondition ({}) does not match the ResourceVersion in "
                                "record ({}). The object might have been modified",
                                *options.resource_version, version));
  }
  return ok();
}

/// Only pods that are bound to a node and have not ended get time to stop.
std::int64_t grace_seconds(const api::Resource& resource, const Document& object, const DeleteOptions& options) {
  if (resource.qualified_name() != "pods") return 0;
  const std::string& phase = object.string_at("status", "phase");
  if (object.string_at("spec", "nodeName").empty() || phase == "Succeeded" || phase == "Failed") return 0;
  const std::int64_t seconds =
      options.grace_period_seconds.value_or(object.int_at("spec", "terminationGracePeriodSeconds"));
  return seconds < 0 ? 1 : seconds;
}

/// Sets the finalizer by which the garbage collector holds the owner until it has handled the dependents.
void set_collector_finalizer(Document& object, const DeleteOptions& options) {
  if (!options.propagation) return;
  std::vector<std::string> finalizers = finalizers_of(object);
  std::erase_if(finalizers, [](const std::string& f) { return f == "orphan" || f == "foregroundDeletion"; });
  if (*options.propagation == Propagation::kOrphan) finalizers.emplace_back("orphan");
  if (*options.propagation == Propagation::kForeground) finalizers.emplace_back("foregroundDeletion");
  set_finalizers(object, finalizers);
}

/// Marks the object as being deleted from now on, or shortens the grace period if it is marked already.
void mark(Document& object, std::int64_t grace, Time now) {
  json::Object& metadata = object["metadata"].as_object();
  const auto since = parse_rfc3339(object.string_at("metadata", "deletionTimestamp"));
  if (since) {
    const std::int64_t before = object.int_at("metadata", "deletionGracePeriodSeconds");
    if (grace >= before) return;
    metadata.set("deletionTimestamp", format_rfc3339(*since - (clamped_seconds(before) - clamped_seconds(grace))));
    metadata.set("deletionGracePeriodSeconds", grace);
    return;
  }
  metadata.set("deletionTimestamp", format_rfc3339(now + clamped_seconds(grace)));
  metadata.set("deletionGracePeriodSeconds", grace);
  if (const std::int64_t generation = object.int_at("metadata", "generation"); generation > 0) {
    metadata.set("generation", generation + 1);
  }
}

}  // namespace

Result<DeleteOptions> parse_delete_options(const net::Request& http, const Query& query) {
  DeleteOptions options;
  Document body;
  if (!trim(http.body).empty()) {
    std::vector<std::string> repeated;
    TRY_ASSIGN(body, read_small_body(http, repeated));
    const std::string& kind = body.string_at("kind");
    // A client that sends the object itself does not mean its fields as deletion options.
    if (!body.is_object() || (!kind.empty() && kind != "DeleteOptions")) {
      return bad_request(fmt::format("body: must be DeleteOptions, got {}",
                                     kind.empty() ? json::kind_name(body.kind()) : std::string_view(kind)));
    }
  }
  if (const Document* grace = body.find("gracePeriodSeconds"); grace != nullptr && !grace->is_null()) {
    if (!grace->is_int()) return bad_request("gracePeriodSeconds: must be a whole number");
    options.grace_period_seconds = grace->as_int();
  } else {
    TRY_ASSIGN(options.grace_period_seconds, query.number("gracePeriodSeconds"));
  }
  const std::string& in_body = body.string_at("propagationPolicy");
  TRY_ASSIGN(options.propagation, parse_propagation(in_body.empty() ? query.get("propagationPolicy") : in_body));
  if (const Document* orphan = body.find("orphanDependents"); orphan != nullptr && orphan->is_bool()) {
    if (options.propagation) {
      return invalid_options("DeleteOptions",
                             {invalid_value("propagationPolicy", quote(in_body),
                                            "orphanDependents and deletionPropagation cannot be both set")});
    }
    options.propagation = orphan->as_bool() ? Propagation::kOrphan : Propagation::kBackground;
  }
  if (const std::string& uid = body.string_at("preconditions", "uid"); !uid.empty()) options.uid = uid;
  if (const std::string& version = body.string_at("preconditions", "resourceVersion"); !version.empty()) {
    options.resource_version = version;
  }
  TRY_ASSIGN(options.dry_run, parse_dry_run("DeleteOptions", query, body.find("dryRun")));
  return options;
}

void remove_object(Context& context, const api::Resource& resource, const store::Key& key, const DeleteOptions& options,
                   OnRemoved done) {
  const store::Entry* entry = context.store.latest(key);
  if (entry == nullptr) return done(not_found(resource, key.name));
  auto parsed = json::parse(*entry->bytes);
  // No client can remove a finalizer from an object that cannot be parsed, so it is removed at once.
  const bool unreadable = !parsed;
  if (unreadable) parsed = read_identity(*entry);
  if (!parsed) return done(std::move(parsed).error());
  const Document& before = *parsed;
  if (auto met = check_preconditions(resource, before, options); !met) return done(std::move(met).error());

  Document after = before;
  set_collector_finalizer(after, options);
  mark(after, unreadable ? 0 : grace_seconds(resource, before, options), context.loop.now());
  const bool is_namespace = resource.qualified_name() == "namespaces";
  if (is_namespace) {
    after["status"]["phase"] = "Terminating";
    after["metadata"].as_object().erase("deletionGracePeriodSeconds");
  }

  const bool held =
      !unreadable && (!finalizers_of(after).empty() || after.int_at("metadata", "deletionGracePeriodSeconds") > 0 ||
                      (is_namespace && !strings_at(after, "spec", "finalizers").empty()));
  if (options.dry_run) return done(Removed{!held, std::make_shared<const std::string>(json::serialize(after))});
  if (held) {
    store_change(context, resource, key, *entry, before, std::move(after), false,
                 [done = std::move(done)](Result<store::Bytes> result) mutable {
                   if (!result) return done(std::move(result).error());
                   done(Removed{false, *std::move(result)});
                 });
    return;
  }
  // The last state of a pod always has the deletion mark; other objects have it only if they were marked before.
  const bool marked = resource.qualified_name() == "pods" || !before.string_at("metadata", "deletionTimestamp").empty();
  context.store.remove(key, entry->revision, render_of(key, marked ? std::move(after) : before),
                       [done = std::move(done)](Result<store::Entry> result) mutable {
                         if (!result) return done(std::move(result).error());
                         done(Removed{true, result->bytes});
                       });
}

namespace {

std::string gone_status(const api::Resource& resource, const std::string& bytes) {
  const auto object = json::parse(bytes);
  json::Object details;
  if (object) details.append("name", object->string_at("metadata", "name"));
  if (!resource.group.empty()) details.append("group", resource.group);
  details.append("kind", resource.plural);
  if (object) details.append("uid", object->string_at("metadata", "uid"));
  return success_status(std::move(details), 0);
}

constexpr std::size_t kClearedAtOnce = 64;  // deletions in one turn of the loop

/// Deletes a collection in batches. The response is the list as it was before, sent when the last deletion is done.
struct Clearing : std::enable_shared_from_this<Clearing> {
  Clearing(Context& c, const api::Resource& r, DeleteOptions o, Reply to)
      : context(c), server(c.lifetime.watch()), resource(r), options(std::move(o)), reply(std::move(to)) {}

  Context& context;
  Lifetime::Watch server;  // and so the context
  const api::Resource& resource;
  DeleteOptions options;
  Reply reply;
  Listed listed;
  std::vector<store::Key> keys;
  std::size_t next = 0;
  std::size_t open = 0;  // deletions of this turn that are not done yet
  std::optional<Error> error;

  void go_on() {
    if (next == keys.size()) return answer();
    const std::size_t end = std::min(keys.size(), next + kClearedAtOnce);
    open = end - next;
    for (std::size_t i = std::exchange(next, end); i < end; ++i) {
      remove_object(context, resource, keys[i], options, [self = shared_from_this()](Result<Removed> result) {
        // Another client deleted the object meanwhile, which is what was asked for.
        if (!result && result.error().reason != Reason::kNotFound) self->error = result.error();
        if (--self->open == 0) self->go_on_later();
      });
    }
  }
  void go_on_later() {
    if (server.over()) return;
    context.loop.post([self = shared_from_this()] {
      if (!self->server.over()) self->go_on();
    });
  }
  void answer() {
    if (error) return reply.fail(*error);
    reply.json(list_response(resource, std::move(listed)));
  }
};

}  // namespace

std::string success_status(json::Object details, int code) {
  json::Object status;
  status.append("kind", "Status");
  status.append("apiVersion", "v1");
  status.append("metadata", json::Object());
  status.append("status", "Success");
  if (!details.empty()) status.append("details", std::move(details));
  if (code != 0) status.append("code", code);
  return json::serialize(status);
}

void delete_object(Context& context, const ResourceRequest& request, const net::Request& http, Reply reply) {
  const auto options = parse_delete_options(http, request.query);
  if (!options) return reply.fail(options.error());
  const api::Resource& resource = *request.resource;
  const bool kept = request.name == "default" || request.name == "kube-system" || request.name == "kube-public";
  if (kept && resource.qualified_name() == "namespaces") {
    return reply.fail(forbidden(resource, request.name, "this namespace may not be deleted"));
  }
  remove_object(context, resource, key_of(resource, request.ns, request.name), *options,
                [&resource, reply = std::move(reply)](Result<Removed> result) {
                  if (!result) return reply.fail(result.error());
                  if (!result->gone || resource.returned_by_delete) {
                    return reply.object(200, resource, result->object);
                  }
                  reply.json(200, gone_status(resource, *result->object));
                });
}

void delete_collection(Context& context, const ResourceRequest& request, const net::Request& http, Reply reply) {
  const auto options = parse_delete_options(http, request.query);
  if (!options) return reply.fail(options.error());
  const auto selection = parse_selection(request);
  if (!selection) return reply.fail(selection.error());
  const auto page = parse_page(request.query, context.store.revision());
  if (!page) return reply.fail(page.error());
  std::vector<store::Key> keys;
  auto listed = list_page(context, *selection, *page, &keys);
  if (!listed && listed.error().reason == Reason::kExpired) {
    return reply.json(http_code(Reason::kExpired), json::serialize(expired_list(*page)));
  }
  if (!listed) return reply.fail(listed.error());

  auto clearing = std::make_shared<Clearing>(context, *request.resource, *options, std::move(reply));
  clearing->listed = *std::move(listed);
  clearing->keys = std::move(keys);
  clearing->go_on();
}

}  // namespace muster::apiserver
