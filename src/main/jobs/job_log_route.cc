#include "main/jobs/job_log_route.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "api/owners.h"
#include "cli/logs/log_follow.h"
#include "cli/logs/log_merger.h"
#include "cli/objects/job_state.h"
#include "main/jobs/job_kind.h"

namespace muster {
namespace {

using json::Document;

constexpr std::size_t kMostUnsent = std::size_t{1} << 20;     // to a slow client
constexpr std::size_t kMostWaiting = std::size_t{256} << 10;  // of a rank that is ahead of the others
constexpr Duration kPause = std::chrono::milliseconds(300);   // between two looks at a pod that has not started
constexpr const char* kPassedOn[] = {"fold", "follow", "previous", "tailLines", "sinceTime", "sinceSeconds"};

/// The parameters for the log of each rank; the lines need their times, by which they are merged.
std::string rank_query(const apiserver::Query& query) {
  std::string out = "&timestamps=true";
  for (const char* name : kPassedOn) {
    if (query.has(name)) out += fmt::format("&{}={}", name, net::percent_encode(query.get(name)));
  }
  return out;
}

/// A rank that has not started, or whose pod is gone.
bool has_no_log(const Error& error) {
  return error.reason == Reason::kBadRequest || error.reason == Reason::kNotFound;
}

/// One request. The exchange holds it until the client is gone or everything is sent.
class JobLog : public std::enable_shared_from_this<JobLog> {
 public:
  JobLog(Loop& loop, client::ApiClient& client, const apiserver::RoutedRequest& request,
         std::shared_ptr<net::Exchange> exchange)
      : loop_(loop),
        client_(client),
        exchange_(std::move(exchange)),
        ns_(request.at.at("namespace")),
        name_(request.at.at("name")),
        container_(request.query.get("container")),
        query_(rank_query(request.query)),
        follow_(request.query.flag("follow")),
        show_times_(request.query.flag("timestamps")) {}

  Status start(const api::Resource& kind, const apiserver::Query& query) {
    TRY_ASSIGN(left_to_send_, query.number("limitBytes"));
    if (left_to_send_ && *left_to_send_ < 1) {
      return Error{.reason = Reason::kBadRequest,
                   .message = fmt::format("limitBytes: must be greater than 0, got {}", *left_to_send_)};
    }
    exchange_->on_gone([self = shared_from_this()] { self->release(); });
    client_.get({kind, ns_, name_}, [self = shared_from_this(), group = kind.group](Result<Document> job) {
      if (!job) return self->fail(job.error());
      self->find_ranks(group, job->string_at("metadata", "uid"));
    });
    return ok();
  }

 private:
  struct Rank {
    std::unique_ptr<net::Call> call;
    bool has_log = false;
    bool paused = false;
  };

  void find_ranks(const std::string& group, const std::string& uid) {
    client::ListOptions options;
    options.label_selector = cli::pod_selector(group, name_);
    client_.list({"", "v1", "pods"}, ns_, options, [self = shared_from_this(), uid](Result<Document> pods) {
      if (!pods) return self->fail(pods.error());
      std::vector<Document> ranks;
      for (Document& pod : (*pods)["items"].as_array()) {
        if (api::is_controlled_by(pod, uid)) ranks.push_back(std::move(pod));
      }
      self->read(ranks);
    });
  }

  void read(const std::vector<Document>& pods) {
    if (!exchange_) return;  // the client is gone
    std::vector<std::string> prefixes;
    for (const Document& pod : pods) {
      prefixes.push_back(cli::line_prefix(cli::Prefix::kPlain, cli::replica_label(pod, name_), 0));
    }
    merger_.emplace(std::move(prefixes), follow_ ? cli::LogMerger::Order::kAsTheyCome : cli::LogMerger::Order::kByTime,
                    show_times_);
    ranks_.resize(pods.size());
    left_ = pods.size();
    for (std::size_t i = 0; i < pods.size(); ++i) follow_ ? open_when_started(i, pods[i]) : open(i, pods[i]);
    if (pods.empty()) finish();
  }

  void open_when_started(std::size_t rank, const Document& pod) {
    if (pod.string_at("status", "phase") != "Pending") return open(rank, pod);
    loop_.after(kPause, [weak = weak_from_this(), rank, name = pod.string_at("metadata", "name")] {
      const auto self = weak.lock();
      if (self && self->exchange_) self->look_again(rank, name);
    });
  }

  void look_again(std::size_t rank, const std::string& name) {
    client_.get({{"", "v1", "pods"}, ns_, name}, [self = shared_from_this(), rank](Result<Document> pod) {
      if (!self->exchange_) return;
      pod ? self->open_when_started(rank, *pod) : self->rank_ended(rank, pod.error());
    });
  }

