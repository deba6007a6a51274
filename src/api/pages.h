// Where the pages of programs in pods are, below the server that shows them.
#pragma once

namespace muster::api {

/// A TensorBoard serves /tb/NAMESPACE/NAME/, in its pod too.
inline constexpr const char* kTensorBoardPages = "tb";

}  // namespace muster::api
