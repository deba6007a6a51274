// Document to YAML as kubectl prints it: text is quoted only where a reader would take it for something else.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "json/utf8.h"
#include "json/yaml.h"
#include "json/yaml_scalar.h"

namespace muster::json {
namespace {

// Readers search at most 1024 characters for the colon after a key.
constexpr std::size_t kMaxSimpleKey = 512;
constexpr std::size_t kIndent = 2;

/// Whether the text starts like 2026-11-15, which readers of YAML 1.1 take for a date.
bool looks_like_date(std::string_view text) {
  for (const std::size_t longest : {4U, 2U, 2U}) {
    std::size_t digits = 0;
    while (digits < text.size() && digits < longest && is_digit(text[digits])) ++digits;
    if (digits == 0 || (longest == 4 && digits != 4)) return false;
    text.remove_prefix(digits);
    if (longest == 4 || text.starts_with('-')) {
      if (!text.starts_with('-')) return false;
      text.remove_prefix(1);
    }
  }
  return text.empty() || text[0] == 'T' || text[0] == 't' || text[0] == ' ';
}

/// Whether the text looks like 12:30:45, which readers of YAML 1.1 take for a number in base 60.
bool looks_like_base60(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return !text.empty() && is_digit(text[0]) && text.find(':') != std::string_view::npos &&
         text.find_first_not_of("0123456789:._") == std::string_view::npos;
}

/// Whether the text, left unquoted, is read back as something else.
bool means_something_else(std::string_view text) {
  constexpr std::array<std::string_view, 4> kOldBooleans = {"y", "Y", "n", "N"};
  return !resolve_plain(text).is_string() || looks_like_date(text) || looks_like_base60(text) || text == "<<" ||
         text == "=" || std::ranges::find(kOldBooleans, text) != kOldBooleans.end();
}

struct Traits {
  bool printable = true;  // needs no escapes, apart from line breaks and tabs
  bool has_break = false;
  bool has_tab = false;
  bool space_before_break = false;
};

bool is_printable(std::uint32_t c) {
  return (c >= 0x20 && c <= 0x7e) || (c >= 0xa0 && c <= 0xd7ff && c != 0x2028 && c != 0x2029) ||
         (c >= 0xe000 && c <= 0xfffd && c != 0xfeff) || (c >= 0x10000 && c <= 0x10ffff);
}

Traits inspect(std::string_view text) {
  Traits traits;
  char before = 'x';
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = decode_utf8(text.substr(i));
    if (point.value == '\n') {
      traits.has_break = true;
      if (before == ' ' || before == '\t') traits.space_before_break = true;
    } else if (point.value == '\t') {
      traits.has_tab = true;
    } else if (point.bytes == 0 || !is_printable(point.value)) {
      traits.printable = false;
    }
    before = text[i];
    i += std::max<std::size_t>(point.bytes, 1);
  }
  return traits;
}

/// Whether the text has no indicator that would make it something other than one scalar when unquoted.
bool is_plain_safe(std::string_view text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ' || text.back() == ':') return false;
  if (text.starts_with("---") || text.starts_with("...")) return false;
  if (std::string_view("#,[]{}&*!|>'\"%@`").find(text[0]) != std::string_view::npos) return false;
  const bool leads = text[0] == '-' || text[0] == '?' || text[0] == ':';
  if (leads && (text.size() == 1 || text[1] == ' ')) return false;
  return text.find(": ") == std::string_view::npos && text.find(" #") == std::string_view::npos;
}

std::string double_quoted(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = decode_utf8(text.substr(i));
    const std::size_t width = std::max<std::size_t>(point.bytes, 1);
    if (point.bytes == 0) {
      out += "\xef\xbf\xbd";
    } else if (point.value == '"' || point.value == '\\') {
      out += '\\';
      out += text[i];
    } else if (point.value == '\n') {
      out += "\\n";
    } else if (point.value == '\t') {
      out += "\\t";
    } else if (point.value == '\r') {
      out += "\\r";
    } else if (is_printable(point.value)) {
      out += text.substr(i, width);
    } else if (point.value < 0x100) {
      out += fmt::format("\\x{:02X}", point.value);
    } else if (point.value < 0x10000) {
      out += fmt::format("\\u{:04X}", point.value);
    } else {
      out += fmt::format("\\U{:08X}", point.value);
    }
    i += width;
  }
  return out += '"';
}

