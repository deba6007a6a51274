#include "web/jobs/job_log_route.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "apiserver/verbs/pod_container.h"
#include "apiserver/verbs/pod_log.h"
#include "base/strings.h"
#include "client/logs/job_log_follower.h"
#include "client/logs/log_target.h"
#include "client/logs/merged_logs.h"
#include "jobs/kind.h"
#include "jobs/pods.h"
#include "jobs/summary.h"
#include "web/jobs/job_kind.h"
#include "web/jobs/job_pods.h"

namespace muster::web {
namespace {

using json::Document;

constexpr std::size_t kMostUnsent = std::size_t{1} << 20;  // to a slow client

std::string passed_on(const apiserver::Query& query, std::initializer_list<const char*> names) {
  std::string out;
  for (const char* name : names) {
    if (query.has(name)) out += fmt::format("&{}={}", name, net::percent_encode(query.get(name)));
  }
  return out;
}

/// A rank that has not started, or whose pod is gone.
bool has_no_log(const Error& error) {
  return error.reason == Reason::kBadRequest || error.reason == Reason::kNotFound;
}

/// There is nothing to wait for in an object of another kind, which may share a group with jobs.
bool has_ended(const Document& object) {
  return jobs::kind_of_job(object) == nullptr || jobs::has_ended(jobs::summarise(object).phase);
}

/// One request. The exchange holds it until the client is gone or everything is sent.
class JobLog : public std::enable_shared_from_this<JobLog> {
 public:
  JobLog(Loop& loop, client::ApiClient& client, node::PodHistory* history, const api::Resource& kind,
         const apiserver::RoutedRequest& request, std::shared_ptr<net::Exchange> exchange)
      : loop_(loop),
        client_(client),
        history_(history),
        exchange_(std::move(exchange)),
        kind_(kind),
        ns_(request.at.at("namespace")),
        name_(request.at.at("name")),
        query_(request.query) {}

  Status start() {
    TRY_ASSIGN(left_to_send_, query_.number("limitBytes"));
    if (left_to_send_ && *left_to_send_ < 1) {
      return Error{.reason = Reason::kBadRequest,
                   .message = fmt::format("limitBytes: must be greater than 0, got {}", *left_to_send_)};
    }
    TRY_ASSIGN(attempt_, query_.number("attempt"));
    TRY(apiserver::parse_log_query(query_, {.ns = ns_, .pod = name_}, loop_.now()));
    exchange_->on_gone([self = shared_from_this()] { self->release(); });
    const JobPodsQuery query{.kind = &kind_, .ns = ns_, .name = name_, .uid = std::string(query_.get("uid"))};
    find_job_pods(client_, history_, query, [self = shared_from_this()](Result<FoundJobPods> found) {
      if (!found) return self->fail(found.error());
      if (self->exchange_) self->send_log_of(*std::move(found));  // else the client is gone
    });
    return ok();
  }

 private:
  void send_log_of(FoundJobPods found) {
    // What ran before has ended, so there is nothing to follow.
    const bool wants_past = query_.flag("previous") || attempt_.has_value();
    if (query_.flag("follow") && !wants_past && goes_on(found)) return follow(std::move(found));
    const std::vector<jobs::JobPod> ranks = jobs::pods_of_attempt(found.known.pods, attempt_);
    if (attempt_ && ranks.empty()) {
      return fail(
          Error{.reason = Reason::kNotFound,
                .message = fmt::format("attempt {} of job {} has no log: it has not run, or its log was removed",
                                       *attempt_, quote(name_))});
    }
    read(ranks);
  }

  /// A job of which clean-up has taken pods is read from what is kept, which following would not show.
  static bool goes_on(const FoundJobPods& found) {
    if (found.job.is_null()) return false;
    if (!has_ended(found.job)) return true;
    const auto is_running = [](const jobs::JobPod& one) {
      const std::string& phase = one.pod.string_at("status", "phase");
      return one.exists && phase != "Succeeded" && phase != "Failed";
    };
    return std::ranges::any_of(found.known.pods, is_running);
  }

  std::string target_of(const jobs::JobPod& rank, const std::string& container) const {
    const std::string& name = rank.pod.string_at("metadata", "name");
    if (rank.exists) return client::log_target(ns_, name, container);
    return client::attempt_log_target(ns_, name, rank.attempt, container) +
           "&uid=" + net::percent_encode(rank.pod.string_at("metadata", "uid"));
  }

  std::string label_of(const Document& pod) const { return jobs::replica_label(pod, name_); }

  void read(const std::vector<jobs::JobPod>& ranks) {
    std::vector<client::LogToMerge> logs;
    for (const jobs::JobPod& rank : ranks) {
      if (!rank.has_log) continue;
      const std::string named(query_.get("container"));
      const std::string container = named.empty() ? client::default_container(rank.pod) : named;
      // The lines need their times, by which they are merged.
      const std::string target = target_of(rank, container) + "&timestamps=true" +
                                 passed_on(query_, {"fold", "previous", "tailLines", "sinceTime", "sinceSeconds"});
      logs.push_back({target, client::line_prefix(client::Prefix::kPlain, label_of(rank.pod), 0)});
    }
    client::MergedSink sink;
    sink.on_lines = [this](std::string_view lines) { send(lines); };
    sink.on_end = [this](const Status& how) { rank_ended(how); };
    merged_ = std::make_unique<client::MergedLogs>(client_, logs, query_.flag("timestamps"), std::move(sink));
    if (merged_->over()) finish();
  }

