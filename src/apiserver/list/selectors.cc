#include "apiserver/list/selectors.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/rules/rule_texts.h"
#include "apiserver/errors/status_error.h"
#include "apiserver/list/attributes.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

using Op = Requirement::Op;

/// Splits a label selector into words and operators, one at a time.
class LabelLexer {
 public:
  explicit LabelLexer(std::string_view text) : text_(text) {}

  std::string_view peek() {
    const std::size_t before = at_;
    const std::string_view token = next();
    at_ = before;
    return token;
  }
  /// Returns "" at the end.
  std::string_view next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    if (at_ == text_.size()) return {};
    const std::size_t begin = at_;
    constexpr std::string_view special = "=!(),<>";
    if (special.find(text_[at_]) == std::string_view::npos) {
      while (at_ < text_.size() && special.find(text_[at_]) == std::string_view::npos && text_[at_] != ' ' &&
             text_[at_] != '\t') {
        ++at_;
      }
      return text_.substr(begin, at_ - begin);
    }
    ++at_;
    const bool doubled = at_ < text_.size() && text_[at_] == '=' && (text_[begin] == '=' || text_[begin] == '!');
    if (doubled) ++at_;
    return text_.substr(begin, at_ - begin);
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

bool is_word(std::string_view token) {
  return !token.empty() && std::string_view("=!(),<>").find(token[0]) == std::string_view::npos;
}

Error unparsable(std::string_view what) {
  return bad_request(fmt::format("unable to parse requirement: {}", what));
}

Status check_key(std::string_view key) {
  const std::vector<std::string> problems = api::qualified_name_problems(key);
  if (problems.empty()) return ok();
  return unparsable(fmt::format("<nil>: Invalid value: {}: {}", quote(key), join(problems, "; ")));
}

Status check_value(std::string_view key, std::string_view value) {
  const std::vector<std::string> problems = api::label_value_problems(value);
  if (problems.empty()) return ok();
  return unparsable(fmt::format("values[0][{}]: Invalid value: {}: {}", key, quote(value), join(problems, "; ")));
}

Result<std::vector<std::string>> parse_set(LabelLexer& lexer) {
  if (const std::string_view open = lexer.next(); open != "(")
    return unparsable(fmt::format("found '{}' expected: '('", open));
  std::vector<std::string> values;
  while (true) {
    std::string_view token = lexer.next();
    if (is_word(token)) {
      values.emplace_back(token);
      token = lexer.next();
    } else {
      values.emplace_back();
    }
    if (token == ")") return values;
    if (token != ",") return unparsable(fmt::format("found '{}', expected: ',' or ')'", token));
  }
}

Result<Requirement> parse_requirement(LabelLexer& lexer) {
  Requirement requirement;
  std::string_view token = lexer.next();
  const bool negated = token == "!";
  if (negated) token = lexer.next();
  if (!is_word(token)) return unparsable(fmt::format("found '{}', expected: identifier", token));
  TRY(check_key(token));
  const std::string key(token);
  requirement.key = std::string(kLabelPrefix) + key;
  const std::string_view op = lexer.peek();
  if (negated || op.empty() || op == ",") {
    requirement.op = negated ? Op::kNotExists : Op::kExists;
    return requirement;
  }
  lexer.next();
  if (op == "in" || op == "notin") {
    requirement.op = op == "in" ? Op::kIn : Op::kNotIn;
    TRY_ASSIGN(requirement.values, parse_set(lexer));
  } else if (op == "=" || op == "==" || op == "!=" || op == ">" || op == "<") {
    requirement.op = op == "!=" ? Op::kNotEquals : op == ">" ? Op::kGreater : op == "<" ? Op::kLess : Op::kEquals;
    requirement.values.emplace_back(is_word(lexer.peek()) ? lexer.next() : std::string_view());
  } else {
    return unparsable(fmt::format("found '{}', expected: in, notin, =, ==, !=, gt, lt", op));
  }
  for (const std::string& value : requirement.values) TRY(check_value(key, value));
  const bool compares = requirement.op == Op::kGreater || requirement.op == Op::kLess;
  if (compares && !parse_int(requirement.values[0])) {
    return unparsable(
        fmt::format("values[0]: Invalid value: {}: for 'Gt', 'Lt' operators, the value must be an integer",
                    quote(requirement.values[0])));
  }
  return requirement;
}

/// Splits at unescaped commas; a backslash keeps the next character, as in fields.ParseSelector.
std::vector<std::string_view> split_terms(std::string_view text) {
  std::vector<std::string_view> terms;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ',') {
      terms.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  terms.push_back(text.substr(begin));
  return terms;
}

Result<std::string> unescape(std::string_view value) {
  std::string out;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const bool escaped = value[i] == '\\';
    if (escaped) ++i;
    const bool special = i < value.size() && (value[i] == ',' || value[i] == '=' || value[i] == '\\');
    if (escaped != special) {
      return bad_request(
          fmt::format("invalid field selector: {} must be written with a backslash before each of \\ , "
                      "and =, and nothing else",
                      quote(value)));
    }
    out += value[i];
  }
  return out;
}

}  // namespace

