#include "api/rules/findings.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/rules/rule_texts.h"
#include "base/strings.h"
#include "reflect/causes.h"

namespace muster::api {

using json::Document;
using reflect::Place;

const json::Object& members_of(const Document& object, std::string_view key) {
  static const json::Object none;
  const Document* found = object.find(key);
  return found != nullptr && found->is_object() ? found->as_object() : none;
}

void Findings::required(FieldPath at, std::string_view detail) {
  causes_.push_back(reflect::required_cause(std::move(at.text), detail));
}

void Findings::invalid(FieldPath at, const Document& value, std::string_view detail) {
  causes_.push_back(reflect::invalid_cause(std::move(at.text), value, detail));
}

void Findings::not_supported(FieldPath at, const Document& value, const std::vector<std::string>& supported) {
  causes_.push_back(reflect::not_supported_cause(std::move(at.text), value, supported));
}

void Findings::forbidden(FieldPath at, std::string_view detail) {
  causes_.push_back(reflect::forbidden_cause(std::move(at.text), detail));
}

void Findings::duplicate(FieldPath at, const Document& value) {
  causes_.push_back(reflect::duplicate_cause(std::move(at.text), value));
}

void Findings::at_most_bytes(std::size_t bytes, std::size_t most, FieldPath at) {
  if (bytes <= most) return;
  causes_.push_back({.reason = "FieldValueTooLong",
                     .message = fmt::format("Too long: may not be more than {} bytes", most),
                     .field = std::move(at.text)});
}

void Findings::not_found(const Place& at, const std::string& name, const std::vector<std::string>& known) {
  causes_.push_back(reflect::not_found_cause(at.text(), name));
  if (const auto near = did_you_mean(name, known)) {
    causes_.back().message += fmt::format("; did you mean {}?", quote(*near));
  }
}

void Findings::without_nul(const Document& text, const Place& at) {
  if (!text.is_string() || text.as_string().find('\0') == std::string::npos) return;
  invalid(at, text, "must not contain a NUL character");
}

void Findings::without_nul(const Document& object, std::string_view key, const Place& place) {
  if (const Document* text = object.find(key)) without_nul(*text, place.member(key));
}

void Findings::one_of(const Document& object, std::string_view key, const Place& place,
                      std::initializer_list<std::string_view> supported) {
  const Document* value = object.find(key);
  if (value == nullptr || !value->is_string() || contains(supported, value->as_string())) return;
  not_supported(place.member(key), *value, {supported.begin(), supported.end()});
}

void Findings::between(const Document& object, std::string_view key, const Place& place, std::int64_t low,
                       std::int64_t high) {
  const Document* value = object.find(key);
  if (value == nullptr || !value->is_int() || (value->as_int() >= low && value->as_int() <= high)) return;
  invalid(place.member(key), *value, fmt::format("must be between {} and {}, inclusive", low, high));
}

void Findings::not_negative(const Document& object, std::string_view key, const Place& place) {
  if (object.int_at(key) < 0) invalid(place.member(key), object.int_at(key), "must be greater than or equal to 0");
}

void Findings::subdomain(const Document& object, std::string_view key, const Place& place) {
  const std::string& name = object.string_at(key);
  if (!name.empty() && !is_dns_subdomain(name)) invalid(place.member(key), name, kSubdomainRule);
}

void Findings::dns_label(const Document& object, std::string_view key, const Place& place) {
  const std::string& name = object.string_at(key);
  if (!name.empty() && !is_dns_label(name)) {
    invalid(place.member(key), name, name.size() > 63 ? "must be no more than 63 characters" : kDnsLabelRule);
  }
}

void Findings::port(const Document& object, std::string_view key, const Place& place) {
  const Document* value = object.find(key);
  if (value != nullptr && value->is_string()) return port_name(value->as_string(), place.member(key));
  between(object, key, place, 1, 65535);
}

bool Findings::has_text(const Document& object, std::string_view key, const Place& place) {
  const bool there = !object.string_at(key).empty();
  if (!there) required(place.member(key));
  return there;
}

void Findings::port_name(const std::string& name, const Place& at) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_right = [&](char c) { return is_letter(c) || is_digit(c) || c == '-'; };
  if (name.size() > 15) invalid(at, name, "must be no more than 15 characters");
  if (!std::ranges::all_of(name, is_right)) {
    invalid(at, name, "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (std::ranges::none_of(name, is_letter)) invalid(at, name, "must contain at least one letter (a-z)");
  if (name.find("--") != std::string::npos) invalid(at, name, "must not contain consecutive hyphens");
  if (name.starts_with('-') || name.ends_with('-')) invalid(at, name, "must not begin or end with a hyphen");
}

void Findings::config_key(const std::string& key, const Place& at) {
  const auto is_right = [](char c) { return is_label_value({&c, 1}) || c == '-' || c == '_' || c == '.'; };
  if (key.size() > 253) invalid(at, key, "must be no more than 253 characters");
  if (key.empty() || !std::ranges::all_of(key, is_right)) invalid(at, key, kConfigKeyRule);
  if (key == ".") invalid(at, key, "must not be '.'");
  if (key == "..") {
    invalid(at, key, "must not be '..'");
  } else if (key.starts_with("..")) {
    invalid(at, key, "must not start with '..'");
  }
}

void Findings::qualified_name(const std::string& name, const Place& at) {
  for (const std::string& problem : qualified_name_problems(name)) invalid(at, name, problem);
}

void Findings::labels(const Document* labels, const Place& at) {
  if (labels == nullptr || !labels->is_object()) return;
  for (const auto& [key, value] : labels->as_object()) {
    qualified_name(key, at);
    if (!value.is_string()) continue;
    for (const std::string& problem : label_value_problems(value.as_string())) invalid(at, value, problem);
  }
}

void Findings::annotations(const Document* annotations, const Place& at) {
  constexpr std::size_t kMaxAnnotationBytes = 256 * 1024;
  if (annotations == nullptr || !annotations->is_object()) return;
  std::size_t bytes = 0;
  for (const auto& [key, value] : annotations->as_object()) {
    bytes += key.size() + (value.is_string() ? value.as_string().size() : 0);
    for (const std::string& problem : qualified_name_problems(to_lower(key))) invalid(at, key, problem);
  }
  at_most_bytes(bytes, kMaxAnnotationBytes, at);
}

}  // namespace muster::api
