// The texts HTTP messages are made of, for the .cc files of net/ that read and write them.
#pragma once

#include <string>
#include <string_view>

namespace muster::net {

/// Of Beast's own kind of view.
template <typename View>
std::string text(const View& view) {
  return std::string(view.data(), view.size());
}

/// A line break in a value must not become a header of its own.
inline void append_header(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ");
  for (const char c : value) out += c == '\r' || c == '\n' ? ' ' : c;
  out.append("\r\n");
}

}  // namespace muster::net
