#include "web/jobs/scalars_route.h"

#include <fmt/core.h>

#include <cmath>
#include <optional>

#include "api/tensorstack/tensorboard_v1beta1.h"
#include "base/strings.h"
#include "control/tensorboard/log_folders.h"
#include "reflect/reflect.h"
#include "web/jobs/found_curves.h"
#include "web/jobs/job_kind.h"

namespace muster::web {
namespace {

using json::Document;

/// A number that JSON does not have is null.
Document number(double value) {
  return std::isfinite(value) ? Document(value) : Document();
}

Document series_object(const node::ScalarSeries& series) {
  json::Array points;
  points.reserve(series.points.size());
  for (const node::ScalarPoint& point : series.points) {
    points.emplace_back(json::Array{Document(point.step), number(point.time), number(point.value)});
  }
  return json::Object{{"tag", series.tag}, {"points", std::move(points)}};
}

/// What one request collects, one folder after the other.
struct Collecting : std::enable_shared_from_this<Collecting> {
  Collecting(client::ApiClient& c, node::ClaimFiles& f, node::ProgressSource& s, std::string n,
             std::shared_ptr<net::Exchange> e)
      : client(c), files(f), source(s), ns(std::move(n)), exchange(std::move(e)) {}

  client::ApiClient& client;
  node::ClaimFiles& files;
  node::ProgressSource& source;
  std::string ns;
  std::shared_ptr<net::Exchange> exchange;
  std::vector<control::LogFolder> folders;
  std::size_t next = 0;
  std::optional<node::EventOwner> owner;  // absent: the job names its folders, and all files there are shown
  json::Array runs;
  json::Array problems;
  bool is_complete = true;

  /// Reads what the job has left without saying where.
  void search(const Document& job) {
    find_curves(client, source, job, [self = shared_from_this(), job](FoundCurves found) {
      self->is_complete = found.is_complete;
      self->owner = std::move(found.owner);
      for (FoundCurves::Folder& folder : found.folders) {
        self->folders.push_back({.claim = std::move(folder.claim), .path = std::move(folder.path)});
      }
      self->folders.empty() ? self->fail(no_curves(job)) : self->read_next();
    });
  }

  static Error no_curves(const Document& job) {
    return {
        .reason = Reason::kNotFound,
        .message = fmt::format("{} {} has left no event files in the claims that it can write to; write them there, "
                               "or set spec.tensorboardSpec",
                               job.string_at("kind"), quote(job.string_at("metadata", "name")))};
  }

  void fail(const Error& error) const { respond_error(*exchange, error); }

  void read_next() {
    if (next == folders.size()) return finish();
    const control::LogFolder& folder = folders[next++];
    client.get({{"", "v1", "persistentvolumeclaims"}, ns, folder.claim},
               [self = shared_from_this(), path = folder.path](Result<Document> claim) {
                 if (!claim) return self->fail(claim.error());
                 self->files.scalars({.claim = *std::move(claim), .path = path}, self->owner,
                                     [self](Result<node::ScalarRuns> found) { self->add(std::move(found)); });
               });
  }

  void add(Result<node::ScalarRuns> found) {
    if (!found) return fail(found.error());
    is_complete = is_complete && found->is_complete;
    for (std::string& problem : found->problems) problems.emplace_back(std::move(problem));
    const control::LogFolder& folder = folders[next - 1];
    for (const node::ScalarRun& run : found->runs) {
      json::Array series;
      for (const node::ScalarSeries& one : run.series) series.push_back(series_object(one));
      runs.emplace_back(json::Object{
          {"claim", folder.claim}, {"folder", folder.path}, {"name", run.name}, {"series", std::move(series)}});
    }
    read_next();
  }

  void finish() {
    respond_json(*exchange, 200,
                 json::Object{{"apiVersion", "muster.dev/v1"},
                              {"kind", "Scalars"},
                              {"complete", is_complete},
                              {"problems", std::move(problems)},
                              {"runs", std::move(runs)}});
  }
};

/// A job names its logs for its TensorBoard; a TensorBoard by itself has the same fields.
Result<std::vector<control::LogFolder>> log_folders(const Document& object) {
  const Document* spec =
      object.string_at("kind") == "TensorBoard" ? object.find("spec") : object.at("spec", "tensorboardSpec");
  TRY_ASSIGN(const auto decoded, reflect::decode<api::TensorBoardSpec>(*spec));
  return control::log_sources(decoded).folders;
}

}  // namespace

apiserver::Route scalars_route(client::ApiClient& client, node::ClaimFiles& files, node::ProgressSource& source) {
  const auto handle = [&client, &files, &source](const apiserver::RoutedRequest& request,
                                                 const std::shared_ptr<net::Exchange>& exchange) {
    const auto reading = std::make_shared<Collecting>(client, files, source, request.at.at("namespace"), exchange);
    const auto kind = find_job_kind(request.at.at("resource"));
    if (!kind) return reading->fail(kind.error());
    client.get({**kind, reading->ns, request.at.at("name")}, [reading](Result<Document> object) {
      if (!object) return reading->fail(object.error());
      if (!names_its_logs(*object)) return reading->search(*object);
      auto folders = log_folders(*object);
      if (!folders) return reading->fail(folders.error());
      reading->folders = *std::move(folders);
      reading->read_next();
    });
  };
  return {.pattern = "apis/muster.dev/v1/namespaces/{namespace}/jobs/{resource}/{name}/scalars",
          .methods = {"GET"},
          .handle = handle};
}

}  // namespace muster::web
