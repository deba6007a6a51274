#include "apiserver/openapi/openapi_v2.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace muster::apiserver {
namespace {

using json::Array;
using json::Document;
using json::Object;

constexpr std::string_view kSchemas = "#/components/schemas/";

Document reference(const Document& v3) {
  const std::string& text = v3.as_string();
  CHECK(text.starts_with(kSchemas));
  return "#/definitions/" + text.substr(kSchemas.size());
}

Document schema(const Document& v3);

Document properties(const Document& v3) {
  Object out;
  for (const auto& [name, member] : v3.as_object()) out.append(name, schema(member));
  return out;
}

Document schema(const Document& v3) {
  Object out;
  for (const auto& [key, value] : v3.as_object()) {
    if (key == "$ref") {
      out.append(key, reference(value));
    } else if (key == "allOf") {  // wraps a reference; v2 puts that next to its description
      CHECK(value.as_array().size() == 1);
      out.append("$ref", reference(*value.as_array()[0].find("$ref")));
    } else if (key == "properties") {
      out.append(key, properties(value));
    } else if (key == "items" || key == "additionalProperties") {
      out.append(key, schema(value));
    } else {
      out.append(key, value);
    }
  }
  return out;
}

Document parameter(const Document& v3) {
  Object out;
  for (const auto& [key, value] : v3.as_object()) {
    if (key != "schema") out.append(key, value);
  }
  for (const auto& [key, value] : v3.find("schema")->as_object()) out.append(key, value);
  return out;
}

Array parameters(const Document* v3) {
  Array out;
  if (v3 == nullptr) return out;
  for (const Document& one : v3->as_array()) out.push_back(parameter(one));
  return out;
}

/// A body with one media type has its schema. The media types of a patch share none: any object or list is valid.
Document body_parameter(const Object& content) {
  Document of_body = content.size() == 1 ? schema(*content.begin()->value.find("schema")) : Document(Object());
  return Object{{"name", "body"}, {"in", "body"}, {"required", true}, {"schema", std::move(of_body)}};
}

Array media_types(const Object& content) {
  Array out;
  for (const auto& member : content) out.push_back(member.key);
  return out;
}

Document responses(const Document& v3) {
  Object out;
  for (const auto& [code, response] : v3.as_object()) {
    Object one = {{"description", response.string_at("description")}};
    const Document* content = response.find("content");
    if (content != nullptr) one.append("schema", schema(*content->as_object().begin()->value.find("schema")));
    out.append(code, std::move(one));
  }
  return out;
}

Document operation(const Document& v3) {
  Object out;
  Array all = parameters(v3.find("parameters"));
  if (const Document* content = v3.at("requestBody", "content")) {
    out.append("consumes", media_types(content->as_object()));
    all.insert(all.begin(), body_parameter(content->as_object()));
  }
  out.append("produces", Array{"application/json"});
  if (!all.empty()) out.append("parameters", std::move(all));
  for (const auto& [key, value] : v3.as_object()) {
    if (key == "parameters" || key == "requestBody") continue;
    out.append(key, key == "responses" ? responses(value) : value);
  }
  return out;
}

Document path_item(const Document& v3) {
  Object out;
  for (const auto& [key, value] : v3.as_object()) {
    out.append(key, key == "parameters" ? Document(parameters(&value)) : operation(value));
  }
  return out;
}

}  // namespace

void add_as_v2(const Document& v3, Object& paths, Object& definitions) {
  for (const auto& [path, item] : v3.find("paths")->as_object()) paths.append(path, path_item(item));
  for (const auto& [name, of_type] : v3.at("components", "schemas")->as_object()) {
    definitions.append(name, schema(of_type));
  }
}

}  // namespace muster::apiserver
