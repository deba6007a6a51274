// Reads and follows the log of one run of a container on the loop, one chunk per turn, so that a long log does not
// block other work.
#pragma once

#include <memory>
#include <string>

#include "base/ports.h"
#include "base/result.h"
#include "client/node_api.h"

namespace muster::agent {

/// `run` is the container's restart count. The stream crosses the log's segments. It ends when the run has ended and
/// all of its output was delivered or, without `follow`, at the end of the log; it ends with an error when the log
/// cannot be read.
Result<std::unique_ptr<client::LogStream>> open_log_stream(Loop& loop, const std::string& pod_folder, int run,
                                                           const client::LogRequest& request,
                                                           UniqueFunction<void(std::string_view)> on_text,
                                                           UniqueFunction<void(Status)> on_end);

}  // namespace muster::agent