  /// Ranks that have not started have no log; their error is the answer only when no rank has one.
  void rank_ended(const Status& how) {
    if (!exchange_) return;
    if (!how && !has_no_log(how.error())) return fail(how.error());
    if (how) begin();
    if (!merged_->over()) return;
    how || begun_ ? finish() : fail(how.error());
  }

  void follow(FoundJobPods found) {
    if (const Status named = check_container(found.known.pods); !named) return fail(named.error());
    begin();  // a follower gets the response head at once, even before the first line
    client::FollowOptions options;
    options.ns = ns_;
    options.label_selector = jobs::pod_selector(kind_.group, name_);
    options.container = query_.get("container");
    options.prefix = client::Prefix::kPlain;
    options.label = [this](const Document& pod) { return label_of(pod); };
    options.timestamps = query_.flag("timestamps");
    options.fold = query_.flag("fold");
    options.tail_query = passed_on(query_, {"tailLines", "sinceTime", "sinceSeconds"});
    client::JobToFollow to_follow{
        .resource = kind_, .name = name_, .object = std::move(found.job), .has_ended = has_ended, .on_over = [this] {
          followed();
        }};
    follower_ = std::make_unique<client::JobLogFollower>(loop_, client_, std::move(to_follow), std::move(options),
                                                         [this](std::string_view lines) { send(lines); });
    follower_->start();
  }

  /// Without this a follower would wait until the job ends for a container that no rank has.
  Status check_container(const std::vector<jobs::JobPod>& ranks) const {
    const std::string_view named = query_.get("container");
    if (named.empty()) return ok();
    Status wrong = ok();
    for (const jobs::JobPod& rank : ranks) {
      if (!rank.exists) continue;
      const auto chosen = apiserver::choose_container(rank.pod, named);
      if (chosen) return ok();
      wrong = chosen.error();
    }
    return wrong;
  }

  void followed() {
    if (!exchange_) return;
    follower_->failure() ? fail(*follower_->failure()) : finish();
  }

  void begin() {
    if (begun_) return;
    begun_ = true;
    exchange_->begin(200, {{"Content-Type", "text/plain"}, {"Cache-Control", "no-cache, private"}});
  }

  void send(std::string_view lines) {
    if (!exchange_ || lines.empty()) return;
    begin();
    if (left_to_send_) {
      lines = lines.substr(0, static_cast<std::size_t>(*left_to_send_));
      *left_to_send_ -= static_cast<std::int64_t>(lines.size());
    }
    exchange_->write(std::make_shared<const std::string>(lines));
    if (left_to_send_ == 0) return finish();
    if (exchange_->unsent() > kMostUnsent) wait_for_room();
  }

  void wait_for_room() {
    pause(true);
    exchange_->when_room(kMostUnsent / 2, [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (self && self->exchange_) self->pause(false);
    });
  }

  void pause(bool paused) { follower_ ? follower_->pause(paused) : merged_->pause(paused); }

  void finish() {
    begin();
    exchange_->finish();
    release();
  }

  void fail(const Error& error) {
    if (exchange_ && !begun_) respond_error(*exchange_, error);
    if (exchange_ && begun_) exchange_->abort();  // a regular end would mean that the log is complete
    release();
  }

  /// Posted, because the logs must not be destroyed inside their own callbacks.
  void release() {
    exchange_.reset();
    loop_.post([self = shared_from_this()] {
      self->merged_.reset();
      self->follower_.reset();
    });
  }

  Loop& loop_;
  client::ApiClient& client_;
  node::PodHistory* history_;
  std::shared_ptr<net::Exchange> exchange_;  // null when everything is sent or the client is gone
  const api::Resource& kind_;
  std::string ns_;
  std::string name_;
  apiserver::Query query_;
  std::optional<std::int64_t> attempt_;
  std::optional<std::int64_t> left_to_send_;  // bytes
  bool begun_ = false;
  // At most one of them; their callbacks use the rest.
  std::unique_ptr<client::MergedLogs> merged_;
  std::unique_ptr<client::JobLogFollower> follower_;
};

}  // namespace

apiserver::Route job_log_route(Loop& loop, client::ApiClient& client, node::PodHistory* history) {
  const auto handle = [&loop, &client, history](const apiserver::RoutedRequest& request,
                                                const std::shared_ptr<net::Exchange>& exchange) {
    const auto kind = find_job_kind(request.at.at("resource"));
    if (!kind) return respond_error(*exchange, kind.error());
    const auto log = std::make_shared<JobLog>(loop, client, history, **kind, request, exchange);
    if (const Status started = log->start(); !started) respond_error(*exchange, started.error());
  };
  return {.pattern = "apis/muster.dev/v1/namespaces/{namespace}/jobs/{resource}/{name}/log",
          .methods = {"GET"},
          .handle = handle};
}

}  // namespace muster::web
