#include <gmock/gmock.h>

#include "reflect/reflect.h"
#include "testing/sample_type.h"

namespace muster::reflect {
namespace {

using sample::Cart;
using sample::CartSpec;
using sample::parsed;
using sample::Wheel;

TEST(Decode, ReadsEveryShape) {
  const auto spec = decode<CartSpec>(parsed(R"({
    "owner": "ann", "paint": "Red", "load": 7, "serial": 9007199254740993, "weight": 2.5, "brake": false, "gears": 4,
    "fuel": "1500m", "built": "2026-11-15T21:30:36Z", "tuned": "2026-11-15T21:30:36.000123Z",
    "secrets": {"a": "aGk="}, "tags": ["x", "y"], "cargo": {"hay": "2Gi", "eggs": 12},
    "wheels": [{"name": "left", "rim": {"size": 20}}], "engine": {}, "notes": [1, null]})"));
  ASSERT_TRUE(spec.has_value()) << spec.error().message;
  EXPECT_EQ(spec->owner, "ann");
  EXPECT_EQ(spec->load, 7);
  EXPECT_EQ(spec->serial, 9007199254740993);
  EXPECT_EQ(spec->weight, 2.5);
  EXPECT_EQ(spec->brake, false);
  EXPECT_EQ(spec->gears, "4");
  EXPECT_EQ(spec->fuel, *Quantity::parse("1.5"));
  EXPECT_EQ(format_rfc3339_micro(*spec->tuned), "2026-11-15T21:30:36.000123Z");
  EXPECT_EQ(spec->cargo.at("hay"), Quantity::of(2LL << 30));
  EXPECT_EQ(spec->cargo.at("eggs"), Quantity::of(12));
  ASSERT_EQ(spec->wheels.size(), 1u);
  EXPECT_FALSE(spec->wheels[0].spokes.has_value());
  EXPECT_EQ(spec->wheels[0].rest.int_at("rim", "size"), 20);
  EXPECT_TRUE(spec->engine.has_value());
  EXPECT_EQ(spec->notes, parsed("[1, null]"));
}

TEST(Decode, ReadsNullAsAbsentAndIgnoresUnknownMembers) {
  const auto spec = decode<CartSpec>(parsed(R"({"owner": "ann", "engine": null, "tags": null, "colour": "pink"})"));
  ASSERT_TRUE(spec.has_value());
  EXPECT_FALSE(spec->engine.has_value());
  EXPECT_TRUE(spec->tags.empty());
}

TEST(Decode, PrefersTheCurrentSpelling) {
  EXPECT_TRUE(decode<CartSpec>(parsed(R"({"engine": {"enable": true}})"))->engine->enabled);
  EXPECT_FALSE(decode<CartSpec>(parsed(R"({"engine": {"enabled": false, "enable": true}})"))->engine->enabled);
}

TEST(Decode, TakesWholeFloatsForIntegers) {
  EXPECT_EQ(decode<CartSpec>(parsed(R"({"load": 7.0})"))->load, 7);
}

TEST(Decode, ReportsEveryMemberOfAnotherType) {
  const auto cart = decode<Cart>(parsed(
      R"({"spec": {"load": "7", "serial": 1.5, "wheels": [{"name": "a"}, {"name": 3}], "cargo": {"hay": "much"}, "tags": "x"}})"));
  ASSERT_FALSE(cart.has_value());
  EXPECT_EQ(cart.error().reason, Reason::kInvalid);
  std::vector<std::string> fields;
  for (const FieldCause& cause : cart.error().causes) fields.push_back(cause.field);
  EXPECT_THAT(fields,
              testing::ElementsAre("spec.load", "spec.serial", "spec.wheels[1].name", "spec.cargo.hay", "spec.tags"));
  EXPECT_THAT(
      cart.error().message,
      testing::StartsWith(
          R"(spec.load: Invalid value: "string": spec.load in body must be of type integer: "string", spec.serial: )"));
}

TEST(Decode, RefusesIntegersThatDoNotFit) {
  EXPECT_FALSE(decode<CartSpec>(parsed(R"({"load": 3000000000})")).has_value());
  EXPECT_TRUE(decode<CartSpec>(parsed(R"({"serial": 3000000000})")).has_value());
}

TEST(Encode, LeavesOutUnsetMembers) {
  EXPECT_EQ(encode(CartSpec{}), parsed(R"({"owner": ""})"));
}

TEST(Encode, WritesWhatIsSetEvenWhenItIsZero) {
  CartSpec spec;
  spec.owner = "ann";
  spec.brake = false;
  spec.load = 0;
  spec.engine.emplace();
  EXPECT_EQ(encode(spec), parsed(R"({"owner": "ann", "brake": false, "load": 0, "engine": {}})"));
}

TEST(Encode, WritesApiVersionAndKindFirst) {
  Cart cart;
  cart.spec.owner = "ann";
  EXPECT_EQ(json::serialize(encode(cart)),
            R"({"apiVersion":"test.muster.dev/v1","kind":"Cart","spec":{"owner":"ann"}})");
}

TEST(Encode, LeavesOutAnUnsetObjectThoughItHasRequiredMembers) {
  EXPECT_EQ(encode(Cart{}), parsed(R"({"apiVersion": "test.muster.dev/v1", "kind": "Cart", "spec": {"owner": ""}})"));
  Cart cart;
  cart.spec.spare.power = "strong";
  EXPECT_EQ(*encode(cart).at("spec", "spare"), parsed(R"({"power": "strong"})"));
}

TEST(Encode, KeepsMembersThatAreNotModelled) {
  const json::Document wheel = parsed(R"({"name": "left", "spokes": 12, "rim": {"size": 20}, "tyre": [1]})");
  EXPECT_EQ(encode(*decode<Wheel>(wheel)), wheel);
}

TEST(Encode, WritesQuantitiesInTheShorterFamily) {
  CartSpec spec;
  for (const char* text : {"4Gi", "500m", "8G", "16", "1536Mi"}) {
    spec.fuel = *Quantity::parse(text);
    EXPECT_EQ(encode(spec).string_at("fuel"), text);
  }
}

}  // namespace
}  // namespace muster::reflect
