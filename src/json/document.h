// Document: a JSON value that keeps member order, exact 64-bit integers and shortest doubles. All modules exchange it:
// it is what users write, what the store holds, and what patches and validation work on. It is cheap to include: the
// parser (Boost.JSON) stays in parse.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace muster::json {

class Document;
struct Member;

using Array = std::vector<Document>;

/// Members stay in the order in which they were set. Lookup is linear: API objects have few members each, and the
/// parser rejects objects with more than kMaxMembers.
class Object {
 public:
  Object();
  Object(std::initializer_list<Member> members);
  explicit Object(std::vector<Member> members);  // no key may occur twice
  Object(const Object&);
  Object(Object&&) noexcept;
  Object& operator=(const Object&);
  Object& operator=(Object&&) noexcept;
  ~Object();

  bool empty() const;
  std::size_t size() const;
  const Document* find(std::string_view key) const;
  Document* find(std::string_view key);
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  /// Replaces the value in place, or appends the member.
  Document& set(std::string key, Document value);
  /// The value of the member, which is added as null when absent.
  Document& operator[](std::string_view key);
  bool erase(std::string_view key);
  /// Appends without searching for the key, for callers that know the key is new.
  Document& append(std::string key, Document value);

  std::vector<Member>::const_iterator begin() const;
  std::vector<Member>::const_iterator end() const;
  std::vector<Member>::iterator begin();
  std::vector<Member>::iterator end();

 private:
  std::vector<Member> members_;
};

enum class Kind { kNull, kBool, kInt, kDouble, kString, kArray, kObject };

class Document {
 public:
  Document() = default;
  Document(std::nullptr_t) {}                                          // NOLINT(google-explicit-constructor)
  Document(bool v) : value_(v) {}                                      // NOLINT(google-explicit-constructor)
  Document(int v) : value_(std::int64_t{v}) {}                         // NOLINT(google-explicit-constructor)
  Document(std::int64_t v) : value_(v) {}                              // NOLINT(google-explicit-constructor)
  Document(std::uint64_t v) : value_(static_cast<std::int64_t>(v)) {}  // NOLINT(google-explicit-constructor)
  Document(double v) : value_(v) {}                                    // NOLINT(google-explicit-constructor)
  Document(const char* v) : value_(std::string(v)) {}                  // NOLINT(google-explicit-constructor)
  Document(std::string_view v) : value_(std::string(v)) {}             // NOLINT(google-explicit-constructor)
  Document(std::string v) : value_(std::move(v)) {}                    // NOLINT(google-explicit-constructor)
  Document(Array v) : value_(std::move(v)) {}                          // NOLINT(google-explicit-constructor)
  Document(Object v) : value_(std::move(v)) {}                         // NOLINT(google-explicit-constructor)

  Kind kind() const { return static_cast<Kind>(value_.index()); }
  bool is_null() const { return kind() == Kind::kNull; }
  bool is_bool() const { return kind() == Kind::kBool; }
  bool is_int() const { return kind() == Kind::kInt; }
  bool is_number() const { return is_int() || kind() == Kind::kDouble; }
  bool is_string() const { return kind() == Kind::kString; }
  bool is_array() const { return kind() == Kind::kArray; }
  bool is_object() const { return kind() == Kind::kObject; }

  // These CHECK that the value is of this kind: test the kind first.
  bool as_bool() const { return checked<bool>(); }
  std::int64_t as_int() const { return checked<std::int64_t>(); }
  double as_double() const;  // also accepts an integer
  const std::string& as_string() const { return checked<std::string>(); }
  const Array& as_array() const { return checked<Array>(); }
  Array& as_array() { return checked<Array>(); }
  const Object& as_object() const { return checked<Object>(); }
  Object& as_object() { return checked<Object>(); }

  /// A member of an object; nullptr when it is absent or this is not an object.
  const Document* find(std::string_view key) const;
  Document* find(std::string_view key);
  /// Walks down members: doc.at("metadata", "labels"). Returns nullptr when any step is absent.
  template <typename... Keys>
  const Document* at(std::string_view key, Keys... rest) const {
    const Document* next = find(key);
    if constexpr (sizeof...(rest) == 0) {
      return next;
    } else {
      return next == nullptr ? nullptr : next->at(rest...);
    }
  }
  /// The string at the path, or "" when it is absent or of another kind. It is for fields that were validated before.
  template <typename... Keys>
  const std::string& string_at(std::string_view key, Keys... rest) const {
    const Document* found = at(key, rest...);
    return found != nullptr && found->is_string() ? found->as_string() : empty_string();
  }
  template <typename... Keys>
  std::int64_t int_at(std::string_view key, Keys... rest) const {
    const Document* found = at(key, rest...);
    return found != nullptr && found->is_int() ? found->as_int() : 0;
  }
  template <typename... Keys>
  bool bool_at(std::string_view key, Keys... rest) const {
    const Document* found = at(key, rest...);
    return found != nullptr && found->is_bool() && found->as_bool();
  }
  /// The items of the array at the path; empty when it is absent or of another kind.
  template <typename... Keys>
  const Array& array_at(std::string_view key, Keys... rest) const {
    const Document* found = at(key, rest...);
    return found != nullptr && found->is_array() ? found->as_array() : empty_array();
  }
  /// A member for writing: null becomes an object, and an absent member is added as null. CHECKs on other kinds.
  Document& operator[](std::string_view key);

  bool operator==(const Document& other) const;  // member order does not matter; 1 and 1.0 are different

 private:
  static const std::string& empty_string();
  static const Array& empty_array();
  template <typename T>
  const T& checked() const {
    const T* v = std::get_if<T>(&value_);
    CHECK(v != nullptr);
    return *v;
  }
  template <typename T>
  T& checked() {
    T* v = std::get_if<T>(&value_);
    CHECK(v != nullptr);
    return *v;
  }

  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
};

struct Member {
  std::string key;
  Document value;
};

inline bool Object::empty() const {
  return members_.empty();
}
inline std::size_t Object::size() const {
  return members_.size();
}
inline std::vector<Member>::const_iterator Object::begin() const {
  return members_.begin();
}
inline std::vector<Member>::const_iterator Object::end() const {
  return members_.end();
}
inline std::vector<Member>::iterator Object::begin() {
  return members_.begin();
}
inline std::vector<Member>::iterator Object::end() {
  return members_.end();
}

inline constexpr int kMaxDepth = 200;
inline constexpr std::size_t kMaxMembers = 20'000;

/// Returns BadRequest with line and column when the text is not JSON, is nested too deeply or repeats a key.
Result<Document> parse(std::string_view text);
/// As above, but the last value of a repeated key wins, as in Kubernetes. `repeated` receives the paths of the first
/// hundred such keys: "spec.containers[0].image".
Result<Document> parse(std::string_view text, std::vector<std::string>& repeated);

/// Writes compact JSON. Numbers look as JSON.stringify writes them; integers are exact.
std::string serialize(const Document& document);
void append_serialized(const Document& document, std::string& out);
/// Appends a JSON string literal, including its quotes.
void append_quoted(std::string_view text, std::string& out);
/// Writes JSON for people, indented by two spaces.
std::string serialize_pretty(const Document& document);

std::string_view kind_name(Kind kind);  // "string", "object", …, for error messages

}  // namespace muster::json
