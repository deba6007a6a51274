// Types as schemas: structural ones for CustomResourceDefinitions, OpenAPI v3 components for discovery and `explain`.
#include <fmt/core.h>

#include <limits>

#include "base/strings.h"
#include "reflect/causes.h"
#include "reflect/reflect.h"
#include "reflect/schema_text.h"

namespace muster::reflect {

namespace {

/// The keywords for a value that is not an object, array or map.
json::Object scalar_schema(Shape shape) {
  switch (shape) {
    case Shape::kString:
      return {{"type", "string"}};
    case Shape::kBool:
      return {{"type", "boolean"}};
    case Shape::kInt32:
      return {{"type", "integer"}, {"format", "int32"}};
    case Shape::kInt64:
      return {{"type", "integer"}, {"format", "int64"}};
    case Shape::kNumber:
      return {{"type", "number"}, {"format", "double"}};
    case Shape::kQuantity:
      return {{"x-kubernetes-int-or-string", true}, {"pattern", kQuantityPattern}};
    case Shape::kIntOrString:
      return {{"x-kubernetes-int-or-string", true}};
    case Shape::kTime:
    case Shape::kMicroTime:
      return {{"type", "string"}, {"format", "date-time"}};
    case Shape::kBytes:
      return {{"type", "string"}, {"format", "byte"}};
    case Shape::kAny:
      return {{"x-kubernetes-preserve-unknown-fields", true}};
    case Shape::kObject:
    case Shape::kMap:
      return {{"type", "object"}};
    case Shape::kArray:
      return {{"type", "array"}};
  }
  return {};
}

/// Adds the constraints that a field has beyond its type.
void add_rules(const FieldDesc& field, json::Object& schema) {
  std::optional<std::int64_t> low = field.min;
  std::optional<std::int64_t> high = field.max;
  if (field.type().shape == Shape::kInt32) {
    // An API server ignores the format, so only explicit bounds reject values that do not fit.
    low = low.value_or(std::numeric_limits<std::int32_t>::min());
    high = high.value_or(std::numeric_limits<std::int32_t>::max());
  }
  if (low) schema.set("minimum", *low);
  if (high) schema.set("maximum", *high);
  if (field.min_items) schema.set("minItems", *field.min_items);
  if (!field.pattern.empty()) {
    json::Document* items = schema.find("items");
    (items == nullptr ? schema : items->as_object()).set("pattern", field.pattern);
  }
  if (!field.one_of.empty()) schema.set("enum", json::Array(field.one_of.begin(), field.one_of.end()));
  if (!field.list_map_key.empty()) {
    schema.set("x-kubernetes-list-type", "map");
    schema.set("x-kubernetes-list-map-keys", json::Array{field.list_map_key});
  }
}

json::Array required_names(const TypeDesc& type) {
  json::Array names;
  for (const FieldDesc& field : type.fields) {
    if (field.required) names.push_back(field.name);
  }
  return names;
}

json::Object older_spelling(const FieldDesc& field, json::Object schema) {
  schema.set("description", fmt::format("Older spelling of {}.", field.name));
  return schema;
}

// ---- structural ----

constexpr const char* kValidations = "x-kubernetes-validations";

struct SchemaPlace {
  std::string path;
  bool with_defaults = true;
};

json::Object cel_rule(const Rule& rule) {
  json::Object one = {{"rule", rule.cel}, {"message", rule.message}};
  if (rule.fault != Rule::Fault::kInvalid) one.set("reason", std::string(fault_reason(rule.fault)));
  if (!rule.field.empty()) one.set("fieldPath", "." + rule.field);
  return one;
}

std::string immutable_message(const SchemaPlace& place) {
  return fmt::format("{} is immutable", place.path);
}

/// An API server does not evaluate a rule on the field itself when the field is added or removed.
void add_rule_on_presence(const FieldDesc& field, const SchemaPlace& place, json::Array& rules) {
  if (field.required || field.default_value || !(field.immutable || field.immutable_once_set)) return;
  const char* cel = field.immutable ? "has(self.{0}) == has(oldSelf.{0})" : "!has(oldSelf.{0}) || has(self.{0})";
  rules.push_back(cel_rule({.cel = fmt::format(fmt::runtime(cel), field.name),
                            .message = immutable_message({child_path(place.path, field.name)}),
                            .field = field.name}));
}

/// The rules between fields, as far as CEL can express them.
json::Array cel_rules(const TypeDesc& type, const SchemaPlace& place) {
  json::Array rules;
  for (const Rule& rule : type.rules) {
    if (!rule.cel.empty()) rules.push_back(cel_rule(rule));
  }
  for (const FieldDesc& field : type.fields) {
    for (const std::string& older : field.also_known_as) {
      if (const Rule rule = same_in_both(field, older); !rule.cel.empty()) rules.push_back(cel_rule(rule));
    }
    add_rule_on_presence(field, place, rules);
  }
  return rules;
}

json::Object structural(const TypeDesc& type, const SchemaPlace& place);

json::Object structural_field(const FieldDesc& field, const SchemaPlace& place) {
  json::Object schema = {{"description", field.doc}};
  const SchemaPlace inner{place.path, place.with_defaults && !field.as_written};
  for (auto& [key, value] : structural(field.type(), inner)) {
    if (key != "description") schema.append(key, value);
  }
  add_rules(field, schema);
  if (place.with_defaults && field.default_value) schema.set("default", *field.default_value);
  if (field.immutable || field.immutable_once_set) {
    json::Document* rules = schema.find(kValidations);
    json::Array all = rules == nullptr ? json::Array{} : rules->as_array();
    all.push_back(cel_rule({.cel = "self == oldSelf", .message = immutable_message(place)}));
    schema.set(kValidations, std::move(all));
  }
  return schema;
}

/// An API server has its own schema for metadata; ours may only restrict the name.
json::Object structural_metadata(const TypeDesc& root) {
  json::Object schema = {{"type", "object"}};
  if (root.name_pattern.empty()) return schema;
  json::Object name = {{"type", "string"}, {"pattern", root.name_pattern}};
  schema.set("properties", json::Object{{"name", std::move(name)}});
  return schema;
}

json::Object structural_properties(const TypeDesc& type, const SchemaPlace& place) {
  json::Object properties;
  for (const FieldDesc& field : type.fields) {
    const SchemaPlace at{child_path(place.path, field.name), place.with_defaults};
    if (place.path.empty() && type.is_root() && field.name == "metadata") {
      properties.append(field.name, structural_metadata(type));
      continue;
    }
    properties.append(field.name, structural_field(field, at));
    for (const std::string& alias : field.also_known_as) {
      properties.append(alias, older_spelling(field, structural_field(field, at)));
    }
  }
  return properties;
}

json::Object structural(const TypeDesc& type, const SchemaPlace& place) {
  json::Object schema = scalar_schema(type.shape);
  switch (type.shape) {
    case Shape::kObject: {
      if (!type.doc.empty()) schema.set("description", type.doc);
      json::Array required = required_names(type);
      if (!required.empty()) schema.set("required", std::move(required));
      schema.set("properties", structural_properties(type, place));
      if (type.open) schema.set("x-kubernetes-preserve-unknown-fields", true);
      if (json::Array rules = cel_rules(type, place); !rules.empty()) schema.set(kValidations, std::move(rules));
      break;
    }
    case Shape::kArray:
      schema.set("items", structural(type.element(), {place.path + "[]", place.with_defaults}));
      break;
    case Shape::kMap:
      schema.set("additionalProperties", structural(type.element(), {place.path + ".*", place.with_defaults}));
      break;
    default:
      break;
  }
  return schema;
}

// ---- OpenAPI ----

class Components {
 public:
  Components(std::string_view prefix, json::Object& schemas) : prefix_(prefix), schemas_(schemas) {}

