// Gives objects that one object owns a second owner, so that they stay until both are deleted.
#pragma once

#include <string>
#include <vector>

#include "base/unique_function.h"
#include "client/api_client.h"

namespace muster::client {

/// Adds `to` (an ownerReference) to those objects that the owner with `of_uid` owns, and leaves the others alone. An
/// object that does not exist is passed over. `done` is called once, inline if there are no objects.
void share_ownership(ApiClient& client, std::vector<ObjectName> objects, std::string of_uid, json::Document to,
                     UniqueFunction<void(Status)> done);

}  // namespace muster::client
