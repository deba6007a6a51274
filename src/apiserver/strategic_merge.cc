#include "apiserver/strategic_merge.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>

#include "apiserver/status_error.h"

namespace muster::apiserver {
namespace {

using json::Array;
using json::Document;

constexpr std::string_view kDeleteFromList = "$deleteFromPrimitiveList/";
constexpr std::string_view kElementOrder = "$setElementOrder/";

std::string_view merge_key(std::string_view field, const Document& items) {
  if (field != "ports") return well_known_merge_key(field);
  const bool of_container =
      std::ranges::any_of(items.as_array(), [](const Document& item) { return item.find("containerPort") != nullptr; });
  return of_container ? "containerPort" : "port";
}

bool is_primitive_list(const Document& list) {
  return list.is_array() && std::ranges::none_of(list.as_array(), [](const Document& d) { return d.is_object(); });
}

Status merge_object(Document& target, const Document& patch, const reflect::TypeDesc* type);

Document* item_with(Array& items, const std::string& key, const Document& value) {
  for (Document& item : items) {
    const Document* found = item.find(key);
    if (found != nullptr && *found == value) return &item;
  }
  return nullptr;
}

Status merge_list(Document& target, const Document& patch, const std::string& key, const reflect::TypeDesc* element) {
  if (!target.is_array()) target = Array();
  Array& items = target.as_array();
  // {"$patch": "replace"} anywhere in the list replaces it as a whole.
  const auto directive = [](const Document& item) -> const std::string& { return item.string_at("$patch"); };
  if (std::ranges::any_of(patch.as_array(), [&](const Document& item) { return directive(item) == "replace"; })) {
    items.clear();
    for (const Document& item : patch.as_array()) {
      if (directive(item) != "replace") items.push_back(item);
    }
    return ok();
  }
  for (const Document& item : patch.as_array()) {
    const Document* value = item.find(key);
    if (value == nullptr) {
      return bad_request(fmt::format("map: {} does not contain declared merge key: {}", json::serialize(item), key));
    }
    Document* existing = item_with(items, key, *value);
    if (directive(item) == "delete") {
      std::erase_if(items, [&](const Document& candidate) {
        const Document* found = candidate.find(key);
        return found != nullptr && *found == *value;
      });
    } else if (existing != nullptr) {
      TRY(merge_object(*existing, item, element));
    } else {
      Document fresh = json::Object();
      TRY(merge_object(fresh, item, element));
      items.push_back(std::move(fresh));
    }
  }
  return ok();
}

void add_to_list(Document& list, const Array& values) {
  if (!list.is_array()) list = Array();
  Array& items = list.as_array();
  for (const Document& value : values) {
    if (std::ranges::find(items, value) == items.end()) items.push_back(value);
  }
}

void delete_from_list(Document& target, const std::string& field, const Document& values) {
  Document* list = target.find(field);
  if (list == nullptr || !list->is_array() || !values.is_array()) return;
  std::erase_if(list->as_array(), [&](const Document& item) {
    return std::ranges::find(values.as_array(), item) != values.as_array().end();
  });
}

Status merge_member(Document& target, const json::Member& member, const reflect::TypeDesc* type) {
  const reflect::FieldDesc* field = type == nullptr ? nullptr : type->field(member.key);
  const reflect::TypeDesc* member_type = field != nullptr && field->type != nullptr ? &field->type() : nullptr;
  if (member_type == nullptr && type != nullptr && type->shape == reflect::Shape::kMap && type->element != nullptr) {
    member_type = &type->element();
  }
  if (member.value.is_null()) {
    target.as_object().erase(member.key);
    return ok();
  }
  if (member.value.is_object()) {
    Document* existing = target.find(member.key);
    if (existing == nullptr || !existing->is_object()) existing = &target.as_object().set(member.key, json::Object());
    return merge_object(*existing, member.value, member_type);
  }
  if (member.value.is_array() && (!is_primitive_list(member.value) || member.value.as_array().empty())) {
    const std::string key(field != nullptr && !field->item_key().empty() ? field->item_key()
                                                                         : merge_key(member.key, member.value));
    if (!key.empty()) {
      const reflect::TypeDesc* element =
          member_type != nullptr && member_type->element != nullptr ? &member_type->element() : nullptr;
      return merge_list(target[member.key], member.value, key, element);
    }
  }
  if (field != nullptr && field->merges_values && member.value.is_array()) {
    add_to_list(target[member.key], member.value.as_array());
    return ok();
  }
  target.as_object().set(member.key, member.value);
  return ok();
}

Status merge_object(Document& target, const Document& patch, const reflect::TypeDesc* type) {
  const std::string& directive = patch.string_at("$patch");
  if (directive == "replace" || directive == "delete") target = json::Object();
  if (directive == "delete") return ok();
  if (const Document* retained = patch.find("$retainKeys"); retained != nullptr && retained->is_array()) {
    std::vector<std::string> dropped;
    for (const json::Member& member : target.as_object()) {
      if (std::ranges::find(retained->as_array(), Document(member.key)) == retained->as_array().end()) {
        dropped.push_back(member.key);
      }
    }
    for (const std::string& key : dropped) target.as_object().erase(key);
  }
  for (const json::Member& member : patch.as_object()) {
    if (member.key == "$patch" || member.key == "$retainKeys" || member.key.starts_with(kElementOrder)) continue;
    if (member.key.starts_with(kDeleteFromList)) {
      delete_from_list(target, member.key.substr(kDeleteFromList.size()), member.value);
      continue;
    }
    TRY(merge_member(target, member, type));
  }
  return ok();
}

}  // namespace

std::string_view well_known_merge_key(std::string_view field) {
  static const std::map<std::string_view, std::string_view> keys = {
      {"addresses", "type"},
      {"allocatedResourcesStatus", "name"},
      {"conditions", "type"},
      {"containers", "name"},
      {"env", "name"},
      {"ephemeralContainers", "name"},
      {"hostAliases", "ip"},
      {"hostIPs", "ip"},
      {"imagePullSecrets", "name"},
      {"initContainers", "name"},
      {"ownerReferences", "uid"},
      {"podIPs", "ip"},
      {"resourceClaimStatuses", "name"},
      {"resourceClaims", "name"},
      {"schedulingGates", "name"},
      {"secrets", "name"},
      {"topologySpreadConstraints", "topologyKey"},
      {"volumeDevices", "devicePath"},
      {"volumeMounts", "mountPath"},
      {"volumes", "name"},
  };
  const auto found = keys.find(field);
  return found == keys.end() ? "" : found->second;
}

Status strategic_merge(Document& target, const Document& patch, const reflect::TypeDesc& type) {
  return merge_object(target, patch, &type);
}

}  // namespace muster::apiserver
