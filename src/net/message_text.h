// Text helpers for the .cc files of net/ that read and write HTTP messages.
#pragma once

#include <string>
#include <string_view>

namespace muster::net {

/// Copies one of Beast's string views.
template <typename View>
std::string text(const View& view) {
  return std::string(view.data(), view.size());
}

/// Replaces line breaks in the value, which would otherwise start a new header.
inline void append_header(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ");
  for (const char c : value) out += c == '\r' || c == '\n' ? ' ' : c;
  out.append("\r\n");
}

}  // namespace muster::net
