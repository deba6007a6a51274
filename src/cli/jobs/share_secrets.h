// The Secrets of a job that another job is a copy of: those that `muster run` made for it go away with it.
#pragma once

#include <string>

#include "cli/connect/session.h"
#include "json/document.h"

namespace muster::cli {

/// Keeps these Secrets of the namespace until both jobs are deleted. What does not work is a warning, because the copy
/// exists.
void share_secrets(Session& session, const std::string& ns, const json::Document& job, const json::Document& copy);

}  // namespace muster::cli
