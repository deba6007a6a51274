#include "apiserver/admission/pod_templates.h"

#include "api/kubedl/cron_v1alpha1.h"
#include "api/kubernetes/core_v1.h"
#include "api/kubernetes/kubernetes_fields.h"
#include "apiserver/admission/builtin_types.h"
#include "reflect/causes.h"

namespace muster::apiserver {
namespace {

using json::Document;
using reflect::Place;
using reflect::TypeDesc;

void visit_below(const TypeDesc& type, const Document& value, const Place& place, const VisitTemplate& visit);

/// Visits the job inside a Cron, whose kind is next to it.
void visit_workload(const Document& value, const Place& place, const VisitTemplate& visit) {
  const api::Resource* kind = api::find_kind(value.string_at("apiVersion"), value.string_at("kind"));
  const Document* workload = value.find("workload");
  if (kind != nullptr && workload != nullptr) visit_below(*kind->type, *workload, place.member("workload"), visit);
}

void visit_below(const TypeDesc& type, const Document& value, const Place& place, const VisitTemplate& visit) {
  if (&type == &reflect::type_of<api::PodTemplateSpec>()) return visit(value, place);
  if (&type == &reflect::type_of<api::CronTemplate>()) return visit_workload(value, place, visit);
  if (value.is_array() && type.element != nullptr) {
    std::size_t index = 0;
    for (const Document& item : value.as_array()) visit_below(type.element(), item, place.item(index++), visit);
  } else if (value.is_object() && type.element != nullptr) {
    for (const auto& [key, item] : value.as_object()) visit_below(type.element(), item, place.key(key), visit);
  } else {
    for (const reflect::FieldDesc& field : type.fields) {
      const Document* member = value.find(field.name);
      if (member != nullptr) visit_below(field.type(), *member, place.member(field.name), visit);
    }
  }
}

}  // namespace

void visit_pod_templates(const api::Resource& resource, const Document& object, const VisitTemplate& visit) {
  visit_below(*resource.type, object, reflect::kRoot, visit);
}

std::vector<FieldCause> check_template_types(const api::Resource& resource, const Document& object) {
  static const auto& fields = api::kubernetes::message_named("PodTemplateSpec");
  std::vector<FieldCause> causes;
  visit_pod_templates(resource, object, [&](Document pod_template, const Place& at) {
    if (!pod_template.is_object()) return;  // in a Cron; the rules of its job report it
    for (FieldCause& wrong : normalise_types(fields, pod_template).wrong) {
      wrong.field = reflect::child_path(at.text(), wrong.field);
      causes.push_back(std::move(wrong));
    }
  });
  return causes;
}

}  // namespace muster::apiserver