std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    out += c;
    if (c == '\'') out += c;
  }
  return out += '\'';
}

/// A text on one line: a key, or a value that is not a block.
std::string inline_text(std::string_view text, const Traits& traits) {
  if (!traits.printable || traits.has_break || traits.has_tab || means_something_else(text)) return double_quoted(text);
  return is_plain_safe(text) ? std::string(text) : single_quoted(text);
}

class Writer {
 public:
  std::string take() { return std::move(out_); }

  void root(const Document& document) {
    if (is_members(document)) {
      members(document.as_object(), 0, Start::kOnNewLine);
    } else if (is_items(document)) {
      items(document.as_array(), 0, Start::kOnNewLine);
    } else {
      scalar(document, kIndent);
      out_ += '\n';
    }
  }

 private:
  /// Whether the first entry of a collection continues a line that already has its "- ".
  enum class Start { kOnNewLine, kOnThisLine };

  static bool is_members(const Document& d) { return d.is_object() && !d.as_object().empty(); }
  static bool is_items(const Document& d) { return d.is_array() && !d.as_array().empty(); }

  void pad(std::size_t indent) { out_.append(indent, ' '); }

  void members(const Object& object, std::size_t indent, Start start) {
    for (const Member& member : object) {
      if (start == Start::kOnNewLine) pad(indent);
      start = Start::kOnNewLine;
      const std::string key = inline_text(member.key, inspect(member.key));
      if (key.size() > kMaxSimpleKey) {
        out_.append("? ").append(key).append("\n");
        pad(indent);
      } else {
        out_ += key;
      }
      out_ += ':';
      member_value(member.value, indent);
    }
  }

  void member_value(const Document& value, std::size_t indent) {
    if (is_members(value)) {
      out_ += '\n';
      members(value.as_object(), indent + kIndent, Start::kOnNewLine);
    } else if (is_items(value)) {
      out_ += '\n';
      items(value.as_array(), indent, Start::kOnNewLine);
    } else {
      out_ += ' ';
      scalar(value, indent + kIndent);
      out_ += '\n';
    }
  }

  void items(const Array& array, std::size_t indent, Start start) {
    for (const Document& item : array) {
      if (start == Start::kOnNewLine) pad(indent);
      start = Start::kOnNewLine;
      out_ += "- ";
      if (is_members(item)) {
        members(item.as_object(), indent + kIndent, Start::kOnThisLine);
      } else if (is_items(item)) {
        items(item.as_array(), indent + kIndent, Start::kOnThisLine);
      } else {
        scalar(item, indent + kIndent);
        out_ += '\n';
      }
    }
  }

  void scalar(const Document& value, std::size_t indent) {
    if (!value.is_string()) {
      append_serialized(value, out_);
      return;
    }
    const std::string& text = value.as_string();
    const Traits traits = inspect(text);
    // A block cannot show spaces at line ends, and a leading space would need an explicit indentation indicator.
    const bool as_block = traits.has_break && traits.printable && !traits.space_before_break && text[0] != ' ' &&
                          text[0] != '\n' && text[0] != '\t' && text.back() != ' ' && text.back() != '\t';
    if (as_block) {
      block(text, indent);
    } else {
      out_ += inline_text(text, traits);
    }
  }

  /// Omits the last line break, because the caller ends every scalar with one.
  void block(std::string_view text, std::size_t indent) {
    const bool ends_open = !text.ends_with('\n');
    const bool keeps_blank_lines = text.ends_with("\n\n");
    out_ += ends_open ? "|-" : keeps_blank_lines ? "|+" : "|";
    if (!ends_open) text.remove_suffix(1);
    while (true) {
      const std::size_t end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      out_ += '\n';
      if (!line.empty()) pad(indent);
      out_ += line;
      if (end == std::string_view::npos) return;
      text.remove_prefix(end + 1);
    }
  }

  std::string out_;
};

}  // namespace

std::string to_yaml(const Document& document) {
  Writer writer;
  writer.root(document);
  return writer.take();
}

}  // namespace muster::json
