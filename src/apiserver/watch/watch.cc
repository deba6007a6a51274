#include "apiserver/watch/watch.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "apiserver/errors/status_error.h"
#include "apiserver/list/read.h"
#include "apiserver/watch/watch_lines.h"

namespace muster::apiserver {
namespace {

constexpr std::size_t kMaxUnsent = 8u << 20;
constexpr std::size_t kMaxBlock = 56u << 10;  // lines sent together; even encrypted, a block goes out in one call
constexpr Duration kGather = std::chrono::milliseconds(4);  // events right after a block are gathered for this long
constexpr Duration kBookmarkEvery = std::chrono::seconds(60);
constexpr std::size_t kSliceLines = 250;           // made in one turn of the loop
constexpr std::size_t kSliceBytes = 256u << 10;    // or fewer
constexpr std::size_t kSliceVisits = 5000;         // objects that are looked at in one turn
constexpr std::size_t kMostUnmade = 1u << 20;      // a reader in this process gets no more while this much is unsent
constexpr std::int64_t kMinDefaultTimeout = 1800;  // seconds; spread so that not all clients reconnect at once

struct Start {
  std::optional<store::Revision> revision;  // nullopt or 0: begin with the current objects
  bool bookmarks = false;
  bool without_initial_events = false;
  bool initial_events_end = false;
  Duration timeout{};
};

Error invalid_watch(std::string_view why) {
  return invalid_options("ListOptions", {forbidden_value("resourceVersionMatch", why)});
}

Result<Start> parse_start(const Query& query, Rng& rng) {
  Start start;
  TRY_ASSIGN(start.revision, parse_revision(query));
  start.bookmarks = query.flag("allowWatchBookmarks");
  const std::string_view match = query.get("resourceVersionMatch");
  if (query.has("sendInitialEvents")) {
    if (match != "NotOlderThan") {
      return invalid_watch("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    }
    const bool wanted = query.flag("sendInitialEvents");
    if (wanted) start.revision.reset();
    start.without_initial_events = !wanted;
    start.initial_events_end = wanted && start.bookmarks;
  } else if (!match.empty()) {
    return invalid_watch("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
  }
  TRY(query.number("limit"));
  TRY_ASSIGN(const auto timeout, query.number("timeoutSeconds"));
  const std::int64_t spread = static_cast<std::int64_t>(rng.next() % kMinDefaultTimeout);
  const std::int64_t seconds = timeout.value_or(0) != 0 ? *timeout : kMinDefaultTimeout + spread;
  start.timeout = std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, 24 * 3600));
  return start;
}

/// The type of the event for a watcher that sees only a selection: an object that enters it is added, one that leaves
/// it is deleted. Nullopt for events outside of it.
std::optional<std::string_view> type_within(const Selection& selection, const store::Event& event) {
  const bool matches = selection.matches(event.key, *event.entry.attributes);
  const bool matched = event.previous.attributes != nullptr && selection.matches(event.key, *event.previous.attributes);
  if (!matches && !matched) return std::nullopt;
  if (event.type == store::EventType::kDeleted || !matches) return "DELETED";
  return matched ? "MODIFIED" : "ADDED";
}

}  // namespace

/// Everything that decides which events a watcher gets, and in which form.
struct Watches::Choice {
  const api::Resource* resource = nullptr;
  std::string ns;
  std::string name;
  std::string labels;  // selectors as sent
  std::string fields;
  Form form;
  bool takes_shared = false;       // objects as stored, for a reader in this process
  store::Revision not_before = 0;  // a watch may begin at a future revision
  std::string account;             // whose memory unsent lines are
  auto operator<=>(const Choice&) const = default;
};

struct Watches::Watcher : std::enable_shared_from_this<Watches::Watcher> {
  Choice choice;
  Selection selection;
  Start start;
  std::shared_ptr<net::Exchange> exchange;
  std::shared_ptr<Backlog> backlog;
  store::Revision after = 0;
  bool reads_objects = false;                                   // the objects come first, in the order of their keys,
  std::optional<std::tuple<std::string, std::string>> reached;  // up to this namespace and name so far
  store::Store::Id changes = 0;                                 // of objects that have been sent; while reads_objects
  std::shared_ptr<Audience> audience;
  Loop::Id timeout = 0;
  Loop::Id bookmark = 0;
  bool closed = false;
};

struct Watches::Audience : std::enable_shared_from_this<Watches::Audience> {
  Choice choice;
  Selection selection;
  store::Store::Id subscription = 0;
  std::vector<Watcher*> members;
  std::shared_ptr<Backlog> backlog;
  std::string lines;                // not sent yet
  std::optional<MonoTime> flushed;  // when the last lines were sent
};

/// What one turn makes for a watcher.
class Watches::Slice {
 public:
  explicit Slice(const Watcher& watcher) : most_bytes_(std::min(kSliceBytes, watcher.backlog->share())) {}
  /// The first object is sent however large it is.
  bool is_full() const { return bytes_ >= most_bytes_ || lines_ >= kSliceLines || visits_ >= kSliceVisits; }
  void visit() { ++visits_; }
  void add(const net::Bytes& object) {
    ++lines_;
    bytes_ += object->size();
  }

