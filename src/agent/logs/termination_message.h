// The message with which a failed container ends when it has written none itself: the end of its log, if its
// terminationMessagePolicy is FallbackToLogsOnError.
#pragma once

#include <functional>
#include <string>

#include "agent/pod/decide.h"
#include "json/document.h"

namespace muster::agent {

/// Returns the last lines of a run's log; "" when there is no log.
std::string end_of_log(const std::string& pod_folder, const std::string& container, int run);

/// Returns the view with the messages of the containers whose policy it is. Pure except for `read_end`.
PodView with_log_messages(const json::Document& pod, PodView view,
                          const std::function<std::string(const std::string& container, int run)>& read_end);

}  // namespace muster::agent
