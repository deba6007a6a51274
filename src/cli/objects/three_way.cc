#include "cli/objects/three_way.h"

#include <algorithm>

namespace muster::cli {

namespace {

/// Returns true when `live` already has everything in `modified`, and `modified` removes nothing of `original`.
bool covered(const json::Document& original, const json::Document& modified, const json::Document& live) {
  if (modified.is_object() && live.is_object()) {
    return three_way_patch(original, modified, live).as_object().empty();
  }
  if (!modified.is_array() || !live.is_array()) return modified == live;
  const json::Array& wanted = modified.as_array();
  const json::Array& there = live.as_array();
  if (wanted.size() != there.size()) return false;
  const bool aligned = original.is_array() && original.as_array().size() == wanted.size();
  if (!original.is_null() && !aligned) return false;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!covered(aligned ? original.as_array()[i] : json::Document(), wanted[i], there[i])) return false;
  }
  return true;
}

const json::Document& member(const json::Document& object, std::string_view key) {
  static const json::Document kNull;
  const json::Document* found = object.find(key);
  return found == nullptr ? kNull : *found;
}

/// Sorts members by name, as kubectl does, so that the two tools produce the same annotation for the same manifest.
json::Document sorted(const json::Document& value) {
  if (value.is_array()) {
    json::Array out;
    for (const json::Document& item : value.as_array()) out.push_back(sorted(item));
    return out;
  }
  if (!value.is_object()) return value;
  std::vector<const json::Member*> members;
  for (const json::Member& member : value.as_object()) members.push_back(&member);
  std::ranges::sort(members, {}, [](const json::Member* member) -> const std::string& { return member->key; });
  json::Object out;
  for (const json::Member* member : members) out.append(member->key, sorted(member->value));
  return out;
}

}  // namespace

json::Document three_way_patch(const json::Document& original, const json::Document& modified,
                               const json::Document& live) {
  json::Object patch;
  if (original.is_object()) {
    for (const json::Member& old : original.as_object()) {
      const json::Document* now = modified.find(old.key);
      const bool dropped = now == nullptr || now->is_null();
      if (dropped && !old.value.is_null() && live.find(old.key) != nullptr) patch.append(old.key, nullptr);
    }
  }
  if (!modified.is_object()) return patch;
  for (const json::Member& wanted : modified.as_object()) {
    if (wanted.value.is_null()) continue;
    const json::Document& before = member(original, wanted.key);
    const json::Document* there = live.find(wanted.key);
    if (there == nullptr) {
      patch.set(wanted.key, wanted.value);
    } else if (wanted.value.is_object() && there->is_object()) {
      json::Document deeper = three_way_patch(before, wanted.value, *there);
      if (!deeper.as_object().empty()) patch.set(wanted.key, std::move(deeper));
    } else if (!covered(before, wanted.value, *there)) {
      patch.set(wanted.key, wanted.value);
    }
  }
  return patch;
}

json::Document with_last_applied(json::Document object) {
  const json::Document* given = object.at("metadata", "annotations");
  // Invalid annotations are sent unchanged: the server reports what is wrong with them.
  if (given != nullptr && !given->is_object() && !given->is_null()) return object;
  json::Document& annotations = object["metadata"]["annotations"];
  if (annotations.is_null()) annotations = json::Object();
  annotations.as_object().erase(kLastAppliedAnnotation);
  std::string text = json::serialize(sorted(object)) + "\n";
  object["metadata"]["annotations"][kLastAppliedAnnotation] = std::move(text);
  return object;
}

json::Document last_applied(const json::Document& live) {
  const std::string& text = live.string_at("metadata", "annotations", kLastAppliedAnnotation);
  if (text.empty()) return nullptr;
  auto parsed = json::parse(text);
  return parsed ? *std::move(parsed) : json::Document();
}

}  // namespace muster::cli
