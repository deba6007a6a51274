// Deletion: preconditions, grace period of pods, finalizers, propagation. Used by DELETE and by garbage collection.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/resource.h"
#include "apiserver/context/context.h"
#include "apiserver/http/request.h"
#include "base/result.h"
#include "store/store.h"

namespace muster::apiserver {

enum class Propagation { kBackground, kForeground, kOrphan };

struct DeleteOptions {
  std::optional<std::int64_t> grace_period_seconds;
  std::optional<Propagation> propagation;
  std::optional<std::string> uid;  // preconditions
  std::optional<std::string> resource_version;
  bool dry_run = false;
};
/// Reads the body (metav1.DeleteOptions) and, for options that it lacks, the query.
Result<DeleteOptions> parse_delete_options(const net::Request& http, const Query& query);

struct Removed {
  bool gone = false;  // false: marked as deleted, but something still holds it
  store::Bytes object;
};
using OnRemoved = UniqueFunction<void(Result<Removed>)>;

/// Starts from `latest`. The callback may run before this returns when nothing has to be written.
void remove_object(Context& context, const api::Resource& resource, const store::Key& key, const DeleteOptions& options,
                   OnRemoved done);

}  // namespace muster::apiserver
