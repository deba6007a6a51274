#include "apiserver/admission/template_types.h"

#include "api/kubernetes/core_v1.h"
#include "api/kubernetes/kubernetes_fields.h"
#include "apiserver/admission/builtin_types.h"
#include "reflect/causes.h"
#include "reflect/place.h"

namespace muster::apiserver {
namespace {

using json::Document;
using reflect::Place;
using reflect::TypeDesc;

void check_template(Document pod_template, const Place& place, std::vector<FieldCause>& causes) {
  static const auto& fields = api::kubernetes::message_named("PodTemplateSpec");
  for (FieldCause& wrong : normalise_types(fields, pod_template).wrong) {
    wrong.field = reflect::child_path(place.text(), wrong.field);
    causes.push_back(std::move(wrong));
  }
}

void check_below(const TypeDesc& type, const Document& value, const Place& place, std::vector<FieldCause>& causes) {
  if (&type == &reflect::type_of<api::PodTemplateSpec>()) return check_template(value, place, causes);
  if (value.is_array() && type.element != nullptr) {
    std::size_t index = 0;
    for (const Document& item : value.as_array()) check_below(type.element(), item, place.item(index++), causes);
  } else if (value.is_object() && type.element != nullptr) {
    for (const auto& [key, item] : value.as_object()) check_below(type.element(), item, place.key(key), causes);
  } else {
    for (const reflect::FieldDesc& field : type.fields) {
      const Document* member = value.find(field.name);
      if (member != nullptr) check_below(field.type(), *member, place.member(field.name), causes);
    }
  }
}

}  // namespace

std::vector<FieldCause> check_template_types(const api::Resource& resource, const Document& object) {
  std::vector<FieldCause> causes;
  check_below(*resource.type, object, reflect::kRoot, causes);
  return causes;
}

}  // namespace muster::apiserver
