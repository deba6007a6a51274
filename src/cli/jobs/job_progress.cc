#include "cli/jobs/job_progress.h"

#include <fmt/core.h>

namespace muster::cli {
namespace {

/// What jobs have reached is welcome and not needed, so nothing waits for it for long.
constexpr Duration kWithin = std::chrono::seconds(2);

Result<json::Document> ask(Session& session, const std::string& path) {
  TRY_ASSIGN(const std::string text, session.get_text("/apis/muster.dev/v1/" + path, kWithin));
  return json::parse(text);
}

}  // namespace

std::map<std::string, jobs::Progress> progress_of_jobs(Session& session, const std::string& ns) {
  constexpr int kMostJobs = 200;
  const std::string where = ns.empty() ? "" : "namespaces/" + ns + "/";
  const auto list = ask(session, fmt::format("{}jobs?limit={}&fields=metadata.uid,progress", where, kMostJobs));
  std::map<std::string, jobs::Progress> out;
  if (!list) return out;
  for (const json::Document& job : list->array_at("items")) {
    const json::Document* progress = job.find("progress");
    if (progress != nullptr) out[job.string_at("metadata", "uid")] = jobs::decode_progress(*progress);
  }
  return out;
}

JobReached reached_by_job(Session& session, const Selected& job) {
  const client::ResourceName& kind = job.kind.resource;
  const auto answer =
      ask(session, fmt::format("namespaces/{}/jobs/{}.{}/{}/progress", job.ns, kind.plural, kind.group, job.name));
  JobReached out;
  if (!answer) return out;
  if (const json::Document* progress = answer->find("progress")) out.progress = jobs::decode_progress(*progress);
  for (const json::Document& folder : answer->array_at("curves")) {
    out.curves.push_back({.claim = folder.string_at("claim"), .path = folder.string_at("folder")});
  }
  return out;
}

}  // namespace muster::cli
