// Conventions of the API, checked over every type that a resource reaches.
#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "api/resource.h"
#include "reflect/reflect.h"

namespace muster::api {
namespace {

using reflect::FieldDesc;
using reflect::Shape;
using reflect::TypeDesc;

/// Every object type that is served, each once.
std::set<const TypeDesc*> all_types() {
  std::set<const TypeDesc*> seen;
  std::vector<const TypeDesc*> pending;
  for (const Resource& r : resources()) pending.push_back(r.type);
  while (!pending.empty()) {
    const TypeDesc* type = pending.back();
    pending.pop_back();
    if (!seen.insert(type).second) continue;
    if (type->element != nullptr) pending.push_back(&type->element());
    for (const FieldDesc& field : type->fields) pending.push_back(&field.type());
  }
  std::erase_if(seen, [](const TypeDesc* t) { return t->shape != Shape::kObject; });
  return seen;
}

template <typename Visit>
void for_each_field(Visit visit) {
  for (const TypeDesc* type : all_types()) {
    for (const FieldDesc& field : type->fields) {
      SCOPED_TRACE(type->name + "." + field.name);
      visit(*type, field);
    }
  }
}

bool is_camel_case(const std::string& name) {
  return !name.empty() && std::islower(static_cast<unsigned char>(name[0])) != 0 &&
         std::ranges::all_of(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
}

bool is_sentence(const std::string& doc) {
  return doc.size() > 5 && std::isupper(static_cast<unsigned char>(doc[0])) != 0 && doc.back() == '.';
}

TEST(Lint, WalksTheTypesThatAreServed) {
  const auto types = all_types();
  EXPECT_GT(types.size(), 50u);
  EXPECT_TRUE(std::ranges::any_of(types, [](const TypeDesc* t) { return t->name == "TorchrunConfig"; }));
}

TEST(Lint, EveryTypeAndFieldIsDocumentedInSentences) {
  for (const TypeDesc* type : all_types()) EXPECT_TRUE(is_sentence(type->doc)) << type->name << ": " << type->doc;
  for_each_field([](const TypeDesc&, const FieldDesc& f) { EXPECT_TRUE(is_sentence(f.doc)) << f.doc; });
}

TEST(Lint, NamesAreInCamelCaseAndUsedOnce) {
  for (const TypeDesc* type : all_types()) {
    std::set<std::string> names(type->known_names.begin(), type->known_names.end());
    std::size_t expected = type->known_names.size();
    for (const FieldDesc& field : type->fields) {
      EXPECT_TRUE(is_camel_case(field.name)) << type->name << "." << field.name;
      names.insert(field.name);
      names.insert(field.also_known_as.begin(), field.also_known_as.end());
      expected += 1 + field.also_known_as.size();
    }
    EXPECT_EQ(names.size(), expected) << type->name << " has a name twice";
  }
}

TEST(Lint, TypeNamesAreUniqueWithinAResource) {
  // Schemas are stored by type name: two types with one name would hide each other.
  for (const Resource& r : resources()) {
    json::Object schemas;
    reflect::add_openapi_schemas(*r.type, "", schemas);
    std::set<const TypeDesc*> seen;
    std::vector<const TypeDesc*> pending = {r.type};
    while (!pending.empty()) {
      const TypeDesc* type = pending.back();
      pending.pop_back();
      if (!seen.insert(type).second) continue;
      if (type->element != nullptr) pending.push_back(&type->element());
      for (const FieldDesc& field : type->fields) pending.push_back(&field.type());
    }
    std::erase_if(seen, [](const TypeDesc* t) { return t->shape != Shape::kObject; });
    EXPECT_EQ(schemas.size(), seen.size()) << r.kind;
  }
}

TEST(Lint, WhatIsRequiredHasNoDefault) {
  for_each_field([](const TypeDesc&, const FieldDesc& f) {
    EXPECT_FALSE(f.required && f.default_value.has_value());
    // An API server would set the default next to the older spelling.
    EXPECT_FALSE(!f.also_known_as.empty() && (f.required || f.default_value.has_value()));
  });
}

TEST(Lint, DefaultsAreValid) {
  for (const TypeDesc* type : all_types()) {
    for (const FieldDesc& field : type->fields) {
      if (!field.default_value) continue;
      TypeDesc alone;
      alone.shape = Shape::kObject;
      alone.fields = {field};
      const auto causes = reflect::validate(alone, json::Object{{field.name, *field.default_value}});
      EXPECT_TRUE(causes.empty()) << type->name << "." << field.name << ": " << causes[0].message;
    }
  }
}

TEST(Lint, KeysOfListsAreFieldsOfTheirItems) {
  for_each_field([](const TypeDesc&, const FieldDesc& f) {
    const std::string& key = f.list_map_key;
    if (key.empty()) return;
    ASSERT_EQ(f.type().shape, Shape::kArray);
    const FieldDesc* named = f.type().element().field(key);
    ASSERT_NE(named, nullptr) << key;
    // An API server rejects a list whose key may be absent.
    EXPECT_TRUE(named->required || named->default_value.has_value()) << key;
  });
}

TEST(Lint, RulesFitTheirShapes) {
  for_each_field([](const TypeDesc&, const FieldDesc& f) {
    const Shape shape = f.type().shape;
    if (f.min || f.max) {
      EXPECT_TRUE(shape == Shape::kInt32 || shape == Shape::kInt64 || shape == Shape::kIntOrString);
    }
    if (f.min_items) {
      EXPECT_EQ(shape, Shape::kArray);
    }
    if (!f.one_of.empty()) {
      EXPECT_EQ(shape, Shape::kString);
    }
    EXPECT_EQ(f.pattern.empty(), f.matches == nullptr);
  });
}

TEST(Lint, NumbersOfSecondsSaySo) {
  for_each_field([](const TypeDesc&, const FieldDesc& f) {
    EXPECT_FALSE(f.name.ends_with("Timeout") || f.name.ends_with("Deadline") || f.name.ends_with("Period"));
  });
}

}  // namespace
}  // namespace muster::api
