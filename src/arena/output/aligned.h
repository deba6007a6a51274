// Arena's tables: columns two blanks apart, as Go's tabwriter prints them.
#pragma once

#include <string>
#include <vector>

namespace muster::arena {

using Row = std::vector<std::string>;

/// Each column is as wide as its widest cell; wide characters of East Asian scripts count twice. Control characters
/// are escaped, so that each row is one line. Lines have no trailing blanks and start with `indent`.
std::string aligned(const std::vector<Row>& rows, std::string_view indent = "");

/// "57s", "3m", "14h", "2d", "1y": whole units, cut off. A time in the future is "0s", or "<invalid>" beyond a second.
std::string short_duration(long long seconds);

}  // namespace muster::arena
