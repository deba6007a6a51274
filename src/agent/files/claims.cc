#include "agent/files/claims.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "agent/files/claim_file_service.h"
#include "agent/pod/pod_facts.h"
#include "agent/volumes/volumes.h"
#include "api/muster/names.h"
#include "base/files.h"
#include "base/log.h"
#include "base/strings.h"

namespace muster::agent {
namespace {

using json::Document;
using json::Object;

constexpr const char* kProtection = "kubernetes.io/pvc-protection";
constexpr Duration kKeptFor = std::chrono::hours(7 * 24);

std::string key_text(const Document& claim) {
  return claim.string_at("metadata", "namespace") + "/" + claim.string_at("metadata", "name");
}

bool is_deleted(const Document& claim) {
  return claim.at("metadata", "deletionTimestamp") != nullptr;
}

bool is_protected(const Document& claim) {
  return std::ranges::any_of(claim.array_at("metadata", "finalizers"),
                             [](const Document& f) { return f.is_string() && f.as_string() == kProtection; });
}

/// Whether more was asked for since it was bound; a folder has room for that at once.
bool has_grown(const Document& claim) {
  const Document* wanted = claim.at("spec", "resources", "requests", "storage");
  const Document* present = claim.at("status", "capacity", "storage");
  return wanted != nullptr && (present == nullptr || *wanted != *present);
}

bool uses(const Document& pod, const std::string& claim) {
  return std::ranges::any_of(pod.array_at("spec", "volumes"), [&claim](const Document& volume) {
    return volume.string_at("persistentVolumeClaim", "claimName") == claim;
  });
}

/// A patch of the finalizers with `protect` or without it; refused when the claim has changed since.
Document protection_patch(const Document& claim, bool protect) {
  json::Array finalizers;
  for (const Document& finalizer : claim.array_at("metadata", "finalizers")) {
    if (!finalizer.is_string() || finalizer.as_string() != kProtection) finalizers.push_back(finalizer);
  }
  if (protect) finalizers.emplace_back(kProtection);
  Document metadata{Object{}};
  metadata["uid"] = claim.string_at("metadata", "uid");
  metadata["resourceVersion"] = claim.string_at("metadata", "resourceVersion");
  metadata["finalizers"] = std::move(finalizers);
  return Document{Object{{"metadata", std::move(metadata)}}};
}

}  // namespace

Claims::Claims(client::ApiClient& client, const Paths& paths, Trash& trash)
    : client_(client), paths_(paths), trash_(trash) {}

void Claims::use(const Cache& pods, const Cache& claims) {
  pods_ = &pods;
  claims_ = &claims;
}

void Claims::on_claim_changed(const Document& claim) {
  if (is_deleted(claim)) return release(claim);
  if (!is_protected(claim)) return patch(claim, "", protection_patch(claim, true));
  if (claim.string_at("status", "phase") != "Bound" || has_grown(claim)) bind(claim);
}

void Claims::on_pod_changed(const Document* now) {
  if (deleted_.empty() || (now != nullptr && !has_ended(*now))) return;
  for (const auto& key : std::exchange(deleted_, {})) {
    if (const auto found = claims_->find(key); found != claims_->end()) release(*found->second.document);
  }
}

void Claims::bind(const Document& claim) {
  if (const auto made = make_claim_folder(claim_root(claim, paths_)); !made) {
    LOG_WARN("claim not bound", {"claim", key_text(claim)}, {"error", made.error().message});
    return;
  }
  Document status{Object{{"phase", "Bound"}}};
  if (const Document* modes = claim.at("spec", "accessModes")) status["accessModes"] = *modes;
  if (const Document* size = claim.at("spec", "resources", "requests", "storage")) {
    status["capacity"] = Object{{"storage", *size}};
  }
  patch(claim, "status", Document{Object{{"status", std::move(status)}}});
}

bool Claims::is_in_use(const Document& claim) const {
  const std::string& ns = claim.string_at("metadata", "namespace");
  const std::string& name = claim.string_at("metadata", "name");
  for (auto at = pods_->lower_bound({ns, ""}); at != pods_->end() && at->first.first == ns; ++at) {
    const Document& pod = *at->second.document;
    if (!has_ended(pod) && uses(pod, name)) return true;
  }
  return false;
}

void Claims::release(const Document& claim) {
  if (!is_protected(claim)) return;
  if (is_in_use(claim)) {
    deleted_.insert({claim.string_at("metadata", "namespace"), claim.string_at("metadata", "name")});
    return;
  }
  if (const auto moved = move_aside(claim); !moved) {
    LOG_ERROR("claim not deleted: its folder cannot be moved aside", {"claim", key_text(claim)},
              {"error", moved.error().message});
    return;
  }
  patch(claim, "", protection_patch(claim, false));
}

/// A folder that its owner named stays as it is.
Status Claims::move_aside(const Document& claim) {
  if (!claim.string_at("metadata", "annotations", api::kPathAnnotation).empty()) return ok();
  const std::string folder = claim_folder(claim, paths_);
  const std::string aside = paths_.deleted_claims() + "/" + claim.string_at("metadata", "namespace");
  TRY(make_directories(aside, 0700));
  const std::string to =
      fmt::format("{}/{}.{}", aside, claim.string_at("metadata", "name"), claim.string_at("metadata", "uid"));
  if (std::rename(folder.c_str(), to.c_str()) != 0) {
    if (errno == ENOENT) return ok();  // moved before
    return errno_error("move " + quote(folder) + " to " + quote(to), errno);
  }
  // Its age counts from now.
  std::error_code error;
  std::filesystem::last_write_time(to, std::filesystem::file_time_type::clock::now(), error);
  LOG_INFO("the folder of a deleted claim was moved aside", {"claim", key_text(claim)}, {"to", to});
  return ok();
}

void Claims::remove_old() {
  namespace fs = std::filesystem;
  std::error_code error;
  for (const auto& ns : fs::directory_iterator(paths_.deleted_claims(), error)) {
    std::error_code list_error;
    for (const auto& entry : fs::directory_iterator(ns.path(), list_error)) {
      std::error_code stat_error;
      const auto age = fs::file_time_type::clock::now() - entry.last_write_time(stat_error);
      if (stat_error || age < kKeptFor) continue;
      if (const auto taken = trash_.take(entry.path().string()); !taken)
        LOG_WARN("folder of a deleted claim not removed", {"error", taken.error().message});
    }
  }
}

void Claims::patch(const Document& claim, const std::string& subresource, Document patch) {
  client_.patch({client::ResourceName("", "v1", "persistentvolumeclaims"), claim.string_at("metadata", "namespace"),
                 claim.string_at("metadata", "name"), subresource},
                client::PatchType::kMerge, patch, {}, [key = key_text(claim)](Result<Document> done) {
                  // After a conflict the informer brings the newer state, and this is decided again.
                  if (done || done.error().reason == Reason::kNotFound || done.error().reason == Reason::kConflict)
                    return;
                  LOG_WARN("claim not written", {"claim", key}, {"error", done.error().message});
                });
}

}  // namespace muster::agent
