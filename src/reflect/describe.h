// The vocabulary in which descriptors are written, in api/*.cc and nowhere else:
//
//   template <> const TypeDesc& type_of<RunPolicy>() {
//     static const TypeDesc desc = object<RunPolicy>("RunPolicy", "How a job runs.",
//         field<&RunPolicy::backoff_limit>("backoffLimit", "Retries before the job fails.").min(0),
//         field<&RunPolicy::suspend>("suspend", "While true, the job has no pods."));
//     return desc;
//   }
//
// Every member of the struct must be described; if one is missing, the code does not compile.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "base/time.h"
#include "reflect/type_desc.h"

namespace muster::reflect {

namespace detail {

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};
template <typename T>
struct IsStringMap : std::false_type {};
template <typename T>
struct IsStringMap<std::map<std::string, T>> : std::true_type {};

template <typename Pointer>
struct MemberPointer;
template <typename Owner, typename Value>
struct MemberPointer<Value Owner::*> {
  using OwnerType = Owner;
  using ValueType = Value;
};

// Converts to anything: an aggregate has as many members as it can be initialised with of these. The conversion is
// const, so that optional's converting constructor is preferred and the initialisation is not ambiguous.
struct Anything {
  template <typename T>
  operator T() const noexcept;  // NOLINT(google-explicit-constructor)
};

template <typename T, typename... Args>
constexpr std::size_t arity() {
  if constexpr (requires { T{Args{}..., Anything{}}; }) {
    return arity<T, Args..., Anything>();
  } else {
    return sizeof...(Args);
  }
}

template <typename T>
constexpr TypeRef ref_of();

template <typename T>
const TypeDesc& vector_type() {
  static const TypeDesc desc{
      .shape = Shape::kArray,
      .element = ref_of<T>(),
      .container = {
          .size = [](const void* v) { return static_cast<const std::vector<T>*>(v)->size(); },
          .each =
              [](const void* v, const std::function<void(const std::string&, const void*)>& visit) {
                for (const T& element : *static_cast<const std::vector<T>*>(v)) visit({}, &element);
              },
          .add = [](void* v, const std::string&) -> void* { return &static_cast<std::vector<T>*>(v)->emplace_back(); },
      }};
  return desc;
}

/// Describes the same C++ list or map with another description of its element.
template <typename T, TypeRef Element>
const TypeDesc& vector_of() {
  static const TypeDesc desc = [] {
    TypeDesc other = vector_type<T>();
    other.element = Element;
    return other;
  }();
  return desc;
}

template <typename T>
const TypeDesc& map_type() {
  static const TypeDesc desc{
      .shape = Shape::kMap,
      .element = ref_of<T>(),
      .container = {
          .size = [](const void* m) { return static_cast<const std::map<std::string, T>*>(m)->size(); },
          .each =
              [](const void* m, const std::function<void(const std::string&, const void*)>& visit) {
                for (const auto& [key, element] : *static_cast<const std::map<std::string, T>*>(m))
                  visit(key, &element);
              },
          .add = [](void* m, const std::string& key) -> void* {
            return &(*static_cast<std::map<std::string, T>*>(m))[key];
          },
      }};
  return desc;
}

template <typename T, TypeRef Element>
const TypeDesc& map_of() {
  static const TypeDesc desc = [] {
    TypeDesc other = map_type<T>();
    other.element = Element;
    return other;
  }();
  return desc;
}

template <typename T>
constexpr TypeRef ref_of() {
  if constexpr (IsOptional<T>::value) {
    return ref_of<typename T::value_type>();
  } else if constexpr (IsVector<T>::value) {
    return &vector_type<typename T::value_type>;
  } else if constexpr (IsStringMap<T>::value) {
    return &map_type<typename T::mapped_type>;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return &string_type;
  } else if constexpr (std::is_same_v<T, bool>) {
    return &bool_type;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return &int32_type;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return &int64_type;
  } else if constexpr (std::is_same_v<T, double>) {
    return &number_type;
  } else if constexpr (std::is_same_v<T, Quantity>) {
    return &quantity_type;
  } else if constexpr (std::is_same_v<T, Time>) {
    return &time_type;
  } else if constexpr (std::is_same_v<T, json::Document>) {
    return &any_type;
  } else {
    static_assert(std::is_aggregate_v<T>, "describe an aggregate, or add its type to ref_of");
    return &type_of<T>;
  }
}

template <auto Member>
const void* read_member(const void* object) {
  const auto& value = static_cast<const typename MemberPointer<decltype(Member)>::OwnerType*>(object)->*Member;
  if constexpr (IsOptional<std::remove_cvref_t<decltype(value)>>::value) {
    return value.has_value() ? &*value : nullptr;
  } else {
    return &value;
  }
}

template <auto Member>
void* write_member(void* object) {
  auto& value = static_cast<typename MemberPointer<decltype(Member)>::OwnerType*>(object)->*Member;
  if constexpr (IsOptional<std::remove_cvref_t<decltype(value)>>::value) {
    if (!value.has_value()) value.emplace();
    return &*value;
  } else {
    return &value;
  }
}

}  // namespace detail

