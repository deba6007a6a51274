#include <gmock/gmock.h>

#include "reflect/reflect.h"
#include "testing/sample_type.h"

namespace muster::reflect {
namespace {

using sample::Cart;
using sample::CartSpec;
using sample::parsed;

json::Document defaulted(std::string_view text) {
  json::Document document = parsed(text);
  apply_defaults(type_of<CartSpec>(), document);
  return document;
}

TEST(Defaults, AreSetWhereTheParentIs) {
  EXPECT_EQ(defaulted(R"({"wheels": [{"name": "a"}, {"name": "b", "spokes": 5}]})"),
            parsed(R"({"wheels": [{"name": "a", "spokes": 8}, {"name": "b", "spokes": 5}]})"));
  EXPECT_EQ(defaulted("{}"), parsed("{}"));
  EXPECT_EQ(defaulted(R"({"engine": {}})"), parsed(R"({"engine": {"power": "weak"}})"));
}

TEST(Defaults, AreNotSetBelowFieldsKeptAsWritten) {
  EXPECT_EQ(defaulted(R"({"spare": {"enable": true}})"), parsed(R"({"spare": {"enable": true}})"));
}

TEST(Defaults, ReplaceNullAndDropItWithoutADefault) {
  EXPECT_EQ(defaulted(R"({"load": null, "cargo": {"hay": null}, "engine": {"power": null}, "notes": null})"),
            parsed(R"({"cargo": {}, "engine": {"power": "weak"}})"));
  EXPECT_EQ(defaulted(R"({"wheels": [{"name": "a", "rim": null}]})"),
            parsed(R"({"wheels": [{"name": "a", "rim": null, "spokes": 8}]})"));
}

TEST(Defaults, LeaveOlderSpellingsAsTheyAre) {
  for (const char* text : {R"({"engine":{"enable":true,"power":"strong"}})",
                           R"({"engine":{"enable":true,"enabled":false,"power":"x"}})"}) {
    EXPECT_EQ(json::serialize(defaulted(text)), text);
  }
}

TEST(Defaults, LeaveValuesOfTheWrongTypeAlone) {
  EXPECT_EQ(defaulted(R"({"engine": 3, "wheels": {}})"), parsed(R"({"engine": 3, "wheels": {}})"));
}

TEST(Prune, DropsUnknownMembersButKeepsThoseOfOpenTypes) {
  json::Document cart = parsed(R"({
    "apiVersion": "test.muster.dev/v1", "kind": "Cart", "colour": 1,
    "spec": {"owner": "ann", "onwer": "bob", "wheels": [{"name": "a", "rim": {"x": 1}, "rimm": 2}],
             "engine": {"enable": true, "turbo": 1}, "notes": {"any": "thing"}}})");
  prune(type_of<Cart>(), cart);
  EXPECT_EQ(cart, parsed(R"({
    "apiVersion": "test.muster.dev/v1", "kind": "Cart",
    "spec": {"owner": "ann", "wheels": [{"name": "a", "rim": {"x": 1}, "rimm": 2}],
             "engine": {"enable": true}, "notes": {"any": "thing"}}})"));
}

std::vector<std::string> unknown(std::string_view text) {
  std::vector<std::string> out;
  for (const UnknownField& field : unknown_fields(type_of<Cart>(), parsed(text))) {
    out.push_back(field.path + " -> " + field.suggestion);
  }
  return out;
}

TEST(UnknownFields, AreReportedWithTheNearestName) {
  EXPECT_THAT(unknown(R"({
    "apiVersion": "x", "kind": "y",
    "spec": {"onwer": 1, "wheels": [{}, {"spoke": 3, "rim": 1, "tire": 2}], "engine": {"enable": true}, "zzz": 0}})"),
              testing::ElementsAre("spec.onwer -> owner", "spec.wheels[1].spoke -> spokes",
                                   "spec.wheels[1].tire -> tyre", "spec.zzz -> "));
}

TEST(UnknownFields, AreNotReportedInsideFreeFormValues) {
  EXPECT_THAT(unknown(R"({"spec": {"notes": {"x": 1}, "cargo": {"whatever": 1}}})"), testing::IsEmpty());
}

TEST(DeprecatedFields, AreOlderSpellingsAndDeprecatedOnes) {
  std::vector<std::string> out;
  for (const DeprecatedField& field : deprecated_fields(
           type_of<CartSpec>(), parsed(R"({"engine": {"enable": true}, "spare": {"enabled": true}, "fuel": "1",
                                           "wheels": [{"name": "a", "rim": {"enable": 1}}]})"))) {
    out.push_back(field.path + " -> " + field.use_instead);
  }
  EXPECT_THAT(out, testing::ElementsAre("engine.enable -> enabled", "fuel -> engine.power"));
}

}  // namespace
}  // namespace muster::reflect
