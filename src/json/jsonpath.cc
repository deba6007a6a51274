#include "json/jsonpath.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <variant>

#include "base/strings.h"

namespace muster::json {

namespace {

enum class Compare { kExists, kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };

// Filters nest in brackets; the limit keeps the recursive parser from exhausting the stack.
constexpr int kMaxFilterDepth = 8;

struct Slice {
  std::optional<std::int64_t> from;
  std::optional<std::int64_t> to;
  std::int64_t step = 1;
  bool single = false;  // [n]: selects exactly one, or nothing when out of range
};

Error fault(std::string_view path, std::size_t at, std::string_view what) {
  Error error;
  error.reason = Reason::kBadRequest;
  error.message = fmt::format("jsonpath {}: column {}: {}", quote(path), at + 1, what);
  return error;
}

void select_slice(const Array& items, const Slice& slice, std::vector<const Document*>& out) {
  const auto size = static_cast<std::int64_t>(items.size());
  const auto absolute = [size](std::int64_t n) { return n < 0 ? n + size : n; };
  if (slice.single) {
    const std::int64_t n = absolute(*slice.from);
    if (n >= 0 && n < size) out.push_back(&items[static_cast<std::size_t>(n)]);
    return;
  }
  const std::int64_t from = std::max<std::int64_t>(0, absolute(slice.from.value_or(0)));
  const std::int64_t to = std::min(size, absolute(slice.to.value_or(size)));
  for (std::int64_t n = from; n < to; n += slice.step) {
    out.push_back(&items[static_cast<std::size_t>(n)]);
    if (slice.step > to - n) break;
  }
}

void select_members(const Document& value, std::vector<const Document*>& out) {
  if (value.is_array()) {
    for (const Document& item : value.as_array()) out.push_back(&item);
  } else if (value.is_object()) {
    for (const Member& member : value.as_object()) out.push_back(&member.value);
  }
}

// Selects the value and everything below it, parents first. The recursion is bounded by the documents' kMaxDepth.
void select_tree(const Document& value, std::vector<const Document*>& out) {
  out.push_back(&value);
  if (value.is_array()) {
    for (const Document& item : value.as_array()) select_tree(item, out);
  } else if (value.is_object()) {
    for (const Member& member : value.as_object()) select_tree(member.value, out);
  }
}

template <typename T>
bool ordered(Compare op, const T& a, const T& b) {
  switch (op) {
    case Compare::kExists:
      return true;
    case Compare::kEqual:
      return a == b;
    case Compare::kNotEqual:
      return a != b;
    case Compare::kLess:
      return a < b;
    case Compare::kLessOrEqual:
      return a <= b;
    case Compare::kGreater:
      return a > b;
    case Compare::kGreaterOrEqual:
      return a >= b;
  }
  return false;
}

bool holds(Compare op, const Document& a, const Document& b) {
  if (a.is_string() && b.is_string()) return ordered(op, a.as_string(), b.as_string());
  if (a.is_int() && b.is_int()) return ordered(op, a.as_int(), b.as_int());
  if (a.is_number() && b.is_number()) return ordered(op, a.as_double(), b.as_double());
  if (op == Compare::kEqual) return a == b;
  return op == Compare::kNotEqual && !(a == b);
}

}  // namespace

struct JsonPath::Operand {
  std::variant<Document, Steps> value;
  bool from_root = false;

  std::vector<const Document*> find(const Document& current, const Document& root) const {
    if (const auto* literal = std::get_if<Document>(&value)) return {literal};
    return walk(std::get<Steps>(value), from_root ? root : current, root);
  }
};

struct JsonPath::Filter {
  Operand left;
  Compare op = Compare::kExists;
  Operand right;

  bool accepts(const Document& item, const Document& root) const {
    const auto found = left.find(item, root);
    if (op == Compare::kExists || found.empty()) return !found.empty();
    const auto wanted = right.find(item, root);
    return std::ranges::any_of(found, [&](const Document* a) {
      return std::ranges::any_of(wanted, [&](const Document* b) { return holds(op, *a, *b); });
    });
  }
};

struct JsonPath::Step {
  struct Fields {
    std::vector<std::string> names;
  };
  struct Slices {
    std::vector<Slice> slices;
  };
  struct All {};
  struct Tree {};
  std::variant<Fields, Slices, All, Tree, std::shared_ptr<const Filter>> what;

