#include "cli/output/sort_objects.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "base/strings.h"

namespace muster::cli {

namespace {

/// Returns the digits at `at` without leading zeros and advances `at` past them.
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

Result<SortBy> SortBy::parse(const std::string& text) {
  auto path = json::JsonPath::parse(text);
  if (!path) return in_context("--sort-by", std::move(path).error());
  return SortBy{.text = text, .path = *std::move(path)};
}

Status sort_objects(json::Array& items, const SortBy& by, std::string_view inside) {
  std::vector<const json::Document*> fields;
  for (const json::Document& item : items) {
    const json::Document* object = inside.empty() ? &item : item.find(inside);
    const auto found = object == nullptr ? std::vector<const json::Document*>{} : by.path.find(*object);
    fields.push_back(found.empty() ? nullptr : found.front());
  }
  const bool none = std::ranges::all_of(fields, [](const json::Document* field) { return field == nullptr; });
  if (none && !items.empty()) {
    return Error{.reason = Reason::kBadRequest,
                 .message = fmt::format("--sort-by: no object has the field {}", quote(by.text))};
  }
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return less(fields[a], fields[b]); });
  json::Array sorted;
  for (const std::size_t at : order) sorted.push_back(std::move(items[at]));
  items = std::move(sorted);
  return ok();
}

std::int64_t revision_of(const json::Document& object) {
  return parse_int(object.string_at("metadata", "resourceVersion")).value_or(0);
}

void sort_rows_by_write(json::Array& rows) {
  const json::Document none;
  std::ranges::stable_sort(rows, {}, [&](const json::Document& row) {
    const json::Document* object = row.find("object");
    return revision_of(object == nullptr ? none : *object);
  });
}

}  // namespace muster::cli
