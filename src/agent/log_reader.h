// Reads and follows one log file on the loop, one chunk per turn, so that a long log does not block other work.
#pragma once

#include <memory>
#include <string>

#include "base/ports.h"
#include "base/result.h"
#include "client/node_api.h"

namespace muster::agent {

/// `folder` is the attempt's. The stream ends when the container has ended and all of its output was delivered or,
/// without `follow`, at the end of the file; it ends with an error when the file cannot be read.
Result<std::unique_ptr<client::LogStream>> open_log_stream(Loop& loop, const std::string& folder,
                                                           const client::LogRequest& request,
                                                           UniqueFunction<void(std::string_view)> on_text,
                                                           UniqueFunction<void(Status)> on_end);

}  // namespace muster::agent
