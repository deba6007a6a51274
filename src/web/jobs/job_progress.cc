#include "web/jobs/job_progress.h"

#include <fmt/core.h>

#include "apiserver/errors/status_error.h"
#include "client/logs/log_target.h"
#include "jobs/kind.h"
#include "jobs/summary.h"
#include "web/jobs/found_curves.h"
#include "web/jobs/job_kind.h"

namespace muster::web {
namespace {

using json::Document;

Result<Document> stored(const apiserver::Context& context, const store::Key& key) {
  const store::Entry* entry = context.store.get(key);
  if (entry == nullptr) return Error{.reason = Reason::kNotFound, .message = fmt::format("{} not found", key.name)};
  return json::parse(*entry->bytes);
}

}  // namespace

jobs::Progress progress_in_log(const apiserver::Context& context, node::ProgressSource& source, const Document& job) {
  if (jobs::kind_of_job(job) == nullptr) return {};
  const jobs::Summary summary = jobs::summarise(job);
  if (!summary.started || summary.deciding_pod.empty()) return {};
  const auto pod = stored(context, {"pods", job.string_at("metadata", "namespace"), summary.deciding_pod});
  if (!pod) return {};
  return jobs::progress_of_log(source.log_end(pod->string_at("metadata", "uid"), client::default_container(*pod)));
}

apiserver::Route progress_route(const apiserver::Context& context, client::ApiClient& client,
                                node::ProgressSource& source) {
  const auto handle = [&context, &client, &source](const apiserver::RoutedRequest& request,
                                                   const std::shared_ptr<net::Exchange>& exchange) {
    const auto kind = find_job_kind(request.at.at("resource"));
    if (!kind) return respond_error(*exchange, kind.error());
    const auto job = stored(context, {(*kind)->qualified_name(), request.at.at("namespace"), request.at.at("name")});
    if (!job) return respond_error(*exchange, job.error());
    find_curves(client, source, *job,
                [exchange, in_log = progress_in_log(context, source, *job)](const FoundCurves& found) {
                  json::Array curves;
                  for (const FoundCurves::Folder& folder : found.folders) {
                    curves.emplace_back(json::Object{{"claim", folder.claim}, {"folder", folder.path}});
                  }
                  respond_json(*exchange, 200,
                               json::Object{{"apiVersion", "muster.dev/v1"},
                                            {"kind", "Progress"},
                                            {"progress", jobs::encode(jobs::joined(found.progress, in_log))},
                                            {"curves", std::move(curves)}});
                });
  };
  return {.pattern = "apis/muster.dev/v1/namespaces/{namespace}/jobs/{resource}/{name}/progress",
          .methods = {"GET"},
          .handle = handle};
}

}  // namespace muster::web
