#include <gmock/gmock.h>

#include "reflect/reflect.h"
#include "testing/sample_type.h"

namespace muster::reflect {
namespace {

using sample::Cart;
using sample::parsed;

const json::Document& property(const json::Document& schema, std::string_view name) {
  const json::Document* found = schema.at("properties", name);
  EXPECT_NE(found, nullptr) << name;
  static const json::Document none;
  return found == nullptr ? none : *found;
}

TEST(CrdSchema, DescribesTheRoot) {
  const json::Document schema = crd_schema(type_of<Cart>());
  EXPECT_EQ(schema.string_at("type"), "object");
  EXPECT_EQ(schema.string_at("description"), "A thing on wheels.");
  EXPECT_EQ(*schema.find("required"), parsed(R"(["spec"])"));
  EXPECT_EQ(property(schema, "kind").string_at("type"), "string");
}

TEST(CrdSchema, HasEachRuleInTheKeywordsOfAnApiServer) {
  const json::Document schema = crd_schema(type_of<Cart>());
  const json::Document& spec = property(schema, "spec");
  EXPECT_EQ(property(spec, "owner"),
            parsed(R"({"description": "Who has it.", "type": "string", "pattern": "^[a-z0-9-]+$"})"));
  EXPECT_EQ(property(spec, "paint"),
            parsed(R"({"description": "Its colour.", "type": "string", "enum": ["Red", "Green", "Blue"],
                       "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "spec.paint is immutable"}]})"));
  EXPECT_EQ(*spec.find("x-kubernetes-validations"),
            parsed(R"json([{"rule": "has(self.paint) == has(oldSelf.paint)", "message": "spec.paint is immutable",
                        "fieldPath": ".paint"
},
                       {"rule": "!has(oldSelf.serial) || has(self.serial)", "message": "spec.serial is immutable",
                        "fieldPath": ".serial"}])json"));
  EXPECT_EQ(property(spec, "tags"), parsed(R"({"description": "Words about it.", "type": "array",
                                               "items": {"type": "string", "pattern": "^[a-z0-9-]+$"}})"));
  EXPECT_EQ(property(spec, "load"),
            parsed(R"({"description": "How much is on it.", "type": "integer", "format": "int32",
                                               "minimum": 1, "maximum": 100})"));
  EXPECT_EQ(property(spec, "gears"),
            parsed(R"({"description": "How many, or auto.", "x-kubernetes-int-or-string": true})"));
  EXPECT_EQ(property(spec, "tuned"),
            parsed(R"({"description": "When it was tuned.", "type": "string", "format": "date-time"})"));
  EXPECT_EQ(property(spec, "secrets"), parsed(R"({"description": "What is hidden in it.", "type": "object",
                                                 "additionalProperties": {"type": "string", "format": "byte"}})"));
  EXPECT_EQ(property(spec, "notes"),
            parsed(R"({"description": "Anything.", "x-kubernetes-preserve-unknown-fields": true})"));
}

TEST(CrdSchema, OpenTypesPreserveUnknownFields) {
  const json::Document schema = crd_schema(type_of<Cart>());
  EXPECT_EQ(property(property(schema, "spec"), "wheels"), parsed(R"({
    "description": "Its wheels.", "type": "array", "minItems": 1,
    "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
    "items": {"type": "object", "description": "One wheel.", "required": ["name"],
              "properties": {"name": {"description": "Which wheel.", "type": "string"},
                             "spokes": {"description": "How many spokes.", "type": "integer", "format": "int32",
                                        "minimum": 3, "maximum": 2147483647, "default": 8}},
              "x-kubernetes-preserve-unknown-fields": true}})"));
}

TEST(CrdSchema, HasOlderSpellingsAndNoDefaultsBelowFieldsKeptAsWritten) {
  const json::Document schema = crd_schema(type_of<Cart>());
  const json::Document& spec = property(schema, "spec");
  EXPECT_EQ(property(property(spec, "engine"), "enable"),
            parsed(R"({"description": "Older spelling of enabled.", "type": "boolean"})"));
  EXPECT_EQ(*property(spec, "engine").find("x-kubernetes-validations"),
            parsed(R"json([{"rule": "!has(self.enable) || !has(self.enabled) || self.enable == self.enabled",
                        "message": "enable and enabled must not differ; enable is the older spelling of enabled",
                        "fieldPath": ".enable"}])json"));
  EXPECT_EQ(property(property(spec, "engine"), "power").string_at("default"), "weak");
  EXPECT_EQ(property(property(spec, "spare"), "power").find("default"), nullptr);
}

TEST(OpenApi, AddsEachTypeOnceAndRefersToIt) {
  json::Object schemas;
  EXPECT_EQ(add_openapi_schemas(type_of<Cart>(), "dev.muster.test.v1.", schemas),
            "#/components/schemas/dev.muster.test.v1.Cart");
  std::vector<std::string> names;
  for (const auto& member : schemas) names.push_back(member.key);
  EXPECT_THAT(names, testing::UnorderedElementsAre("dev.muster.test.v1.Cart", "dev.muster.test.v1.CartSpec",
                                                   "dev.muster.test.v1.Wheel", "dev.muster.test.v1.Engine"));
  const json::Document& root = *schemas.find("dev.muster.test.v1.Cart");
  EXPECT_EQ(*root.find("x-kubernetes-group-version-kind"),
            parsed(R"([{"group": "test.muster.dev", "kind": "Cart", "version": "v1"}])"));
  EXPECT_EQ(property(root, "spec"), parsed(R"({"description": "What it is like.",
                                               "allOf": [{"$ref": "#/components/schemas/dev.muster.test.v1.CartSpec"}]})"));
  const json::Document& spec = *schemas.find("dev.muster.test.v1.CartSpec");
  EXPECT_EQ(property(spec, "wheels").string_at("x-kubernetes-list-type"), "map");
  EXPECT_EQ(property(*schemas.find("dev.muster.test.v1.Wheel"), "rim"),
            parsed(R"({"description": "As in Kubernetes; kept as it was written.",
                       "x-kubernetes-preserve-unknown-fields": true})"));
}

}  // namespace
}  // namespace muster::reflect
