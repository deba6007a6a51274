#include "json/excerpt.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/strings.h"

namespace muster::json {

/// Every function returns false on malformed text; `rest_` is then meaningless.
class Excerpt::Reader {
 public:
  Reader(std::string_view text, std::size_t leaves) : rest_(text), missing_(leaves) {}

  /// Stops after the last leaf.
  bool object(const Node& node, Object& out) {
    return members([&](std::string_view key) {
      const auto wanted = std::ranges::find(node.children, key, &Node::key);
      return wanted == node.children.end() ? skip() : member(*wanted, out);
    });
  }

  bool list(const Node& item, Object& out) {
    return members([&](std::string_view key) {
      if (key != "items" || next() != '[') return leaf(std::string(key), out);
      Array all;
      if (!items(item, all)) return false;
      out.append("items", std::move(all));
      return true;
    });
  }

 private:
  /// Calls `read` at the value of each member, until no leaf is missing.
  template <typename Read>
  bool members(const Read& read) {
    if (!take('{')) return false;
    if (take('}')) return true;
    do {
      std::string_view key;
      if (!string(key) || !take(':') || !read(key)) return false;
      if (missing_ == 0) return true;
    } while (take(','));
    return take('}');
  }

  bool items(const Node& node, Array& out) {
    if (!take('[')) return false;
    if (take(']')) return true;
    do {
      Object item;
      if (!object(node, item)) return false;
      out.emplace_back(std::move(item));
    } while (take(','));
    return take(']');
  }

  bool member(const Node& node, Object& out) {
    if (node.children.empty()) {
      --missing_;
      return leaf(node.key, out);
    }
    if (next() != '{') return skip();  // not an object, so it has none of the wanted members
    Object inner;
    if (!object(node, inner)) return false;
    out.append(node.key, std::move(inner));
    return true;
  }

  bool leaf(std::string key, Object& out) {
    next();
    const std::string_view before = rest_;
    if (!skip()) return false;
    const std::string_view text = before.substr(0, before.size() - rest_.size());
    if (text.front() == '"' && text.find('\\') == std::string_view::npos) {
      out.append(std::move(key), std::string(text.substr(1, text.size() - 2)));
      return true;
    }
    auto value = parse(text);
    if (!value) return false;
    out.append(std::move(key), *std::move(value));
    return true;
  }

  bool skip() {
    std::size_t depth = 0;
    do {
      switch (next()) {
        case '"': {
          std::string_view unused;
          if (!string(unused)) return false;
          break;
        }
        case '{':
        case '[':
          ++depth;
          rest_.remove_prefix(1);
          break;
        case '}':
        case ']':
          if (depth == 0) return false;
          --depth;
          rest_.remove_prefix(1);
          break;
        case ',':
        case ':':
          if (depth == 0) return false;
          rest_.remove_prefix(1);
          break;
        case '\0':
          return false;
        default:
          rest_.remove_prefix(std::min(rest_.find_first_of(",:{}[]\" \n\t\r"), rest_.size()));
      }
    } while (depth > 0);
    return true;
  }

  /// Reads a string without decoding its escapes.
  bool string(std::string_view& out) {
    if (!take('"')) return false;
    std::size_t end = 0;
    do {
      const void* quote = std::memchr(rest_.data() + end, '"', rest_.size() - end);
      if (quote == nullptr) return false;
      end = static_cast<std::size_t>(static_cast<const char*>(quote) - rest_.data()) + 1;
    } while (is_escaped(end - 1));
    out = rest_.substr(0, end - 1);
    rest_.remove_prefix(end);
    return true;
  }

  bool is_escaped(std::size_t at) const {
    std::size_t backslashes = 0;
    while (backslashes < at && rest_[at - backslashes - 1] == '\\') ++backslashes;
    return backslashes % 2 == 1;
  }

  /// The next character after white space; 0 at the end.
  char next() {
    const auto is_space = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    return rest_.empty() ? '\0' : rest_.front();
  }
  bool take(char wanted) {
    if (next() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string_view rest_;
  std::size_t missing_;  // leaves not seen yet; after the last one reading stops
};

Excerpt::Excerpt(const std::vector<std::string>& paths) : leaves_(paths.size()) {
  for (const std::string& path : paths) {
    Node* node = &root_;
    for (const std::string& step : split(path, '.')) {
      auto found = std::ranges::find(node->children, step, &Node::key);
      if (found == node->children.end()) found = node->children.insert(found, Node{step, {}});
      node = &*found;
    }
  }
}

Result<Document> Excerpt::read(std::string_view text) const {
  Object out;
  if (!Reader(text, leaves_).object(root_, out)) {
    return Error{.reason = Reason::kInternalError, .message = "excerpt: the text is not a JSON object"};
  }
  return Document(std::move(out));
}

Result<Document> Excerpt::read_list(std::string_view text) const {
  constexpr std::size_t kNeverStop = SIZE_MAX;  // each item has all leaves again
  Object out;
  if (!Reader(text, kNeverStop).list(root_, out)) {
    return Error{.reason = Reason::kInternalError, .message = "excerpt: the text is not a JSON list of objects"};
  }
  return Document(std::move(out));
}

}  // namespace muster::json
