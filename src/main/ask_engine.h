// Requests of this program's commands to the engine on this machine, over its Unix socket.
#pragma once

#include <string>

#include "base/result.h"
#include "json/document.h"

namespace muster {

/// Sends a POST without a body to the engine that runs on the folder, and returns its response.
Result<json::Document> ask_engine(const std::string& data_dir, const std::string& path);
/// Returns a link that opens the console of that engine once.
Result<std::string> make_console_link(const std::string& data_dir);

}  // namespace muster
