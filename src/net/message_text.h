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

/// What the value of a header must not contain; HTTP allows tabs.
inline bool is_control(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
}

/// Replaces control characters in the value: a line break would start another header.
inline void append_header(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ");
  for (const char c : value) out += is_control(c) ? ' ' : c;
  out.append("\r\n");
}

}  // namespace muster::net
