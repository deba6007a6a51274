// Waits until an object that is being deleted is gone.
#pragma once

#include <optional>
#include <string>

#include "cli/connect/session.h"
#include "cli/objects/selection.h"

namespace muster::cli {

/// Returns the uid in the response to a deletion: a Status when the object is gone at once, else the object.
std::string deleted_uid(const json::Document& reply);

/// Returns the exit code. An object with another uid is a new one that has taken the name.
int wait_until_gone(Session& session, const Selected& object, const std::string& uid, std::optional<MonoTime> deadline);

}  // namespace muster::cli
