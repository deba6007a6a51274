#include "apiserver/metadata_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "apiserver/status_error.h"
#include "base/random.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

using json::Document;

constexpr std::size_t kMaxAnnotationBytes = 256 * 1024;

constexpr std::string_view kSubdomainRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kLabelRule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kServiceRule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kKeyRule =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kLabelValueRule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

void check_name(const api::Resource& resource, const std::string& name, std::vector<FieldCause>& causes) {
  const std::string qualified = resource.qualified_name();
  const bool label = qualified == "namespaces";
  const bool service = qualified == "services";
  if (label || service) {
    if (name.size() > 63)
      causes.push_back(invalid_value("metadata.name", quote(name), "must be no more than 63 characters"));
    const bool right = service ? is_dns_label(name) && name[0] >= 'a' : is_dns_label(name);
    if (!right && name.size() <= 63) {
      causes.push_back(invalid_value("metadata.name", quote(name), service ? kServiceRule : kLabelRule));
    }
    return;
  }
  if (name.size() > 253)
    causes.push_back(invalid_value("metadata.name", quote(name), "must be no more than 253 characters"));
  if (name.size() <= 253 && !is_dns_subdomain(name)) {
    causes.push_back(invalid_value("metadata.name", quote(name), kSubdomainRule));
  }
}

void check_labels(const Document& object, std::vector<FieldCause>& causes) {
  const Document* labels = object.at("metadata", "labels");
  if (labels == nullptr || !labels->is_object()) return;
  for (const json::Member& label : labels->as_object()) {
    if (!is_qualified_name(label.key)) causes.push_back(invalid_value("metadata.labels", quote(label.key), kKeyRule));
    if (label.value.is_string() && !is_label_value(label.value.as_string())) {
      const bool too_long = label.value.as_string().size() > 63;
      causes.push_back(invalid_value("metadata.labels", quote(label.value.as_string()),
                                     too_long ? "must be no more than 63 bytes" : kLabelValueRule));
    }
  }
}

void check_annotations(const Document& object, std::vector<FieldCause>& causes) {
  const Document* annotations = object.at("metadata", "annotations");
  if (annotations == nullptr || !annotations->is_object()) return;
  std::size_t bytes = 0;
  for (const json::Member& annotation : annotations->as_object()) {
    bytes += annotation.key.size() + (annotation.value.is_string() ? annotation.value.as_string().size() : 0);
    if (!is_qualified_name(to_lower(annotation.key))) {
      causes.push_back(invalid_value("metadata.annotations", quote(annotation.key), kKeyRule));
    }
  }
  if (bytes > kMaxAnnotationBytes) {
    causes.push_back({"FieldValueTooLong", fmt::format("Too long: may not be more than {} bytes", kMaxAnnotationBytes),
                      "metadata.annotations"});
  }
}

void check_owners(const Document& object, std::vector<FieldCause>& causes) {
  const Document* owners = object.at("metadata", "ownerReferences");
  if (owners == nullptr || !owners->is_array()) return;
  int controllers = 0;
  for (const Document& owner : owners->as_array()) {
    const std::string at = "metadata.ownerReferences";  // Kubernetes gives no position here
    if (owner.string_at("apiVersion").empty()) {
      causes.push_back(invalid_value(at + ".apiVersion", "\"\"", "version must not be empty"));
    }
    for (const char* field : {"kind", "name", "uid"}) {
      if (owner.string_at(field).empty()) {
        causes.push_back(invalid_value(at + "." + field, "\"\"", fmt::format("{} must not be empty", field)));
      }
    }
    controllers += owner.bool_at("controller") ? 1 : 0;
  }
  if (controllers > 1) {
    causes.push_back(
        invalid_value("metadata.ownerReferences", "[]", "Only one reference can have Controller set to true"));
  }
}

void check_finalizers(const Document& object, std::vector<FieldCause>& causes) {
  const std::vector<std::string> finalizers = finalizers_of(object);
  for (std::size_t i = 0; i < finalizers.size(); ++i) {
    const std::string& finalizer = finalizers[i];
    const std::string field = fmt::format("metadata.finalizers[{}]", i);
    if (!is_qualified_name(finalizer)) {
      causes.push_back(invalid_value(field, quote(finalizer), kKeyRule));
    } else if (finalizer.find('/') == std::string::npos && finalizer != "orphan" && finalizer != "foregroundDeletion" &&
               finalizer != "kubernetes") {
      causes.push_back(invalid_value(field, quote(finalizer),
                                     "name is neither a standard finalizer name nor is it fully qualified"));
    }
  }
}

}  // namespace

void copy_member(const Document& from, Document& to, std::string_view key) {
  if (const Document* value = from.find(key)) {
    to.as_object().set(std::string(key), *value);
  } else {
    to.as_object().erase(key);
  }
}

bool has_generation(const api::Resource& resource) {
  return !resource.built_in || resource.kind == "Pod" || resource.kind == "Deployment";
}

