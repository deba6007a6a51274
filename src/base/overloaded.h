// Overloaded: one lambda per alternative of a variant, for std::visit. An alternative that no lambda takes does not
// compile.
#pragma once

namespace muster {

template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace muster
