// JSON text to Document: Boost.JSON's event parser builds Documents directly, without a tree of its own in between.
#include <fmt/core.h>

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <iterator>
#include <memory>
#include <unordered_map>

#include "base/strings.h"
#include "json/document.h"
#include "json/number.h"
#include "json/utf8.h"

namespace muster::json {
namespace {

using boost::json::error;
using boost::json::error_code;

// Objects up to this size are searched; larger ones get an index of their keys.
constexpr std::size_t kSearchedMembers = 16;
constexpr std::size_t kMaxRepeated = 100;

/// Receives the parser's events. Members and items of containers that are still open are kept on two stacks; a
/// container that closes takes its own from the top, in one allocation of the right size.
class Builder {
 public:
  static constexpr std::size_t max_object_size = kMaxMembers;
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  Builder() {
    // This is enough for most API objects without growing.
    open_.reserve(16);
    members_.reserve(32);
    items_.reserve(8);
  }

  /// Sets where the paths of repeated keys go; with null, repeated keys are rejected.
  void allow_repeated(std::vector<std::string>* paths) { repeated_ = paths; }
  Document take() { return std::move(root_); }
  /// The reason when this builder, and not the parser, rejected the text; otherwise empty.
  const std::string& complaint() const { return complaint_; }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_array_begin(error_code&) {
    open_.push_back({.is_array = true, .begin = items_.size()});
    return true;
  }
  bool on_array_end(std::size_t, error_code&) {
    const std::size_t begin = open_.back().begin;
    open_.pop_back();
    return add(Document(take_from(items_, begin)));
  }
  bool on_object_begin(error_code&) {
    open_.push_back({.is_array = false, .begin = members_.size()});
    return true;
  }
  bool on_object_end(std::size_t, error_code&) {
    const std::size_t begin = open_.back().begin;
    open_.pop_back();
    return add(Document(Object(take_from(members_, begin))));
  }

  bool on_string_part(std::string_view part, std::size_t, error_code&) { return keep(part); }
  bool on_string(std::string_view last, std::size_t, error_code&) { return keep(last) && add(Document(take_text())); }
  bool on_key_part(std::string_view part, std::size_t, error_code&) { return keep(part); }
  bool on_key(std::string_view last, std::size_t, error_code& ec) {
    keep(last);
    Open& top = open_.back();
    const std::optional<std::size_t> first = find_member(top);
    if (first && repeated_ == nullptr) {
      return refuse(fmt::format("key {} appears twice in the same object", quote(text_)), ec);
    }
    top.current = first.value_or(members_.size());
    if (!first) members_.push_back(Member{take_text(), {}});
    if (first && repeated_->size() < kMaxRepeated) repeated_->push_back(current_path());
    text_.clear();
    return true;
  }

  bool on_number_part(std::string_view part, error_code&) { return keep(part); }
  bool on_int64(std::int64_t value, std::string_view, error_code&) {
    text_.clear();
    return add(Document(value));
  }
  bool on_uint64(std::uint64_t value, std::string_view, error_code&) {
    text_.clear();
    return add(Document(static_cast<double>(value)));  // only called above the int64 range
  }
  bool on_double(double, std::string_view last, error_code& ec) {
    // The parser's own value may be wrong in the last digit; the text is exact.
    keep(last);
    const std::optional<Document> number = number_from_text(take_text());
    return number ? add(*number) : refuse("number is out of range", ec);
  }
  bool on_bool(bool value, error_code&) { return add(Document(value)); }
  bool on_null(error_code&) { return add(Document()); }
  bool on_comment_part(std::string_view, error_code&) { return true; }
  bool on_comment(std::string_view, error_code&) { return true; }

 private:
  struct Open {
    bool is_array = false;
    std::size_t begin = 0;    // index of its first member or item on the stack
    std::size_t current = 0;  // index of the member whose value comes next
    std::unique_ptr<std::unordered_map<std::string, std::size_t>> seen = {};
  };

  bool keep(std::string_view part) {
    text_ += part;
    return true;
  }
  std::string take_text() { return std::exchange(text_, {}); }

  template <typename T>
  static std::vector<T> take_from(std::vector<T>& stack, std::size_t begin) {
    const auto first = stack.begin() + static_cast<std::ptrdiff_t>(begin);
    std::vector<T> taken(std::make_move_iterator(first), std::make_move_iterator(stack.end()));
    stack.erase(first, stack.end());
    return taken;
  }

  // Not inlined, because g++ 12 would then warn that the variant's other alternatives are uninitialised.
  [[gnu::noinline]] bool add(Document value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().is_array) {
      items_.push_back(std::move(value));
    } else {
      members_[open_.back().current].value = std::move(value);
    }
    return true;
  }

