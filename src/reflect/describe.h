// The vocabulary in which descriptors are written, in api/*.cc and nowhere else:
//
//   TypeDesc describe(Of<RunPolicy>) {
//     return object<RunPolicy>("RunPolicy", "How a job runs.",
//         field<&RunPolicy::backoff_limit>("backoffLimit", "Retries before the job fails.").min(0),
//         field<&RunPolicy::suspend>("suspend", "While true, the job has no pods."));
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

/// Describes values that are neither objects nor containers.
template <Shape shape>
TypeDesc plain() {
  return {.shape = shape};
}

namespace detail {

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <typename T>
struct ContainerTraits {
  static constexpr bool kIsContainer = false;
};
template <typename T>
struct ContainerTraits<std::vector<T>> {
  static constexpr bool kIsContainer = true;
  static constexpr Shape kShape = Shape::kArray;
  using Element = T;
};
template <typename T>
struct ContainerTraits<std::map<std::string, T>> {
  static constexpr bool kIsContainer = true;
  static constexpr Shape kShape = Shape::kMap;
  using Element = T;
};

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

/// Describes a list or map, with any description of its elements.
template <typename Container, TypeRef element>
TypeDesc container_of() {
  constexpr bool is_map = ContainerTraits<Container>::kShape == Shape::kMap;
  return {.shape = ContainerTraits<Container>::kShape,
          .element = element,
          .container = {
              .size = [](const void* c) { return static_cast<const Container*>(c)->size(); },
              .each =
                  [](const void* c, const std::function<void(const std::string&, const void*)>& visit) {
                    for (const auto& item : *static_cast<const Container*>(c)) {
                      if constexpr (is_map) {
                        visit(item.first, &item.second);
                      } else {
                        visit({}, &item);
                      }
                    }
                  },
              .add = [](void* c, [[maybe_unused]] const std::string& key) -> void* {
                auto& container = *static_cast<Container*>(c);
                if constexpr (is_map) {
                  return &container[key];
                } else {
                  return &container.emplace_back();
                }
              },
          }};
}

template <typename T>
constexpr TypeRef ref_of() {
  if constexpr (IsOptional<T>::value) {
    return ref_of<typename T::value_type>();
  } else if constexpr (ContainerTraits<T>::kIsContainer) {
    return &made<&container_of<T, ref_of<typename ContainerTraits<T>::Element>()>>;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return &made<&plain<Shape::kString>>;
  } else if constexpr (std::is_same_v<T, bool>) {
    return &made<&plain<Shape::kBool>>;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return &made<&plain<Shape::kInt32>>;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return &made<&plain<Shape::kInt64>>;
  } else if constexpr (std::is_same_v<T, double>) {
    return &made<&plain<Shape::kNumber>>;
  } else if constexpr (std::is_same_v<T, Quantity>) {
    return &made<&plain<Shape::kQuantity>>;
  } else if constexpr (std::is_same_v<T, Time>) {
    return &made<&plain<Shape::kTime>>;
  } else if constexpr (std::is_same_v<T, json::Document>) {
    return &made<&plain<Shape::kAny>>;
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

  /// Overrides the usual description of the C++ type: a part that has stricter rules in this kind.
  Field described_as(TypeRef type) && {
    return with([&](FieldDesc& d) { d.type = type; });
  }
  /// The same for the elements of a list or map.
  template <TypeRef element>
  Field elements_as() && {
    return std::move(*this).described_as(&made<&detail::container_of<Value, element>>);
  }
  // These have no C++ type of their own.
  Field int_or_string() && requires std::is_same_v<Value, std::string> {
    return std::move(*this).described_as(&made<&plain<Shape::kIntOrString>>);
  }
  Field micro_time() && requires std::is_same_v<Value, std::optional<Time>> {
    return std::move(*this).described_as(&made<&plain<Shape::kMicroTime>>);
  }
  Field base64_values() && requires std::is_same_v<Value, std::map<std::string, std::string>> {
    return std::move(*this).template elements_as<&made<&plain<Shape::kBytes>>>();
  }

  FieldDesc take() && { return std::move(desc_); }

 private:
  template <typename Change>
  Field with(Change change) {
    change(desc_);
    return std::move(*this);
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