  void select(const Document& value, const Document& root, std::vector<const Document*>& out) const {
    if (const auto* fields = std::get_if<Fields>(&what)) {
      for (const std::string& name : fields->names) {
        if (const Document* member = value.find(name)) out.push_back(member);
      }
    } else if (const auto* slices = std::get_if<Slices>(&what)) {
      if (!value.is_array()) return;
      for (const Slice& slice : slices->slices) select_slice(value.as_array(), slice, out);
    } else if (std::holds_alternative<All>(what)) {
      select_members(value, out);
    } else if (std::holds_alternative<Tree>(what)) {
      select_tree(value, out);
    } else {
      std::vector<const Document*> items;
      select_members(value, items);
      const Filter& filter = *std::get<std::shared_ptr<const Filter>>(what);
      for (const Document* item : items) {
        if (filter.accepts(*item, root)) out.push_back(item);
      }
    }
  }
};

class JsonPath::Parser {
 public:
  explicit Parser(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}

  /// Parses steps up to the end of the text or to a character that cannot continue a path.
  Result<Steps> steps(int depth) {
    Steps out;
    while (at_ < text_.size()) {
      if (take("..")) {
        out.push_back({Step::Tree{}});
        if (peek() != '[' && peek() != '*') TRY(name_step(out));
        if (take("*")) out.push_back({Step::All{}});
      } else if (take(".")) {
        if (take("*")) {
          out.push_back({Step::All{}});
        } else if (peek() != '[' && at_ < text_.size()) {
          TRY(name_step(out));
        }
      } else if (take("[")) {
        TRY(bracket(out, depth));
      } else {
        break;
      }
    }
    return out;
  }