  /// The index of the key in text_ among the members of the innermost object. A new key is recorded for later searches.
  std::optional<std::size_t> find_member(Open& top) {
    if (members_.size() - top.begin < kSearchedMembers) {
      for (std::size_t i = top.begin; i < members_.size(); ++i) {
        if (members_[i].key == text_) return i;
      }
      return std::nullopt;
    }
    if (top.seen == nullptr) {
      top.seen = std::make_unique<std::unordered_map<std::string, std::size_t>>();
      for (std::size_t i = top.begin; i < members_.size(); ++i) top.seen->emplace(members_[i].key, i);
    }
    const auto [found, added] = top.seen->emplace(text_, members_.size());
    return added ? std::nullopt : std::optional(found->second);
  }

  /// The path of the member whose value comes next.
  std::string current_path() const {
    std::string path;
    for (std::size_t level = 0; level < open_.size(); ++level) {
      const Open& open = open_[level];
      if (open.is_array) {
        const auto inner = std::find_if(open_.begin() + static_cast<std::ptrdiff_t>(level) + 1, open_.end(),
                                        [](const Open& other) { return other.is_array; });
        const std::size_t end = inner == open_.end() ? items_.size() : inner->begin;
        path += fmt::format("[{}]", end - open.begin);
      } else {
        path += (path.empty() ? "" : ".") + members_[open.current].key;
      }
    }
    return path;
  }

  bool refuse(std::string why, error_code& ec) {
    complaint_ = std::move(why);
    ec = error::input_error;
    return false;
  }

  Document root_;
  std::vector<Open> open_;
  std::vector<Member> members_;
  std::vector<Document> items_;
  std::string text_;
  std::string complaint_;
  std::vector<std::string>* repeated_ = nullptr;
};

std::string shown_character(std::string_view rest) {
  const CodePoint point = decode_utf8(rest);
  return point.bytes == 0 ? "invalid UTF-8" : quote(rest.substr(0, point.bytes));
}

std::string describe(const error_code& ec, const Builder& builder, std::string_view rest) {
  if (!builder.complaint().empty()) return builder.complaint();
  if (ec == error::incomplete || rest.empty()) return "the text ends in the middle of a value";
  if (ec == error::too_deep) return fmt::format("nested deeper than {} levels", kMaxDepth);
  if (ec == error::object_too_large) return fmt::format("object has more than {} members", kMaxMembers);
  if (ec == error::exponent_overflow) return "number is out of range";
  if (ec == error::extra_data) return fmt::format("unexpected {} after the value", shown_character(rest));
  if (ec == error::illegal_leading_surrogate || ec == error::illegal_trailing_surrogate ||
      ec == error::expected_utf16_escape) {
    return "\\u escape is half of a surrogate pair";
  }
  if (ec == error::expected_hex_digit) return "\\u needs four hex digits";
  return fmt::format("unexpected {}", shown_character(rest));
}

/// Our errors arise when a key or number is complete, but the position to report is its start.
std::size_t start_of_token(std::string_view text, std::size_t end) {
  const bool is_key = end < text.size() && text[end] == '"';
  while (end > 0) {
    const char before = text[end - 1];
    const bool opens = is_key && before == '"' && (end < 2 || text[end - 2] != '\\');
    if (opens) return end - 1;
    if (!is_key && std::string_view("+-.0123456789eE").find(before) == std::string_view::npos) return end;
    --end;
  }
  return end;
}

Error parse_error(std::string_view text, std::size_t offset, const error_code& ec, const Builder& builder) {
  if (!builder.complaint().empty()) offset = start_of_token(text, offset);
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  // Columns count characters, so continuation bytes are skipped.
  const auto column = 1 + std::ranges::count_if(before.substr(line_start),
                                                [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
  return Error{
      .reason = Reason::kBadRequest,
      .message = fmt::format("line {}, column {}: {}", line, column, describe(ec, builder, text.substr(offset)))};
}

Result<Document> parse_with(std::string_view text, std::vector<std::string>* repeated) {
  boost::json::parse_options options;
  options.max_depth = kMaxDepth;
  boost::json::basic_parser<Builder> parser(options);
  parser.handler().allow_repeated(repeated);
  error_code ec;
  std::size_t consumed = parser.write_some(false, text.data(), text.size(), ec);
  if (!ec && consumed < text.size()) ec = error::extra_data;
  if (ec) return parse_error(text, std::min(consumed, text.size()), ec, parser.handler());
  return parser.handler().take();
}

}  // namespace

Result<Document> parse(std::string_view text) {
  return parse_with(text, nullptr);
}

Result<Document> parse(std::string_view text, std::vector<std::string>& repeated) {
  return parse_with(text, &repeated);
}

}  // namespace muster::json
