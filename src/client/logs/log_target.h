// Where the API has the log of a container.
#pragma once

#include <cstdint>
#include <string>

#include "json/document.h"

namespace muster::client {

/// Returns the container to read when the user names none: the one in the annotation, else the first.
std::string default_container(const json::Document& pod);
/// "/api/v1/namespaces/NS/pods/NAME/log?container=C"
std::string log_target(const std::string& ns, const std::string& pod, const std::string& container);
/// The same for an earlier pod of this name, which may be gone: "/apis/muster.dev/v1/…/attempts/1/log?container=C".
std::string attempt_log_target(const std::string& ns, const std::string& pod, std::int64_t attempt,
                               const std::string& container);

}  // namespace muster::client
