#include "apiserver/watch/watch.h"

#include <fmt/core.h>

#include <algorithm>

#include "apiserver/errors/status_error.h"
#include "apiserver/list/read.h"
#include "apiserver/watch/watch_lines.h"

namespace muster::apiserver {
namespace {

constexpr std::size_t kMaxUnsent = 8u << 20;
constexpr std::size_t kMaxBlock = 56u << 10;  // lines sent together; even encrypted, a block goes out in one call
constexpr Duration kGather = std::chrono::milliseconds(4);  // events right after a block are gathered for this long
constexpr Duration kBookmarkEvery = std::chrono::seconds(60);
constexpr std::size_t kInitialSlice = 250;
constexpr std::size_t kInitialUnsent = 1u << 20;   // no further slice while this much is unsent
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
  auto operator<=>(const Choice&) const = default;
};

/// The objects that a watch begins with. Watches that begin at the same revision with the same choice share it.
struct Watches::Listing {
  Choice choice;
  store::Revision revision = 0;
  std::vector<net::Bytes> objects;
};

struct Watches::Watcher : std::enable_shared_from_this<Watches::Watcher> {
  Choice choice;
  Selection selection;
  Start start;
  std::shared_ptr<net::Exchange> exchange;
  store::Revision after = 0;
  std::shared_ptr<const Listing> initial;  // while it is being sent
  std::size_t initial_sent = 0;
  std::size_t initial_bytes = 0;  // does not count when the reader is checked for being too slow
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
  std::string lines;                // not sent yet
  std::optional<MonoTime> flushed;  // when the last lines were sent
};

Watches::Watches(Context& context) : context_(context) {}

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
  watchers_.insert(watcher);
  const std::weak_ptr<Watcher> weak = watcher;
  watcher->exchange->on_gone([this, weak] {
    if (const auto gone = weak.lock()) close(gone);
  });
  // The response head goes out before the first event, however late that comes, because clients wait for it.
  watcher->exchange->begin(200, {{"Content-Type", "application/json"}, {"Cache-Control", "no-cache, private"}});

  const bool from_now = !start->revision || *start->revision == 0;
  watcher->after = from_now ? context_.store.revision() : *start->revision;
  if (!from_now || start->without_initial_events) return follow(watcher);
  watcher->initial = listing(*watcher);
  send_initial(watcher);
}

// ---- The initial objects and the history.

/// Collected now, because the current state can only be read now; sent later.
std::shared_ptr<const Watches::Listing> Watches::listing(const Watcher& watcher) {
  const auto last = last_listing_.lock();
  if (last && last->revision == watcher.after && last->choice == watcher.choice) return last;
  auto made = std::make_shared<Listing>();
  made->choice = watcher.choice;
  made->revision = watcher.after;
  const Selection& selection = watcher.selection;
  const store::Range range{selection.resource, selection.ns, selection.ns, selection.only_key() ? selection.name : ""};
  const Status scanned =
      context_.store.scan_at(range, watcher.after, [&](const store::Key& key, const store::Entry& entry) {
        if (selection.only_key() && key.name != selection.name) return false;
        if (selection.matches(key, *entry.attributes)) made->objects.push_back(entry.bytes);
        return true;
      });
  CHECK(scanned.has_value());  // `after` is the current revision
  last_listing_ = made;
  return made;
}

/// Sends in slices, so that other requests are served in between; the client reads them at its own speed.
void Watches::send_initial(const std::shared_ptr<Watcher>& watcher) {
  const std::vector<net::Bytes>& objects = watcher->initial->objects;
  const std::size_t end = std::min(objects.size(), watcher->initial_sent + kInitialSlice);
  for (; watcher->initial_sent < end; ++watcher->initial_sent) {
    const net::Bytes& object = objects[watcher->initial_sent];
    watcher->initial_bytes += object->size();
    send(*watcher, "ADDED", object);
  }
  if (end < objects.size()) return send_later(watcher);
  watcher->initial.reset();
  if (watcher->start.initial_events_end) {
    const Choice& choice = watcher->choice;
    watcher->exchange->write(
        std::make_shared<const std::string>(bookmark_line(*choice.resource, choice.form, watcher->after, true)));
  }
  follow(watcher);
}

/// Continues when other work has had its turn and the client has read most of what was sent.
void Watches::send_later(const std::shared_ptr<Watcher>& watcher) {
  const bool has_room = watcher->exchange->unsent() <= kInitialUnsent;
  Task next = [this, weak = std::weak_ptr(watcher), has_room] {
    const auto live = weak.lock();
    if (!live || live->closed) return;
    has_room ? send_initial(live) : send_later(live);
  };
  if (!has_room) {
    watcher->exchange->when_room(kInitialUnsent, std::move(next));
  } else if (watcher->choice.takes_shared) {
    // Controllers of this process wait: requests from outside come first.
    context_.loop.post_when_idle(std::move(next));
  } else {
    context_.loop.post(std::move(next));
  }
}

/// Sends all events after `after`, and then the new ones as they come.
void Watches::follow(const std::shared_ptr<Watcher>& watcher) {
  const Status replayed = context_.store.replay(watcher->selection.resource, watcher->after, [&](const auto& event) {
    if (watcher->closed || !keeps_up(*watcher)) return;
    if (const auto type = type_within(watcher->selection, *event)) send(*watcher, *type, event->entry.bytes);
  });
  if (!replayed) return fail(watcher, replayed.error());
  if (watcher->closed) return;
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
  watcher.exchange->write(std::make_shared<const std::string>(std::move(line)));
}

/// Disconnects the watcher when it does not keep up.
bool Watches::keeps_up(Watcher& watcher) {
  if (watcher.exchange->unsent() <= kMaxUnsent + watcher.initial_bytes) return true;
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
  const auto block = std::make_shared<const std::string>(std::exchange(audience.lines, {}));
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
  context_.loop.cancel(watcher->timeout);
  context_.loop.cancel(watcher->bookmark);
  watchers_.erase(watcher);
}

}  // namespace muster::apiserver