/// Builds the description of one field by chaining: field<…>(…).required().min(0).
template <typename Owner, typename Value>
class Field {
 public:
  explicit Field(FieldDesc desc) : desc_(std::move(desc)) {}

  Field required() && {
    return with([](FieldDesc& d) { d.required = true; });
  }
  /// The field keeps its state from creation: it cannot be changed, set later or removed.
  Field immutable() && {
    return with([](FieldDesc& d) { d.immutable = true; });
  }
  /// The field may be set later, and cannot be changed or removed from then on.
  Field immutable_once_set() && {
    return with([](FieldDesc& d) { d.immutable_once_set = true; });
  }
  Field min(std::int64_t value) && {
    return with([&](FieldDesc& d) { d.min = value; });
  }
  Field max(std::int64_t value) && {
    return with([&](FieldDesc& d) { d.max = value; });
  }
  Field min_items(std::int64_t count) && {
    return with([&](FieldDesc& d) { d.min_items = count; });
  }
  Field one_of(std::vector<std::string> values) && {
    return with([&](FieldDesc& d) { d.one_of = std::move(values); });
  }
  Field default_value(json::Document value) && {
    return with([&](FieldDesc& d) { d.default_value = std::move(value); });
  }
  Field pattern(std::string text, bool (*matches)(std::string_view), std::string in_words = {}) && {
    return with([&](FieldDesc& d) {
      d.pattern = std::move(text);
      d.matches = matches;
      d.pattern_in_words = std::move(in_words);
    });
  }
  Field list_map_key(std::string key) && {
    return with([&](FieldDesc& d) { d.list_map_key = std::move(key); });
  }
  Field merge_key(std::string key) && {
    return with([&](FieldDesc& d) { d.merge_key = std::move(key); });
  }
  Field merges_values() && {
    return with([](FieldDesc& d) { d.merges_values = true; });
  }
  Field retains_keys() && {
    return with([](FieldDesc& d) { d.retains_keys = true; });
  }
  Field also_known_as(std::string name) && {
    return with([&](FieldDesc& d) { d.also_known_as.push_back(std::move(name)); });
  }
  /// The field is still accepted, with a warning that names its replacement.
  Field deprecated(std::string use_instead) && {
    return with([&](FieldDesc& d) { d.use_instead = std::move(use_instead); });
  }
  /// No defaults are set below this field, so that a template is passed on exactly as the user wrote it.
  Field as_written() && {
    return with([](FieldDesc& d) { d.as_written = true; });
  }

  /// The field is encoded even when it is 0 or empty, for example a counter that people look for.
  Field always_written() && {
    return with([](FieldDesc& d) { d.always_written = true; });
  }

  /// Overrides the usual description of the C++ type: a list whose items have stricter rules in this kind.
  Field described_as(TypeRef type) && { return of(type); }
  Field int_or_string() && requires std::is_same_v<Value, std::string> { return of(&int_or_string_type); }
  Field micro_time() && requires std::is_same_v<Value, std::optional<Time>> { return of(&micro_time_type); }
  Field base64_values() && requires std::is_same_v<Value, std::map<std::string, std::string>> {
    return of(&bytes_map_type);
  }

