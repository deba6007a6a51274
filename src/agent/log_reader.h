// Reads and follows one log file on the loop, a chunk per turn, so that a long log does not hold up anything else.
#pragma once

#include <memory>
#include <string>

#include "base/ports.h"
#include "base/result.h"
#include "client/node_api.h"

namespace muster::agent {

/// `folder` is the attempt's. Ends when the container has ended and everything it wrote was given, or, without
/// `follow`, at the end of the file; with an error when the file cannot be read.
Result<std::unique_ptr<client::LogStream>> open_log_stream(Loop& loop, const std::string& folder,
                                                           const client::LogRequest& request,
                                                           UniqueFunction<void(std::string_view)> on_text,
                                                           UniqueFunction<void(Status)> on_end);

}  // namespace muster::agent
