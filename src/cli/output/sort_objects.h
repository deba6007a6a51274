// get --sort-by: sorts objects by one of their fields.
#pragma once

#include <cstdint>
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

/// Returns the object's resourceVersion as a number, which grows with each write; 0 when it is none.
std::int64_t revision_of(const json::Document& object);

/// Sorts the rows of a table by their objects' last write. Events have times in whole seconds, and the server lists
/// them by name, which says nothing about what came first.
void sort_rows_by_write(json::Array& rows);

}  // namespace muster::cli