void drop_nulls(Document& value) {
  if (value.is_array()) {
    for (Document& item : value.as_array()) drop_nulls(item);
    return;
  }
  if (!value.is_object()) return;
  std::vector<std::string> nulls;
  for (json::Member& member : value.as_object()) {
    if (member.value.is_null()) {
      nulls.push_back(member.key);
    } else {
      drop_nulls(member.value);
    }
  }
  for (const std::string& key : nulls) value.as_object().erase(key);
}

namespace {

/// Kubernetes leaves these out when nothing is in them, also when the last label was just taken away.
void drop_empty_members(json::Object& metadata) {
  for (const char* key : {"labels", "annotations", "finalizers", "ownerReferences"}) {
    const Document* value = metadata.find(key);
    if (value == nullptr) continue;
    const bool empty =
        (value->is_object() && value->as_object().empty()) || (value->is_array() && value->as_array().empty());
    if (empty) metadata.erase(key);
  }
}

}  // namespace

void stamp_new(const api::Resource& resource, Document& object, Rng& rng, Time now) {
  json::Object& metadata = object["metadata"].as_object();
  for (const char* key : {"deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "managedFields", "generation",
                          "resourceVersion"}) {
    metadata.erase(key);
  }
  drop_empty_members(metadata);
  metadata.set("uid", make_uuid(rng));
  metadata.set("creationTimestamp", format_rfc3339(now));
  if (has_generation(resource)) metadata.set("generation", 1);
}

void carry_over(const api::Resource& resource, const Document& before, Document& after) {
  const Document& old = *before.find("metadata");
  Document& metadata = after["metadata"];
  for (const char* key : {"deletionTimestamp", "deletionGracePeriodSeconds", "generation"}) {
    copy_member(old, metadata, key);
  }
  metadata.as_object().erase("managedFields");
  metadata.as_object().erase("selfLink");
  drop_empty_members(metadata.as_object());
  copy_member(old, metadata, "creationTimestamp");
  for (const char* key : {"uid", "namespace", "name"}) {
    if (metadata.string_at(key).empty()) copy_member(old, metadata, key);
  }
  metadata.as_object().set("resourceVersion", old.string_at("resourceVersion"));
  if (has_generation(resource) && wants_differ(resource, before, after)) {
    metadata.as_object().set("generation", old.int_at("generation") + 1);
  }
}

std::vector<FieldCause> check_metadata(const api::Resource& resource, const Document& object) {
  std::vector<FieldCause> causes;
  check_name(resource, object.string_at("metadata", "name"), causes);
  check_annotations(object, causes);
  check_labels(object, causes);
  check_owners(object, causes);
  check_finalizers(object, causes);
  return causes;
}

std::vector<FieldCause> check_metadata_change(const Document& before, const Document& after) {
  std::vector<FieldCause> causes;
  for (const char* key : {"name", "namespace", "uid"}) {
    const std::string& now = after.string_at("metadata", key);
    if (now != before.string_at("metadata", key)) {
      causes.push_back(invalid_value(fmt::format("metadata.{}", key), quote(now), "field is immutable"));
    }
  }
  if (!before.string_at("metadata", "deletionTimestamp").empty()) {
    const std::vector<std::string> old = finalizers_of(before);
    std::vector<std::string> added;
    for (const std::string& finalizer : finalizers_of(after)) {
      if (std::ranges::find(old, finalizer) == old.end()) added.push_back(quote(finalizer));
    }
    if (!added.empty()) {
      causes.push_back(forbidden_value(
          "metadata.finalizers",
          fmt::format(
              "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
              join(added, ", "))));
    }
  }
  return causes;
}

bool wants_differ(const api::Resource& resource, const Document& before, const Document& after) {
  const auto counts = [&](const std::string& key) {
    return key != "apiVersion" && key != "kind" && key != "metadata" && !(key == "status" && resource.has_status);
  };
  for (const json::Member& member : before.as_object()) {
    const Document* now = after.find(member.key);
    if (counts(member.key) && (now == nullptr || !(*now == member.value))) return true;
  }
  return std::ranges::any_of(after.as_object(), [&](const json::Member& member) {
    return counts(member.key) && before.find(member.key) == nullptr;
  });
}

std::vector<std::string> strings_at(const Document& object, std::string_view a, std::string_view b) {
  std::vector<std::string> out;
  const Document* list = object.at(a, b);
  if (list == nullptr || !list->is_array()) return out;
  for (const Document& item : list->as_array()) {
    if (item.is_string()) out.push_back(item.as_string());
  }
  return out;
}

std::vector<std::string> finalizers_of(const Document& object) {
  return strings_at(object, "metadata", "finalizers");
}

void set_finalizers(Document& object, const std::vector<std::string>& finalizers) {
  if (finalizers.empty()) {
    object["metadata"].as_object().erase("finalizers");
    return;
  }
  object["metadata"].as_object().set("finalizers", json::Array(finalizers.begin(), finalizers.end()));
}

}  // namespace muster::apiserver
