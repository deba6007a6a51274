// Stores admitted objects and replies with what was stored: the common last step of every write. The next write starts
// from `latest`, which includes accepted writes that are not yet durable, and everything here runs on the loop: nothing
// can change between reading `latest` and the put, so our own writes never conflict and are never retried.
#pragma once

#include "api/resource.h"
#include "apiserver/admission/admission.h"
#include "apiserver/context/context.h"
#include "apiserver/http/reply.h"
#include "json/document.h"
#include "store/store.h"

namespace muster::apiserver {

/// Receives the stored object; may be called before the starting function returns (dry run, no change, error).
using OnStored = UniqueFunction<void(Result<store::Bytes>)>;

store::Key key_of(const api::Resource& resource, const std::string& ns, const std::string& name);
/// Serialises the object with its revision, once that is known. `key` must live until then.
store::Render render_of(const store::Key& key, json::Document object);

void store_new(Context& context, const api::Resource& resource, const store::Key& key, json::Document object,
               bool dry_run, OnStored done);

/// `before` is the parsed `entry`. If nothing differs, nothing is written. A deleted object whose last finalizer is
/// gone is removed.
void store_change(Context& context, const api::Resource& resource, const store::Key& key, const store::Entry& entry,
                  const json::Document& before, json::Document after, bool dry_run, OnStored done);

/// A change by the server itself (binding, garbage collection), without admission. NotFound when there is no object.
using Edit = UniqueFunction<Status(json::Document&)>;
void edit_object(Context& context, const api::Resource& resource, const store::Key& key, Edit edit, OnStored done);

/// Replies with the stored object, or with the error that kept it from being stored.
OnStored reply_with_stored(int status, const api::Resource& resource, Reply reply);

/// The object that a change starts from; its last write may not be committed yet.
struct Current {
  store::Key key;
  store::Entry entry;
  json::Document object;
};
Result<Current> current_object(Context& context, const ResourceRequest& request);
/// The same for a PUT, whose body may contain a uid: Conflict when the object has another uid or does not exist.
Result<Current> replaced_object(Context& context, const ResourceRequest& request, const json::Document& sent);

/// Stores what a request makes of the current object, unless its namespace has no room for it.
void store_asked_change(Context& context, const ResourceRequest& request, const Current& current, json::Document after,
                        bool dry_run, Reply reply);

void change_object(Context& context, const ResourceRequest& request, Origin origin, const Current& current,
                   json::Document wanted, const WriteParameters& parameters, std::vector<std::string> warnings,
                   Reply reply);

}  // namespace muster::apiserver
