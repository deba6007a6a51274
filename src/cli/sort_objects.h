// get --sort-by: objects in the order of one of their fields.
#pragma once

#include <string_view>

#include "json/document.h"
#include "json/jsonpath.h"

namespace muster::cli {

/// `--sort-by`, read.
struct SortBy {
  std::string text;
  json::JsonPath path;

  static Result<SortBy> parse(const std::string& text);
};

/// Orders `items`; the field is looked up in each item, or in its member `inside` when that is not "". As kubectl does
/// it: items without the field come first, numbers by value, strings so that a2 is before a10; equals stay in place.
/// BadRequest when no item has the field, which is then probably misspelt.
Status sort_objects(json::Array& items, const SortBy& by, std::string_view inside = "");

}  // namespace muster::cli
