#include "api/rules/rule_texts.h"

#include <algorithm>

#include "base/strings.h"

namespace muster::api {
namespace {

constexpr std::size_t kMaxNamePart = 63;
constexpr std::size_t kMaxSubdomain = 253;

bool is_letter_or_digit(char c) {
  return is_label_value({&c, 1});
}

/// The format of a label's value, of any length: Kubernetes reports length and format separately.
bool has_form(std::string_view text) {
  if (text.empty() || !is_letter_or_digit(text.front()) || !is_letter_or_digit(text.back())) return false;
  return std::ranges::all_of(text, [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.'; });
}

void check_prefix(std::string_view prefix, std::vector<std::string>& problems) {
  if (prefix.empty()) {
    problems.emplace_back("prefix part must be non-empty");
  } else if (prefix.size() > kMaxSubdomain) {
    problems.emplace_back("prefix part must be no more than 253 characters");
  } else if (!is_dns_subdomain(prefix)) {
    problems.push_back(std::string("prefix part ") + kSubdomainRule);
  }
}

}  // namespace

std::vector<std::string> qualified_name_problems(std::string_view text) {
  const std::size_t slash = text.find('/');
  const bool prefixed = slash != std::string_view::npos;
  const std::string_view name = prefixed ? text.substr(slash + 1) : text;
  std::vector<std::string> problems;
  if (name.find('/') != std::string_view::npos) {
    problems.push_back(std::string("a qualified name ") + kNameRule +
                       " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
    return problems;
  }
  if (prefixed) check_prefix(text.substr(0, slash), problems);
  if (name.empty()) problems.emplace_back("name part must be non-empty");
  if (name.size() > kMaxNamePart) problems.emplace_back("name part must be no more than 63 characters");
  if (!has_form(name)) problems.push_back(std::string("name part ") + kNameRule);
  return problems;
}

std::vector<std::string> label_value_problems(std::string_view text) {
  std::vector<std::string> problems;
  if (text.size() > kMaxNamePart) problems.emplace_back("must be no more than 63 characters");
  if (!text.empty() && !has_form(text)) problems.emplace_back(kLabelValueRule);
  return problems;
}

}  // namespace muster::api
