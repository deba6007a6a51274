#include "cli/jobs/found_tensorboard.h"

#include <fmt/core.h>

#include <map>

#include "api/muster/names.h"
#include "api/resource.h"
#include "cli/jobs/job_progress.h"

namespace muster::cli {
namespace {

json::Document log_dir(const std::vector<CurveFolder>& curves) {
  std::map<std::string, json::Array> paths;  // by claim
  for (const CurveFolder& folder : curves) {
    json::Array& of_claim = paths[folder.claim];
    if (!folder.path.empty()) of_claim.emplace_back(folder.path);
  }
  json::Array claims;
  for (auto& [claim, folders] : paths) {
    json::Object one{{"name", claim}};
    if (!folders.empty()) one.append("subPath", std::move(folders));
    claims.emplace_back(std::move(one));
  }
  return json::Object{{"pvc", std::move(claims)}};
}

}  // namespace

Result<json::Document> make_tensorboard_of_curves(Session& session, const FoundJob& job) {
  const JobReached reached = reached_by_job(session, job.job);
  if (reached.curves.empty()) return json::Document();
  const json::Document board = json::Object{
      {"apiVersion", "tensorstack.dev/v1beta1"},
      {"kind", "TensorBoard"},
      {"metadata",
       json::Object{{"name", job.job.name},
                    {"labels", json::Object{{api::kOwnerNameLabel, job.job.name}}},
                    {"ownerReferences", json::Array{json::Object{{"apiVersion", job.job.kind.api_version()},
                                                                 {"kind", job.job.kind.kind},
                                                                 {"name", job.job.name},
                                                                 {"uid", job.object.string_at("metadata", "uid")}}}}}},
      {"spec", json::Object{{"logDir", log_dir(reached.curves)}}}};
  const api::Resource& kind = *api::find_kind("tensorstack.dev/v1beta1", "TensorBoard");
  return session.await(
      [&](client::OnDocument done) { session.api().create(kind, session.ns(), board, {}, std::move(done)); });
}

}  // namespace muster::cli
