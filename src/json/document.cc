#include "json/document.h"

#include <algorithm>

namespace muster::json {
namespace {

// With more members than this, one search per member is noticeably quadratic.
constexpr std::size_t kLinearMembers = 32;

std::vector<const Member*> sorted_members(const Object& object) {
  std::vector<const Member*> members;
  members.reserve(object.size());
  for (const Member& member : object) members.push_back(&member);
  std::ranges::sort(members, {}, &Member::key);
  return members;
}

bool same_members(const Object& a, const Object& b) {
  if (a.size() != b.size()) return false;
  if (a.size() <= kLinearMembers) {
    return std::ranges::all_of(a, [&b](const Member& member) {
      const Document* other = b.find(member.key);
      return other != nullptr && *other == member.value;
    });
  }
  return std::ranges::equal(sorted_members(a), sorted_members(b),
                            [](const Member* x, const Member* y) { return x->key == y->key && x->value == y->value; });
}

}  // namespace

Object::Object() = default;
Object::Object(const Object&) = default;
Object::Object(Object&&) noexcept = default;
Object& Object::operator=(const Object&) = default;
Object& Object::operator=(Object&&) noexcept = default;
Object::~Object() = default;

Object::Object(std::vector<Member> members) : members_(std::move(members)) {}
Object::Object(std::initializer_list<Member> members) {
  members_.reserve(members.size());
  for (const Member& member : members) set(member.key, member.value);
}

const Document* Object::find(std::string_view key) const {
  for (const Member& member : members_) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

Document* Object::find(std::string_view key) {
  return const_cast<Document*>(static_cast<const Object*>(this)->find(key));
}

Document& Object::set(std::string key, Document value) {
  if (Document* found = find(key)) {
    *found = std::move(value);
    return *found;
  }
  return append(std::move(key), std::move(value));
}

Document& Object::operator[](std::string_view key) {
  if (Document* found = find(key)) return *found;
  return append(std::string(key), Document());
}

bool Object::erase(std::string_view key) {
  const auto found = std::ranges::find(members_, key, &Member::key);
  if (found == members_.end()) return false;
  members_.erase(found);
  return true;
}

Document& Object::append(std::string key, Document value) {
  return members_.emplace_back(Member{std::move(key), std::move(value)}).value;
}

double Document::as_double() const {
  if (const auto* v = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*v);
  return checked<double>();
}

const Document* Document::find(std::string_view key) const {
  const Object* object = std::get_if<Object>(&value_);
  return object == nullptr ? nullptr : object->find(key);
}

Document* Document::find(std::string_view key) {
  Object* object = std::get_if<Object>(&value_);
  return object == nullptr ? nullptr : object->find(key);
}

Document& Document::operator[](std::string_view key) {
  if (is_null()) value_ = Object();
  return as_object()[key];
}

bool Document::operator==(const Document& other) const {
  if (kind() != other.kind()) return false;
  switch (kind()) {
    case Kind::kNull:
      return true;
    case Kind::kBool:
      return as_bool() == other.as_bool();
    case Kind::kInt:
      return as_int() == other.as_int();
    case Kind::kDouble:
      return as_double() == other.as_double();
    case Kind::kString:
      return as_string() == other.as_string();
    case Kind::kArray:
      return as_array() == other.as_array();
    case Kind::kObject:
      return same_members(as_object(), other.as_object());
  }
  return false;
}

const std::string& Document::empty_string() {
  static const std::string empty;
  return empty;
}

const Array& Document::empty_array() {
  static const Array empty;
  return empty;
}

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return "boolean";
    case Kind::kInt:
      return "integer";
    case Kind::kDouble:
      return "number";
    case Kind::kString:
      return "string";
    case Kind::kArray:
      return "array";
    case Kind::kObject:
      return "object";
  }
  return "null";
}

}  // namespace muster::json