  std::string add(const TypeDesc& type) {
    const std::string name = std::string(prefix_) + type.name;
    if (!schemas_.contains(name)) {
      schemas_.set(name, json::Object{});  // before its members, because they may refer back to it
      json::Object schema = object(type);
      schemas_.set(name, std::move(schema));
    }
    return "#/components/schemas/" + name;
  }

 private:
  json::Object object(const TypeDesc& type) {
    json::Object schema = {{"description", type.doc}, {"type", "object"}};
    json::Array required = required_names(type);
    if (!required.empty()) schema.set("required", std::move(required));
    json::Object properties;
    for (const FieldDesc& field : type.fields) {
      properties.append(field.name, member(field));
      for (const std::string& alias : field.also_known_as) {
        properties.append(alias, older_spelling(field, member(field)));
      }
    }
    for (const std::string& name : type.known_names) {
      if (!properties.contains(name)) {
        properties.append(name, json::Object{{"description", "As in Kubernetes; kept as it was written."},
                                             {"x-kubernetes-preserve-unknown-fields", true}});
      }
    }
    schema.set("properties", std::move(properties));
    if (type.open) schema.set("x-kubernetes-preserve-unknown-fields", true);
    if (type.is_root()) schema.set("x-kubernetes-group-version-kind", json::Array{identity(type)});
    return schema;
  }

  static json::Document identity(const TypeDesc& type) {
    const std::string& api_version = type.fields[0].constant;
    const auto slash = api_version.find('/');
    const bool core = slash == std::string::npos;
    return json::Object{{"group", core ? "" : api_version.substr(0, slash)},
                        {"kind", type.fields[1].constant},
                        {"version", core ? api_version : api_version.substr(slash + 1)}};
  }

  json::Object member(const FieldDesc& field) {
    json::Object schema = {{"description", field.doc}};
    // Keywords next to a $ref are ignored, so a reference with a description is wrapped.
    json::Object inner = value(field.type());
    if (inner.contains("$ref")) {
      schema.set("allOf", json::Array{std::move(inner)});
    } else {
      for (auto& [key, keyword] : inner) schema.append(key, keyword);
    }
    add_rules(field, schema);
    if (field.default_value) schema.set("default", *field.default_value);
    return schema;
  }

  json::Object value(const TypeDesc& type) {
    if (type.shape == Shape::kObject) return {{"$ref", add(type)}};
    json::Object schema = scalar_schema(type.shape);
    if (type.shape == Shape::kArray) schema.set("items", value(type.element()));
    if (type.shape == Shape::kMap) schema.set("additionalProperties", value(type.element()));
    return schema;
  }

  std::string_view prefix_;
  json::Object& schemas_;
};

}  // namespace

json::Document crd_schema(const TypeDesc& type) {
  return structural(type, {});
}

std::string add_openapi_schemas(const TypeDesc& type, std::string_view prefix, json::Object& schemas) {
  return Components(prefix, schemas).add(type);
}

}  // namespace muster::reflect
