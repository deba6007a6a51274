// How much of a quota one object uses. Pure functions over Documents.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "json/document.h"

namespace muster::apiserver {

/// A quantity and the format it is written in; a sum has the format of its first summand.
struct Amount {
  Quantity quantity;
  Quantity::Form form = Quantity::Form::kDecimal;

  static Amount count(std::int64_t number) { return {Quantity::of(number), Quantity::Form::kDecimal}; }
  void add(const Amount& other);
  void subtract(const Amount& other);
  std::string text() const { return quantity.text(form); }
};
using Amounts = std::map<std::string, Amount>;

/// Quantities by name, as in spec.hard; values that do not parse are skipped.
Amounts amounts_of(const json::Document* list);
/// "pods=1,requests.cpu=2", for the amounts in `names`.
std::string amounts_text(const Amounts& amounts, const std::vector<std::string>& names);

/// True when the usage of the resource's objects is their number, so that no object has to be read.
bool counts_by_number(std::string_view resource);
/// Everything that the object counts as, by the names that quotas use.
Amounts quota_usage(const std::string& resource, const json::Document& object);
/// Whether the scopes of the quota include the object.
bool quota_covers(const json::Document& quota, std::string_view resource, const json::Document& object);
/// Requests and limits that the quota counts and that containers of the pod lack: "limits.cpu for: a,b; …". "" when
/// nothing is missing.
std::string missing_for_quota(const Amounts& hard, const json::Document& pod);

}  // namespace muster::apiserver