  Status name_step(Steps& out) {
    std::string name;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\\' && at_ + 1 < text_.size()) {
        name += text_[at_ + 1];
        at_ += 2;
        continue;
      }
      if (std::string_view(" .[]{}()=!<>,|&'\"\t\n").find(c) != std::string_view::npos) break;
      name += c;
      ++at_;
    }
    if (name.empty()) return fault(text_, at_, "a field name is missing");
    out.push_back({Step::Fields{{std::move(name)}}});
    return ok();
  }

  std::size_t at() const { return at_; }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }

  Result<std::string> quoted() {
    const std::size_t start = at_;
    const char mark = text_[at_++];
    std::string out;
    while (at_ < text_.size() && text_[at_] != mark) {
      char c = text_[at_++];
      if (c == '\\' && at_ < text_.size()) {
        c = text_[at_++];
        c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
      }
      out += c;
    }
    if (!take(std::string_view(&mark, 1))) return fault(text_, start, "this quote is not closed");
    return out;
  }

 private:
  Status bracket(Steps& out, int depth) {
    const std::size_t open = at_ - 1;
    skip_blanks();
    if (take("?(")) {
      TRY(filter(out, depth));
    } else if (take("*")) {
      out.push_back({Step::All{}});
    } else if (peek() == '\'' || peek() == '"') {
      TRY(names(out));
    } else {
      TRY(slices(out));
    }
    skip_blanks();
    if (!take("]")) return fault(text_, open, "this [ is not closed");
    return ok();
  }

  Status names(Steps& out) {
    Step::Fields fields;
    do {
      skip_blanks();
      if (peek() != '\'' && peek() != '"') return fault(text_, at_, "a quoted name is expected here");
      TRY_ASSIGN(std::string name, quoted());
      fields.names.push_back(std::move(name));
      skip_blanks();
    } while (take(","));
    out.push_back({std::move(fields)});
    return ok();
  }

  Status slices(Steps& out) {
    Step::Slices all;
    do {
      TRY_ASSIGN(Slice slice, this->slice());
      all.slices.push_back(slice);
      skip_blanks();
    } while (take(","));
    out.push_back({std::move(all)});
    return ok();
  }

  Result<Slice> slice() {
    Slice out;
    skip_blanks();
    const std::size_t start = at_;
    TRY_ASSIGN(out.from, number());
    if (!take(":")) {
      if (!out.from) return fault(text_, start, "an index, a range, '*', a quoted name or ?(…) is expected in [ ]");
      out.single = true;
      return out;
    }
    TRY_ASSIGN(out.to, number());
    if (take(":")) {
      const std::size_t step_at = at_;
      TRY_ASSIGN(std::optional<std::int64_t> step, number());
      out.step = step.value_or(1);
      if (out.step < 1) return fault(text_, step_at, "the step must be 1 or more");
    }
    return out;
  }

  Result<std::optional<std::int64_t>> number() {
    const std::size_t start = at_;
    take("-");
    while (peek() >= '0' && peek() <= '9') ++at_;
    if (at_ == start) return std::optional<std::int64_t>{};
    const auto value = parse_int(text_.substr(start, at_ - start));
    if (!value) return fault(text_, start, "this is not a whole number");
    return std::optional<std::int64_t>{*value};
  }

  Status filter(Steps& out, int depth) {
    const std::size_t open = at_;
    if (depth >= kMaxFilterDepth) return fault(text_, open, "filters are nested too deep");
    auto made = std::make_shared<Filter>();
    TRY_ASSIGN(made->left, operand(depth));
    skip_blanks();
    constexpr std::pair<std::string_view, Compare> kOperators[] = {
        {"==", Compare::kEqual}, {"!=", Compare::kNotEqual},       {"<=", Compare::kLessOrEqual},
        {"<", Compare::kLess},   {">=", Compare::kGreaterOrEqual}, {">", Compare::kGreater},
        {"=", Compare::kEqual},  // `kubectl wait` accepts a single one, and people write it
    };
    for (const auto& [word, op] : kOperators) {
      if (!take(word)) continue;
      made->op = op;
      TRY_ASSIGN(made->right, operand(depth));
      skip_blanks();
      break;
    }
    if (!take(")")) return fault(text_, at_, "a filter is ?(@.field op value), with op one of == != < <= > >=");
    out.push_back({std::shared_ptr<const Filter>(std::move(made))});
    return ok();
  }

  Result<Operand> operand(int depth) {
    skip_blanks();
    Operand out;
    if (peek() == '@' || peek() == '$') {
      out.from_root = take("$");
      if (!out.from_root) take("@");
      TRY_ASSIGN(Steps path, steps(depth + 1));
      out.value = std::move(path);
      return out;
    }
    if (peek() == '\'' || peek() == '"') {
      TRY_ASSIGN(std::string text, quoted());
      out.value = Document(std::move(text));
      return out;
    }
    const std::size_t start = at_;
    while (at_ < text_.size() && std::string_view(" )]=!<>").find(text_[at_]) == std::string_view::npos) ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    auto literal = parse(word);
    if (word.empty() || !literal || literal->is_object() || literal->is_array()) {
      return fault(text_, start, "expected @.field, a number, true, false or a quoted text");
    }
    out.value = *std::move(literal);
    return out;
  }

  // Literals in a filter are JSON.
  static Result<Document> parse(std::string_view word) { return json::parse(word); }

  std::string_view text_;
  std::size_t at_;
};

Result<JsonPath> JsonPath::parse(std::string_view text) {
  std::string_view inner = trim(text);
  if (inner.size() >= 2 && inner.front() == '{' && inner.back() == '}') inner = trim(inner.substr(1, inner.size() - 2));
  JsonPath out;
  Parser parser(inner);
  out.from_root_ = parser.take("$");
  if (!out.from_root_) parser.take("@");
  Steps steps;
  if (parser.at() == 0 && !inner.empty() && inner.front() != '.' && inner.front() != '[') {
    TRY(parser.name_step(steps));
  }
  TRY_ASSIGN(Steps rest, parser.steps(0));
  if (parser.at() != inner.size()) return fault(inner, parser.at(), "a path cannot continue with this");
  std::ranges::move(rest, std::back_inserter(steps));
  out.steps_ = std::make_shared<const Steps>(std::move(steps));
  return out;
}

std::vector<const Document*> JsonPath::find(const Document& current, const Document& root) const {
  return walk(*steps_, from_root_ ? root : current, root);
}

