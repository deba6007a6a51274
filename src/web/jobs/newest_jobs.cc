#include "web/jobs/newest_jobs.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>

#include "api/versions.h"
#include "apiserver/errors/status_error.h"
#include "base/strings.h"
#include "json/excerpt.h"
#include "web/jobs/object_fields.h"

namespace muster::web {
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
  for (const api::Resource* kind : api::stored_resources()) {
    if (kind->pod_label.empty()) continue;  // not a kind of job
    store.scan(kind->qualified_name(), ns, [&](const store::Key& key, const store::Entry& entry) {
      const auto age = kAge.read(*entry.bytes);
      found.push_back({age ? age->string_at("metadata", "creationTimestamp") : "", key.name, entry.bytes});
    });
  }
  return found;
}

/// Returns how far a job is; null where nobody knows.
using ProgressOf = std::function<json::Document(const Candidate& job)>;

constexpr std::string_view kProgress = "progress";

bool has_field(std::string_view fields, std::string_view field) {
  const std::vector<std::string> names = split(fields, ',');
  return std::ranges::find(names, field) != names.end();
}

/// The items with only the members that are asked for, or whole with their summaries.
std::string items_of(std::span<const Candidate> jobs, std::string_view fields, const ProgressOf& progress_of) {
  std::optional<ObjectFields> asked;
  const std::vector<std::string> names = split(fields, ',');
  if (!fields.empty()) asked.emplace(ObjectFields::Text::kObject, names);
  const bool with_progress = progress_of && has_field(fields, kProgress);
  std::string items;
  for (const Candidate& job : jobs) {
    if (!items.empty()) items += ',';
    auto kept = asked ? asked->read(*job.bytes) : Result<json::Document>(json::Document());
    if (asked && kept) {
      if (with_progress && kept->is_object()) kept->as_object().append(std::string(kProgress), progress_of(job));
      json::append_serialized(*kept, items);
    } else {
      items += with_summary(*job.bytes);
    }
  }
  return items;
}

/// Members of objects by their paths, and `summary` as a whole.
Status check_fields(std::string_view fields) {
  if (fields.empty()) return ok();
  for (const std::string& field : split(fields, ',')) {
    const bool is_path = !field.empty() && field.find("*") == std::string::npos;
    if (is_path && !field.starts_with("summary.")) continue;
    return apiserver::bad_request(fmt::format(
        "fields: must be summary, progress or paths such as metadata.name, separated by commas, got {}", quote(field)));
  }
  return ok();
}

/// Kubernetes' limit=0, no limit, is refused like any other number out of range: these are the newest jobs, never all.
Result<std::size_t> wanted_jobs(const apiserver::Query& query) {
  TRY(query.allow_only({"limit", "fields"}));
  TRY(check_fields(query.get("fields")));
  TRY_ASSIGN(const auto limit, query.number("limit"));
  const std::int64_t wanted = limit.value_or(kDefaultJobs);
  if (wanted < 1 || wanted > kMostJobs) {
    return apiserver::bad_request(fmt::format("limit: must be between 1 and {}, got {}", kMostJobs, wanted));
  }
  return static_cast<std::size_t>(wanted);
}

/// Leaves the newest of the jobs, in order.
void keep_newest(std::size_t wanted, std::vector<Candidate>& jobs) {
  const std::size_t count = std::min(wanted, jobs.size());
  std::ranges::partial_sort(jobs, jobs.begin() + static_cast<std::ptrdiff_t>(count), comes_first);
  jobs.resize(count);
}

net::Response list_response(json::Object metadata, const std::vector<Candidate>& jobs, std::size_t total,
                            std::string_view fields, const ProgressOf& progress_of = nullptr) {
  if (jobs.size() < total) metadata.append("remainingItemCount", static_cast<std::int64_t>(total - jobs.size()));
  net::Response response;
  response.headers.set("Content-Type", "application/json");
  response.headers.set("Cache-Control", "no-cache, private");
  response.body = R"({"kind":"List","apiVersion":"v1","metadata":)" + json::serialize(metadata) + R"(,"items":[)" +
                  items_of(jobs, fields, progress_of) + "]}\n";
  return response;
}

std::string namespace_of(const apiserver::RoutedRequest& request) {
  const auto ns = request.at.find("namespace");
  return ns == request.at.end() ? "" : ns->second;
}

/// What a list of jobs of this engine has, once it is known how far they are.
net::Response newest_response(const apiserver::Context& context, const std::vector<Candidate>& jobs, std::size_t total,
                              const std::string& fields, const ProgressOfJobs* progress) {
  json::Object metadata{{"resourceVersion", std::to_string(context.store.revision())}};
  const auto progress_of = [progress](const Candidate& job) {
    static const json::Excerpt kUid({"metadata.uid"});
    const auto names = kUid.read(*job.bytes);
    if (progress == nullptr || !names) return json::Document();
    return jobs::encode(progress->of(names->string_at("metadata", "uid")));
  };
  return list_response(std::move(metadata), jobs, total, fields, progress_of);
}

