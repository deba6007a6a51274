#include "client/logs/log_follower.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "api/owners.h"
#include "client/live_list.h"
#include "client/logs/log_merger.h"
#include "client/logs/log_target.h"

namespace muster::client {

namespace {

using namespace std::chrono_literals;

constexpr Duration kPause = 300ms;
constexpr Duration kPatience = 60s;
// How long a line of the past waits for what other logs may still have from before it.
constexpr Duration kBacklogWait = 300ms;
constexpr std::size_t kMostBacklog = std::size_t{1} << 20;  // of a log that is ahead of the others
constexpr const char* kPreviousRun = "&previous=true";

struct Run {
  bool started = false;
  bool ended = false;
  std::int64_t restarts = 0;
};

/// Returns the state of a pod's container; a container without a status has not started.
Run run_of(const json::Document& pod, const std::string& container) {
  Run out;
  const std::string& phase = pod.string_at("status", "phase");
  const bool pod_ended = phase == "Succeeded" || phase == "Failed";
  for (const char* list : {"initContainerStatuses", "containerStatuses"}) {
    for (const json::Document& status : pod.array_at("status", list)) {
      if (status.string_at("name") != container) continue;
      out.restarts = status.int_at("restartCount");
      out.ended = status.at("state", "terminated") != nullptr;
      out.started = out.ended || status.at("state", "running") != nullptr;
    }
  }
  out.ended = out.ended || pod_ended;
  return out;
}

}  // namespace

struct LogFollower::State : std::enable_shared_from_this<LogFollower::State> {
  // Identifies one run of a container: the pod's uid and the number of restarts before the run.
  using Key = std::pair<std::string, std::int64_t>;
  struct Source {
    std::string pod;
    std::string container;
    TimestampedLog log;
    LineCutter cutter;
    std::string first_query;  // tail and since, for the first request only
    std::unique_ptr<net::Call> call;
    std::optional<MonoTime> failing_since;
    bool container_ended = false;  // as the API reports it
    bool pod_gone = false;         // another pod may have its name now, so no more requests are sent
    bool done = false;
    std::optional<std::size_t> in_backlog = {};  // its number there
    bool waits = false;                          // its stream is paused
  };

  State(Loop& l, ApiClient& a, FollowOptions o, Out to)
      : loop(l), api(a), options(std::move(o)), out(std::move(to)), last_activity(l.mono()) {}

  Loop& loop;
  ApiClient& api;
  FollowOptions options;
  Out out;
  std::function<void()> on_progress;
  std::unique_ptr<LiveList> live;
  std::map<Key, Source> sources;
  std::map<std::string, std::size_t> order;  // pod name -> colour
  std::map<std::string, bool> ended;         // pod uid -> has ended or gone
  std::optional<Error> failure;
  MonoTime last_activity;
  bool first_list = true;
  bool is_paused = false;
  std::optional<LogMerger> backlog;
  bool backlog_timer = false;
  MonoTime backlog_moved;  // when it last gave a line

  void got_list(const json::Document& list) {
    std::map<std::string, bool> present;
    for (const json::Document& pod : list.array_at("items")) {
      present[pod.string_at("metadata", "uid")] = true;
      saw_pod(pod);
    }
    for (auto& [uid, over] : ended) {
      if (!present.contains(uid)) gone(uid);
    }
    if (first_list) start_backlog();
    first_list = false;
  }

  /// The callbacks of the streams that were opened for the first list have not run yet.
  void start_backlog() {
    if (sources.size() < 2) return;
    std::vector<std::string> prefixes;
    for (auto& [key, source] : sources) {
      source.in_backlog = prefixes.size();
      source.log.show(TimestampedLog::Show::kWithTimestamps);
      prefixes.push_back(source.cutter.prefix());
    }
    backlog.emplace(std::move(prefixes), options.timestamps);
    backlog_moved = loop.mono();
  }

  void print_backlog() {
    if (const std::string lines = backlog->take(); !lines.empty()) {
      backlog_moved = loop.mono();
      out(lines);
    }
    for (auto& [key, source] : sources) {
      if (source.in_backlog) balance(source);
    }
    if (!backlog->any_waiting() || std::exchange(backlog_timer, true)) return;
    loop.after(kBacklogWait, [weak = weak_from_this()] {
      if (auto self = weak.lock()) self->check_backlog();
    });
  }

