#include "reflect/type_desc.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "reflect/describe.h"

namespace muster::reflect {

std::string FieldDesc::patch_strategy() const {
  const bool merges = merges_values || !item_key().empty();
  if (merges && retains_keys) return "merge,retainKeys";
  if (retains_keys) return "retainKeys";
  return merges ? "merge" : "";
}

namespace {

constexpr std::uint16_t kNoField = 0xffff;

/// Hashes the length and three letters; the fields of one type rarely share all of them.
std::size_t hash_of(std::string_view name) {
  if (name.empty()) return 0;
  const auto letter = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(name[i])); };
  return name.size() + letter(0) * 7 + letter(name.size() / 2) * 31 + letter(name.size() - 1) * 131;
}

}  // namespace

void TypeDesc::index_fields() {
  CHECK(fields.size() < kNoField);
  // The size is a power of two and the table is at most half full, so that a search ends soon.
  fields_by_hash.assign(std::bit_ceil(fields.size() * 2 + 1), kNoField);
  const std::size_t mask = fields_by_hash.size() - 1;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    std::size_t slot = hash_of(fields[i].name) & mask;
    while (fields_by_hash[slot] != kNoField) slot = (slot + 1) & mask;
    fields_by_hash[slot] = static_cast<std::uint16_t>(i);
  }
}

void TypeDesc::remove_field(std::string_view json_name) {
  std::erase_if(fields, [&](const FieldDesc& one) { return one.name == json_name; });
  index_fields();
}

const FieldDesc* TypeDesc::field(std::string_view json_name) const {
  if (fields.empty()) return nullptr;
  CHECK(fields_by_hash.size() > fields.size());
  const std::size_t mask = fields_by_hash.size() - 1;
  for (std::size_t slot = hash_of(json_name) & mask; fields_by_hash[slot] != kNoField; slot = (slot + 1) & mask) {
    CHECK(fields_by_hash[slot] < fields.size());
    const FieldDesc& found = fields[fields_by_hash[slot]];
    if (found.name == json_name) return &found;
  }
  return nullptr;
}

const json::Document* FieldDesc::in(const json::Object& object) const {
  const json::Document* found = nullptr;
  each_spelling([&](const std::string& spelling) {
    if (found != nullptr) return;
    found = object.find(spelling);
    if (found != nullptr && found->is_null()) found = nullptr;
  });
  return found;
}

const FieldDesc* TypeDesc::field_or_alias(std::string_view json_name) const {
  if (const FieldDesc* found = field(json_name)) return found;
  for (const FieldDesc& f : fields) {
    if (std::ranges::find(f.also_known_as, json_name) != f.also_known_as.end()) return &f;
  }
  return nullptr;
}

bool TypeDesc::is_root() const {
  return fields.size() >= 2 && !fields[0].constant.empty() && !fields[1].constant.empty();
}

namespace {
TypeDesc plain(Shape shape) {
  TypeDesc desc;
  desc.shape = shape;
  return desc;
}
}  // namespace

const TypeDesc& string_type() {
  static const TypeDesc desc = plain(Shape::kString);
  return desc;
}
const TypeDesc& bool_type() {
  static const TypeDesc desc = plain(Shape::kBool);
  return desc;
}
const TypeDesc& int32_type() {
  static const TypeDesc desc = plain(Shape::kInt32);
  return desc;
}
const TypeDesc& int64_type() {
  static const TypeDesc desc = plain(Shape::kInt64);
  return desc;
}
const TypeDesc& number_type() {
  static const TypeDesc desc = plain(Shape::kNumber);
  return desc;
}
const TypeDesc& quantity_type() {
  static const TypeDesc desc = plain(Shape::kQuantity);
  return desc;
}
const TypeDesc& int_or_string_type() {
  static const TypeDesc desc = plain(Shape::kIntOrString);
  return desc;
}
const TypeDesc& time_type() {
  static const TypeDesc desc = plain(Shape::kTime);
  return desc;
}
const TypeDesc& micro_time_type() {
  static const TypeDesc desc = plain(Shape::kMicroTime);
  return desc;
}
const TypeDesc& bytes_type() {
  static const TypeDesc desc = plain(Shape::kBytes);
  return desc;
}
const TypeDesc& any_type() {
  static const TypeDesc desc = plain(Shape::kAny);
  return desc;
}

const TypeDesc& bytes_map_type() {
  static const TypeDesc desc = [] {
    TypeDesc d = detail::map_type<std::string>();
    d.element = &bytes_type;
    return d;
  }();
  return desc;
}

std::vector<FieldDesc> identity_fields(std::string api_version, std::string kind) {
  std::vector<FieldDesc> fields(2);
  fields[0].name = "apiVersion";
  fields[0].doc = "Group and version of the schema this object is written in.";
  fields[0].type = &string_type;
  fields[0].constant = std::move(api_version);
  fields[1].name = "kind";
  fields[1].doc = "The type of this object; cannot be changed.";
  fields[1].type = &string_type;
  fields[1].constant = std::move(kind);
  return fields;
}

}  // namespace muster::reflect
