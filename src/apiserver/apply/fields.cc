#include "apiserver/apply/fields.h"

#include <algorithm>
#include <map>

#include "json/members.h"

namespace muster::apiserver::apply {
namespace {

using json::Array;
using json::Document;

bool is_hollow(const Document* value) {
  if (value == nullptr || value->is_null()) return true;
  return (value->is_object() && value->as_object().empty()) || (value->is_array() && value->as_array().empty());
}

FieldSet the_whole() {
  FieldSet whole;
  whole.member = true;
  return whole;
}

FieldSet extract(const MergeSchema& schema, const Document& value) {
  std::vector<FieldSet::Child> below;
  switch (schema.unit_of(value)) {
    case Unit::kWhole:
      return the_whole();
    case Unit::kMembers:
      for (const json::Member& member : value.as_object()) {
        FieldSet fields = extract(schema.member(member.key), member.value);
        const bool bare = member.value.is_null() || (member.value.is_object() && member.value.as_object().empty());
        if (bare || !schema.declares(member.key)) fields.member = true;
        if (!fields.empty()) below.push_back({member_element(member.key), std::move(fields)});
      }
      break;
    case Unit::kKeyedItems:
    case Unit::kSetItems: {
      auto elements = schema.elements_of(value.as_array());
      if (!elements) return the_whole();
      for (std::size_t i = 0; i < elements->size(); ++i) {
        FieldSet fields = extract(schema.item(), value.as_array()[i]);
        fields.member = true;
        below.push_back({std::move((*elements)[i]), std::move(fields)});
      }
      break;
    }
  }
  return FieldSet(std::move(below));
}

using ItemsByElement = std::map<std::string_view, const Document*>;

ItemsByElement index(const std::vector<std::string>& elements, const Array& items) {
  ItemsByElement found;
  for (std::size_t i = 0; i < elements.size(); ++i) found.emplace(elements[i], &items[i]);
  return found;
}

const Document* lookup(const ItemsByElement& items, std::string_view element) {
  const auto found = items.find(element);
  return found == items.end() ? nullptr : found->second;
}

/// Every path of a value that was added or removed.
FieldSet all_fields(const MergeSchema& schema, const Document& value) {
  std::vector<FieldSet::Child> below;
  const Unit unit = is_hollow(&value) ? Unit::kWhole : schema.unit_of(value);
  if (unit == Unit::kMembers) {
    below.reserve(value.as_object().size());
    for (const json::Member& member : value.as_object()) {
      below.push_back({member_element(member.key), all_fields(schema.member(member.key), member.value)});
    }
  } else if (unit != Unit::kWhole) {
    if (auto elements = schema.elements_of(value.as_array())) {
      below.reserve(elements->size());
      for (std::size_t i = 0; i < elements->size(); ++i) {
        below.push_back({std::move((*elements)[i]), all_fields(schema.item(), value.as_array()[i])});
      }
    }
  }
  FieldSet all(std::move(below));
  all.member = true;
  return all;
}

class Comparison {
 public:
  /// Null pointers stand for absent values.
  static Changes of(const MergeSchema& schema, const Document* before, const Document* after) {
    Changes out;
    if (before != nullptr && after != nullptr) {
      both(schema, *before, *after, out);
    } else if (after != nullptr) {
      out.added = all_fields(schema, *after);
    } else if (before != nullptr) {
      out.removed = all_fields(schema, *before);
    }
    return out;
  }

 private:
  static void both(const MergeSchema& schema, const Document& before, const Document& after, Changes& out) {
    const Unit unit = common_unit(schema, before, after);
    bool parted = false;
    if (unit == Unit::kMembers) {
      out = members(schema, before, after);
      parted = true;
    } else if (unit != Unit::kWhole) {
      parted = items(schema, before.as_array(), after.as_array(), out);
    }
    if (!parted && !(before == after)) out.modified.member = true;
  }

  static Unit common_unit(const MergeSchema& schema, const Document& before, const Document& after) {
    if (is_hollow(&before) && is_hollow(&after)) return Unit::kWhole;
    const Unit unit = schema.unit_of(before);
    return schema.unit_of(after) == unit ? unit : Unit::kWhole;
  }

  /// The changes below one place, child by child.
  struct Parts {
    std::vector<FieldSet::Child> added;
    std::vector<FieldSet::Child> modified;
    std::vector<FieldSet::Child> removed;

    void add(const std::string& element, Changes below) {
      // Most children have no changes below them, so no copy of the element is needed.
      if (!below.added.empty()) added.push_back({element, std::move(below.added)});
      if (!below.modified.empty()) modified.push_back({element, std::move(below.modified)});
      if (!below.removed.empty()) removed.push_back({element, std::move(below.removed)});
    }
    Changes whole() && {
      return {FieldSet(std::move(added)), FieldSet(std::move(modified)), FieldSet(std::move(removed))};
    }
  };

  static Changes members(const MergeSchema& schema, const Document& before, const Document& after) {
    Parts out;
    const json::MemberIndex old_members(before.as_object());
    const json::MemberIndex new_members(after.as_object());
    for (const json::Member& member : after.as_object()) {
      out.add(member_element(member.key), of(schema.member(member.key), old_members.find(member.key), &member.value));
    }
    for (const json::Member& member : before.as_object()) {
      if (new_members.find(member.key) != nullptr) continue;
      out.add(member_element(member.key), of(schema.member(member.key), &member.value, nullptr));
    }
    return std::move(out).whole();
  }

