#include "cli/run/objects.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/muster/claim_names.h"
#include "api/muster/names.h"
#include "api/muster/notify_names.h"
#include "base/strings.h"
#include "cli/run/words.h"
#include "jobs/verbs.h"

namespace muster::cli {

namespace {

using json::Document;

const client::ResourceName kClaims{"", "v1", "persistentvolumeclaims"};
const client::ResourceName kSecrets{"", "v1", "secrets"};

constexpr Duration kCleanUpLimit = std::chrono::seconds(10);

std::string folder_of(const Document& claim) {
  return claim.string_at("metadata", "annotations", api::kPathAnnotation);
}

/// Claims of folders are found by their folder, the others by their name.
bool stands_for(const Document& claim, const MountedFolder& folder) {
  if (claim.at("metadata", "deletionTimestamp") != nullptr) return false;
  return folder.path.empty() ? claim.string_at("metadata", "name") == folder.claim : folder_of(claim) == folder.path;
}

Document claim_object(const MountedFolder& folder) {
  json::Object metadata;
  if (folder.path.empty()) {
    metadata.append("name", folder.claim);
    metadata.append("annotations", json::Object{{api::kOwnerOnlyAnnotation, "true"}});
  } else {
    metadata.append("generateName", name_from(folder.path) + "-");
    metadata.append("annotations", json::Object{{api::kPathAnnotation, folder.path}});
  }
  return json::Object{
      {"apiVersion", "v1"},
      {"kind", "PersistentVolumeClaim"},
      {"metadata", std::move(metadata)},
      {"spec", json::Object{{"accessModes", json::Array{"ReadWriteMany"}},
                            {"resources", json::Object{{"requests", json::Object{{"storage", "1Gi"}}}}}}}};
}

/// What the server says about the annotation is about the folder.
Error of_folder(const MountedFolder& folder, const Error& error) {
  for (const FieldCause& cause : error.causes) {
    if (!cause.field.ends_with(api::kPathAnnotation)) continue;
    constexpr std::string_view kKind = "Invalid value: ";
    const std::string what = cause.message.starts_with(kKind) ? cause.message.substr(kKind.size()) : cause.message;
    return {.reason = error.reason, .message = "folder " + what};
  }
  return folder.path.empty() ? error : in_context("folder " + quote(folder.path), error);
}

}  // namespace

MountedFolder kept_home() {
  return {.path = "", .target = kHomeOfPods, .read_only = false, .claim = api::kHomeClaim};
}

Result<Document> RunObjects::create(const client::ResourceName& resource, const Document& object) {
  TRY_ASSIGN(Document made, session_.await([&](client::OnDocument done) {
    session_.api().create(resource, session_.ns(), object, {}, std::move(done));
  }));
  made_.push_back({resource, session_.ns(), made.string_at("metadata", "name")});
  return made;
}

Status RunObjects::name_claims(std::vector<MountedFolder>& folders) {
  TRY_ASSIGN(const Document claims, session_.list(kClaims, session_.ns(), {}));
  for (std::size_t i = 0; i < folders.size(); ++i) {
    MountedFolder& folder = folders[i];
    const auto& all = claims.array_at("items");
    const auto found = std::ranges::find_if(all, [&](const Document& claim) { return stands_for(claim, folder); });
    if (found != all.end()) {
      folder.claim = found->string_at("metadata", "name");
      if (folder.path.empty()) TRY(mark_home(*found));
      continue;
    }
    const auto same = std::find_if(folders.begin(), folders.begin() + static_cast<std::ptrdiff_t>(i),
                                   [&](const MountedFolder& other) { return other.path == folder.path; });
    if (same != folders.begin() + static_cast<std::ptrdiff_t>(i)) {
      folder.claim = same->claim;
      continue;
    }
    TRY_ASSIGN(folder.claim, make_claim(folder));
  }
  return ok();
}

Result<std::string> RunObjects::make_claim(const MountedFolder& folder) {
  const auto made = create(kClaims, claim_object(folder));
  if (made) return made->string_at("metadata", "name");
  // Another run that starts now was faster.
  if (made.error().reason == Reason::kAlreadyExists && folder.path.empty()) return folder.claim;
  return of_folder(folder, made.error());
}

Status RunObjects::mark_home(const Document& claim) {
  if (claim.at("metadata", "annotations", api::kOwnerOnlyAnnotation) != nullptr) return ok();
  const Document patch =
      json::Object{{"metadata", json::Object{{"annotations", json::Object{{api::kOwnerOnlyAnnotation, "true"}}}}}};
  TRY(session_.await([&](client::OnDocument done) {
    session_.api().patch({kClaims, session_.ns(), claim.string_at("metadata", "name")}, client::PatchType::kMerge,
                         patch, {}, std::move(done));
  }));
  return ok();
}

Status RunObjects::keep_secrets(const std::vector<Variable>& secrets, JobOfScript& job) {
  if (secrets.empty()) return ok();
  json::Object values;
  for (const Variable& secret : secrets) values.set(secret.name, secret.value);
  const std::string prefix = job.name.empty() ? job.name_prefix : job.name;
  const Document object = json::Object{{"apiVersion", "v1"},
                                       {"kind", "Secret"},
                                       {"metadata", json::Object{{"generateName", prefix + "-secret-"}}},
                                       {"stringData", std::move(values)}};
  TRY_ASSIGN(const Document made, create(kSecrets, object));
  const std::string name = made.string_at("metadata", "name");
  secrets_.push_back(name);
  for (const Variable& secret : secrets) {
    job.set_variable(secret.name, json::Object{{"secretKeyRef", json::Object{{"name", name}, {"key", secret.name}}}});
  }
  return ok();
}

Status RunObjects::check_target(const std::string& target) {
  const auto list = session_.get({{"", "v1", "configmaps"}, "kube-system", api::kNotifyTargets});
  std::vector<std::string> known;
  const Document* data = list ? list->find("data") : nullptr;
  if (data != nullptr && data->is_object()) {
    for (const json::Member& one : data->as_object()) known.push_back(one.key);
  }
  if (std::ranges::find(known, target) != known.end()) return ok();
  const auto meant = did_you_mean(target, known);
  std::string fix =
      "describe it with `notify` in the configuration of the engine, which it reads when it starts, or give a URL";
  if (!known.empty()) fix = "the configuration has " + join(known, ", ");
  if (meant) fix = fmt::format("did you mean {}?", *meant);
  return Error{.reason = Reason::kBadRequest,
               .message = fmt::format("--notify: there is no target {}; {}", quote(target), fix)};
}

Status RunObjects::keep_notify(const std::vector<std::string>& targets, JobOfScript& job) {
  std::vector<std::string> names;
  for (const std::string& target : targets) {
    if (target.find("://") == std::string::npos) {
      TRY(check_target(target));
      names.push_back(target);
      continue;
    }
    const Document object = json::Object{{"apiVersion", "v1"},
                                         {"kind", "Secret"},
                                         {"type", api::kNotifySecretType},
                                         {"metadata", json::Object{{"generateName", "notify-"}}},
                                         {"stringData", json::Object{{"url", target}}}};
    TRY_ASSIGN(const Document made, create(kSecrets, object));
    secrets_.push_back(made.string_at("metadata", "name"));
    names.push_back("secret/" + secrets_.back());
  }
  if (!names.empty()) job.annotations.set(api::kNotifyAnnotation, join(names, ","));
  return ok();
}

Status RunObjects::give_secrets_to(const Document& job) {
  const Document patch =
      json::Object{{"metadata", json::Object{{"ownerReferences", json::Array{jobs::owner_reference(job)}}}}};
  for (const std::string& secret : secrets_) {
    TRY(session_.await_last(
        [&](client::OnDocument done) {
          session_.api().patch({kSecrets, session_.ns(), secret}, client::PatchType::kMerge, patch, {},
                               std::move(done));
        },
        kCleanUpLimit));
  }
  return ok();
}

void RunObjects::take_back() {
  for (const client::ObjectName& object : made_) {
    const auto removed = session_.await_last(
        [&](client::OnDocument done) { session_.api().remove(object, {}, std::move(done)); }, kCleanUpLimit);
    if (!removed && removed.error().reason != Reason::kNotFound) {
      session_.err(fmt::format("warning: {} {} was made for this run and remains: {}\n", object.resource.plural,
                               quote(object.name), removed.error().message));
    }
  }
  made_.clear();
}

}  // namespace muster::cli