std::vector<const Document*> JsonPath::walk(const Steps& steps, const Document& start, const Document& root) {
  std::vector<const Document*> found = {&start};
  for (const Step& step : steps) {
    std::vector<const Document*> next;
    for (const Document* value : found) step.select(*value, root, next);
    // Each value is kept once; otherwise `..` on nested values and unions would multiply without bound.
    if (next.size() > 1) {
      std::unordered_set<const Document*> seen;
      std::erase_if(next, [&](const Document* value) { return !seen.insert(value).second; });
    }
    found = std::move(next);
  }
  return found;
}

struct JsonPathTemplate::Node {
  std::string text;              // without a path: printed unchanged
  std::optional<JsonPath> path;  // printed, or ranged over
  std::optional<std::vector<Node>> body;
};

class JsonPathTemplate::Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<std::vector<Node>> nodes(int depth) {
    std::vector<Node> out;
    while (at_ < text_.size()) {
      const std::size_t open = text_.find('{', at_);
      const std::string_view plain = text_.substr(at_, open == std::string_view::npos ? open : open - at_);
      if (!plain.empty()) out.push_back({std::string(plain), {}, {}});
      if (open == std::string_view::npos) break;
      TRY_ASSIGN(const std::size_t close, closing_brace(open));
      const std::string_view inner = trim(text_.substr(open + 1, close - open - 1));
      at_ = close + 1;
      if (inner == "end") {
        if (depth == 0) return fault(text_, open, "{end} without {range …}");
        return out;
      }
      TRY_ASSIGN(Node node, this->node(inner, open, depth));
      out.push_back(std::move(node));
    }
    if (depth > 0) return fault(text_, text_.size(), "{range …} without {end}");
    return out;
  }

 private:
  Result<Node> node(std::string_view inner, std::size_t open, int depth) {
    if (inner.empty()) return fault(text_, open, "these braces are empty");
    if (inner.front() == '"' || inner.front() == '\'') {
      JsonPath::Parser parser(inner);
      TRY_ASSIGN(std::string literal, parser.quoted());
      if (parser.at() != inner.size()) return fault(text_, open, "text after the quoted text");
      return Node{std::move(literal), {}, {}};
    }
    if (inner.starts_with("range ") || inner == "range") {
      if (depth >= kMaxFilterDepth) return fault(text_, open, "ranges are nested too deep");
      TRY_ASSIGN(JsonPath path, JsonPath::parse(inner.substr(5)));
      TRY_ASSIGN(std::vector<Node> body, nodes(depth + 1));
      return Node{{}, std::move(path), std::move(body)};
    }
    TRY_ASSIGN(JsonPath path, JsonPath::parse(inner));
    return Node{{}, std::move(path), {}};
  }

  // A brace inside quotes does not close anything.
  Result<std::size_t> closing_brace(std::size_t open) const {
    char mark = '\0';
    for (std::size_t i = open + 1; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '\\') {
        ++i;
      } else if (mark != '\0') {
        if (c == mark) mark = '\0';
      } else if (c == '"' || c == '\'') {
        mark = c;
      } else if (c == '}') {
        return i;
      }
    }
    return fault(text_, open, "this { is not closed");
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

Result<JsonPathTemplate> JsonPathTemplate::parse(std::string_view text) {
  std::vector<Node> nodes;
  if (text.find('{') == std::string_view::npos) {
    TRY_ASSIGN(JsonPath path, JsonPath::parse(text));
    nodes.push_back({{}, std::move(path), {}});
  } else {
    TRY_ASSIGN(nodes, Parser(text).nodes(0));
  }
  JsonPathTemplate out;
  out.nodes_ = std::make_shared<const std::vector<Node>>(std::move(nodes));
  return out;
}

std::string JsonPathTemplate::render(const Document& root) const {
  std::string out;
  render_nodes(*nodes_, root, root, out);
  return out;
}

void JsonPathTemplate::render_nodes(const std::vector<Node>& nodes, const Document& current, const Document& root,
                                    std::string& out) {
  for (const Node& node : nodes) {
    if (!node.path) {
      out += node.text;
      continue;
    }
    const auto found = node.path->find(current, root);
    if (node.body) {
      for (const Document* item : found) render_nodes(*node.body, *item, root, out);
      continue;
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (i > 0) out += ' ';
      out += plain_text(*found[i]);
    }
  }
}

std::string plain_text(const Document& value) {
  if (value.is_string()) return value.as_string();
  if (value.is_null()) return "";
  return serialize(value);
}

}  // namespace muster::json