std::optional<std::string_view> Requirement::value_in(const store::Key& object,
                                                      const store::Attributes& attributes) const {
  if (!key.starts_with(kFieldPrefix)) return attributes.find(key);
  if (field == kNameField) return object.name;
  if (field == kNamespaceField) return object.ns;
  return attributes.find(key).value_or("");
}

bool Requirement::matches(const store::Key& object, const store::Attributes& attributes) const {
  const auto value = value_in(object, attributes);
  switch (op) {
    case Op::kEquals:
      return value && *value == values[0];
    case Op::kNotEquals:
      return value != values[0];
    case Op::kIn:
      return value && std::ranges::find(values, *value) != values.end();
    case Op::kNotIn:
      return !value || std::ranges::find(values, *value) == values.end();
    case Op::kExists:
      return value.has_value();
    case Op::kNotExists:
      return !value;
    case Op::kGreater:
    case Op::kLess: {
      if (!value) return false;
      const auto left = parse_int(*value);
      const auto right = parse_int(values[0]);
      return left && right && (op == Op::kGreater ? *left > *right : *left < *right);
    }
  }
  return false;
}

Status Selector::add_labels(std::string_view text) {
  LabelLexer lexer(text);
  if (lexer.peek().empty()) return ok();
  while (true) {
    if (const std::string_view token = lexer.peek(); !is_word(token) && token != "!") {
      return bad_request(fmt::format("found '{}', expected: !, identifier, or 'end of string'", token));
    }
    TRY_ASSIGN(Requirement requirement, parse_requirement(lexer));
    requirements_.push_back(std::move(requirement));
    const std::string_view token = lexer.next();
    if (token.empty()) return ok();
    if (token != ",") return bad_request(fmt::format("found '{}', expected: ',' or 'end of string'", token));
  }
}

Status Selector::add_fields(std::string_view text, std::string_view resource) {
  if (trim(text).empty()) return ok();
  for (const std::string_view term : split_terms(text)) {
    if (term.empty()) continue;
    const std::size_t equals = term.find('=');
    if (equals == std::string::npos) {
      return bad_request(fmt::format("invalid selector: '{}'; can't understand '{}'", text, term));
    }
    Requirement requirement;
    const bool negated = equals > 0 && term[equals - 1] == '!';
    const std::size_t value_at = equals + (term.compare(equals, 2, "==") == 0 ? 2 : 1);
    const std::string field(trim(term.substr(0, negated ? equals - 1 : equals)));
    if (!is_selectable(resource, field)) {
      return bad_request(fmt::format("field label not supported: {}", field));
    }
    requirement.key = field_key(resource, field);
    requirement.field = field;
    requirement.op = negated ? Op::kNotEquals : Op::kEquals;
    TRY_ASSIGN(std::string value, unescape(term.substr(value_at)));
    requirement.values.push_back(std::move(value));
    if (field == "metadata.name" && !negated) only_name_ = requirement.values[0];
    requirements_.push_back(std::move(requirement));
  }
  return ok();
}

bool Selector::matches(const store::Key& object, const store::Attributes& attributes) const {
  return std::ranges::all_of(requirements_, [&](const Requirement& r) { return r.matches(object, attributes); });
}

}  // namespace muster::apiserver
