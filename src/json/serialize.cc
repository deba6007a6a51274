// Document to JSON text. Objects keep their order; text that is not UTF-8 is written with U+FFFD in its place, because
// the result must be JSON whatever a container printed.
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "json/document.h"
#include "json/utf8.h"

namespace muster::json {
namespace {

/// Number::toString of ECMAScript: plain digits from 1e-6 up to 1e21, exponents beyond.
void append_double(double value, std::string& out) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  if (value == 0) {
    out += '0';
    return;
  }
  if (value < 0) out += '-';
  std::array<char, 32> buffer{};
  const auto written =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::fabs(value), std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data()));
  const std::size_t mark = text.find('e');
  std::string digits;
  for (const char c : text.substr(0, mark)) {
    if (c != '.') digits += c;
  }
  const std::size_t sign = text[mark + 1] == '+' ? 2 : 1;
  int exponent = 0;
  std::from_chars(text.data() + mark + sign, text.data() + text.size(), exponent);
  const auto size = static_cast<int>(digits.size());
  if (exponent >= 21 || exponent < -6) {
    out += digits[0];
    if (size > 1) out.append(".").append(digits, 1);
    out += exponent < 0 ? "e-" : "e+";
    out += std::to_string(std::abs(exponent));
  } else if (exponent < 0) {
    out.append("0.").append(static_cast<std::size_t>(-exponent - 1), '0').append(digits);
  } else if (exponent + 1 >= size) {
    out.append(digits).append(static_cast<std::size_t>(exponent + 1 - size), '0');
  } else {
    const auto point = static_cast<std::size_t>(exponent + 1);
    out.append(digits, 0, point).append(".").append(digits, point);
  }
}

void append_control(char c, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '\b':
      out += "\\b";
      break;
    case '\f':
      out += "\\f";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      out += "\\u00";
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[static_cast<unsigned char>(c) & 15];
  }
}

constexpr std::uint64_t each_byte(unsigned char byte) {
  return 0x0101'0101'0101'0101ULL * byte;
}

/// The top bit of each byte that is 0, or stands above one that is: enough to tell whether there is any.
constexpr std::uint64_t zero_bytes(std::uint64_t word) {
  return (word - each_byte(1)) & ~word & each_byte(0x80);
}

/// Whether one of eight characters is not written as it is.
bool needs_care(const char* eight) {
  std::uint64_t word = 0;
  std::memcpy(&word, eight, sizeof(word));
  const std::uint64_t controls = word - each_byte(0x20);  // the top bit of each, or of one above it
  const std::uint64_t marks = zero_bytes(word ^ each_byte('"')) | zero_bytes(word ^ each_byte('\\'));
  return ((word | controls | marks) & each_byte(0x80)) != 0;
}

/// How many of the first characters are written as they are, at least: looked at in eights, as nearly all are.
std::size_t plain_prefix(std::string_view text) {
  constexpr std::size_t kStep = sizeof(std::uint64_t);
  std::size_t count = 0;
  for (; count + kStep <= text.size(); count += kStep) {
    if (needs_care(text.data() + count)) return count;
  }
  const bool rest_is_plain = text.size() >= kStep && !needs_care(text.data() + text.size() - kStep);
  return rest_is_plain ? text.size() : count;
}

/// Where line breaks go. Compact text has none.
struct Layout {
  bool pretty = false;
  int depth = 0;

  void line_break(std::string& out) const {
    if (!pretty) return;
    out += '\n';
    out.append(static_cast<std::size_t>(depth) * 2, ' ');
  }
  Layout inner() const { return {pretty, depth + 1}; }
};

void append(const Document& document, Layout layout, std::string& out);

void append_array(const Array& array, Layout layout, std::string& out) {
  out += '[';
  const char* separator = "";
  for (const Document& item : array) {
    out += separator;
    separator = ",";
    layout.inner().line_break(out);
    append(item, layout.inner(), out);
  }
  if (!array.empty()) layout.line_break(out);
  out += ']';
}

void append_object(const Object& object, Layout layout, std::string& out) {
  out += '{';
  const char* separator = "";
  for (const Member& member : object) {
    out += separator;
    separator = ",";
    layout.inner().line_break(out);
    append_quoted(member.key, out);
    out += layout.pretty ? ": " : ":";
    append(member.value, layout.inner(), out);
  }
  if (!object.empty()) layout.line_break(out);
  out += '}';
}

void append(const Document& document, Layout layout, std::string& out) {
  switch (document.kind()) {
    case Kind::kNull:
      out += "null";
      break;
    case Kind::kBool:
      out += document.as_bool() ? "true" : "false";
      break;
    case Kind::kInt:
      out += std::to_string(document.as_int());
      break;
    case Kind::kDouble:
      append_double(document.as_double(), out);
      break;
    case Kind::kString:
      append_quoted(document.as_string(), out);
      break;
    case Kind::kArray:
      append_array(document.as_array(), layout, out);
      break;
    case Kind::kObject:
      append_object(document.as_object(), layout, out);
      break;
  }
}

}  // namespace

std::string serialize(const Document& document) {
  // Written in a buffer that is there already: what is given back is of the exact size, and many of them are kept.
  constexpr std::size_t kMostKept = std::size_t{64} * 1024;
  thread_local std::string buffer;
  buffer.clear();
  append_serialized(document, buffer);
  std::string out(buffer);
  if (buffer.capacity() > kMostKept) buffer = {};
  return out;
}

void append_serialized(const Document& document, std::string& out) {
  append(document, Layout{}, out);
}

void append_quoted(std::string_view text, std::string& out) {
  out += '"';
  std::size_t clean = 0;  // start of the run that needs no change
  for (std::size_t i = plain_prefix(text); i < text.size();) {
    const char c = text[i];
    if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
      ++i;
      continue;
    }
    const CodePoint point = decode_utf8(text.substr(i));
    const std::size_t width = point.bytes == 0 ? 1 : point.bytes;
    const bool plain = point.bytes != 0 && static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
    if (!plain) {
      out.append(text.substr(clean, i - clean));
      clean = i + width;
      if (point.bytes == 0) {
        out += "\xef\xbf\xbd";
      } else if (c == '"' || c == '\\') {
        out += '\\';
        out += c;
      } else {
        append_control(c, out);
      }
    }
    i += width;
  }
  out.append(text.substr(clean));
  out += '"';
}

std::string serialize_pretty(const Document& document) {
  std::string out;
  append(document, Layout{.pretty = true}, out);
  return out;
}

}  // namespace muster::json
