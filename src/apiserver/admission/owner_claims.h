// Claims that only the engine's owner may use, by their annotation `muster.dev/owner-only`: the home of the owner's
// runs has logins in it. Jobs of the owner become pods with the engine's own rights, so these work as always.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/access/principal.h"
#include "apiserver/context/context.h"
#include "apiserver/http/request.h"
#include "base/result.h"
#include "json/document.h"

namespace muster::apiserver {

/// Forbidden when a service account would store an object that mounts such a claim, in a pod, a template of whatever
/// kind or as the logs of a TensorBoard, or change one; and when it would make, change or unmark such a claim. `before`
/// is null for a new object.
Status check_owner_claims(const Context& context, const ResourceRequest& request, const json::Document* before,
                          const json::Document& after);

/// Forbidden for a service account that would read or change the files of such a claim.
Status check_claim_files(const Principal& who, const json::Document& claim);

/// Forbidden for a service account that would start a program in a pod that mounts such a claim, unless its own pod
/// mounts the claim too, as the launcher of an MPI job does.
Status check_entry(const Context& context, const ResourceRequest& request, const json::Document& pod);

}  // namespace muster::apiserver
