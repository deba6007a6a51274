// Checks that other objects which an object names exist: the only rules that have to look at other objects.
#pragma once

#include <string>
#include <vector>

#include "api/resource.h"
#include "apiserver/context/context.h"
#include "base/error.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::apiserver {

/// Rejects a pod whose priority class does not exist; objects of other kinds are valid.
Status check_pod_priority(const Context& context, const api::Resource& resource, const json::Document& object);

/// For custom resources: reports priority classes in pod templates that do not exist, except those that `before` (may
/// be null) already names: they may be deleted while jobs use them, and these jobs can still be changed. Under strict
/// scheduling the same holds for queues.
std::vector<FieldCause> check_references(const Context& context, const api::Resource& resource,
                                         const json::Document* before, const json::Document& object);

/// Returns a warning for each queue that does not exist, except those that `before` (may be null) already names, unless
/// such queues are refused. The queue may still be created; until then the scheduler uses the default queue.
std::vector<std::string> missing_queue_warnings(const Context& context, const api::Resource& resource,
                                                const json::Document* before, const json::Document& object);

}  // namespace muster::apiserver
