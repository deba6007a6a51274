#include "reflect/type_desc.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "base/check.h"
#include "reflect/describe.h"

namespace muster::reflect {

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

FieldDesc& TypeDesc::field_to_change(std::string_view json_name) {
  const auto found = std::ranges::find(fields, json_name, &FieldDesc::name);
  CHECK(found != fields.end());
  return *found;
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

const ShapeNames& shape_names(Shape shape) {
  static constexpr ShapeNames kNames[] = {
      {"string", "string", "string"},                        // kString
      {"boolean", "boolean", "boolean"},                     // kBool
      {"integer", "integer", "number"},                      // kInt32
      {"integer", "integer", "number"},                      // kInt64
      {"number", "number", "number"},                        // kNumber
      {"integer,string", "Quantity", "number | string"},     // kQuantity
      {"integer,string", "IntOrString", "number | string"},  // kIntOrString
      {"date-time", "Time", "string"},                       // kTime
      {"date-time", "MicroTime", "string"},                  // kMicroTime
      {"byte", "string", "string"},                          // kBytes
      {"object", "", ""},                                    // kObject
      {"array", "", ""},                                     // kArray
      {"object", "", ""},                                    // kMap
      {"any", "Object", "unknown"},                          // kAny
  };
  static_assert(std::size(kNames) == static_cast<std::size_t>(Shape::kAny) + 1);
  return kNames[static_cast<std::size_t>(shape)];
}

std::vector<FieldDesc> identity_fields(std::string api_version, std::string kind) {
  std::vector<FieldDesc> fields(2);
  fields[0].name = "apiVersion";
  fields[0].doc = "Group and version of the schema this object is written in.";
  fields[0].type = &made<&plain<Shape::kString>>;
  fields[0].constant = std::move(api_version);
  fields[1].name = "kind";
  fields[1].doc = "The type of this object; cannot be changed.";
  fields[1].type = &made<&plain<Shape::kString>>;
  fields[1].constant = std::move(kind);
  return fields;
}

}  // namespace muster::reflect
