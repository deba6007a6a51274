#include "apiserver/verbs/write.h"

#include <fmt/core.h>

#include <memory>

#include "api/versions.h"
#include "apiserver/admission/metadata_rules.h"
#include "apiserver/admission/stored_object.h"
#include "apiserver/apply/ownership.h"
#include "apiserver/errors/status_error.h"
#include "apiserver/list/attributes.h"
#include "apiserver/quota/quotas.h"

namespace muster::apiserver {
namespace {

/// The store knows only keys; this turns its errors into those of the API.
Error in_api_words(const api::Resource& resource, const store::Key& key, Error error) {
  switch (error.reason) {
    case Reason::kAlreadyExists:
      return already_exists(resource, key.name);
    case Reason::kNotFound:
      return not_found(resource, key.name);
    case Reason::kConflict:
      return stale(resource, key.name);
    default:
      return error;
  }
}

Error is_there(const api::Resource& resource, const store::Key& key, const store::Entry& entry) {
  Error error = already_exists(resource, key.name);
  const auto object = json::parse(*entry.bytes);
  const bool going = object && !object->string_at("metadata", "deletionTimestamp").empty();
  return going ? in_context("object is being deleted", std::move(error)) : error;
}

/// Returns Forbidden if the write would make the namespace's objects take more than they may. `entry` is null for a new
/// object.
Status check_namespace_limits(const Context& context, const api::Resource& resource, const store::Key& key,
                              const store::Entry* entry, const json::Document& after) {
  constexpr std::size_t kMostOfAnObject = 64u << 20;  // further below the limit nothing is serialised to be measured
  if (resource.scope != api::Scope::kNamespaced) return ok();
  const store::Usage used = context.store.used(key.ns);
  const NamespaceLimits& limits = context.namespace_limits;
  const auto exceeded = [&](std::string_view what, std::size_t wanted, std::size_t has, std::size_t most,
                            std::string_view setting) {
    return forbidden(
        resource, key.name,
        fmt::format("exceeded quota: namespace, requested: {0}={1}, used: {0}={2}, limited: {0}={3}; delete "
                    "objects of the namespace, or have the owner of this engine raise limits.{4} in its "
                    "configuration",
                    what, wanted, has, most, setting));
  };
  if (entry == nullptr && used.objects >= limits.objects) {
    return exceeded("objects", 1, used.objects, limits.objects, "objectsPerNamespace");
  }
  if (used.bytes + kMostOfAnObject <= limits.bytes) return ok();
  const std::size_t size = json::serialize(after).size();
  const std::size_t before = entry == nullptr ? 0 : entry->bytes->size();
  if (size <= before || used.bytes + (size - before) <= limits.bytes) return ok();
  return exceeded("bytes", size - before, used.bytes, limits.bytes, "bytesPerNamespace");
}

store::Store::Done when_stored(const api::Resource& resource, const store::Key& key, OnStored done,
                               Quotas::Reservation held) {
  return [&resource, key, done = std::move(done), held = std::move(held)](Result<store::Entry> result) mutable {
    held.reset();  // the write is counted by now, or never will be
    if (!result) return done(in_api_words(resource, key, std::move(result).error()));
    done(result->bytes);
  };
}

/// True when nothing holds a deleted object any more: no finalizer, no grace period and, for a namespace, no contents.
bool may_go(const json::Document& object) {
  if (object.string_at("metadata", "deletionTimestamp").empty()) return false;
  const bool emptied = object.string_at("kind") != "Namespace" || strings_at(object, "spec", "finalizers").empty();
  return emptied && finalizers_of(object).empty() && object.int_at("metadata", "deletionGracePeriodSeconds") == 0;
}

}  // namespace

store::Key key_of(const api::Resource& resource, const std::string& ns, const std::string& name) {
  return {resource.qualified_name(), ns, name};
}

store::Render render_of(const store::Key& key, json::Document object) {
  return [&resource = key.resource, object = std::move(object)](store::Revision revision) mutable {
    object["metadata"].as_object().set("resourceVersion", std::to_string(revision));
    return store::Rendered{json::serialize(object), attributes_of(resource, object)};
  };
}

void store_new(Context& context, const api::Resource& resource, const store::Key& key, json::Document object,
               bool dry_run, OnStored done) {
  if (auto fits = check_shape(resource, object); !fits) return done(std::move(fits).error());
  auto held = context.quotas->reserve(resource, key.ns, nullptr, object);
  if (!held) return done(std::move(held).error());
  if (const store::Entry* there = context.store.latest(key)) return done(is_there(resource, key, *there));
  if (auto fits = check_namespace_limits(context, resource, key, nullptr, object); !fits) {
    return done(std::move(fits).error());
  }
  api::to_stored_version(resource, object);
  if (dry_run) return done(std::make_shared<const std::string>(json::serialize(object)));
  context.store.put(key, 0, render_of(key, std::move(object)),
                    when_stored(resource, key, std::move(done), *std::move(held)));
}

void store_change(Context& context, const api::Resource& resource, const store::Key& key, const store::Entry& entry,
                  const json::Document& before, json::Document after, bool dry_run, OnStored done) {
  if (after == before) return done(entry.bytes);
  if (auto fits = check_shape(resource, after); !fits) return done(std::move(fits).error());
  auto held = context.quotas->reserve(resource, key.ns, &before, after);
  if (!held) return done(std::move(held).error());
  api::to_stored_version(resource, after);
  if (dry_run) return done(std::make_shared<const std::string>(json::serialize(after)));
  const store::Revision expected = entry.revision;
  if (may_go(after)) {
    context.store.remove(key, expected, render_of(key, std::move(after)),
                         when_stored(resource, key, std::move(done), *std::move(held)));
    return;
  }
  context.store.put(key, expected, render_of(key, std::move(after)),
                    when_stored(resource, key, std::move(done), *std::move(held)));
}

void edit_object(Context& context, const api::Resource& resource, const store::Key& key, Edit edit, OnStored done) {
  const store::Entry* entry = context.store.latest(key);
  if (entry == nullptr) return done(not_found(resource, key.name));
  auto before = read_stored(key, *entry);
  if (!before) return done(std::move(before).error());
  json::Document after = *before;
  if (auto edited = edit(after); !edited) return done(std::move(edited).error());
  store_change(context, resource, key, *entry, *before, std::move(after), false, std::move(done));
}

OnStored reply_with_stored(int status, const api::Resource& resource, Reply reply) {
  return [status, &resource, reply = std::move(reply)](Result<store::Bytes> stored) {
    if (!stored) return reply.fail(stored.error());
    reply.object(status, resource, *stored);
  };
}

Result<Current> current_object(Context& context, const ResourceRequest& request) {
  Current current;
  current.key = key_of(*request.resource, request.ns, request.name);
  const store::Entry* entry = context.store.latest(current.key);
  if (entry == nullptr) return not_found(*request.resource, request.name);
  current.entry = *entry;
  TRY_ASSIGN(current.object, read_stored(current.key, *entry));
  api::to_asked_version(*request.resource, current.object);
  return current;
}

Result<Current> replaced_object(Context& context, const ResourceRequest& request, const json::Document& sent) {
  auto current = current_object(context, request);
  if (!current && current.error().reason != Reason::kNotFound) return current;
  const std::string uid = current ? current->object.string_at("metadata", "uid") : "";
  TRY(check_uid(*request.resource, request.name, uid, sent));
  return current;
}

void change_object(Context& context, const ResourceRequest& request, Origin origin, const Current& current,
                   json::Document wanted, const WriteParameters& parameters, std::vector<std::string> warnings,
                   Reply reply) {
  const json::Document sent_owners = managed_fields_of(wanted);
  auto admitted = admit_change(context, request, origin, current.object, std::move(wanted), parameters, warnings);
  for (std::string& warning : warnings) reply.warn(std::move(warning));
  if (!admitted) return reply.fail(admitted.error());
  own_change(request, current.object, sent_owners, *admitted, parameters.field_manager, context.loop.now());
  store_asked_change(context, request, current, *std::move(admitted), parameters.dry_run, std::move(reply));
}

void store_asked_change(Context& context, const ResourceRequest& request, const Current& current, json::Document after,
                        bool dry_run, Reply reply) {
  const api::Resource& resource = *request.resource;
  // The engine's own writes are bounded by the objects that they are about; a job whose status is lost would be broken.
  if (!request.in_process) {
    const auto fits = check_namespace_limits(context, resource, current.key, &current.entry, after);
    if (!fits) return reply.fail(fits.error());
  }
  store_change(context, resource, current.key, current.entry, current.object, std::move(after), dry_run,
               reply_with_stored(200, resource, std::move(reply)));
}

}  // namespace muster::apiserver
