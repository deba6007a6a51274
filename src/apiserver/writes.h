// Puts admitted objects into the store. The next write builds on `latest`, which sees what was accepted but is not yet
// durable, and everything here runs on the loop: between reading `latest` and the put nothing can change, so no write
// of ours ever conflicts or is retried.
#pragma once

#include "api/resource.h"
#include "apiserver/context.h"
#include "json/document.h"
#include "store/store.h"

namespace muster::apiserver {

/// The object as stored; may be called before the starting function returns (dry run, no change, error).
using OnStored = UniqueFunction<void(Result<store::Bytes>)>;

store::Key key_of(const api::Resource& resource, const std::string& ns, const std::string& name);
/// Serialises with the revision inside, once it is known. `key` must live until then.
store::Render render_of(const store::Key& key, json::Document object);

void store_new(Context& context, const api::Resource& resource, const store::Key& key, json::Document object,
               bool dry_run, OnStored done);

/// `before` is the parsed `entry`. No difference: nothing is written. The last finalizer of a deleted object gone: it
/// is removed.
void store_change(Context& context, const api::Resource& resource, const store::Key& key, const store::Entry& entry,
                  const json::Document& before, json::Document after, bool dry_run, OnStored done);

/// A change of the server itself (binding, garbage collection): no admission. NotFound when there is no such object.
using Edit = UniqueFunction<Status(json::Document&)>;
void edit_object(Context& context, const api::Resource& resource, const store::Key& key, Edit edit, OnStored done);

}  // namespace muster::apiserver
