#include "apiserver/protobuf/encode_openapi_v2.h"

#include <gtest/gtest.h>

#include "apiserver/openapi/openapi.h"
#include "base/protobuf_wire.h"

namespace muster::apiserver::protobuf {
namespace {

/// Returns the message at the end of a path of field numbers, taking the first field of each number.
std::string_view inside(std::string_view bytes, std::initializer_list<std::uint32_t> path) {
  for (const std::uint32_t number : path) {
    WireReader reader(bytes);
    bytes = {};
    while (!reader.at_end()) {
      const auto field = reader.next();
      if (!field) return "broken";
      if (field->number != number) continue;
      bytes = field->bytes;
      break;
    }
  }
  return bytes;
}

std::string encoded(std::string_view text) {
  return encode_openapi_v2(*json::parse(text));
}

TEST(OpenApiV2Protobuf, NumbersAreThoseOfGnostic) {
  EXPECT_EQ(encoded(R"({"swagger":"2.0","info":{"title":"T","version":"1"}})"),
            "\x0a\x03"
            "2.0"
            "\x12\x06\x0a\x01T\x12\x01"
            "1");
}

TEST(OpenApiV2Protobuf, DefinitionsAreNamedSchemas) {
  const std::string bytes = encoded(R"({"definitions":{"a.B":{"description":"D","type":"object","required":["x","y"],
      "properties":{"x":{"type":"array","items":{"$ref":"#/definitions/a.C"}},
                    "x-y":{"type":"object","additionalProperties":{"type":"string"}}},
      "x-kubernetes-group-version-kind":[{"group":"a","kind":"B","version":"v1"}]}}})");
  const std::string_view pair = inside(bytes, {9, 1});
  EXPECT_EQ(inside(pair, {1}), "a.B");
  EXPECT_EQ(inside(pair, {2, 4}), "D");
  EXPECT_EQ(inside(pair, {2, 22, 1}), "object");
  EXPECT_EQ(inside(pair, {2, 19}), "x");
  EXPECT_EQ(inside(pair, {2, 25, 1, 1}), "x");
  EXPECT_EQ(inside(pair, {2, 25, 1, 2, 23, 1, 1}), "#/definitions/a.C");
  EXPECT_EQ(inside(pair, {2, 31, 1}), "x-kubernetes-group-version-kind");
  EXPECT_EQ(inside(pair, {2, 31, 2, 2}), "- group: a\n  kind: B\n  version: v1\n");
}

TEST(OpenApiV2Protobuf, KeywordsOfNumbersDefaultsAndChoices) {
  const std::string bytes =
      encoded(R"({"definitions":{"a":{"minimum":1,"minItems":3,"default":[1],"enum":["A","B"]}}})");
  const std::string_view schema = inside(bytes, {9, 1, 2});
  EXPECT_EQ(inside(schema, {9}), std::string("\0\0\0\0\0\0\xf0\x3f", 8));
  EXPECT_EQ(inside(schema, {5, 2}), "- 1\n");
  EXPECT_EQ(inside(schema, {20, 2}), "A\n");
  WireReader reader(schema);
  std::vector<std::uint32_t> numbers;
  while (!reader.at_end()) numbers.push_back(reader.next()->number);
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{9, 15, 5, 20, 20}));
}

TEST(OpenApiV2Protobuf, ParametersAreFiledByTheirPlace) {
  const std::string bytes = encoded(R"({"paths":{"/p/{name}":{
      "patch":{"parameters":[{"name":"body","in":"body","schema":{}}],
               "responses":{"200":{"description":"OK","schema":{"$ref":"#/definitions/a"}}},
               "x-kubernetes-action":"patch"},
      "get":{"parameters":[{"name":"fieldValidation","in":"query","type":"string","uniqueItems":true}]},
      "parameters":[{"name":"name","in":"path","required":true,"type":"string"}]}}})");
  const std::string_view pair = inside(bytes, {8, 2});
  EXPECT_EQ(inside(pair, {1}), "/p/{name}");
  EXPECT_EQ(inside(pair, {2, 8, 8, 1, 1, 2}), "body");
  EXPECT_EQ(inside(pair, {2, 8, 9, 1, 1}), "200");
  EXPECT_EQ(inside(pair, {2, 8, 9, 1, 2, 1, 2, 1, 1}), "#/definitions/a");
  EXPECT_EQ(inside(pair, {2, 8, 13, 2, 2}), "patch\n");
  EXPECT_EQ(inside(pair, {2, 2, 8, 1, 2, 3, 4}), "fieldValidation");
  EXPECT_EQ(inside(pair, {2, 9, 1, 2, 4, 4}), "name");
}

std::size_t count(std::string_view message, std::uint32_t number) {
  std::size_t found = 0;
  for (WireReader reader(message); !reader.at_end();) found += reader.next()->number == number ? 1 : 0;
  return found;
}

TEST(OpenApiV2Protobuf, TheWholeDocumentIsSaid) {
  OpenApi openapi;
  const json::Document document = *json::parse(*openapi.v2(OpenApiV2Form::kJson).body);
  const std::string& bytes = *openapi.v2(OpenApiV2Form::kProtobuf).body;
  EXPECT_EQ(count(inside(bytes, {8}), 2), document.find("paths")->as_object().size());
  EXPECT_EQ(count(inside(bytes, {9}), 1), document.find("definitions")->as_object().size());
}

TEST(OpenApiV2ProtobufDeathTest, AKeywordWithoutANumberIsABug) {
  EXPECT_DEATH(encoded(R"({"definitions":{"a":{"oneOf":[]}}})"), "entries");
}

}  // namespace
}  // namespace muster::apiserver::protobuf
