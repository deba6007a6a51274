// The compiled door, which is embedded in this binary.
#pragma once

#include <string_view>

namespace muster::door {

std::string_view program_bytes();

}  // namespace muster::door
