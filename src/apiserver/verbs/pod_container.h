// Which container of a pod a request is about, for the subresources that concern one: log, exec, attach.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "json/document.h"

namespace muster::apiserver {

/// The container asked for, or the only one. BadRequest names those to choose from.
Result<std::string> choose_container(const json::Document& pod, std::string_view asked);

/// The entry in containerStatuses or initContainerStatuses; null while there is none.
const json::Document* container_status(const json::Document& pod, const std::string& container);

/// The error while there is nothing to pass the request on to.
Error no_node_yet(std::string_view what);

}  // namespace muster::apiserver
