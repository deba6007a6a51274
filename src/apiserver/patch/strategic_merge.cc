#include "apiserver/patch/strategic_merge.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "apiserver/errors/status_error.h"
#include "base/strings.h"
#include "json/members.h"
#include "json/patch.h"

namespace muster::apiserver {
namespace {

using api::kubernetes::Field;
using api::kubernetes::Message;
using api::kubernetes::Shape;
using json::Array;
using json::Document;

constexpr std::string_view kDeleteFromList = "$deleteFromPrimitiveList/";
constexpr std::string_view kElementOrder = "$setElementOrder/";

Status merge_object(Document& target, const Document& patch, const Message* type);

const std::string& directive_of(const Document& item) {
  return item.string_at("$patch");
}

/// Returns the text that identifies an item: its key, or the item itself when `key` is empty; "" when it has no key.
std::string text_of(const Document& item, const std::string& key) {
  const Document* value = key.empty() ? &item : item.find(key);
  return value == nullptr ? "" : json::serialize(*value);
}

/// The index of the first occurrence of every item.
using Places = std::unordered_map<std::string, std::size_t>;

Places places_of(const Array& items, const std::string& key) {
  Places places;
  places.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (std::string text = text_of(items[i], key); !text.empty()) places.emplace(std::move(text), i);
  }
  return places;
}

struct Placed {
  Document item;
  std::size_t wanted = 0;               // the index to sort by: in the patch, or else before the patch
  std::optional<std::size_t> was = {};  // its index before the patch
};

/// Orders a merged list as Kubernetes does: items of the patch are in the order of the patch, and each other item goes
/// before the first of these that it preceded in the original list.
void put_in_order(Array& merged, const Places& wanted, const Places& before, const std::string& key) {
  std::vector<Placed> named;
  std::vector<Placed> others;
  for (Document& item : merged) {
    const std::string text = text_of(item, key);
    const auto was = before.find(text);
    Placed placed{std::move(item)};
    if (was != before.end()) placed.was = was->second;
    const auto found = wanted.find(text);
    placed.wanted = found != wanted.end() ? found->second : placed.was.value_or(before.size());
    (found != wanted.end() ? named : others).push_back(std::move(placed));
  }
  std::ranges::stable_sort(named, {}, &Placed::wanted);
  std::ranges::stable_sort(others, {}, &Placed::wanted);
  merged.clear();
  auto other = others.begin();
  for (Placed& next : named) {
    for (; other != others.end() && other->was && next.was && *other->was < *next.was; ++other) {
      merged.push_back(std::move(other->item));
    }
    merged.push_back(std::move(next.item));
  }
  for (; other != others.end(); ++other) merged.push_back(std::move(other->item));
}

Status check_keys(const Array& items, const std::string& key) {
  for (const Document& item : items) {
    if (item.find(key) != nullptr) continue;
    return bad_request(fmt::format("map: {} does not contain declared merge key: {}", json::serialize(item), key));
  }
  return ok();
}

/// {"$patch": "replace"} anywhere in the list replaces it as a whole.
bool replaces(const Array& patch) {
  return std::ranges::any_of(patch, [](const Document& item) { return directive_of(item) == "replace"; });
}

void delete_named(Array& items, const Array& patch, const std::string& key) {
  std::unordered_set<std::string> gone;
  for (const Document& item : patch) {
    if (directive_of(item) == "delete") gone.insert(text_of(item, key));
  }
  if (!gone.empty()) std::erase_if(items, [&](const Document& item) { return gone.contains(text_of(item, key)); });
}

/// `order` is the value of $setElementOrder; null when the patch itself defines the order.
Status merge_list(Document& target, const Array& patch, const std::string& key, const Message* element,
                  const Array* order) {
  if (patch.size() > json::kMaxPatchOperations) {
    return Error{.reason = Reason::kRequestEntityTooLarge,
                 .message = fmt::format("The allowed maximum items of a list in a strategic merge patch is {}, got {}",
                                        json::kMaxPatchOperations, patch.size())};
  }
  if (!target.is_array()) target = Array();
  Array& items = target.as_array();
  if (replaces(patch)) {
    items.clear();
    std::ranges::copy_if(patch, std::back_inserter(items),
                         [](const Document& item) { return directive_of(item) != "replace"; });
    return ok();
  }
  TRY(check_keys(patch, key));
  const Places before = places_of(items, key);
  delete_named(items, patch, key);
  Places now = places_of(items, key);
  for (const Document& item : patch) {
    if (directive_of(item) == "delete") continue;
    const auto [place, is_new] = now.emplace(text_of(item, key), items.size());
    if (is_new) items.emplace_back(json::Object());
    TRY(merge_object(items[place->second], item, element));
  }
  put_in_order(items, places_of(order != nullptr ? *order : patch, key), before, key);
  return ok();
}

/// Merges lists of plain values: adds the values of the patch and removes duplicates.
void merge_values(Document& list, const Array& patch, const Array* order) {
  if (!list.is_array()) list = Array();
  Array& items = list.as_array();
  const Places before = places_of(items, "");
  items.insert(items.end(), patch.begin(), patch.end());
  std::unordered_set<std::string> seen;
  std::erase_if(items, [&](const Document& item) { return !seen.insert(json::serialize(item)).second; });
  put_in_order(items, places_of(order != nullptr ? *order : patch, ""), before, "");
}

void delete_from_list(Document& target, const std::string& field, const Document& values) {
  Document* list = target.find(field);
  if (list == nullptr || !list->is_array() || !values.is_array()) return;
  const Places gone = places_of(values.as_array(), "");
  std::erase_if(list->as_array(), [&](const Document& item) { return gone.contains(json::serialize(item)); });
}

const Field* find_member(const Message* type, std::string_view name) {
  return type == nullptr ? nullptr : find_field(*type, name);
}

/// Returns the type of the field's object or of its list's items; null when the tables do not define it.
const Message* type_below(const Field* field) {
  return field == nullptr || field->shape == Shape::kMap ? nullptr : field->message;
}

/// Returns the member by which the items of a list are matched; "" when the list has none.
std::string key_of_items(const Field* field) {
  return field == nullptr ? "" : std::string(field->merging.patch_key);
}

bool merges_as_values(const Field* field) {
  return field != nullptr && field->merging.patch_strategy == "merge" && field->merging.patch_key.empty();
}

bool are_plain(const Array& items) {
  return std::ranges::none_of(items, [](const Document& item) { return item.is_object(); });
}

/// Checks that the items of the patch are in the order that its own $setElementOrder demands.
Status check_order(const std::string& name, const Array& patch, const Array& order, const std::string& key) {
  if (patch.empty() || order.empty()) return ok();
  std::size_t at = 0;
  for (const Document& item : patch) {
    if (directive_of(item) == "delete") continue;
    const std::string text = text_of(item, key);
    while (at < order.size() && text_of(order[at], key) != text) ++at;
    if (at == order.size()) {
      return bad_request(fmt::format("the order in patch list {}: does not match {}{}: {}", json::serialize(patch),
                                     kElementOrder, name, json::serialize(order)));
    }
    ++at;
  }
  return ok();
}

/// Merges a list with $setElementOrder, even when the patch has no items for it. Returns false if it cannot be merged.
Result<bool> merge_ordered(Document& target, const Document& patch, const std::string& name, const Document& order,
                           const Message* type) {
  const Document* changes = patch.find(name);
  const Document* existing = target.find(name);
  if (!order.is_array() || (changes != nullptr && !changes->is_array())) {
    return bad_request(fmt::format("{}{}: must be a list, like the list that it orders", kElementOrder, name));
  }
  if (changes == nullptr && (existing == nullptr || !existing->is_array())) return true;
  static const Array kNone;
  const Array& items = changes != nullptr ? changes->as_array() : kNone;
  const Field* field = find_member(type, name);
  if (merges_as_values(field)) {
    TRY(check_order(name, items, order.as_array(), ""));
    merge_values(target[name], items, &order.as_array());
    return true;
  }
  const std::string key = key_of_items(field);
  if (key.empty() || are_plain(order.as_array())) return false;
  TRY(check_keys(order.as_array(), key));
  TRY(check_order(name, items, order.as_array(), key));
  TRY(merge_list(target[name], items, key, type_below(field), &order.as_array()));
  return true;
}

/// `target` is the current value of the member in the object; null when the member is new.
Status merge_member(Document& target, const json::Member& member, const Message* type) {
  const Field* field = find_member(type, member.key);
  if (member.value.is_object()) {
    if (!target.is_object()) target = json::Object();
    return merge_object(target, member.value, type_below(field));
  }
  if (member.value.is_array() && (!are_plain(member.value.as_array()) || member.value.as_array().empty())) {
    const std::string key = key_of_items(field);
    if (!key.empty()) return merge_list(target, member.value.as_array(), key, type_below(field), nullptr);
  }
  if (member.value.is_array() && merges_as_values(field)) {
    merge_values(target, member.value.as_array(), nullptr);
    return ok();
  }
  target = member.value;
  return ok();
}

void retain_keys(json::Object& target, const Array& retained) {
  const Places kept = places_of(retained, "");
  std::vector<json::Member> members;
  for (json::Member& member : target) {
    if (kept.contains(json::serialize(member.key))) members.push_back(std::move(member));
  }
  target = json::Object(std::move(members));
}

Status merge_object(Document& target, const Document& patch, const Message* type) {
  const std::string& directive = patch.string_at("$patch");
  if (!directive.empty() && directive != "replace" && directive != "delete" && directive != "merge") {
    return bad_request(fmt::format("$patch: must be one of delete, merge, replace, got {}", quote(directive)));
  }
  if (directive == "replace" || directive == "delete") target = json::Object();
  if (directive == "delete") return ok();
  if (const Document* retained = patch.find("$retainKeys"); retained != nullptr && retained->is_array()) {
    retain_keys(target.as_object(), retained->as_array());
  }
  std::unordered_set<std::string> done;  // lists already merged by their $setElementOrder
  for (const json::Member& member : patch.as_object()) {
    if (!member.key.starts_with(kElementOrder)) continue;
    const std::string name = member.key.substr(kElementOrder.size());
    TRY_ASSIGN(const bool merged, merge_ordered(target, patch, name, member.value, type));
    if (merged) done.insert(name);
  }
  json::MemberIndex index(target.as_object());
  std::vector<std::string> gone;
  for (const json::Member& member : patch.as_object()) {
    const bool is_directive =
        member.key == "$patch" || member.key == "$retainKeys" || member.key.starts_with(kElementOrder);
    if (is_directive || done.contains(member.key)) continue;
    if (member.key.starts_with(kDeleteFromList)) {
      delete_from_list(target, member.key.substr(kDeleteFromList.size()), member.value);
    } else if (member.value.is_null()) {
      gone.push_back(member.key);
    } else {
      TRY(merge_member(index.at(target.as_object(), member.key), member, type));
    }
  }
  json::erase_members(target.as_object(), gone);
  return ok();
}

}  // namespace

Status strategic_merge(Document& target, const Document& patch, const api::kubernetes::Message* type) {
  return merge_object(target, patch, type);
}

}  // namespace muster::apiserver