  FieldDesc take() && { return std::move(desc_); }

 private:
  template <typename Change>
  Field with(Change change) {
    change(desc_);
    return std::move(*this);
  }
  Field of(TypeRef type) {
    return with([&](FieldDesc& d) { d.type = type; });
  }

  FieldDesc desc_;
};

template <auto Member>
auto field(std::string json_name, std::string doc) {
  using Pointer = detail::MemberPointer<decltype(Member)>;
  using Value = typename Pointer::ValueType;
  FieldDesc desc;
  desc.name = std::move(json_name);
  desc.doc = std::move(doc);
  desc.type = detail::ref_of<Value>();
  desc.optional_member = detail::IsOptional<Value>::value;
  desc.read = &detail::read_member<Member>;
  desc.write = &detail::write_member<Member>;
  return Field<typename Pointer::OwnerType, Value>(std::move(desc));
}

/// A type whose fields are given. It converts to a TypeDesc directly, or through open() when only part is modelled.
template <typename T, std::size_t described>
class ObjectType {
 public:
  explicit ObjectType(TypeDesc desc) : desc_(std::move(desc)) { desc_.index_fields(); }

  operator TypeDesc() && {  // NOLINT(google-explicit-constructor)
    static_assert(described == detail::arity<T>(), "every member of the struct needs a field<>");
    return std::move(desc_);
  }

  /// Adds rules between the fields.
  ObjectType rules(std::vector<Rule> rules) && {
    desc_.rules = std::move(rules);
    return std::move(*this);
  }

  /// For roots: the pattern of metadata.name, for kinds that are stricter than Kubernetes' rules for names.
  ObjectType name_pattern(std::string pattern) && {
    desc_.name_pattern = std::move(pattern);
    return std::move(*this);
  }

  /// `Rest` keeps unmodelled members. `names` are all that Kubernetes has there; when empty, any name is accepted.
  template <json::Document T::*Rest>
  TypeDesc open(std::vector<std::string> names) && {
    static_assert(described + 1 == detail::arity<T>(), "every member of the struct but the rest needs a field<>");
    add_known(std::move(names));
    desc_.rest = [](void* object) { return &(static_cast<T*>(object)->*Rest); };
    desc_.rest_const = [](const void* object) { return &(static_cast<const T*>(object)->*Rest); };
    return std::move(desc_);
  }

  /// Documents keep the other names that Kubernetes has; the struct drops them, because it is never written back.
  TypeDesc partial(std::vector<std::string> names) && {
    static_assert(described == detail::arity<T>(), "every member of the struct needs a field<>");
    add_known(std::move(names));
    return std::move(desc_);
  }

 private:
  void add_known(std::vector<std::string> names) {
    std::erase_if(names, [this](const std::string& name) { return desc_.field(name) != nullptr; });
    desc_.open = true;
    desc_.known_names = std::move(names);
  }

  TypeDesc desc_;
};

template <typename T, typename... Values>
ObjectType<T, sizeof...(Values)> object(std::string name, std::string doc, Field<T, Values>... fields) {
  TypeDesc desc;
  desc.shape = Shape::kObject;
  desc.name = std::move(name);
  desc.doc = std::move(doc);
  desc.fields.reserve(sizeof...(fields));
  (desc.fields.push_back(std::move(fields).take()), ...);
  return ObjectType<T, sizeof...(Values)>(std::move(desc));
}

/// apiVersion and kind, which every served object has but no struct does.
std::vector<FieldDesc> identity_fields(std::string api_version, std::string kind);

/// Describes an object that has apiVersion and kind before its fields.
template <typename T, typename... Values>
ObjectType<T, sizeof...(Values)> root(std::string api_version, std::string kind, std::string doc,
                                      Field<T, Values>... fields) {
  TypeDesc desc;
  desc.shape = Shape::kObject;
  desc.name = kind;
  desc.doc = std::move(doc);
  desc.fields = identity_fields(std::move(api_version), std::move(kind));
  (desc.fields.push_back(std::move(fields).take()), ...);
  return ObjectType<T, sizeof...(Values)>(std::move(desc));
}

}  // namespace muster::reflect