 private:
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::size_t lines_ = 0;
  std::size_t visits_ = 0;
};

Watches::Watches(Context& context) : context_(context), backlogs_(context.loop) {}

Watches::~Watches() {
  const auto open = watchers_;
  for (const auto& watcher : open) {
    watcher->exchange->finish();
    close(watcher);
  }
}

void Watches::open(const ResourceRequest& request, Reply reply) {
  auto selection = parse_selection(request);
  if (!selection) return reply.fail(selection.error());
  auto start = parse_start(request.query, context_.rng);
  if (!start) return reply.fail(start.error());

  auto watcher = std::make_shared<Watcher>();
  watcher->selection = *std::move(selection);
  watcher->start = *start;
  watcher->exchange = reply.exchange();
  Choice& choice = watcher->choice;
  choice.resource = request.resource;
  choice.ns = request.ns;
  choice.name = request.name;
  choice.labels = request.query.get("labelSelector");
  choice.fields = request.query.get("fieldSelector");
  choice.form = reply.form();
  if (choice.form.as != As::kTable) choice.form.headers = false;
  choice.takes_shared =
      choice.form.as == As::kObject && request.resource->is_storage && watcher->exchange->takes_shared();
  watcher->backlog = backlogs_.of(request.who);
  choice.account = watcher->backlog->account();
  if (!choice.takes_shared) watcher->backlog->enter();
  watchers_.insert(watcher);
  const std::weak_ptr<Watcher> weak = watcher;
  watcher->exchange->on_gone([this, weak] {
    if (const auto gone = weak.lock()) close(gone);
  });
  // The response head goes out before the first event, however late that comes, because clients wait for it.
  watcher->exchange->begin(200, {{"Content-Type", "application/json"}, {"Cache-Control", "no-cache, private"}});

  const bool from_now = !start->revision || *start->revision == 0;
  watcher->after = from_now ? context_.store.revision() : *start->revision;
  if (from_now && !start->without_initial_events) read_objects(*watcher);
  watcher->choice.takes_shared || watcher->backlog->has_room() ? produce(watcher) : produce_later(watcher);
}

// ---- The initial objects and the history.

/// The objects are sent as they are when their turn comes, so that nothing of the past is kept for a slow reader.
/// Changes of those that have been sent follow at once; changes of the others are seen when their turn comes.
void Watches::read_objects(Watcher& watcher) {
  watcher.reads_objects = true;
  const auto id = context_.store.watch(watcher.selection.resource, watcher.after,
                                       [this, to = &watcher](const auto& event) { on_early_event(*to, *event); });
  CHECK(id.has_value());  // `after` is the current revision
  watcher.changes = *id;
}

void Watches::on_early_event(Watcher& watcher, const store::Event& event) {
  if (!watcher.reached || std::tie(event.key.ns, event.key.name) > *watcher.reached) return;
  const auto type = type_within(watcher.selection, event);
  if (type && keeps_up(watcher)) send(watcher, *type, event.entry.bytes);
}

/// Sends in slices, so that other requests are served in between; the client reads them at its own speed.
void Watches::produce(const std::shared_ptr<Watcher>& watcher) {
  if (!watcher->reads_objects) return follow(watcher);
  if (!send_objects(*watcher)) return produce_later(watcher);
  context_.store.unwatch(watcher->changes);
  watcher->reads_objects = false;
  watcher->after = context_.store.revision();
  if (watcher->start.initial_events_end) {
    const Choice& choice = watcher->choice;
    watcher->exchange->write(
        watcher->backlog->hold(bookmark_line(*choice.resource, choice.form, watcher->after, true)));
  }
  follow(watcher);
}

/// Continues when other work has had its turn and the client has read most of what was sent.
void Watches::produce_later(const std::shared_ptr<Watcher>& watcher) {
  const bool is_ours = watcher->choice.takes_shared;
  const std::size_t most = is_ours ? kMostUnmade : watcher->backlog->share();
  const bool has_room = watcher->exchange->unsent() <= most;
  Task next = [this, weak = std::weak_ptr(watcher), most, has_room] {
    const auto live = weak.lock();
    if (!live || live->closed) return;
    // New events may have taken the room meanwhile.
    has_room && live->exchange->unsent() <= most ? produce(live) : produce_later(live);
  };
  if (!has_room) {
    watcher->exchange->when_room(most, std::move(next));
  } else if (is_ours) {
    // Controllers of this process wait: requests from outside come first.
    context_.loop.post_when_idle(std::move(next));
  } else {
    watcher->backlog->in_turn(std::move(next));
  }
}

/// Returns true when all objects have been sent.
bool Watches::send_objects(Watcher& watcher) {
  const Selection& selection = watcher.selection;
  store::Range range{selection.resource, selection.ns, selection.ns, selection.only_key() ? selection.name : ""};
  if (watcher.reached) {
    range.from_ns = std::get<0>(*watcher.reached);
    range.from_name = std::get<1>(*watcher.reached) + '\0';
  }
  Slice slice(watcher);
  bool complete = true;
  const auto visit = [&](const store::Key& key, const store::Entry& entry) {
    if (selection.only_key() && key.name != selection.name) return false;
    if (slice.is_full()) return complete = false;
    watcher.reached.emplace(key.ns, key.name);
    slice.visit();
    if (!selection.matches(key, *entry.attributes)) return true;
    slice.add(entry.bytes);
    send(watcher, "ADDED", entry.bytes);
    return true;
  };
  CHECK(context_.store.scan_at(range, context_.store.revision(), visit).has_value());
  return complete;
}

/// Sends all events after `after`, and then the new ones as they come.
void Watches::follow(const std::shared_ptr<Watcher>& watcher) {
  Slice slice(*watcher);
  bool complete = true;
  const auto visit = [&](const auto& event) {
    if (slice.is_full()) return complete = false;
    slice.visit();
    watcher->after = event->entry.revision;
    if (const auto type = type_within(watcher->selection, *event)) {
      slice.add(event->entry.bytes);
      send(*watcher, *type, event->entry.bytes);
    }
    return true;
  };
  const Status replayed = context_.store.replay(watcher->selection.resource, watcher->after, visit);
  if (!replayed) return fail(watcher, replayed.error());
  if (!complete) return produce_later(watcher);
  join(*watcher);
  const std::weak_ptr<Watcher> weak = watcher;
  watcher->timeout = context_.loop.after(watcher->start.timeout, [this, weak] {
    if (const auto live = weak.lock()) end(live);
  });
  if (watcher->start.bookmarks) schedule_bookmark(watcher);
}

void Watches::send(Watcher& watcher, std::string_view type, const net::Bytes& object) {
  Choice& choice = watcher.choice;
  if (choice.takes_shared) return watcher.exchange->write_shared(type, object);
  std::string line;
  line.reserve(object->size() + 40);
  append_event(line, *choice.resource, choice.form, type, object, context_.loop.now());
  choice.form.headers = false;
  watcher.exchange->write(watcher.backlog->hold(std::move(line)));
}

/// Disconnects the watcher when it does not keep up.
bool Watches::keeps_up(Watcher& watcher) {
  const std::size_t unsent = watcher.exchange->unsent();
  const bool is_over = watcher.backlog->is_over() && unsent > watcher.backlog->share();
  if (unsent <= kMaxUnsent && (watcher.choice.takes_shared || !is_over)) return true;
  watcher.exchange->abort();
  close(watcher.shared_from_this());
  return false;
}

/// The response head is already sent, so the error is sent as an event.
void Watches::fail(const std::shared_ptr<Watcher>& watcher, Error error) {
  if (error.reason == Reason::kExpired) {
    error.message = fmt::format("too old resource version: {} ({})", watcher->after, context_.store.revision());
  }
  watcher->exchange->write(std::make_shared<const std::string>(error_line(error)));
  watcher->exchange->finish();
  close(watcher);
}

// ---- New events.

void Watches::join(Watcher& watcher) {
  if (watcher.after > context_.store.revision()) watcher.choice.not_before = watcher.after;
  // Pending lines go to the present members only: the new member has already seen those events.
  if (const auto found = audiences_.find(watcher.choice); found != audiences_.end()) {
    const auto others = found->second;
    flush(*others);
  }
  std::shared_ptr<Audience>& audience = audiences_[watcher.choice];
  if (audience == nullptr) {
    audience = std::make_shared<Audience>();
    audience->choice = watcher.choice;
    audience->selection = watcher.selection;
    audience->backlog = watcher.backlog;
    // Starts at the current revision or later: events in the history were already sent.
    const store::Revision after = std::max(watcher.after, context_.store.revision());
    const auto id = context_.store.watch(watcher.selection.resource, after,
                                         [this, to = audience.get()](const auto& event) { on_event(*to, *event); });
    CHECK(id.has_value());
    audience->subscription = *id;
  }
  audience->members.push_back(&watcher);
  watcher.audience = audience;
}

void Watches::leave(Watcher& watcher) {
  const auto audience = std::exchange(watcher.audience, nullptr);
  if (audience == nullptr) return;
  std::erase(audience->members, &watcher);
  if (!audience->members.empty()) return;
  context_.store.unwatch(audience->subscription);
  const auto found = audiences_.find(audience->choice);
  if (found != audiences_.end() && found->second == audience) audiences_.erase(found);
}

void Watches::on_event(Audience& audience, const store::Event& event) {
  Choice& choice = audience.choice;
  const auto type = type_within(audience.selection, event);
  if (!type) return;
  if (choice.takes_shared) {
    const std::vector<Watcher*> members = audience.members;
    for (Watcher* member : members) {
      if (keeps_up(*member)) member->exchange->write_shared(*type, event.entry.bytes);
    }
    return;
  }
  if (audience.lines.empty()) flush_soon(audience);
  append_event(audience.lines, *choice.resource, choice.form, *type, event.entry.bytes, context_.loop.now());
  if (choice.form.headers) {
    // The columns are sent once, and a later member would miss them, so this audience accepts no more members.
    audiences_.erase(choice);
    choice.form.headers = false;
  }
  if (audience.lines.size() >= kMaxBlock) flush(audience);
}

/// Flushes at the end of this turn, so that rare events go out at once; in a fast stream a little later, because a
/// block of many events costs each reader hardly more than a block of one.
void Watches::flush_soon(Audience& audience) {
  Task task = [this, weak = audience.weak_from_this()] {
    if (const auto live = weak.lock()) flush(*live);
  };
  const MonoTime now = context_.loop.mono();
  const MonoTime next = audience.flushed ? *audience.flushed + kGather : now;
  if (next <= now) {
    context_.loop.post(std::move(task));
  } else {
    context_.loop.after(next - now, std::move(task));
  }
}

void Watches::flush(Audience& audience) {
  if (audience.lines.empty()) return;
  audience.flushed = context_.loop.mono();
  const auto block = audience.backlog->hold(std::exchange(audience.lines, {}));
  const std::vector<Watcher*> members = audience.members;
  for (Watcher* member : members) {
    if (keeps_up(*member)) member->exchange->write(block);
  }
}

void Watches::schedule_bookmark(const std::shared_ptr<Watcher>& watcher) {
  watcher->bookmark = context_.loop.after(kBookmarkEvery, [this, weak = std::weak_ptr(watcher)] {
    const auto live = weak.lock();
    if (!live || live->closed) return;
    if (!catch_up(*live)) return;
    bookmark(*live);
    schedule_bookmark(live);
  });
}

/// Sends the pending lines to the watcher's audience. False when the watcher turned out to be too slow.
bool Watches::catch_up(Watcher& watcher) {
  const auto audience = watcher.audience;
  flush(*audience);
  return !watcher.closed;
}

void Watches::bookmark(Watcher& watcher) {
  const store::Revision now = context_.store.revision();
  if (watcher.after > now) return;
  const Choice& choice = watcher.choice;
  watcher.exchange->write(
      std::make_shared<const std::string>(bookmark_line(*choice.resource, choice.form, now, false)));
}

void Watches::end(const std::shared_ptr<Watcher>& watcher) {
  if (watcher->closed || !catch_up(*watcher)) return;
  if (watcher->start.bookmarks) bookmark(*watcher);
  watcher->exchange->finish();
  close(watcher);
}

void Watches::close(const std::shared_ptr<Watcher>& watcher) {
  if (watcher->closed) return;
  watcher->closed = true;
  leave(*watcher);
  if (watcher->reads_objects) context_.store.unwatch(watcher->changes);
  if (!watcher->choice.takes_shared) watcher->backlog->leave();
  context_.loop.cancel(watcher->timeout);
  context_.loop.cancel(watcher->bookmark);
  watchers_.erase(watcher);
}

}  // namespace muster::apiserver
