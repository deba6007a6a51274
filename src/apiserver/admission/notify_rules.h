// Who may be told about jobs. The annotation `muster.dev/notify` of a job, or of the template of one, names targets of
// the configuration, which anybody may do, and Secrets with the URL of a web hook, which only the owner may: the engine
// sends requests to them.
#pragma once

#include <string>
#include <vector>

#include "apiserver/http/request.h"
#include "base/error.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::apiserver {

/// Forbidden when anybody but the owner writes such a Secret, or names one that `before`, which may be null, does not
/// name.
Status check_notify_sender(const ResourceRequest& request, const json::Document* before, const json::Document& after);

/// Reports what cannot be a target, and URLs, which everybody who reads the object would see; not those that `before`
/// has.
std::vector<FieldCause> check_notify_targets(const json::Document* before, const json::Document& after);

}  // namespace muster::apiserver
