// The compiled shim, which is embedded in this binary.
#pragma once

#include <string_view>

namespace muster::shim {

std::string_view program_bytes();

}  // namespace muster::shim
