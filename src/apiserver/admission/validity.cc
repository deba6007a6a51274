#include "apiserver/admission/validity.h"

#include <algorithm>
#include <iterator>

#include "apiserver/admission/builtin_types.h"
#include "apiserver/admission/metadata_rules.h"
#include "apiserver/admission/pod_templates.h"
#include "reflect/reflect.h"

namespace muster::apiserver {
namespace {

using json::Document;

/// The stored object as this version would have stored it: an older version may have left out a default, or spelled the
/// same quantity differently.
Document in_this_version(const api::Resource& resource, Document stored) {
  if (const api::kubernetes::Message* message = resource.message()) normalise_types(*message, stored);
  reflect::apply_defaults(*resource.type, stored);
  if (resource.set_defaults != nullptr) resource.set_defaults(stored);
  return stored;
}

}  // namespace

Result<std::vector<FieldCause>> invalid_fields(const api::Resource& resource, const Document& object, Origin origin,
                                               Spec spec) {
  std::vector<FieldCause> causes = reflect::validate(*resource.type, object);
  // Metadata has rules of its own in check_metadata.
  std::erase_if(causes, [spec](const FieldCause& cause) {
    return cause.field.starts_with("metadata.") || (spec == Spec::kAsBefore && cause.field.starts_with("spec."));
  });
  if (resource.built_in) {
    std::vector<FieldCause> wrong;
    std::ranges::copy_if(causes, std::back_inserter(wrong),
                         [](const FieldCause& cause) { return cause.reason == "FieldValueTypeInvalid"; });
    if (!wrong.empty()) return undecodable(resource, object, origin, wrong);
  }
  // The rules read fields whose types must be right.
  if (causes.empty() && spec == Spec::kNew && !resource.built_in) causes = check_template_types(resource, object);
  if (causes.empty() && spec == Spec::kNew) causes = resource.check(object);
  return causes;
}

std::vector<FieldCause> forbidden_changes(const api::Resource& resource, const Document& before,
                                          const Document& after) {
  std::vector<FieldCause> causes = reflect::validate_update(*resource.type, before, after);
  if (resource.check_change(before, after).empty()) return causes;
  std::ranges::move(resource.check_change(in_this_version(resource, before), after), std::back_inserter(causes));
  return causes;
}

bool wants_the_same(const api::Resource& resource, const Document& before, const Document& after) {
  if (before.find("spec") == nullptr) return false;  // rules of the other kinds look at metadata too
  return !wants_differ(resource, before, after) || !wants_differ(resource, in_this_version(resource, before), after);
}

}  // namespace muster::apiserver
