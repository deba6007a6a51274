// Texts that schemas and validation share.
#pragma once

namespace muster::reflect {

/// The pattern that Kubernetes' generators put on a resource.Quantity.
inline constexpr const char* kQuantityPattern =
    R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)";

}  // namespace muster::reflect
