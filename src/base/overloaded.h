// Overloaded holds one lambda per alternative of a variant, for std::visit. A visit does not compile when an
// alternative has no lambda.
#pragma once

namespace muster {

template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace muster
