#include "apiserver/json_path.h"

#include "base/strings.h"

namespace muster::apiserver {
namespace {

std::string_view unquote(std::string_view text) {
  const bool quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
  return quoted ? text.substr(1, text.size() - 2) : text;
}

/// The end of the bracket opened before `at`, or npos; quotes and parentheses inside are skipped.
std::size_t closing_bracket(std::string_view text, std::size_t at) {
  char quote_mark = 0;
  for (; at < text.size(); ++at) {
    if (quote_mark != 0) {
      if (text[at] == quote_mark) quote_mark = 0;
    } else if (text[at] == '"' || text[at] == '\'') {
      quote_mark = text[at];
    } else if (text[at] == ']') {
      return at;
    }
  }
  return std::string_view::npos;
}

std::string scalar_text(const json::Document& value) {
  return value.is_string() ? value.as_string() : json::serialize(value);
}

}  // namespace

JsonPath::JsonPath(std::string_view text) { valid_ = parse(text); }

bool JsonPath::parse_bracket(std::string_view inside) {
  Step step;
  inside = trim(inside);
  if (inside == "*") {
    step.kind = Step::Kind::kAll;
  } else if (inside.starts_with("?(@.") && inside.ends_with(")")) {
    inside = inside.substr(4, inside.size() - 5);
    const std::size_t equals = inside.find("=");
    if (equals == std::string_view::npos || equals == 0) return false;
    step.kind = Step::Kind::kFilter;
    step.negated = inside[equals - 1] == '!';
    step.member = std::string(trim(inside.substr(0, step.negated ? equals - 1 : equals)));
    const std::size_t value_at = inside.find_first_not_of("= ", equals);
    step.value = value_at == std::string_view::npos ? "" : std::string(unquote(trim(inside.substr(value_at))));
  } else if (!inside.empty() && (inside.front() == '\'' || inside.front() == '"')) {
    step.member = std::string(unquote(inside));
  } else if (const std::size_t colon = inside.find(':'); colon != std::string_view::npos) {
    step.kind = Step::Kind::kSlice;
    step.from = parse_int(inside.substr(0, colon)).value_or(0);
    step.to = parse_int(inside.substr(colon + 1));
  } else {
    const auto index = parse_int(inside);
    if (!index) return false;
    step.kind = Step::Kind::kIndex;
    step.from = *index;
  }
  steps_.push_back(std::move(step));
  return true;
}

bool JsonPath::parse(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '[') {
      const std::size_t end = closing_bracket(text, at + 1);
      if (end == std::string_view::npos || !parse_bracket(text.substr(at + 1, end - at - 1))) return false;
      at = end + 1;
      continue;
    }
    if (text[at] == '.') ++at;
    Step step;
    for (; at < text.size() && text[at] != '.' && text[at] != '['; ++at) {
      if (text[at] == '\\' && at + 1 < text.size()) ++at;
      step.member += text[at];
    }
    if (step.member.empty()) return at < text.size() && text[at] == '[';
    if (step.member == "*") step.kind = Step::Kind::kAll;
    steps_.push_back(std::move(step));
  }
  return true;
}

std::vector<const json::Document*> JsonPath::find(const json::Document& object) const {
  std::vector<const json::Document*> found = {&object};
  for (const Step& step : steps_) {
    std::vector<const json::Document*> next;
    for (const json::Document* value : found) {
      if (step.kind == Step::Kind::kMember) {
        if (const json::Document* member = value->find(step.member)) next.push_back(member);
        continue;
      }
      if (step.kind == Step::Kind::kAll && value->is_object()) {
        for (const json::Member& member : value->as_object()) next.push_back(&member.value);
        continue;
      }
      if (!value->is_array()) continue;
      const json::Array& items = value->as_array();
      const auto size = static_cast<std::int64_t>(items.size());
      std::int64_t from = step.from < 0 ? step.from + size : step.from;
      std::int64_t to = step.kind == Step::Kind::kIndex ? from + 1 : step.to.value_or(size);
      if (step.kind == Step::Kind::kAll || step.kind == Step::Kind::kFilter) from = 0, to = size;
      if (to < 0) to += size;
      for (std::int64_t i = std::max<std::int64_t>(from, 0); i < std::min(to, size); ++i) {
        const json::Document& item = items[static_cast<std::size_t>(i)];
        if (step.kind == Step::Kind::kFilter) {
          const json::Document* field = item.find(step.member);
          if (field == nullptr || (scalar_text(*field) == step.value) == step.negated) continue;
        }
        next.push_back(&item);
      }
    }
    found = std::move(next);
  }
  return found;
}

}  // namespace muster::apiserver
