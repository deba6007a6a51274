// Sequences of fields: the encoding of the launch description and of the shim's packets (shim/format.h).
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace muster::shim {

void put_fields(std::string& out, std::initializer_list<std::string_view> fields);

/// The fields point into `bytes`. What is cut off at the end is left out.
std::vector<std::string_view> split_fields(std::string_view bytes);

}  // namespace muster::shim
