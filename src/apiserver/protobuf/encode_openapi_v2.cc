#include "apiserver/protobuf/encode_openapi_v2.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/check.h"
#include "base/protobuf_wire.h"
#include "json/yaml.h"

namespace muster::apiserver::protobuf {
namespace {

using json::Document;

enum class Type {
  kString,
  kBool,
  kInt,
  kReal,
  kAny,        // any value, as YAML text
  kAnyList,    // a list of such values
  kMessage,    // an object
  kParameter,  // a message that depends on the place of the parameter
};

struct Message;

struct Field {
  std::uint32_t number;
  std::string_view name;
  Type type;
  const Message* message = nullptr;
  // Some members, such as `items`, are a schema in JSON, but in protobuf a message with the schema in this field.
  std::uint32_t wrapped_in = 0;
};

struct Message {
  std::span<const Field> fields;
  std::uint32_t extensions = 0;    // members whose names begin with "x-"
  const Field* entries = nullptr;  // members of any other name: pairs of a name and a value of this type
};

constexpr std::uint32_t kName = 1;  // field numbers of the pairs
constexpr std::uint32_t kValue = 2;

extern const Message kSchema;

constexpr Field kSchemaEntry = {1, "", Type::kMessage, &kSchema};
constexpr Message kSchemas = {{}, 0, &kSchemaEntry};
constexpr Field kSchemaFields[] = {
    {1, "$ref", Type::kString},
    {2, "format", Type::kString},
    {4, "description", Type::kString},
    {5, "default", Type::kAny},
    {7, "maximum", Type::kReal},
    {9, "minimum", Type::kReal},
    {13, "pattern", Type::kString},
    {15, "minItems", Type::kInt},
    {19, "required", Type::kString},
    {20, "enum", Type::kAnyList},
    {21, "additionalProperties", Type::kMessage, &kSchema, 1},
    {22, "type", Type::kString, nullptr, 1},
    {23, "items", Type::kMessage, &kSchema, 1},
    {25, "properties", Type::kMessage, &kSchemas},
};
constexpr Message kSchema = {kSchemaFields, 31};

constexpr Field kBodyFields[] = {
    {1, "description", Type::kString},
    {2, "name", Type::kString},
    {3, "in", Type::kString},
    {4, "required", Type::kBool},
    {5, "schema", Type::kMessage, &kSchema},
};
constexpr Message kBody = {kBodyFields, 6};

constexpr Field kQueryFields[] = {
    {1, "required", Type::kBool}, {2, "in", Type::kString},   {3, "description", Type::kString},
    {4, "name", Type::kString},   {6, "type", Type::kString}, {20, "uniqueItems", Type::kBool},
};
constexpr Message kQuery = {kQueryFields, 23};

constexpr Field kPathFields[] = {
    {1, "required", Type::kBool}, {2, "in", Type::kString},   {3, "description", Type::kString},
    {4, "name", Type::kString},   {5, "type", Type::kString}, {19, "uniqueItems", Type::kBool},
};
constexpr Message kPath = {kPathFields, 22};

constexpr Field kResponseFields[] = {{1, "description", Type::kString}, {2, "schema", Type::kMessage, &kSchema, 1}};
constexpr Message kResponse = {kResponseFields, 5};
constexpr Field kResponseEntry = {1, "", Type::kMessage, &kResponse, 1};
constexpr Message kResponses = {{}, 2, &kResponseEntry};

constexpr Field kOperationFields[] = {
    {3, "description", Type::kString},   {5, "operationId", Type::kString},
    {6, "produces", Type::kString},      {7, "consumes", Type::kString},
    {8, "parameters", Type::kParameter}, {9, "responses", Type::kMessage, &kResponses},
};
constexpr Message kOperation = {kOperationFields, 13};

constexpr Field kPathItemFields[] = {
    {2, "get", Type::kMessage, &kOperation},   {3, "put", Type::kMessage, &kOperation},
    {4, "post", Type::kMessage, &kOperation},  {5, "delete", Type::kMessage, &kOperation},
    {8, "patch", Type::kMessage, &kOperation}, {9, "parameters", Type::kParameter},
};
constexpr Message kPathItem = {kPathItemFields, 10};
constexpr Field kPathEntry = {2, "", Type::kMessage, &kPathItem};
constexpr Message kPaths = {{}, 1, &kPathEntry};

constexpr Field kInfoFields[] = {{1, "title", Type::kString}, {2, "version", Type::kString}};
constexpr Message kInfo = {kInfoFields, 7};

constexpr Field kDocumentFields[] = {
    {1, "swagger", Type::kString},
    {2, "info", Type::kMessage, &kInfo},
    {8, "paths", Type::kMessage, &kPaths},
    {9, "definitions", Type::kMessage, &kSchemas},
};
constexpr Message kDocument = {kDocumentFields, 16};

std::string encode(const Message& message, const Document& value);

std::string nested(std::uint32_t number, std::string_view message) {
  std::string out;
  WireWriter(out).bytes(number, message);
  return out;
}

std::string any(const Document& value) {
  return nested(2, json::to_yaml(value));
}

/// A parameter is nested in ParametersItem, Parameter and, except for bodies, NonBodyParameter.
std::string parameter(const Document& value) {
  const std::string& in = value.string_at("in");
  if (in == "body") return nested(1, nested(1, encode(kBody, value)));
  CHECK(in == "query" || in == "path");
  const std::string inner = in == "query" ? nested(3, encode(kQuery, value)) : nested(4, encode(kPath, value));
  return nested(1, nested(2, inner));
}

std::string as_bytes(const Field& field, const Document& value) {
  switch (field.type) {
    case Type::kAny:
    case Type::kAnyList:
      return any(value);
    case Type::kParameter:
      return parameter(value);
    case Type::kMessage:
      return encode(*field.message, value);
    default:
      return value.as_string();
  }
}

void write_one(const Field& field, const Document& value, WireWriter& writer) {
  switch (field.type) {
    case Type::kBool:
      return writer.number(field.number, value.as_bool() ? 1 : 0);
    case Type::kInt:
      return writer.number(field.number, static_cast<std::uint64_t>(value.as_int()));
    case Type::kReal:
      return writer.real(field.number, value.as_double());
    default:
      break;
  }
  const std::string bytes = as_bytes(field, value);
  writer.bytes(field.number, field.wrapped_in == 0 ? bytes : nested(field.wrapped_in, bytes));
}

void write(const Field& field, const Document& value, WireWriter& writer) {
  if (!value.is_array() || field.type == Type::kAny) return write_one(field, value, writer);
  for (const Document& item : value.as_array()) write_one(field, item, writer);
}

void write_pair(std::uint32_t number, std::string_view name, std::string_view value, WireWriter& writer) {
  std::string pair;
  WireWriter inside(pair);
  inside.bytes(kName, name);
  inside.bytes(kValue, value);
  writer.bytes(number, pair);
}

std::string encode(const Message& message, const Document& value) {
  std::string out;
  WireWriter writer(out);
  for (const auto& [key, member] : value.as_object()) {
    const auto field = std::ranges::find(message.fields, key, &Field::name);
    if (field != message.fields.end()) {
      write(*field, member, writer);
    } else if (message.extensions != 0 && key.starts_with("x-")) {
      write_pair(message.extensions, key, any(member), writer);
    } else {
      CHECK(message.entries != nullptr);
      const Field& entry = *message.entries;
      const std::string bytes = encode(*entry.message, member);
      write_pair(entry.number, key, entry.wrapped_in == 0 ? bytes : nested(entry.wrapped_in, bytes), writer);
    }
  }
  return out;
}

}  // namespace

std::string encode_openapi_v2(const Document& document) {
  return encode(kDocument, document);
}

}  // namespace muster::apiserver::protobuf
