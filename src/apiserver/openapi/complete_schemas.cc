#include "apiserver/openapi/complete_schemas.h"

#include <set>
#include <string>

namespace muster::apiserver {
namespace {

using api::kubernetes::Field;
using api::kubernetes::find_field;
using api::kubernetes::Message;
using api::kubernetes::Shape;
using api::kubernetes::Type;
using json::Document;
using json::Object;

Object value_schema(const Field& field);

void add_properties(const Message& message, Object& properties) {
  for (const Field& field : message.fields) {
    if (field.type == Type::kInline) {
      add_properties(*field.message, properties);
    } else {
      properties.append(std::string(field.name), value_schema(field));
    }
  }
}

Object item_schema(const Field& field) {
  switch (field.type) {
    case Type::kString:
      return {{"type", "string"}};
    case Type::kBytes:
      return {{"type", "string"}, {"format", "byte"}};
    case Type::kInt:
      return {{"type", "integer"}};
    case Type::kBool:
      return {{"type", "boolean"}};
    case Type::kTime:
    case Type::kMicroTime:
      return {{"type", "string"}, {"format", "date-time"}};
    case Type::kQuantity:
    case Type::kIntOrString:
      return {{"x-kubernetes-int-or-string", true}};
    case Type::kFields:
      return {{"type", "object"}};
    case Type::kMessage:
    case Type::kInline:
      break;
  }
  Object properties;
  add_properties(*field.message, properties);
  return {{"type", "object"}, {"properties", std::move(properties)}};
}

void add_patch_rules(const Field& field, Object& schema) {
  const auto& merging = field.merging;
  if (!merging.patch_key.empty()) schema.set("x-kubernetes-patch-merge-key", merging.patch_key);
  if (!merging.patch_strategy.empty()) schema.set("x-kubernetes-patch-strategy", merging.patch_strategy);
}

Object value_schema(const Field& field) {
  Object schema = item_schema(field);
  if (field.shape == Shape::kList) schema = {{"type", "array"}, {"items", std::move(schema)}};
  if (field.shape == Shape::kMap) schema = {{"type", "object"}, {"additionalProperties", std::move(schema)}};
  add_patch_rules(field, schema);
  return schema;
}

class Pass {
 public:
  Pass(std::string_view prefix, Object& schemas) : prefix_(prefix), schemas_(schemas) {}

  void complete(const reflect::TypeDesc& type, const Message& message) {
    if (!seen_.insert(&type).second) return;
    Document& properties = *schemas_.find(std::string(prefix_) + type.name)->find("properties");
    for (const std::string& name : type.known_names) {
      if (const Field* field = find_field(message, name)) describe_member(*field, properties[name]);
    }
    for (const reflect::FieldDesc& field : type.fields) {
      const reflect::TypeDesc* inner = &field.type();
      while (inner->element != nullptr) inner = &inner->element();
      const Field* on_wire = find_field(message, field.name);
      if (on_wire == nullptr) continue;
      Document& member = properties[field.name];
      add_patch_rules(*on_wire, member.as_object());
      if (field.type().shape == reflect::Shape::kAny) describe_member(*on_wire, member);
      if (inner->shape == reflect::Shape::kObject && on_wire->message != nullptr) complete(*inner, *on_wire->message);
    }
  }

 private:
  static void describe_member(const Field& field, Document& member) {
    Object schema = {{"description", member.string_at("description")}};
    for (auto& [key, keyword] : value_schema(field)) schema.append(key, std::move(keyword));
    member = std::move(schema);
  }

  std::string_view prefix_;
  Object& schemas_;
  std::set<const reflect::TypeDesc*> seen_;
};

}  // namespace

void complete_schemas(const reflect::TypeDesc& type, const Message& message, std::string_view prefix, Object& schemas) {
  Pass(prefix, schemas).complete(type, message);
}

}  // namespace muster::apiserver
