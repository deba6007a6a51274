#include "control/runtime/kind_choice.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "jobs/kind.h"
#include "jobs/kinds/kept_state.h"

namespace muster::control {

namespace {

constexpr const char* kInstall = "muster crds | kubectl apply --server-side -f -";

Error bad_kinds(std::string message) {
  Error error;
  error.reason = Reason::kBadRequest;
  error.message = "--kinds: " + std::move(message);
  return error;
}

/// Returns the kinds that a word means: a name that two groups have must be qualified.
Result<std::vector<const api::Resource*>> kinds_named(const std::string& word) {
  const std::string name = to_lower(word);
  std::vector<const api::Resource*> found;
  std::vector<std::string> names;
  for (const api::Resource* kind : operated_kinds()) {
    names.push_back(kind->qualified_name());
    if (name == "all" || name == kind->qualified_name() || name == kind->plural || name == kind->singular) {
      found.push_back(kind);
    }
  }
  if (found.empty())
    return bad_kinds(fmt::format("there is no kind {}; use all or {}", quote(word), join(names, ", ")));
  if (found.size() > 1 && name != "all") {
    return bad_kinds(fmt::format("{} is ambiguous; use {} or {}", quote(word), found[0]->qualified_name(),
                                 found[1]->qualified_name()));
  }
  return found;
}

Result<Wish> wish_named(const std::string& item, std::string_view word) {
  if (word == "auto") return Wish::kAuto;
  if (word == "on") return Wish::kOn;
  if (word == "off") return Wish::kOff;
  return bad_kinds(fmt::format("{} must end with =auto, =on or =off", quote(item)));
}

const json::Document* version_in(const json::Document& crd, const api::Resource& resource) {
  const json::Array& versions = crd.array_at("spec", "versions");
  const auto found = std::ranges::find_if(
      versions, [&](const json::Document& one) { return one.string_at("name") == resource.version; });
  return found == versions.end() ? nullptr : &*found;
}

bool keeps_unknown_fields(const json::Document& schema) {
  return schema.bool_at("x-kubernetes-preserve-unknown-fields");
}

/// Compares schemas, ours with another's, and collects what only ours has. `path` is that of their value.
void add_pruned(const json::Document& ours, const json::Document& theirs, const std::string& path,
                std::vector<std::string>& pruned) {
  if (const json::Document* fields = ours.find("properties"); fields != nullptr && fields->is_object()) {
    for (const json::Member& field : fields->as_object()) {
      const json::Document* their_field = theirs.at("properties", field.key);
      const std::string field_path = path + "." + field.key;
      if (their_field != nullptr) {
        add_pruned(field.value, *their_field, field_path, pruned);
      } else if (!keeps_unknown_fields(theirs)) {
        pruned.push_back(field_path);
      }
    }
  }
  if (const json::Document* values = ours.find("additionalProperties"); values != nullptr && values->is_object()) {
    const json::Document* their_values = theirs.find("additionalProperties");
    if (their_values != nullptr && their_values->is_object()) {
      add_pruned(*values, *their_values, path + ".*", pruned);
    } else if (!(their_values != nullptr && their_values->is_bool() && their_values->as_bool()) &&
               !keeps_unknown_fields(theirs)) {
      pruned.push_back(path + ".*");
    }
  }
  const json::Document* items = ours.find("items");
  const json::Document* their_items = theirs.find("items");
  if (items != nullptr && their_items != nullptr) add_pruned(*items, *their_items, path + "[]", pruned);
}

/// Returns our schema of the status with the fields that we write on a cluster.
json::Document written_status(const api::Resource& resource) {
  const json::Document crd = api::crd(resource);
  const json::Document* version = version_in(crd, resource);
  json::Document schema = *version->at("schema", "openAPIV3Schema", "properties", "status");
  if (!jobs::job_kind_in(resource) || jobs::job_kind_in(resource)->family != jobs::JobFamily::kKubeflow) return schema;
  json::Object& fields = schema["properties"].as_object();
  for (const std::string_view kept : jobs::fields_in_kept_state()) fields.erase(kept);
  fields.erase("lastReconcileTime");  // Kubeflow's, which we leave alone
  return schema;
}

const json::Document* find_crd(std::span<const json::Document> crds, const std::string& name) {
  const auto found =
      std::ranges::find_if(crds, [&](const json::Document& crd) { return crd.string_at("metadata", "name") == name; });
  return found == crds.end() ? nullptr : &*found;
}

/// Returns the version of the kind that the CRD serves, by our preference; null when there is none.
const api::Resource* served_version(const api::Resource& kind, const json::Document& crd) {
  for (const api::Resource* version : api::versions_of(kind)) {
    const json::Document* found = version_in(crd, *version);
    if (found != nullptr && found->bool_at("served")) return version;
  }
  return nullptr;
}

std::string versions_served(const json::Document& crd) {
  std::vector<std::string> names;
  for (const json::Document& version : crd.array_at("spec", "versions")) {
    if (version.bool_at("served")) names.push_back(version.string_at("name"));
  }
  return names.empty() ? "none" : join(names, ", ");
}

std::string versions_known(const api::Resource& kind) {
  std::vector<std::string> names;
  for (const api::Resource* version : api::versions_of(kind)) names.push_back(version->version);
  return join(names, " or ");
}

std::string refusal_of(const api::Resource& resource, const json::Document& crd) {
  const std::string name = resource.qualified_name();
  const std::string fix =
      fmt::format("install Muster's CRD ({}) or leave the kind to its own operator (muster operator --kinds {}=off)",
                  kInstall, name);
  const json::Document* version = version_in(crd, resource);
  if (version->at("subresources", "status") == nullptr) {
    return fmt::format("the CRD {} has no status subresource in version {}; {}", name, resource.version, fix);
  }
  const std::vector<std::string> pruned = pruned_status_fields(resource, crd);
  if (pruned.empty()) return "";
  return fmt::format("the CRD {} prunes {}, which Muster writes; {}", name, join(pruned, ", "), fix);
}

/// Returns whether an informer for all kinds of the job's children can start.
bool has_kinds_of_children(const api::Resource& kind, const std::vector<const api::Resource*>& served) {
  const auto job = jobs::job_kind_in(kind);
  if (!job || std::ranges::find(job->objects, jobs::JobObject::kTensorBoard) == job->objects.end()) return true;
  return std::ranges::any_of(served, [](const api::Resource* one) { return one->kind == "TensorBoard"; });
}

bool lists(const json::Document& list, const std::string& name) {
  return std::ranges::any_of(list.array_at("resources"),
                             [&](const json::Document& one) { return one.string_at("name") == name; });
}

}  // namespace

// All but those of the scheduler, which is the cluster's own.
std::vector<const api::Resource*> operated_kinds() {
  std::vector<const api::Resource*> kinds;
  for (const api::Resource& resource : api::resources()) {
    if (resource.has_own_crd() && resource.group != "scheduler.tensorstack.dev") kinds.push_back(&resource);
  }
  return kinds;
}

std::optional<json::Document> crd_from_discovery(const api::Resource& kind,
                                                 const std::map<std::string, json::Document>& found) {
  json::Array versions;
  for (const api::Resource* version : api::versions_of(kind)) {
    const auto list = found.find(fmt::format("/apis/{}/{}", version->group, version->version));
    if (list == found.end() || !lists(list->second, version->plural)) continue;
    json::Document entry = json::Object{{"name", version->version}, {"served", true}};
    if (lists(list->second, version->plural + "/status")) entry["subresources"]["status"] = json::Object{};
    versions.push_back(std::move(entry));
  }
  if (versions.empty()) return std::nullopt;
  return json::Object{{"metadata", json::Object{{"name", kind.qualified_name()}}},
                      {"spec", json::Object{{"versions", std::move(versions)}}}};
}

Result<Wishes> parse_wishes(const std::vector<std::string>& items) {
  Wishes wishes;
  const auto has_wish = [](const std::string& item) { return item.find('=') != std::string::npos; };
  const bool is_list = std::ranges::none_of(items, has_wish) && !items.empty() && items.front() != "auto";
  if (is_list) {
    for (const api::Resource* kind : operated_kinds()) wishes[kind->qualified_name()] = Wish::kOff;
  }
  for (const std::string& item : items) {
    if (item == "auto" && items.size() == 1) return wishes;
    if (!is_list && !has_wish(item)) {
      return bad_kinds(fmt::format("{} has no =auto, =on or =off; write only names, or a wish for each", quote(item)));
    }
    const auto equals = std::min(item.find('='), item.size());
    Wish wish = Wish::kOn;
    if (!is_list) {
      TRY_ASSIGN(wish, wish_named(item, std::string_view(item).substr(equals + 1)));
    }
    TRY_ASSIGN(const auto kinds, kinds_named(item.substr(0, equals)));
    for (const api::Resource* kind : kinds) wishes[kind->qualified_name()] = wish;
  }
  return wishes;
}

bool KindChoices::runs_any() const {
  return std::ranges::any_of(chosen, [](const ChosenKind& one) { return one.refusal.empty(); });
}

std::vector<std::string> pruned_status_fields(const api::Resource& resource, const json::Document& crd) {
  const json::Document* version = version_in(crd, resource);
  const json::Document* root = version == nullptr ? nullptr : version->at("schema", "openAPIV3Schema");
  if (root == nullptr || crd.bool_at("spec", "preserveUnknownFields")) return {};
  json::Document ours = json::Object{};
  ours["properties"]["status"] = written_status(resource);
  std::vector<std::string> pruned;
  add_pruned(ours, *root, "", pruned);
  for (std::string& path : pruned) path.erase(0, 1);  // the dot in front
  return pruned;
}

KindChoices choose_kinds(std::span<const json::Document> crds, const Wishes& wishes) {
  KindChoices choices;
  struct Served {
    const api::Resource* version;
    const json::Document* crd;
    Wish wish;
  };
  std::vector<Served> served;
  for (const api::Resource* kind : operated_kinds()) {
    const std::string name = kind->qualified_name();
    const auto wish = wishes.find(name);
    const Wish wanted = wish == wishes.end() ? Wish::kAuto : wish->second;
    const json::Document* crd = find_crd(crds, name);
    const api::Resource* version = crd == nullptr ? nullptr : served_version(*kind, *crd);
    if (version != nullptr) {
      served.push_back({version, crd, wanted});
      choices.served.push_back(version);
    } else if (wanted != Wish::kOff && crd == nullptr) {
      choices.absent.push_back(name);
    } else if (wanted != Wish::kOff) {
      choices.unusable.push_back(fmt::format("the CRD {} serves {}, and Muster needs {}; install Muster's CRD ({})",
                                             name, versions_served(*crd), versions_known(*kind), kInstall));
    }
  }
  for (const Served& one : served) {
    if (one.wish == Wish::kOff) continue;
    if (!has_kinds_of_children(*one.version, choices.served)) {
      choices.unusable.push_back(fmt::format("{} needs tensorboards.tensorstack.dev, which the cluster lacks; {}",
                                             one.version->qualified_name(), kInstall));
      continue;
    }
    choices.chosen.push_back(
        {.resource = one.version, .wish = one.wish, .refusal = refusal_of(*one.version, *one.crd)});
  }
  return choices;
}

}  // namespace muster::control
