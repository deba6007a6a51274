#include "cli/sort_objects.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace muster::cli {

namespace {

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// The digits at `at`, without leading zeros; moves `at` behind them.
std::string_view number_at(std::string_view text, std::size_t& at) {
  while (at < text.size() && text[at] == '0') ++at;
  const std::size_t begin = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  return text.substr(begin, at - begin);
}

bool natural_less(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string_view left = number_at(a, i);
      const std::string_view right = number_at(b, j);
      if (left.size() != right.size()) return left.size() < right.size();
      if (left != right) return left < right;
      continue;
    }
    if (a[i] != b[j]) return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]);
    ++i;
    ++j;
  }
  return a.size() - i < b.size() - j;
}

bool less(const json::Document* a, const json::Document* b) {
  if (a == nullptr || b == nullptr) return a == nullptr && b != nullptr;
  if (a->is_number() && b->is_number()) return a->as_double() < b->as_double();
  return natural_less(json::plain_text(*a), json::plain_text(*b));
}

}  // namespace

Status sort_objects(json::Array& items, const json::JsonPath& by, std::string_view inside) {
  std::vector<const json::Document*> fields;
  for (const json::Document& item : items) {
    const json::Document* object = inside.empty() ? &item : item.find(inside);
    const auto found = object == nullptr ? std::vector<const json::Document*>{} : by.find(*object);
    fields.push_back(found.empty() ? nullptr : found.front());
  }
  const bool none = std::ranges::all_of(fields, [](const json::Document* field) { return field == nullptr; });
  if (none && !items.empty())
    return Error{.reason = Reason::kBadRequest, .message = "--sort-by: no object has this field"};
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return less(fields[a], fields[b]); });
  json::Array sorted;
  for (const std::size_t at : order) sorted.push_back(std::move(items[at]));
  items = std::move(sorted);
  return ok();
}

}  // namespace muster::cli
