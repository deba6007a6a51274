#include "apiserver/admission/metadata_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "api/kubernetes/meta_v1.h"
#include "api/rules/findings.h"
#include "api/rules/rule_texts.h"
#include "apiserver/errors/status_error.h"
#include "base/random.h"
#include "base/strings.h"
#include "json/members.h"
#include "reflect/causes.h"
#include "reflect/reflect.h"

namespace muster::apiserver {
namespace {

using json::Document;

/// `field` is metadata.name or metadata.generateName.
void check_name(const api::Resource& resource, const std::string& field, const std::string& given,
                const std::string& name, std::vector<FieldCause>& causes) {
  const bool is_label = resource.name_form != api::NameForm::kSubdomain;
  const bool is_dns1035 = resource.name_form == api::NameForm::kDns1035Label;
  const std::size_t longest = is_label ? 63 : 253;
  const bool right = is_label ? is_dns_label(name) && (!is_dns1035 || name[0] >= 'a') : is_dns_subdomain(name);
  if (name.size() > longest) {
    causes.push_back(reflect::invalid_cause(field, given, fmt::format("must be no more than {} characters", longest)));
  } else if (!right) {
    const char* rule = is_dns1035 ? api::kDns1035LabelRule : is_label ? api::kDnsLabelRule : api::kSubdomainRule;
    causes.push_back(reflect::invalid_cause(field, given, rule));
  }
}

/// A prefix may end in a dash, because more characters follow.
void check_generate_name(const api::Resource& resource, const std::string& prefix, std::vector<FieldCause>& causes) {
  if (prefix.empty()) return;
  std::string name = prefix;
  if (name.size() > 1 && name.ends_with('-')) name.back() = 'a';
  check_name(resource, "metadata.generateName", prefix, name, causes);
}

bool has_version(const std::string& api_version) {
  const std::size_t slash = api_version.find('/');
  if (slash == std::string::npos) return !api_version.empty();
  return slash + 1 < api_version.size() && api_version.find('/', slash + 1) == std::string::npos;
}

void check_owners(const Document& object, std::vector<FieldCause>& causes) {
  const Document* owners = object.at("metadata", "ownerReferences");
  if (owners == nullptr || !owners->is_array()) return;
  int controllers = 0;
  for (const Document& owner : owners->as_array()) {
    if (causes.size() >= reflect::kMostCauses) break;
    const std::string at = "metadata.ownerReferences";  // Kubernetes reports no index here
    const std::string& version = owner.string_at("apiVersion");
    if (!has_version(version)) {
      causes.push_back(invalid_value(at + ".apiVersion", quote(version), "version must not be empty"));
    }
    for (const char* field : {"kind", "name", "uid"}) {
      if (owner.string_at(field).empty()) {
        causes.push_back(invalid_value(at + "." + field, "\"\"", fmt::format("{} must not be empty", field)));
      }
    }
    if (version == "v1" && owner.string_at("kind") == "Event") {
      causes.push_back(
          invalid_value(at, quote(owner.string_at("name")), "/v1, Kind=Event is disallowed from being an owner"));
    }
    controllers += owner.bool_at("controller") ? 1 : 0;
  }
  if (controllers > 1) {
    causes.push_back(
        invalid_value("metadata.ownerReferences", "[]", "Only one reference can have Controller set to true"));
  }
}

void check_finalizers(const api::Resource& resource, const Document& object, std::vector<FieldCause>& causes) {
  const std::string field = "metadata.finalizers";  // Kubernetes reports no index for most of them
  const std::vector<std::string> finalizers = finalizers_of(object);
  const auto has = [&](std::string_view name) { return std::ranges::find(finalizers, name) != finalizers.end(); };
  for (const std::string& finalizer : finalizers) {
    if (causes.size() >= reflect::kMostCauses) return;
    for (const std::string& problem : api::qualified_name_problems(finalizer)) {
      causes.push_back(reflect::invalid_cause(field, finalizer, problem));
    }
  }
  if (has("orphan") && has("foregroundDeletion")) {
    causes.push_back(invalid_value(field, "[]string{\"orphan\", \"foregroundDeletion\"}",
                                   "finalizer orphan and foregroundDeletion cannot be both set"));
  }
  for (std::size_t i = 0; resource.built_in && i < finalizers.size() && causes.size() < reflect::kMostCauses; ++i) {
    const std::string& finalizer = finalizers[i];
    const bool standard = finalizer == "orphan" || finalizer == "foregroundDeletion" || finalizer == "kubernetes";
    if (standard || finalizer.find('/') != std::string::npos) continue;
    causes.push_back(invalid_value(fmt::format("{}[{}]", field, i), quote(finalizer),
                                   "name is neither a standard finalizer name nor is it fully qualified"));
  }
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
  json::erase_members(value.as_object(), nulls);
}

}  // namespace

void copy_member(const Document& from, Document& to, std::string_view key) {
  if (const Document* value = from.find(key)) {
    to.as_object().set(std::string(key), *value);
  } else {
    to.as_object().erase(key);
  }
}

void normalise_nulls(const api::Resource& resource, Document& object) {
  if (resource.built_in) {
    reflect::fill_null_members(*resource.type, object);
  } else if (Document* metadata = object.find("metadata")) {
    reflect::fill_null_members(reflect::type_of<api::ObjectMeta>(), *metadata);
  }
  drop_nulls(object);
}

namespace {

/// Kubernetes omits these when they are empty, also when the last label was just removed.
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
  if (resource.generation != api::Generation::kNone) metadata.set("generation", 1);
}

void carry_over(const api::Resource& resource, const Document& before, Document& after) {
  const Document& old = *before.find("metadata");
  Document& metadata = after["metadata"];
  copy_member(old, metadata, "generation");
  for (const char* key : {"deletionTimestamp", "deletionGracePeriodSeconds"}) {
    if (metadata.find(key) == nullptr) copy_member(old, metadata, key);
  }
  metadata.as_object().erase("managedFields");
  metadata.as_object().erase("selfLink");
  drop_empty_members(metadata.as_object());
  copy_member(old, metadata, "creationTimestamp");
  for (const char* key : {"uid", "namespace", "name"}) {
    if (metadata.string_at(key).empty()) copy_member(old, metadata, key);
  }
  metadata.as_object().set("resourceVersion", old.string_at("resourceVersion"));
  if (resource.generation == api::Generation::kCounted && wants_differ(resource, before, after)) {
    metadata.as_object().set("generation", old.int_at("generation") + 1);
  }
}

std::vector<FieldCause> check_metadata(const api::Resource& resource, const Document& object) {
  std::vector<FieldCause> causes;
  const std::string& name = object.string_at("metadata", "name");
  check_generate_name(resource, object.string_at("metadata", "generateName"), causes);
  check_name(resource, "metadata.name", name, name, causes);
  api::Findings found;
  found.labels(object.at("metadata", "labels"), reflect::kRoot.member("metadata.labels"));
  found.annotations(object.at("metadata", "annotations"), reflect::kRoot.member("metadata.annotations"));
  for (FieldCause& cause : std::move(found).take()) causes.push_back(std::move(cause));
  check_owners(object, causes);
  check_finalizers(resource, object, causes);
  return causes;
}

namespace {

/// Only a DELETE marks an object as deleted.
void check_deletion_change(const Document& before, const Document& after, std::vector<FieldCause>& causes) {
  const auto time = parse_rfc3339(after.string_at("metadata", "deletionTimestamp"));
  if (time && time != parse_rfc3339(before.string_at("metadata", "deletionTimestamp"))) {
    std::string shown = format_rfc3339(*time).substr(0, 19) + " +0000 UTC";
    shown[10] = ' ';
    causes.push_back(invalid_value("metadata.deletionTimestamp", shown, "field is immutable"));
  }
  const Document* grace = after.at("metadata", "deletionGracePeriodSeconds");
  const Document* old_grace = before.at("metadata", "deletionGracePeriodSeconds");
  if (grace != nullptr && (old_grace == nullptr || !(*grace == *old_grace))) {
    causes.push_back(
        invalid_value("metadata.deletionGracePeriodSeconds", json::serialize(*grace), "field is immutable"));
  }
}

bool is_map_of_strings(const Document& value) {
  return value.is_object() &&
         std::ranges::all_of(value.as_object(), [](const json::Member& member) { return member.value.is_string(); });
}

bool is_list_of(const Document& value, bool (Document::*is_right)() const) {
  return value.is_array() &&
         std::ranges::all_of(value.as_array(), [&](const Document& item) { return (item.*is_right)(); });
}

/// Returns the type that the member must have, or "" when the value has it.
std::string wrong_metadata_type(std::string_view key, const Document& value) {
  if (key == "labels" || key == "annotations") return is_map_of_strings(value) ? "" : "an object of strings";
  if (key == "finalizers") return is_list_of(value, &Document::is_string) ? "" : "a list of strings";
  if (key == "ownerReferences" || key == "managedFields") {
    return is_list_of(value, &Document::is_object) ? "" : "a list of objects";
  }
  if (key == "generation" || key == "deletionGracePeriodSeconds") return value.is_int() ? "" : "a whole number";
  static const std::set<std::string_view> texts = {
      "name",     "generateName",      "namespace",         "uid",
      "selfLink", "creationTimestamp", "deletionTimestamp", "resourceVersion"};
  if (!texts.contains(key)) return "";
  if (!value.is_string()) return "a string";
  const bool time = key.ends_with("Timestamp");
  return time && !parse_rfc3339(value.as_string()) ? fmt::format("an RFC 3339 time {}", kTimeRange) : "";
}

}  // namespace

std::vector<FieldCause> check_metadata_types(const Document& object) {
  std::vector<FieldCause> wrong;
  for (const json::Member& member : object.find("metadata")->as_object()) {
    const std::string wanted = wrong_metadata_type(member.key, member.value);
    if (wanted.empty()) continue;
    wrong.push_back(
        wrong_type("metadata." + member.key, fmt::format("must be {}, got {}", wanted, brief(member.value))));
  }
  return wrong;
}

void join_equal_owners(Document& object, std::vector<std::string>& warnings) {
  Document* owners = object["metadata"].find("ownerReferences");
  if (owners == nullptr) return;
  json::Array kept;
  std::set<std::string> texts;
  std::vector<std::string> repeated;
  for (Document& owner : owners->as_array()) {
    if (texts.insert(json::serialize(owner)).second) {
      kept.push_back(std::move(owner));
    } else {
      repeated.push_back(owner.string_at("uid"));
    }
  }
  *owners = std::move(kept);
  if (repeated.empty()) return;
  warnings.push_back(fmt::format(
      ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may "
      "reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}",
      join(repeated, ", ")));
}

std::vector<FieldCause> check_metadata_change(const Document& before, const Document& after) {
  std::vector<FieldCause> causes;
  for (const char* key : {"name", "namespace", "uid"}) {
    const std::string& now = after.string_at("metadata", key);
    if (now != before.string_at("metadata", key)) {
      causes.push_back(invalid_value(fmt::format("metadata.{}", key), quote(now), "field is immutable"));
    }
  }
  check_deletion_change(before, after, causes);
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
  for (const Document& item : object.array_at(a, b)) {
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