  void check_backlog() {
    backlog_timer = false;
    if (!backlog) return;
    const bool stands_still = loop.mono() - backlog_moved >= kBacklogWait;
    backlog->any_waiting() && stands_still ? end_backlog() : print_backlog();
  }

  void end_backlog() {
    backlog->stop_waiting();
    out(backlog->take());
    backlog.reset();
    for (auto& [key, source] : sources) {
      if (!std::exchange(source.in_backlog, std::nullopt)) continue;
      source.log.show(shown());
      balance(source);
    }
  }

  void balance(Source& source) {
    const bool is_ahead = source.in_backlog && backlog->waiting(*source.in_backlog) > kMostBacklog;
    const bool should_wait = is_paused || is_ahead;
    if (source.waits == should_wait || source.call == nullptr) return;
    source.waits = should_wait;
    should_wait ? source.call->pause_input() : source.call->resume_input();
  }

  TimestampedLog::Show shown() const {
    return options.timestamps ? TimestampedLog::Show::kWithTimestamps : TimestampedLog::Show::kWithoutTimestamps;
  }

  void saw_pod(const json::Document& pod) {
    if (!options.owner_uid.empty() && !api::is_controlled_by(pod, options.owner_uid)) return;
    if (options.on_pod) options.on_pod(pod);
    const std::string& uid = pod.string_at("metadata", "uid");
    const std::string& name = pod.string_at("metadata", "name");
    const std::string container = options.container.empty() ? default_container(pod) : options.container;
    const Run run = run_of(pod, container);
    const std::string label = options.label ? options.label(pod) : name;
    const std::string prefix = line_prefix(options.prefix, label, order.try_emplace(name, order.size()).first->second);
    ended[uid] = run.ended;
    for (auto& [key, source] : sources) {
      // An earlier run of the same container is over by definition.
      if (key.first == uid && (key.second < run.restarts || run.ended)) source.container_ended = true;
    }
    const Key key{uid, run.restarts};
    if (!run.started || sources.contains(key)) return;
    if (run.restarts > 0 && !sources.contains({uid, run.restarts - 1}) && !first_list) {
      add_source({uid, run.restarts - 1}, name, container, prefix, kPreviousRun);
    }
    add_source(key, name, container, prefix, first_list ? options.tail_query : "");
    sources.at(key).container_ended = run.ended;
  }

  void gone(const std::string& uid) {
    if (const auto known = ended.find(uid); known != ended.end()) known->second = true;
    for (auto& [key, source] : sources) {
      if (key.first == uid) source.container_ended = source.pod_gone = true;
    }
  }

  void add_source(const Key& key, const std::string& pod, const std::string& container, const std::string& prefix,
                  std::string first_query) {
    if (backlog) end_backlog();  // output of a new run is not part of the past
    Source source{.pod = pod,
                  .container = container,
                  .log = TimestampedLog(shown()),
                  .cutter = LineCutter(prefix),
                  .first_query = std::move(first_query),
                  .call = nullptr,
                  .failing_since = std::nullopt};
    sources.emplace(key, std::move(source));
    open(key);
  }

  void open(const Key& key) {
    Source& source = sources.at(key);
    std::string target = log_target(options.ns, source.pod, source.container) + "&timestamps=true";
    if (source.first_query != kPreviousRun) target += "&follow=true";
    if (options.fold) target += "&fold=true";
    if (source.log.last_time().empty()) {
      target += source.first_query;
    } else {
      // A kubelet takes whole seconds of it; TimestampedLog skips the lines that were already printed.
      target += "&sinceTime=" + net::percent_encode(source.log.last_time() + "Z");
    }
    source.log.restart();
    source.waits = false;
    net::ResponseSink sink;
    sink.on_head = [](int, const net::Headers&) {};
    sink.on_data = [weak = weak_from_this(), key](std::string_view bytes) {
      if (auto self = weak.lock()) self->got_bytes(key, bytes);
    };
    sink.on_end = [weak = weak_from_this(), key](Status status) {
      if (auto self = weak.lock()) self->stream_ended(key, std::move(status));
    };
    source.call = api.stream("GET", target, std::move(sink));
  }

  void got_bytes(const Key& key, std::string_view bytes) {
    Source& source = sources.at(key);
    source.failing_since.reset();
    last_activity = loop.mono();
    print(source, source.log.feed(bytes));
    show_state(key, source);
    balance(source);  // a stream that was opened during a pause has not been paused yet
  }

  void print(Source& source, const std::string& text) {
    if (source.in_backlog) {
      backlog->feed(*source.in_backlog, text);
      return print_backlog();
    }
    const std::string lines = source.cutter.feed(text);
    if (!lines.empty()) out(lines);
  }