  /// False when the items of a list cannot be identified.
  static bool items(const MergeSchema& schema, const Array& before, const Array& after, Changes& out) {
    const auto old_elements = schema.elements_of(before);
    const auto new_elements = schema.elements_of(after);
    if (!old_elements || !new_elements) return false;
    const ItemsByElement old_by = index(*old_elements, before);
    const ItemsByElement new_by = index(*new_elements, after);
    Parts parts;
    for (const auto& [element, item] : new_by) {
      parts.add(std::string(element), of(schema.item(), lookup(old_by, element), item));
    }
    for (const auto& [element, item] : old_by) {
      if (!new_by.contains(element)) parts.add(std::string(element), of(schema.item(), item, nullptr));
    }
    out = std::move(parts).whole();
    return true;
  }
};

Document merge_items(const MergeSchema& schema, const Array& live, const std::vector<std::string>& live_elements,
                     const Array& config, const std::vector<std::string>& config_elements) {
  const ItemsByElement live_by = index(live_elements, live);
  const ItemsByElement config_by = index(config_elements, config);
  Array out;
  std::size_t next_live = 0;
  // Takes the items that only `live` has, up to the element `until` or to the end.
  const auto take_live = [&](std::string_view until) {
    for (; next_live < live.size() && live_elements[next_live] != until; ++next_live) {
      if (!config_by.contains(live_elements[next_live])) out.push_back(live[next_live]);
    }
  };
  // For each position, the next element of `config` that `live` has too; found in one pass from the back.
  std::vector<std::string_view> next_shared(config.size());
  std::string_view shared;
  for (std::size_t i = config.size(); i-- > 0;) {
    if (live_by.contains(config_elements[i])) shared = config_elements[i];
    next_shared[i] = shared;
  }
  for (std::size_t i = 0; i < config.size(); ++i) {
    take_live(next_shared[i]);
    if (next_live < live.size() && live_elements[next_live] == config_elements[i]) ++next_live;
    const Document* existing = lookup(live_by, config_elements[i]);
    out.push_back(existing == nullptr ? config[i] : merge(schema.item(), *existing, config[i]));
  }
  take_live("");
  return out;
}

}  // namespace

FieldSet extract_fields(const MergeSchema& schema, const Document& config) {
  FieldSet fields = extract(schema, config);
  fields.member = false;
  return fields;
}

Changes compare(const MergeSchema& schema, const Document& before, const Document& after) {
  Changes changes = Comparison::of(schema, &before, &after);
  changes.modified.member = false;
  return changes;
}

Document merge(const MergeSchema& schema, const Document& live, const Document& config) {
  const Unit unit = schema.unit_of(config);
  if (unit == Unit::kWhole || schema.unit_of(live) != unit) return config;
  if (unit == Unit::kMembers) {
    json::Object out = live.as_object();
    json::MemberIndex index(out);
    for (const json::Member& member : config.as_object()) {
      const bool is_new = index.find(member.key) == nullptr;
      Document& value = index.at(out, member.key);
      value = is_new ? member.value : merge(schema.member(member.key), value, member.value);
    }
    return out;
  }
  const auto live_elements = schema.elements_of(live.as_array());
  const auto config_elements = schema.elements_of(config.as_array());
  if (!live_elements || !config_elements) return config;
  return merge_items(schema, live.as_array(), *live_elements, config.as_array(), *config_elements);
}

void remove_fields(const MergeSchema& schema, Document& value, const FieldSet& fields) {
  const Unit unit = schema.unit_of(value);
  if (unit == Unit::kWhole || fields.children().empty()) return;
  /// Removes the fields below the item and returns whether the item itself stays.
  const auto keep = [&](const MergeSchema& place, Document& item, const std::string& element) {
    const FieldSet* below = fields.find(element);
    if (below == nullptr) return true;
    if (below->member) return false;
    const bool hollow = is_hollow(&item);
    remove_fields(place, item, *below);
    return hollow || !is_hollow(&item);
  };
  if (unit == Unit::kMembers) {
    std::vector<std::string> gone;
    for (json::Member& member : value.as_object()) {
      if (!keep(schema.member(member.key), member.value, member_element(member.key))) gone.push_back(member.key);
    }
    json::erase_members(value.as_object(), gone);
    return;
  }
  const auto elements = schema.elements_of(value.as_array());
  if (!elements) return;
  Array kept;
  for (std::size_t i = 0; i < elements->size(); ++i) {
    Document& item = value.as_array()[i];
    if (keep(schema.item(), item, (*elements)[i])) kept.push_back(std::move(item));
  }
  value = std::move(kept);
}

FieldSet with_declared_parents(const MergeSchema& schema, const FieldSet& fields) {
  FieldSet out;
  out.member = fields.member;
  for (const FieldSet::Child& child : fields.children()) {
    const bool is_member = child.element.starts_with("f:");
    const std::string_view name = std::string_view(child.element).substr(2);
    FieldSet below = with_declared_parents(is_member ? schema.member(name) : schema.item(), child.below);
    if (is_member && schema.declares(name)) below.member = true;
    out.add(child.element, std::move(below));
  }
  return out;
}

}  // namespace muster::apiserver::apply