void answer_newest(const apiserver::Context& context, const std::shared_ptr<ProgressOfJobs>& progress,
                   const apiserver::RoutedRequest& request, const std::shared_ptr<net::Exchange>& exchange) {
  const auto wanted = wanted_jobs(request.query);
  if (!wanted) return exchange->respond(apiserver::error_response(wanted.error()));
  std::vector<Candidate> jobs = jobs_in(context.store, namespace_of(request));
  const std::size_t total = jobs.size();
  keep_newest(*wanted, jobs);
  std::string fields(request.query.get("fields"));
  if (progress == nullptr || !has_field(fields, kProgress)) {
    return exchange->respond(newest_response(context, jobs, total, fields, nullptr));
  }
  std::vector<JobBytes> bytes;
  for (const Candidate& job : jobs) bytes.push_back(job.bytes);
  progress->look_at(
      bytes, [&context, known = progress.get(), exchange, jobs = std::move(jobs), total, fields = std::move(fields)] {
        exchange->respond(newest_response(context, jobs, total, fields, known));
      });
}

/// Lists one kind after the other in pages, and keeps the newest jobs only.
class Gathering : public std::enable_shared_from_this<Gathering> {
 public:
  Gathering(client::ApiClient& client, const apiserver::RoutedRequest& request, std::size_t wanted,
            std::shared_ptr<net::Exchange> exchange)
      : client_(client),
        exchange_(std::move(exchange)),
        ns_(namespace_of(request)),
        fields_(request.query.get("fields")),
        wanted_(wanted) {
    for (const api::Resource* kind : api::stored_resources()) {
      if (!kind->pod_label.empty()) kinds_.push_back(kind);
    }
  }

  void list_next(const std::string& continue_token = "") {
    if (kinds_.empty()) return exchange_->respond(list_response({}, jobs_, total_, fields_));
    client::ListOptions options;
    options.limit = static_cast<int>(kMostJobs);
    options.continue_token = continue_token;
    client_.list(*kinds_.back(), ns_, options,
                 [self = shared_from_this()](Result<json::Document> page) { self->take(std::move(page)); });
  }

 private:
  void take(Result<json::Document> page) {
    // A cluster has the kinds that were installed there.
    const bool is_missing = !page && page.error().reason == Reason::kNotFound;
    if (!page && !is_missing) return exchange_->respond(apiserver::error_response(page.error()));
    if (page) add((*page)["items"]);
    const std::string next = page ? page->string_at("metadata", "continue") : "";
    if (next.empty()) kinds_.pop_back();
    list_next(next);
  }

  void add(json::Document& items) {
    if (!items.is_array()) return;
    total_ += items.as_array().size();
    for (json::Document& job : items.as_array()) {
      job["apiVersion"] = kinds_.back()->api_version();
      job["kind"] = kinds_.back()->kind;
      jobs_.push_back({job.string_at("metadata", "creationTimestamp"), job.string_at("metadata", "name"),
                       std::make_shared<const std::string>(json::serialize(job))});
    }
    keep_newest(wanted_, jobs_);
  }

  client::ApiClient& client_;
  std::shared_ptr<net::Exchange> exchange_;
  std::string ns_;
  std::string fields_;
  std::size_t wanted_;
  std::vector<const api::Resource*> kinds_;  // the last one is being listed
  std::vector<Candidate> jobs_;
  std::size_t total_ = 0;
};

std::vector<apiserver::Route> routes_to(decltype(apiserver::Route::handle) handle) {
  std::vector<apiserver::Route> routes;
  for (const char* pattern : {"apis/muster.dev/v1/jobs", "apis/muster.dev/v1/namespaces/{namespace}/jobs"}) {
    routes.push_back({.pattern = pattern, .methods = {"GET"}, .handle = handle});
  }
  return routes;
}

}  // namespace

std::vector<apiserver::Route> newest_jobs_routes(const apiserver::Context& context,
                                                 std::shared_ptr<ProgressOfJobs> progress) {
  return routes_to([&context, progress = std::move(progress)](const apiserver::RoutedRequest& request,
                                                              const std::shared_ptr<net::Exchange>& exchange) {
    answer_newest(context, progress, request, exchange);
  });
}

std::vector<apiserver::Route> newest_jobs_routes(client::ApiClient& client) {
  return routes_to([&client](const apiserver::RoutedRequest& request, const std::shared_ptr<net::Exchange>& exchange) {
    const auto wanted = wanted_jobs(request.query);
    if (!wanted) return exchange->respond(apiserver::error_response(wanted.error()));
    std::make_shared<Gathering>(client, request, *wanted, exchange)->list_next();
  });
}

}  // namespace muster::web
