#include "client/live_list.h"

#include "base/random.h"
#include "client/backoff.h"

namespace muster::client {

namespace {

using namespace std::chrono_literals;

constexpr Backoff kListPause{.first = 200ms, .longest = 2s};
constexpr Duration kListPatience = 60s;

bool worth_waiting(Reason reason) {
  return reason == Reason::kServiceUnavailable || reason == Reason::kTimeout || reason == Reason::kTooManyRequests ||
         reason == Reason::kInternalError || reason == Reason::kBadGateway;
}

}  // namespace

struct LiveList::State : std::enable_shared_from_this<LiveList::State> {
  State(Loop& l, ApiClient& a, LiveQuery q, LiveSink k) : loop(l), api(a), query(std::move(q)), sink(std::move(k)) {}

  Loop& loop;
  ApiClient& api;
  LiveQuery query;
  LiveSink sink;
  WatchHandle watch;
  Loop::Id timer = 0;
  std::string revision;
  bool listed = false;
  bool closed = false;
  SystemRng rng;
  int failures = 0;
  std::optional<MonoTime> failing_since;

  void list() {
    ListOptions options;
    options.label_selector = query.label_selector;
    options.field_selector = query.field_selector;
    options.as_table = query.as_table;
    api.list(query.resource, query.ns, options, [weak = weak_from_this()](Result<json::Document> result) {
      if (auto self = weak.lock(); self && !self->closed) self->got_list(std::move(result));
    });
  }

  void got_list(Result<json::Document> result) {
    if (!result) return failed(result.error());
    recovered();
    listed = true;
    revision = result->string_at("metadata", "resourceVersion");
    sink.on_list(*result);
    if (!closed) start_watch();
  }

  void start_watch() {
    WatchOptions options;
    options.label_selector = query.label_selector;
    options.field_selector = query.field_selector;
    options.as_table = query.as_table;
    options.resource_version = revision;
    WatchSink to;
    to.on_event = [weak = weak_from_this()](const WatchEvent& event) {
      if (auto self = weak.lock(); self && !self->closed) self->got_event(event.type, event.object);
    };
    to.on_end = [weak = weak_from_this()](Status status) {
      if (auto self = weak.lock(); self && !self->closed) self->ended(std::move(status));
    };
    watch = api.watch(query.resource, query.ns, options, std::move(to));
  }

  void got_event(const std::string& type, const json::Document& object) {
    recovered();
    remember_revision(object);
    if (type != "BOOKMARK") sink.on_event(type, object);
  }

  // A Table event may carry its resourceVersion only on the object inside its row.
  void remember_revision(const json::Document& object) {
    const std::string* found = &object.string_at("metadata", "resourceVersion");
    const json::Array& rows = object.array_at("rows");
    if (found->empty() && !rows.empty()) found = &rows.back().string_at("object", "metadata", "resourceVersion");
    if (!found->empty()) revision = *found;
  }

  void ended(Status status) {
    if (status) {
      // Always pause before the next watch: a server that ends every watch at once must not be polled in a tight loop.
      again(kListPause.wait(1, std::nullopt, rng), [](State& self) { self.start_watch(); });
    } else if (status.error().reason == Reason::kExpired) {
      again(kListPause.wait(1, std::nullopt, rng), [](State& self) { self.list(); });
    } else {
      failed(status.error());
    }
  }

  void failed(const Error& error) {
    const MonoTime now = loop.mono();
    if (!failing_since) failing_since = now;
    if (!listed || !worth_waiting(error.reason) || now - *failing_since > kListPatience) {
      closed = true;
      sink.on_failed(error);
      return;
    }
    again(kListPause.wait(++failures, error.retry_after, rng), [](State& self) { self.list(); });
  }

  void recovered() {
    failing_since.reset();
    failures = 0;
  }

  void again(Duration after, void (*step)(State&)) {
    timer = loop.after(after, [weak = weak_from_this(), step] {
      if (auto self = weak.lock(); self && !self->closed) step(*self);
    });
  }
};

LiveList::LiveList(Loop& loop, ApiClient& api, LiveQuery query, LiveSink sink)
    : state_(std::make_shared<State>(loop, api, std::move(query), std::move(sink))) {}

LiveList::~LiveList() {
  state_->closed = true;
  if (state_->timer != 0) state_->loop.cancel(state_->timer);
}

void LiveList::start() {
  state_->list();
}

}  // namespace muster::client