  void open(std::size_t rank, const Document& pod) {
    const std::string container = container_.empty() ? cli::default_container(pod) : container_;
    net::ResponseSink sink;
    sink.on_head = [weak = weak_from_this(), rank](int, const net::Headers&) {
      const auto self = weak.lock();
      if (!self || !self->exchange_) return;
      self->ranks_[rank].has_log = true;
      self->begin();
    };
    sink.on_data = [weak = weak_from_this(), rank](std::string_view bytes) {
      const auto self = weak.lock();
      if (!self || !self->exchange_) return;
      self->merger_->feed(rank, bytes);
      self->send();
      if (self->is_complete()) self->finish();
    };
    sink.on_end = [weak = weak_from_this(), rank](const Status& how) {
      const auto self = weak.lock();
      if (self && self->exchange_) self->rank_ended(rank, how);
    };
    const std::string target = cli::log_target(ns_, pod.string_at("metadata", "name"), container) + query_;
    ranks_[rank].call = client_.stream("GET", target, std::move(sink));
  }

  void rank_ended(std::size_t rank, const Status& how) {
    if (!how && (ranks_[rank].has_log || !has_no_log(how.error()))) return fail(how.error());
    if (!how && !error_) error_ = how.error();
    merger_->end(rank);
    --left_;
    send();
    if (is_complete()) finish();
  }

  void begin() {
    if (begun_) return;
    begun_ = true;
    exchange_->begin(200, {{"Content-Type", "text/plain"}, {"Cache-Control", "no-cache, private"}});
  }

  /// Sends what can be sent, and lets no rank run ahead of what waits.
  void send() {
    if (!is_blocked_) {
      std::string lines = merger_->take();
      if (left_to_send_) {
        lines.resize(std::min(lines.size(), static_cast<std::size_t>(*left_to_send_)));
        *left_to_send_ -= static_cast<std::int64_t>(lines.size());
      }
      if (!lines.empty()) exchange_->write(std::make_shared<const std::string>(std::move(lines)));
      if (exchange_->unsent() > kMostUnsent) wait_for_room();
    }
    for (std::size_t i = 0; i < ranks_.size(); ++i) balance(i);
  }

  void balance(std::size_t rank) {
    Rank& one = ranks_[rank];
    const bool is_ahead = merger_->waiting(rank) > kMostWaiting;
    if (is_ahead == one.paused || !one.call) return;
    one.paused = is_ahead;
    is_ahead ? one.call->pause_input() : one.call->resume_input();
  }

  void wait_for_room() {
    is_blocked_ = true;
    exchange_->when_room(kMostUnsent / 2, [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (!self || !self->exchange_) return;
      self->is_blocked_ = false;
      self->send();
      if (self->is_complete()) self->finish();
    });
  }

  bool is_complete() const { return left_ == 0 || left_to_send_ == 0; }

  /// Ranks that have not started have no log; their error is the answer only when no rank has one.
  void finish() {
    if (is_blocked_) return;  // the last lines follow
    if (!begun_ && error_) return fail(*error_);
    begin();
    exchange_->finish();
    release();
  }

  void fail(const Error& error) {
    if (exchange_ && !begun_) respond_error(*exchange_, error);
    if (exchange_ && begun_) exchange_->abort();  // a regular end would mean that the log is complete
    release();
  }

  /// Posted, because a call must not be destroyed inside its own callback.
  void release() {
    exchange_.reset();
    loop_.post([self = shared_from_this()] { self->ranks_.clear(); });
  }

  Loop& loop_;
  client::ApiClient& client_;
  std::shared_ptr<net::Exchange> exchange_;  // null when everything is sent or the client is gone
  std::string ns_;
  std::string name_;
  std::string container_;
  std::string query_;
  bool follow_;
  bool show_times_;
  std::vector<Rank> ranks_;
  std::optional<cli::LogMerger> merger_;
  std::size_t left_ = 0;                      // ranks whose log has not ended
  std::optional<std::int64_t> left_to_send_;  // bytes
  std::optional<Error> error_;
  bool begun_ = false;
  bool is_blocked_ = false;
};

}  // namespace

apiserver::Route job_log_route(Loop& loop, const std::unique_ptr<client::ApiClient>& client) {
  const auto handle = [&loop, &client](const apiserver::RoutedRequest& request,
                                       const std::shared_ptr<net::Exchange>& exchange) {
    const auto kind = find_job_kind(request.at.at("resource"));
    if (!kind) return respond_error(*exchange, kind.error());
    const auto log = std::make_shared<JobLog>(loop, *client, request, exchange);
    if (const Status started = log->start(**kind, request.query); !started) respond_error(*exchange, started.error());
  };
  return {.pattern = "apis/muster.dev/v1/namespaces/{namespace}/jobs/{resource}/{name}/log",
          .methods = {"GET"},
          .handle = handle};
}

}  // namespace muster
