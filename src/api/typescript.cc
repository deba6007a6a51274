#include "api/typescript.h"

#include <fmt/core.h>

#include <map>

#include "api/resource.h"
#include "base/strings.h"

namespace muster::api {

namespace {

using reflect::FieldDesc;
using reflect::Shape;
using reflect::TypeDesc;

/// "kubeflow.org/v1" -> "KubeflowOrgV1".
std::string prefix_of(const Resource& resource) {
  std::string out;
  bool upper = true;
  for (const char c : resource.api_version()) {
    if (c == '.' || c == '/' || c == '-') {
      upper = true;
    } else {
      out += upper && 'a' <= c && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      upper = false;
    }
  }
  return out;
}

/// Gives each type a name of its own; where two types share a name, the group is added to both.
class Names {
 public:
  Names() {
    for (const Resource& resource : resources()) collect(*resource.type, resource);
  }

  const std::map<const TypeDesc*, const Resource*>& types() const { return first_use_; }

  std::string name(const TypeDesc& type) const {
    return by_name_.at(type.name) == 1 ? type.name : prefix_of(*first_use_.at(&type)) + type.name;
  }

 private:
  void collect(const TypeDesc& type, const Resource& resource) {
    if (type.element != nullptr) collect(type.element(), resource);
    if (type.shape != Shape::kObject || !first_use_.emplace(&type, &resource).second) return;
    ++by_name_[type.name];
    for (const FieldDesc& field : type.fields) collect(field.type(), resource);
  }

  std::map<const TypeDesc*, const Resource*> first_use_;
  std::map<std::string, int> by_name_;
};

std::string text_of(const TypeDesc& type, const Names& names) {
  if (type.shape == Shape::kObject) return names.name(type);
  if (type.shape == Shape::kMap) return "Record<string, " + text_of(type.element(), names) + ">";
  if (type.shape != Shape::kArray) return std::string(shape_names(type.shape).in_typescript);
  const std::string element = text_of(type.element(), names);
  return element.find(" | ") == std::string::npos ? element + "[]" : "(" + element + ")[]";
}

std::string type_of_field(const FieldDesc& field, const Names& names) {
  if (!field.constant.empty()) return quote(field.constant);
  if (field.one_of.empty()) return text_of(field.type(), names);
  std::vector<std::string> words;
  for (const std::string& word : field.one_of) words.push_back(quote(word));
  return join(words, " | ");
}

/// The types of fields that Kubernetes has and our descriptors do not describe, as far as they are known.
std::string type_of_known(std::string_view name) {
  if (name == "targetPort") return "number | string";
  if (name == "nodePort") return "number";
  if (name == "claims") return "{ name: string; request?: string }[]";
  return "unknown";
}

std::string interface_of(const TypeDesc& type, const Names& names) {
  std::string out = fmt::format("/** {} */\nexport interface {} {{\n", type.doc, names.name(type));
  for (const FieldDesc& field : type.fields) {
    const bool needed = field.required || !field.constant.empty();
    const std::string text = type_of_field(field, names);
    out += fmt::format("  /** {} */\n  {}{}: {};\n", field.doc, field.name, needed ? "" : "?", text);
    for (const std::string& older : field.also_known_as) {
      out += fmt::format("  /** Older spelling of {}. */\n  {}?: {};\n", field.name, older, text);
    }
  }
  for (const std::string& name : type.known_names) {
    if (type.field(name) == nullptr) out += fmt::format("  {}?: {};\n", name, type_of_known(name));
  }
  return out + "}\n";
}

}  // namespace

std::string typescript() {
  const Names names;
  std::map<std::string, std::string> interfaces;
  for (const auto& [type, resource] : names.types()) interfaces[names.name(*type)] = interface_of(*type, names);
  std::string out =
      "// Written from the descriptors in src/api; do not edit. MUSTER_UPDATE_GOLDEN=1 api_test renews it.\n";
  for (const auto& [name, text] : interfaces) out += "\n" + text;
  return out;
}

}  // namespace muster::api
