// Document to JSON text. Objects keep their order. Bytes that are not UTF-8 are replaced by U+FFFD, because the result
// must be valid JSON whatever a container printed.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "json/document.h"
#include "json/utf8.h"

namespace muster::json {
namespace {

/// Text under construction, in a buffer that each thread reuses; the finished text is copied out once, at its exact
/// size. Only one Text may exist per thread at a time.
class Text {
 public:
  Text() = default;
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  ~Text() {
    constexpr std::size_t kMostKept = std::size_t{64} * 1024;
    if (buffer_.size() > kMostKept) buffer_ = {};
  }

  std::string_view view() const { return {buffer_.data(), static_cast<std::size_t>(at_ - buffer_.data())}; }

  void put(char c) {
    need(1);
    *at_++ = c;
  }
  void put(std::string_view text) {
    need(text.size());
    at_ += text.copy(at_, text.size());
  }
  /// Writes text that needs no escapes, in quotes.
  void put_plain(std::string_view text) {
    need(text.size() + 2);
    *at_++ = '"';
    at_ += text.copy(at_, text.size());
    *at_++ = '"';
  }
  void put(std::size_t count, char c) {
    need(count);
    at_ = std::fill_n(at_, count, c);
  }
  void put_integer(std::int64_t value) {
    constexpr std::size_t kLongest = 20;
    need(kLongest);
    at_ = std::to_chars(at_, end_, value).ptr;
  }

 private:
  static std::string& buffer_of_thread() {
    thread_local std::string bytes;
    return bytes;
  }
  void need(std::size_t bytes) {
    if (static_cast<std::size_t>(end_ - at_) < bytes) grow(bytes);
  }
  void grow(std::size_t bytes) {
    constexpr std::size_t kLeast = 4096;
    const std::size_t used = view().size();
    buffer_.resize(std::max({buffer_.size() * 2, used + bytes, kLeast}));
    at_ = buffer_.data() + used;
    end_ = buffer_.data() + buffer_.size();
  }

  std::string& buffer_ = buffer_of_thread();  // its size is the capacity
  char* at_ = buffer_.data();
  char* end_ = buffer_.data() + buffer_.size();
};

/// Number::toString of ECMAScript: plain digits from 1e-6 up to 1e21, exponents outside that range.
void append_double(double value, Text& out) {
  if (!std::isfinite(value)) {
    out.put("null");
    return;
  }
  if (value == 0) {
    out.put('0');
    return;
  }
  if (value < 0) out.put('-');
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
    out.put(digits[0]);
    if (size > 1) {
      out.put('.');
      out.put(std::string_view(digits).substr(1));
    }
    out.put(exponent < 0 ? "e-" : "e+");
    out.put_integer(std::abs(exponent));
  } else if (exponent < 0) {
    out.put("0.");
    out.put(static_cast<std::size_t>(-exponent - 1), '0');
    out.put(digits);
  } else if (exponent + 1 >= size) {
    out.put(digits);
    out.put(static_cast<std::size_t>(exponent + 1 - size), '0');
  } else {
    const auto point = static_cast<std::size_t>(exponent + 1);
    out.put(std::string_view(digits).substr(0, point));
    out.put('.');
    out.put(std::string_view(digits).substr(point));
  }
}

void append_control(char c, Text& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '\b':
      out.put("\\b");
      break;
    case '\f':
      out.put("\\f");
      break;
    case '\n':
      out.put("\\n");
      break;
    case '\r':
      out.put("\\r");
      break;
    case '\t':
      out.put("\\t");
      break;
    default:
      out.put("\\u00");
      out.put(kHex[static_cast<unsigned char>(c) >> 4]);
      out.put(kHex[static_cast<unsigned char>(c) & 15]);
  }
}

constexpr std::uint64_t each_byte(unsigned char byte) {
  return 0x0101'0101'0101'0101ULL * byte;
}

/// Sets the top bit of each zero byte, and perhaps of bytes above one: enough to know whether any byte is zero.
constexpr std::uint64_t zero_bytes(std::uint64_t word) {
  return (word - each_byte(1)) & ~word & each_byte(0x80);
}

