// Names that Muster reads or writes in Nodes.
#pragma once

namespace muster::api {

inline constexpr const char* kOpenPortsAnnotation = "muster.dev/open-ports";  // what network.allow lists, by commas

}  // namespace muster::api
