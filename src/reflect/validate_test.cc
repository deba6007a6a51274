// The expected texts were recorded from kube-apiserver 1.33.4, which had a CustomResourceDefinition with the same
// rules.
#include <gmock/gmock.h>

#include "reflect/reflect.h"
#include "testing/sample_type.h"

namespace muster::reflect {
namespace {

using sample::Cart;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kUnchecked =
    "FieldValueInvalid <nil>: Invalid value: \"null\": some validation rules were not checked because the object was "
    "invalid; correct the existing errors to complete validation";

json::Document cart(std::string_view spec) {
  json::Document document = json::Object{{"apiVersion", "test.muster.dev/v1"}, {"kind", "Cart"}};
  document["spec"] = *json::parse(spec);
  return document;
}

std::vector<std::string> texts(const std::vector<FieldCause>& causes) {
  std::vector<std::string> out;
  for (const FieldCause& cause : causes) out.push_back(cause.reason + " " + cause.field + ": " + cause.message);
  return out;
}

/// The causes for a spec that has an owner and these members.
std::vector<std::string> problems(std::string_view members) {
  return texts(validate(type_of<Cart>(), cart(R"({"owner": "ann", )" + std::string(members) + "}")));
}

TEST(Validate, AcceptsValidDocuments) {
  EXPECT_THAT(problems(R"("paint": "Red", "load": 100, "gears": "auto", "fuel": 4, "built": "2026-01-01T00:00:00+01:00",
                          "secrets": {"a": "aGk="}, "wheels": [{"name": "a"}, {"name": "b"}], "engine": null,
                          "brake": null, "cargo": {"x": "4Gi", "y": null})"),
              IsEmpty());
}

TEST(Validate, MissingAndNullAreTheSame) {
  EXPECT_THAT(texts(validate(type_of<Cart>(), cart("{}"))),
              ElementsAre("FieldValueRequired spec.owner: Required value", kUnchecked));
  EXPECT_THAT(texts(validate(type_of<Cart>(), cart(R"({"owner": null})"))),
              ElementsAre("FieldValueRequired spec.owner: Required value", kUnchecked));
  EXPECT_THAT(texts(validate(type_of<Cart>(), cart("null"))),
              ElementsAre("FieldValueRequired spec: Required value", kUnchecked));
}

TEST(Validate, Types) {
  EXPECT_THAT(
      problems(R"("load": "5")"),
      ElementsAre("FieldValueTypeInvalid spec.load: Invalid value: \"string\": spec.load in body must be of type "
                  "integer: \"string\"",
                  kUnchecked));
  EXPECT_THAT(
      problems(R"("load": 1.5)"),
      ElementsAre("FieldValueTypeInvalid spec.load: Invalid value: \"number\": spec.load in body must be of type "
                  "integer: \"number\"",
                  kUnchecked));
  EXPECT_THAT(problems(R"("brake": 1)"),
              ElementsAre("FieldValueTypeInvalid spec.brake: Invalid value: \"integer\": spec.brake in body must be of "
                          "type boolean: \"integer\"",
                          kUnchecked));
  EXPECT_THAT(
      problems(R"("tags": [1, "a", null])"),
      ElementsAre("FieldValueTypeInvalid spec.tags[0]: Invalid value: \"integer\": spec.tags[0] in body must be "
                  "of type string: \"integer\"",
                  "FieldValueTypeInvalid spec.tags[2]: Invalid value: \"null\": spec.tags[2] in body must be of "
                  "type string: \"null\"",
                  kUnchecked));
  EXPECT_THAT(problems(R"("gears": true)"),
              ElementsAre("FieldValueTypeInvalid spec.gears: Invalid value: \"boolean\": spec.gears in body must be of "
                          "type integer,string: \"boolean\"",
                          kUnchecked));
  EXPECT_THAT(
      problems(R"("built": "2024-01-01")"),
      ElementsAre(
          "FieldValueTypeInvalid spec.built: Invalid value: \"2024-01-01\": spec.built in body must be "
          "of type date-time: \"2024-01-01\"; write a time such as 2006-01-02T15:04:05Z, in the years 1678 to 2261",
          kUnchecked));
  EXPECT_THAT(problems(R"("secrets": {"a": "!!"})"),
              ElementsAre("FieldValueTypeInvalid spec.secrets.a: Invalid value: \"!!\": spec.secrets.a in body must be "
                          "of type byte: \"!!\"",
                          kUnchecked));
  EXPECT_THAT(problems(R"("engine": [])"),
              ElementsAre("FieldValueTypeInvalid spec.engine: Invalid value: \"array\": spec.engine in body must be of "
                          "type object: \"array\"",
                          kUnchecked));
}

TEST(Validate, Ranges) {
  EXPECT_THAT(problems(R"("load": 0)"), ElementsAre("FieldValueInvalid spec.load: Invalid value: 0: spec.load in body "
                                                    "should be greater than or equal to 1"));
  EXPECT_THAT(problems(R"("load": 101.0)"),
              ElementsAre("FieldValueInvalid spec.load: Invalid value: 101: spec.load in body should be less than or "
                          "equal to 100"));
  EXPECT_THAT(
      problems(R"("wheels": [{"name": "a", "spokes": 3000000000}])"),
      ElementsAre("FieldValueInvalid spec.wheels[0].spokes: Invalid value: 3000000000: spec.wheels[0].spokes in "
                  "body should be less than or equal to 2147483647"));
  EXPECT_THAT(problems(R"("wheels": [])"),
              ElementsAre("FieldValueInvalid spec.wheels: Invalid value: 0: spec.wheels in body should have at least 1 "
                          "items"));
}

TEST(Validate, Words) {
  EXPECT_THAT(
      problems(R"("paint": "Purple")"),
      ElementsAre("FieldValueNotSupported spec.paint: Unsupported value: \"Purple\": supported values: \"Red\", "
                  "\"Green\", \"Blue\"",
                  kUnchecked));
  EXPECT_THAT(problems(R"("paint": "Gren")"),
              ElementsAre("FieldValueNotSupported spec.paint: Unsupported value: \"Gren\": supported values: \"Red\", "
                          "\"Green\", \"Blue\"; did you mean \"Green\"?",
                          kUnchecked));
  EXPECT_THAT(problems(R"("paint": 5)"),
              ElementsAre("FieldValueTypeInvalid spec.paint: Invalid value: \"integer\": spec.paint in body must be of "
                          "type string: \"integer\"",
                          "FieldValueNotSupported spec.paint: Unsupported value: 5: supported values: \"Red\", "
                          "\"Green\", \"Blue\"",
                          kUnchecked));
  EXPECT_THAT(texts(validate(type_of<Cart>(), cart(R"({"owner": "A\n"})"))),
              ElementsAre("FieldValueInvalid spec.owner: Invalid value: \"A\\n\": spec.owner in body should match "
                          "'^[a-z0-9-]+$'"));
}

TEST(Validate, Quantities) {
  EXPECT_THAT(
      problems(R"("cargo": {"hay": "4GB", "eggs": 12})"),
      ElementsAre(
          "FieldValueInvalid spec.cargo.hay: Invalid value: \"4GB\": must be a number with a suffix such as m, k, M, "
          "G, Ki, Mi or Gi; did you mean \"4G\"?"));
  EXPECT_THAT(
      problems(R"("fuel": 0.5)"),
      ElementsAre("FieldValueTypeInvalid spec.fuel: Invalid value: \"number\": spec.fuel in body must be of type "
                  "integer,string: \"number\"; write it in quotes: \"0.5\"",
                  kUnchecked));
}

TEST(Validate, KeysOfListsAreUnique) {
  EXPECT_THAT(
      problems(R"("wheels": [{"name": "a"}, {"name": "b"}, {"name": "a"}, {"name": "a"}])"),
      ElementsAre("FieldValueDuplicate spec.wheels[2]: Duplicate value: map[string]interface {}{\"name\":\"a\"}"));
}

TEST(Validate, ItemsWithoutTheirKeyAreTheSame) {
  EXPECT_THAT(
      problems(R"("wheels": [{}, {}])"),
      ElementsAre("FieldValueRequired spec.wheels[0].name: Required value",
                  "FieldValueRequired spec.wheels[1].name: Required value",
                  "FieldValueDuplicate spec.wheels[1]: Duplicate value: map[string]interface {}{}", kUnchecked));
}

TEST(Validate, ItemsOfListsByKeyAreObjects) {
  EXPECT_THAT(
      problems(R"("wheels": [{"name": "a"}, [1, "x"]])"),
      ElementsAre("FieldValueTypeInvalid spec.wheels[1]: Invalid value: \"array\": spec.wheels[1] in body must be "
                  "of type object: \"array\"",
                  "FieldValueInvalid spec.wheels[1]: Invalid value: []interface {}{1, \"x\"}: must be an object "
                  "for an array of list-type map",
                  kUnchecked));
}

TEST(Validate, ReportsAllAtOnceAndByTheSpellingThatWasUsed) {
  EXPECT_THAT(problems(R"("load": 0, "wheels": [{"spokes": 2}], "engine": {"enable": "yes"})"),
              ElementsAre("FieldValueInvalid spec.load: Invalid value: 0: spec.load in body should be greater than or "
                          "equal to 1",
                          "FieldValueRequired spec.wheels[0].name: Required value",
                          "FieldValueInvalid spec.wheels[0].spokes: Invalid value: 2: spec.wheels[0].spokes in body "
                          "should be greater than or equal to 3",
                          "FieldValueTypeInvalid spec.engine.enable: Invalid value: \"string\": spec.engine.enable in "
                          "body must be of type boolean: \"string\"",
                          kUnchecked));
}

TEST(Validate, BothSpellingsMustAgree) {
  EXPECT_THAT(problems(R"("engine": {"enable": true, "enabled": true})"), IsEmpty());
  EXPECT_THAT(
      problems(R"("engine": {"enable": true, "enabled": false})"),
      ElementsAre("FieldValueInvalid spec.engine.enable: Invalid value: \"object\": enable and enabled must not "
                  "differ; enable is the older spelling of enabled"));
  EXPECT_THAT(
      problems(R"("engine": {"enable": 1, "enabled": 2})"),
      ElementsAre("FieldValueTypeInvalid spec.engine.enabled: Invalid value: \"integer\": spec.engine.enabled in "
                  "body must be of type boolean: \"integer\"",
                  "FieldValueTypeInvalid spec.engine.enable: Invalid value: \"integer\": spec.engine.enable in "
                  "body must be of type boolean: \"integer\"",
                  kUnchecked));
}

TEST(Validate, APatternOfAListAppliesToItsItems) {
  EXPECT_THAT(problems(R"("tags": ["fast", "Red"])"),
              ElementsAre("FieldValueInvalid spec.tags[1]: Invalid value: \"Red\": spec.tags[1] in body should match "
                          "'^[a-z0-9-]+$'; use plain words"));
}

TEST(ValidateUpdate, RejectsChangesOfImmutableFields) {
  EXPECT_THAT(texts(validate_update(type_of<Cart>(), cart(R"({"paint": "Red"})"), cart(R"({"paint": "Blue"})"))),
              ElementsAre("FieldValueInvalid spec.paint: Invalid value: \"string\": spec.paint is immutable"));
}

TEST(Validate, ReportsABoundedNumberOfProblemsOfOneList) {
  std::string wheels;
  for (int i = 0; i < 3000; ++i) wheels += i == 0 ? "7" : ",7";
  EXPECT_EQ(problems(R"("load": "5", "wheels": [)" + wheels + "]").size(), 2 * 1000U + 2U)
      << "of each of two rules, those of other fields, and that rules were not checked";
}

TEST(ValidateUpdate, ImmutableFieldsAreNeitherAddedNorRemoved) {
  const std::string refused = "FieldValueInvalid spec.paint: Invalid value: \"object\": spec.paint is immutable";
  EXPECT_THAT(texts(validate_update(type_of<Cart>(), cart("{}"), cart(R"({"paint": "Blue"})"))), ElementsAre(refused));
  EXPECT_THAT(texts(validate_update(type_of<Cart>(), cart(R"({"paint": "Red"})"), cart("{}"))), ElementsAre(refused));
}

TEST(ValidateUpdate, FieldsThatMayBeSetLaterAreImmutableThen) {
  EXPECT_THAT(validate_update(type_of<Cart>(), cart("{}"), cart(R"({"serial": 1})")), IsEmpty());
  EXPECT_THAT(texts(validate_update(type_of<Cart>(), cart(R"({"serial": 1})"), cart(R"({"serial": 2})"))),
              ElementsAre("FieldValueInvalid spec.serial: Invalid value: \"integer\": spec.serial is immutable"));
  EXPECT_THAT(texts(validate_update(type_of<Cart>(), cart(R"({"serial": 1})"), cart("{}"))),
              ElementsAre("FieldValueInvalid spec.serial: Invalid value: \"object\": spec.serial is immutable"));
}

TEST(ValidateUpdate, AllowsChangesOfOtherFields) {
  EXPECT_THAT(
      validate_update(type_of<Cart>(), cart(R"({"paint": "Red", "load": 1})"), cart(R"({"paint": "Red", "load": 2})")),
      IsEmpty());
}

}  // namespace
}  // namespace muster::reflect