template <typename Word>
std::uint64_t load(const char* at) {
  Word word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

/// Whether one of eight characters needs an escape or is not ASCII.
bool needs_care(std::uint64_t word) {
  const std::uint64_t controls = word - each_byte(0x20);  // sets the top bit of each, and perhaps of a byte above
  const std::uint64_t marks = zero_bytes(word ^ each_byte('"')) | zero_bytes(word ^ each_byte('\\'));
  return ((word | controls | marks) & each_byte(0x80)) != 0;
}

/// For each character: whether it is ASCII and needs no escape.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (unsigned char c = 0x20; c < 0x7f; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

/// Whether no character needs an escape, the usual case. It reads eight bytes at a time; the last eight may overlap.
bool is_plain(std::string_view text) {
  const char* const end = text.data() + text.size();
  if (text.size() >= 8) {
    for (const char* at = text.data(); end - at > 8; at += 8) {
      if (needs_care(load<std::uint64_t>(at))) return false;
    }
    return !needs_care(load<std::uint64_t>(end - 8));
  }
  if (text.size() >= 4) {
    return !needs_care(load<std::uint32_t>(text.data()) | load<std::uint32_t>(end - 4) << 32);
  }
  return std::ranges::all_of(text, [](char c) { return kPlain[static_cast<unsigned char>(c)]; });
}

void put_quoted(std::string_view text, Text& out) {
  if (is_plain(text)) return out.put_plain(text);
  out.put('"');
  std::size_t clean = 0;  // start of the run that needs no escapes
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (kPlain[static_cast<unsigned char>(c)]) {
      ++i;
      continue;
    }
    const CodePoint point = decode_utf8(text.substr(i));
    const std::size_t width = point.bytes == 0 ? 1 : point.bytes;
    const bool plain = point.bytes != 0 && static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
    if (!plain) {
      out.put(text.substr(clean, i - clean));
      clean = i + width;
      if (point.bytes == 0) {
        out.put("\xef\xbf\xbd");
      } else if (c == '"' || c == '\\') {
        out.put('\\');
        out.put(c);
      } else {
        append_control(c, out);
      }
    }
    i += width;
  }
  out.put(text.substr(clean));
  out.put('"');
}

/// Where line breaks go; compact text has none.
struct Layout {
  bool pretty = false;
  int depth = 0;

  void line_break(Text& out) const {
    if (!pretty) return;
    out.put('\n');
    out.put(static_cast<std::size_t>(depth) * 2, ' ');
  }
  Layout inner() const { return {pretty, depth + 1}; }
};

void append(const Document& document, Layout layout, Text& out);

void append_array(const Array& array, Layout layout, Text& out) {
  out.put('[');
  bool first = true;
  for (const Document& item : array) {
    if (!std::exchange(first, false)) out.put(',');
    layout.inner().line_break(out);
    append(item, layout.inner(), out);
  }
  if (!array.empty()) layout.line_break(out);
  out.put(']');
}

void append_object(const Object& object, Layout layout, Text& out) {
  out.put('{');
  bool first = true;
  for (const Member& member : object) {
    if (!std::exchange(first, false)) out.put(',');
    layout.inner().line_break(out);
    put_quoted(member.key, out);
    out.put(':');
    if (layout.pretty) out.put(' ');
    append(member.value, layout.inner(), out);
  }
  if (!object.empty()) layout.line_break(out);
  out.put('}');
}

void append(const Document& document, Layout layout, Text& out) {
  switch (document.kind()) {
    case Kind::kNull:
      out.put("null");
      break;
    case Kind::kBool:
      out.put(document.as_bool() ? "true" : "false");
      break;
    case Kind::kInt:
      out.put_integer(document.as_int());
      break;
    case Kind::kDouble:
      append_double(document.as_double(), out);
      break;
    case Kind::kString:
      put_quoted(document.as_string(), out);
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
  Text out;
  append(document, Layout{}, out);
  return std::string(out.view());
}

void append_serialized(const Document& document, std::string& out) {
  Text text;
  append(document, Layout{}, text);
  out += text.view();
}

void append_quoted(std::string_view text, std::string& out) {
  Text quoted;
  put_quoted(text, quoted);
  out += quoted.view();
}

std::string serialize_pretty(const Document& document) {
  Text out;
  append(document, Layout{.pretty = true}, out);
  return std::string(out.view());
}

}  // namespace muster::json