  void show_state(const Key& key, Source& source) {
    const auto state = source.log.take_state();
    if (!state || !options.on_state) return;
    options.on_state(
        {.run = fmt::format("{}/{}", key.first, key.second), .prefix = source.cutter.prefix(), .text = *state});
  }

  void stream_ended(const Key& key, Status status) {
    Source& source = sources.at(key);
    if (status) return ended_without_error(key);
    const Error& error = status.error();
    // The log was deleted together with its pod, so there is nothing left to read.
    if (error.reason == Reason::kNotFound || source.pod_gone) return finish(key, source);
    const MonoTime now = loop.mono();
    if (!source.failing_since) source.failing_since = now;
    const bool hopeless = error.reason == Reason::kForbidden || error.reason == Reason::kUnauthorized;
    if (hopeless || now - *source.failing_since > kPatience) {
      failure = error;
      return finish(key, source);
    }
    later(key, [](State& self, const Key& k) {
      Source& again = self.sources.at(k);
      again.pod_gone ? self.finish(k, again) : self.open(k);
    });
  }

  /// A stream ended without an error. If the container has ended too, the log is complete. If not, the update about its
  /// end is still on the way or the server was stopped: wait a moment, then check again or continue to read.
  void ended_without_error(const Key& key) {
    Source& source = sources.at(key);
    if (source.container_ended) return finish(key, source);
    later(key, [](State& self, const Key& k) {
      Source& again = self.sources.at(k);
      again.container_ended ? self.finish(k, again) : self.open(k);
    });
  }

  void finish(const Key& key, Source& source) {
    source.done = true;
    print(source, source.log.finish());
    show_state(key, source);
    if (source.in_backlog) {
      backlog->end(*source.in_backlog);
      print_backlog();
    } else if (const std::string rest = source.cutter.finish(); !rest.empty()) {
      out(rest);
    }
    progressed();
  }

  void progressed() {
    if (on_progress) on_progress();
  }

  void later(const Key& key, void (*step)(State&, const Key&)) {
    loop.after(kPause, [weak = weak_from_this(), key, step] {
      if (auto self = weak.lock()) step(*self, key);
    });
  }
};

LogFollower::LogFollower(Loop& loop, ApiClient& api, FollowOptions options, Out out)
    : state_(std::make_shared<State>(loop, api, std::move(options), std::move(out))) {}

LogFollower::~LogFollower() = default;

void LogFollower::start(std::function<void()> on_progress) {
  LiveSink sink;
  // The state owns the list, so the callbacks never outlive the state and a plain pointer is safe.
  State* state = state_.get();
  state->on_progress = std::move(on_progress);
  sink.on_list = [state](const json::Document& list) {
    state->got_list(list);
    state->progressed();
  };
  sink.on_event = [state](const std::string& type, const json::Document& pod) {
    // The log of a deleted pod can no longer be read, and a new pod may have the same name.
    type == "DELETED" ? state->gone(pod.string_at("metadata", "uid")) : state->saw_pod(pod);
    state->progressed();
  };
  sink.on_failed = [state](const Error& error) {
    state->failure = error;
    state->progressed();
  };
  const FollowOptions& options = state->options;
  state->live = std::make_unique<LiveList>(state->loop, state->api,
                                           LiveQuery{.resource = {"", "v1", "pods"},
                                                     .ns = options.ns,
                                                     .label_selector = options.label_selector,
                                                     .field_selector = options.field_selector},
                                           std::move(sink));
  state->live->start();
}

bool LogFollower::idle() const {
  return std::ranges::all_of(state_->sources, [](const auto& entry) { return entry.second.done; });
}

std::size_t LogFollower::pods() const {
  return state_->order.size();
}

bool LogFollower::all_ended() const {
  return std::ranges::all_of(state_->ended, [](const auto& entry) { return entry.second; });
}

MonoTime LogFollower::last_activity() const {
  return state_->is_paused ? state_->loop.mono() : state_->last_activity;
}

const std::optional<Error>& LogFollower::failure() const {
  return state_->failure;
}

void LogFollower::look(const json::Document& pod_list) {
  state_->got_list(pod_list);
}

void LogFollower::pause(bool paused) {
  state_->last_activity = last_activity();
  state_->is_paused = paused;
  for (auto& [key, source] : state_->sources) state_->balance(source);
}

}  // namespace muster::client
