// What one object takes of a quota. Pure functions over Documents.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "json/document.h"

namespace muster::apiserver {

/// A quantity and the family it is written in: sums are written as their first part was.
struct Amount {
  Quantity quantity;
  Quantity::Form form = Quantity::Form::kDecimal;

  static Amount count(std::int64_t number) { return {Quantity::of(number), Quantity::Form::kDecimal}; }
  void add(const Amount& other);
  void subtract(const Amount& other);
  std::string text() const { return quantity.text(form); }
};
using Amounts = std::map<std::string, Amount>;

/// Quantities by name, as in spec.hard; what does not parse is left out.
Amounts amounts_of(const json::Document* list);
/// "pods=1,requests.cpu=2" of those in `names`.
std::string amounts_text(const Amounts& amounts, const std::vector<std::string>& names);

/// The names under which objects of the resource can be counted without looking into them.
bool counts_by_number(std::string_view resource);
/// Everything the object can be counted as, by the names that quotas use.
Amounts quota_usage(const std::string& resource, const json::Document& object);
/// Whether the quota's scopes take the object in.
bool quota_covers(const json::Document& quota, std::string_view resource, const json::Document& object);
/// Requests and limits that the quota counts and containers of the pod do not have: "limits.cpu for: a,b; …". "" when
/// nothing is missing.
std::string missing_for_quota(const Amounts& hard, const json::Document& pod);

}  // namespace muster::apiserver
