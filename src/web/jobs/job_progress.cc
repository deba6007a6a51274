#include "web/jobs/job_progress.h"

#include <fmt/core.h>

#include "api/owners.h"
#include "apiserver/errors/status_error.h"
#include "client/logs/log_target.h"
#include "jobs/kind.h"
#include "jobs/summary.h"
#include "web/jobs/job_kind.h"

namespace muster::web {
namespace {

using json::Document;

Result<Document> stored(const apiserver::Context& context, const store::Key& key) {
  const store::Entry* entry = context.store.get(key);
  if (entry == nullptr) return Error{.reason = Reason::kNotFound, .message = fmt::format("{} not found", key.name)};
  return json::parse(*entry->bytes);
}

/// One search: the event files, then the log.
struct Finding : std::enable_shared_from_this<Finding> {
  Finding(const ProgressFrom& f, Document j, UniqueFunction<void(JobProgress)> d)
      : from(f), job(std::move(j)), done(std::move(d)) {}

  ProgressFrom from;
  Document job;
  UniqueFunction<void(JobProgress)> done;
  std::string pod;  // that decides
  JobProgress found;

  void start() {
    if (jobs::kind_of_job(job) != nullptr) {
      const jobs::Summary summary = jobs::summarise(job);
      if (summary.started) pod = summary.deciding_pod;
    }
    find_curves(from.client, from.source, job, [self = shared_from_this()](FoundCurves curves) {
      self->found = {.progress = curves.progress, .curves = std::move(curves.folders)};
      self->find_pod();
    });
  }

  void find_pod() {
    if (pod.empty()) return finish();
    const auto exists = stored(from.context, {"pods", job.string_at("metadata", "namespace"), pod});
    if (exists && is_ours(*exists)) return read_log(*exists);
    if (from.history == nullptr) return finish();
    const api::Resource* kind = api::find_kind(job.string_at("apiVersion"), job.string_at("kind"));
    if (kind == nullptr) return finish();
    from.history->find({.ns = job.string_at("metadata", "namespace"),
                        .group = kind->group,
                        .kind = kind->kind,
                        .name = job.string_at("metadata", "name")},
                       [self = shared_from_this()](const node::PastPods& past) { self->choose(past); });
  }

  bool is_ours(const Document& one) const { return api::is_controlled_by(one, job.string_at("metadata", "uid")); }

  /// The last attempt is the one that decided.
  void choose(const node::PastPods& past) {
    const Document* last = nullptr;
    for (const node::PastPod& one : past.pods) {
      if (one.has_log && one.pod.string_at("metadata", "name") == pod && is_ours(one.pod)) last = &one.pod;
    }
    last == nullptr ? finish() : read_log(*last);
  }

  void read_log(const Document& of) {
    from.source.log_end(of.string_at("metadata", "uid"), client::default_container(of),
                        [self = shared_from_this()](const std::string& lines) {
                          self->found.progress = jobs::joined(self->found.progress, jobs::progress_of_log(lines));
                          self->finish();
                        });
  }

  void finish() { done(std::move(found)); }
};

}  // namespace

void find_progress(const ProgressFrom& from, Document job, UniqueFunction<void(JobProgress)> done) {
  std::make_shared<Finding>(from, std::move(job), std::move(done))->start();
}

apiserver::Route progress_route(const ProgressFrom& from) {
  const auto handle = [from](const apiserver::RoutedRequest& request, const std::shared_ptr<net::Exchange>& exchange) {
    const auto kind = find_job_kind(request.at.at("resource"));
    if (!kind) return respond_error(*exchange, kind.error());
    auto job = stored(from.context, {(*kind)->qualified_name(), request.at.at("namespace"), request.at.at("name")});
    if (!job) return respond_error(*exchange, job.error());
    find_progress(from, *std::move(job), [exchange](const JobProgress& found) {
      json::Array curves;
      for (const FoundCurves::Folder& folder : found.curves) {
        curves.emplace_back(json::Object{{"claim", folder.claim}, {"folder", folder.path}});
      }
      respond_json(*exchange, 200,
                   json::Object{{"apiVersion", "muster.dev/v1"},
                                {"kind", "Progress"},
                                {"progress", jobs::encode(found.progress)},
                                {"curves", std::move(curves)}});
    });
  };
  return {.pattern = "apis/muster.dev/v1/namespaces/{namespace}/jobs/{resource}/{name}/progress",
          .methods = {"GET"},
          .handle = handle};
}

}  // namespace muster::web
