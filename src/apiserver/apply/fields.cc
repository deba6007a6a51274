#include "apiserver/apply/fields.h"

#include <algorithm>
#include <map>
#include <set>

namespace muster::apiserver::apply {
namespace {

using json::Array;
using json::Document;

bool is_hollow(const Document* value) {
  if (value == nullptr || value->is_null()) return true;
  return (value->is_object() && value->as_object().empty()) || (value->is_array() && value->as_array().empty());
}

void extract(const MergeSchema& schema, const Document& value, FieldSet& out) {
  switch (schema.unit_of(value)) {
    case Unit::kWhole:
      out.member = true;
      return;
    case Unit::kMembers:
      for (const json::Member& member : value.as_object()) {
        FieldSet below;
        extract(schema.member(member.key), member.value, below);
        const bool bare = member.value.is_null() || (member.value.is_object() && member.value.as_object().empty());
        if (bare || !schema.declares(member.key)) below.member = true;
        out.add(member_element(member.key), std::move(below));
      }
      return;
    case Unit::kKeyedItems:
    case Unit::kSetItems: {
      const auto elements = schema.elements_of(value.as_array());
      if (!elements) {
        out.member = true;
        return;
      }
      for (std::size_t i = 0; i < elements->size(); ++i) {
        FieldSet below;
        extract(schema.item(), value.as_array()[i], below);
        below.member = true;
        out.add((*elements)[i], std::move(below));
      }
      return;
    }
  }
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

/// Every path of a value that was not there before, or is not there any more.
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
      members(schema, before, after, out);
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

  static void add(Changes& out, const std::string& element, Changes below) {
    // Most have nothing below, and are not worth a copy of the element.
    if (!below.added.empty()) out.added.add(element, std::move(below.added));
    if (!below.modified.empty()) out.modified.add(element, std::move(below.modified));
    if (!below.removed.empty()) out.removed.add(element, std::move(below.removed));
  }

  static void members(const MergeSchema& schema, const Document& before, const Document& after, Changes& out) {
    for (const json::Member& member : after.as_object()) {
      add(out, member_element(member.key), of(schema.member(member.key), before.find(member.key), &member.value));
    }
    for (const json::Member& member : before.as_object()) {
      if (after.find(member.key) != nullptr) continue;
      add(out, member_element(member.key), of(schema.member(member.key), &member.value, nullptr));
    }
  }

  /// False when a list cannot be told apart into items.
  static bool items(const MergeSchema& schema, const Array& before, const Array& after, Changes& out) {
    const auto old_elements = schema.elements_of(before);
    const auto new_elements = schema.elements_of(after);
    if (!old_elements || !new_elements) return false;
    const ItemsByElement old_by = index(*old_elements, before);
    const ItemsByElement new_by = index(*new_elements, after);
    for (const auto& [element, item] : new_by) {
      add(out, std::string(element), of(schema.item(), lookup(old_by, element), item));
    }
    for (const auto& [element, item] : old_by) {
      if (!new_by.contains(element)) add(out, std::string(element), of(schema.item(), item, nullptr));
    }
    return true;
  }
};

Document merge_items(const MergeSchema& schema, const Array& live, const std::vector<std::string>& live_elements,
                     const Array& config, const std::vector<std::string>& config_elements) {
  const ItemsByElement live_by = index(live_elements, live);
  const ItemsByElement config_by = index(config_elements, config);
  Array out;
  std::size_t next_live = 0;
  // What only live has and stands before `until`, or everything left of it.
  const auto take_live = [&](std::string_view until) {
    for (; next_live < live.size() && live_elements[next_live] != until; ++next_live) {
      if (!config_by.contains(live_elements[next_live])) out.push_back(live[next_live]);
    }
  };
  for (std::size_t i = 0; i < config.size(); ++i) {
    const auto shared = std::find_if(config_elements.begin() + static_cast<std::ptrdiff_t>(i), config_elements.end(),
                                     [&](const std::string& element) { return live_by.contains(element); });
    take_live(shared == config_elements.end() ? std::string_view() : *shared);
    if (next_live < live.size() && live_elements[next_live] == config_elements[i]) ++next_live;
    const Document* existing = lookup(live_by, config_elements[i]);
    out.push_back(existing == nullptr ? config[i] : merge(schema.item(), *existing, config[i]));
  }
  take_live("");
  return out;
}

}  // namespace

FieldSet extract_fields(const MergeSchema& schema, const Document& config) {
  FieldSet fields;
  extract(schema, config, fields);
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
    Document out = live;
    for (const json::Member& member : config.as_object()) {
      Document* existing = out.find(member.key);
      if (existing == nullptr) {
        out.as_object().append(member.key, member.value);
      } else {
        *existing = merge(schema.member(member.key), *existing, member.value);
      }
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
  /// Whether the item stays.
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
    for (const std::string& key : gone) value.as_object().erase(key);
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
