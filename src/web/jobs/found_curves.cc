#include "web/jobs/found_curves.h"

#include <memory>

#include "jobs/log_folders.h"
#include "jobs/summary.h"

namespace muster::web {
namespace {

using json::Document;

constexpr std::size_t kMostClaims = 4;
/// The status of a job is later than the end of its program.
constexpr Duration kAfterEnd = std::chrono::seconds(5);

/// One search, one claim after the other.
struct Search : std::enable_shared_from_this<Search> {
  Search(client::ApiClient& c, node::ProgressSource& s, const Document& job, UniqueFunction<void(FoundCurves)> d)
      : client(c), source(s), ns(job.string_at("metadata", "namespace")), done(std::move(d)) {}

  client::ApiClient& client;
  node::ProgressSource& source;
  std::string ns;
  std::vector<jobs::WritableFolder> folders;
  std::size_t next = 0;
  std::vector<jobs::LastScalar> values;
  FoundCurves found;
  UniqueFunction<void(FoundCurves)> done;

  void look_at_next() {
    if (next == folders.size() || next == kMostClaims) return finish();
    const jobs::WritableFolder& folder = folders[next++];
    client.get({{"", "v1", "persistentvolumeclaims"}, ns, folder.claim},
               [self = shared_from_this(), folder](Result<Document> claim) {
                 if (!claim) return self->look_at_next();
                 self->source.recent_events({.claim = *std::move(claim), .path = folder.path},
                                            {.first = folder.named, .owner = self->found.owner},
                                            [self, folder](Result<node::EventFolders> events) {
                                              if (events) self->add(folder.claim, *std::move(events));
                                              self->look_at_next();
                                            });
               });
  }

  void add(const std::string& claim, node::EventFolders events) {
    found.is_complete = found.is_complete && events.is_complete;
    for (node::EventFolder& folder : events.folders) {
      for (const node::ScalarSeries& series : folder.latest) {
        values.push_back({.tag = series.tag, .step = series.points.back().step, .value = series.points.back().value});
      }
      found.folders.push_back({.claim = claim, .path = std::move(folder.path)});
    }
  }

  void finish() {
    found.progress = jobs::progress_of_scalars(values);
    done(std::move(found));
  }
};

}  // namespace

void find_curves(client::ApiClient& client, node::ProgressSource& source, const Document& job,
                 UniqueFunction<void(FoundCurves)> done) {
  const auto search = std::make_shared<Search>(client, source, job, std::move(done));
  const jobs::Summary summary = jobs::summarise(job);
  if (summary.started) {
    // Times of jobs have whole seconds, and the clock of a file system may be behind.
    search->found.owner = {
        .hosts = jobs::host_names(job), .since = *summary.started - std::chrono::seconds(1), .until = {}};
    if (summary.ended) search->found.owner.until = *summary.ended + kAfterEnd;
    search->folders = jobs::writable_folders(job);
  }
  // One request goes first in any case, so that `done` is never called inline.
  if (!search->folders.empty()) return search->look_at_next();
  client.get({{"", "v1", "namespaces"}, "", search->ns}, [search](const Result<Document>&) { search->finish(); });
}

bool names_its_logs(const Document& object) {
  const Document* spec = object.at("spec", "tensorboardSpec");
  return object.string_at("kind") == "TensorBoard" || (spec != nullptr && !spec->is_null());
}

}  // namespace muster::web
