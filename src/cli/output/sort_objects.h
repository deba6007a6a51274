// get --sort-by: sorts objects by one of their fields.
#pragma once

#include <string_view>

#include "json/document.h"
#include "json/jsonpath.h"

namespace muster::cli {

/// The parsed value of `--sort-by`.
struct SortBy {
  std::string text;
  json::JsonPath path;

  static Result<SortBy> parse(const std::string& text);
};

/// Sorts `items` by a field of each item, or of its member `inside` unless that is "". The order is kubectl's: items
/// without the field first, numbers by value, strings in natural order (a2 before a10); the sort is stable. BadRequest
/// when no item has the field, because its name is then probably misspelt.
Status sort_objects(json::Array& items, const SortBy& by, std::string_view inside = "");

}  // namespace muster::cli
