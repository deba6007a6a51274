// The beginning of a list of jobs that is sorted by age, for pages that show rows before they know all of them.

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <span>

#include "apiserver/http/status_error.h"
#include "apiserver/verbs/routes.h"
#include "apiserver/versions.h"
#include "base/strings.h"
#include "json/excerpt.h"

namespace muster::apiserver {
namespace {

constexpr std::int64_t kDefaultJobs = 50;
constexpr std::int64_t kMostJobs = 500;

struct Candidate {
  std::string created;  // RFC 3339 in UTC, so that texts compare as times
  std::string name;
  store::Bytes bytes;
};

/// Times have whole seconds, so many jobs can share one.
bool comes_first(const Candidate& a, const Candidate& b) {
  return a.created != b.created ? a.created > b.created : a.name < b.name;
}

std::vector<Candidate> jobs_in(const store::Store& store, const std::string& ns) {
  static const json::Excerpt kAge({"metadata.creationTimestamp"});
  std::vector<Candidate> found;
  for (const api::Resource* kind : stored_resources()) {
    if (kind->pod_label.empty()) continue;  // not a kind of job
    store.scan(kind->qualified_name(), ns, [&](const store::Key& key, const store::Entry& entry) {
      const auto age = kAge.read(*entry.bytes);
      found.push_back({age ? age->string_at("metadata", "creationTimestamp") : "", key.name, entry.bytes});
    });
  }
  return found;
}

/// The items with only the members that are asked for, or whole.
std::string items_of(std::span<const Candidate> jobs, std::string_view fields) {
  std::optional<json::Excerpt> excerpt;
  if (!fields.empty()) excerpt.emplace(split(fields, ','));
  std::string items;
  for (const Candidate& job : jobs) {
    if (!items.empty()) items += ',';
    const auto kept = excerpt ? excerpt->read(*job.bytes) : Result<json::Document>(json::Document());
    if (excerpt && kept) {
      json::append_serialized(*kept, items);
    } else {
      items += *job.bytes;
    }
  }
  return items;
}

/// Kubernetes' limit=0, no limit, is refused like any other number out of range: these are the newest jobs, never all.
Result<std::size_t> wanted_jobs(const Query& query) {
  TRY_ASSIGN(const auto limit, query.number("limit"));
  const std::int64_t wanted = limit.value_or(kDefaultJobs);
  if (wanted < 1 || wanted > kMostJobs) {
    return bad_request(fmt::format("limit: must be between 1 and {}, got {}", kMostJobs, wanted));
  }
  return static_cast<std::size_t>(wanted);
}

Result<net::Response> answer_newest(const Context& context, const RoutedRequest& request) {
  TRY_ASSIGN(const std::size_t wanted, wanted_jobs(request.query));
  const auto ns = request.at.find("namespace");
  std::vector<Candidate> jobs = jobs_in(context.store, ns == request.at.end() ? "" : ns->second);
  const std::size_t count = std::min(wanted, jobs.size());
  std::ranges::partial_sort(jobs, jobs.begin() + static_cast<std::ptrdiff_t>(count), comes_first);

  json::Object metadata{{"resourceVersion", std::to_string(context.store.revision())}};
  if (count < jobs.size()) metadata.append("remainingItemCount", static_cast<std::int64_t>(jobs.size() - count));
  net::Response response;
  response.headers.set("Content-Type", "application/json");
  response.headers.set("Cache-Control", "no-cache, private");
  response.body = R"({"kind":"List","apiVersion":"v1","metadata":)" + json::serialize(metadata) + R"(,"items":[)" +
                  items_of({jobs.data(), count}, request.query.get("fields")) + "]}\n";
  return response;
}

}  // namespace

std::vector<Route> newest_jobs_routes(Context& context) {
  const auto handle = [&context](const RoutedRequest& request, const std::shared_ptr<net::Exchange>& exchange) {
    auto response = answer_newest(context, request);
    exchange->respond(response ? *std::move(response) : error_response(response.error()));
  };
  std::vector<Route> routes;
  for (const char* pattern : {"apis/muster.dev/v1/jobs", "apis/muster.dev/v1/namespaces/{namespace}/jobs"}) {
    routes.push_back({.pattern = pattern, .methods = {"GET"}, .handle = handle});
  }
  return routes;
}

}  // namespace muster::apiserver
