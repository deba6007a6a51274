#include "apiserver/watch.h"

#include <fmt/core.h>

#include "apiserver/read.h"
#include "apiserver/status_error.h"
#include "apiserver/table.h"
#include "apiserver/versions.h"
#include "client/api_client.h"

namespace muster::apiserver {
namespace {

constexpr std::size_t kMaxUnsent = 8u << 20;
constexpr Duration kBookmarkEvery = std::chrono::seconds(60);
constexpr std::size_t kInitialSlice = 250;
constexpr std::int64_t kMinDefaultTimeout = 1800;  // seconds; spread so that not all clients come back at once

struct Start {
  std::optional<store::Revision> revision;  // nullopt or 0: begin with what there is
  bool bookmarks = false;
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
    start.initial_events_end = query.flag("sendInitialEvents");
    if (start.initial_events_end) start.revision.reset();
  } else if (!match.empty()) {
    return invalid_watch("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
  }
  TRY(query.number("limit"));
  TRY_ASSIGN(const auto timeout, query.number("timeoutSeconds"));
  const std::int64_t spread = static_cast<std::int64_t>(rng.next() % kMinDefaultTimeout);
  const std::int64_t seconds = timeout.value_or(0) > 0 ? *timeout : kMinDefaultTimeout + spread;
  start.timeout = std::chrono::seconds(std::min<std::int64_t>(seconds, 24 * 3600));
  return start;
}

}  // namespace

struct Watches::Watcher : std::enable_shared_from_this<Watches::Watcher> {
  const api::Resource* resource = nullptr;
  Selection selection;
  Form form;
  Start start;
  std::shared_ptr<net::Exchange> exchange;
  store::Revision after = 0;
  std::size_t initial_bytes = 0;  // what it began with does not make a reader slow
  bool is_ours = false;           // a controller's of this process: those who ask from outside come first
  std::optional<store::Store::Id> subscription;
  Loop::Id timeout = 0;
  Loop::Id bookmark = 0;
  bool closed = false;
};

/// What was made of the event that the store is telling right now.
struct Watches::Rendered {
  struct Item {
    std::string type;
    const api::Resource* resource;
    Form form;
    net::Bytes bytes;
  };
  std::shared_ptr<const store::Event> event;
  std::vector<Item> items;
};

Watches::Watches(Context& context) : context_(context), rendered_(std::make_unique<Rendered>()) {}

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
  watcher->resource = request.resource;
  watcher->selection = *std::move(selection);
  watcher->form = reply.form();
  watcher->start = *start;
  watcher->exchange = reply.exchange();
  watchers_.insert(watcher);
  const std::weak_ptr<Watcher> weak = watcher;
  watcher->exchange->on_gone([this, weak] {
    if (const auto gone = weak.lock()) close(gone);
  });
  // The head goes out before the first event, however late that comes: clients wait for it.
  watcher->exchange->begin(200, {{"Content-Type", "application/json"}, {"Cache-Control", "no-cache, private"}});

  const bool from_now = !start->revision || *start->revision == 0;
  watcher->after = from_now ? context_.store.revision() : *start->revision;
  if (!from_now) return follow(watcher);
  const Selection& selected = watcher->selection;
  send_initial(watcher, {selected.resource, selected.ns, selected.ns, selected.only_key() ? selected.name : ""});
}

/// All there was at `after`, from a name on. In slices, so that others are served in between; the stream's reader takes
/// it at its own speed.
void Watches::send_initial(const std::shared_ptr<Watcher>& watcher, const store::Range& range) {
  const Selection& selection = watcher->selection;
  std::optional<store::Range> rest;
  std::size_t visited = 0;
  const Status scanned =
      context_.store.scan_at(range, watcher->after, [&](const store::Key& key, const store::Entry& entry) {
        if (selection.only_key() && key.name != selection.name) return false;
        if (visited++ == kInitialSlice) {
          rest = {range.resource, range.ns, key.ns, key.name};
          return false;
        }
        if (!selection.matches(key, *entry.attributes)) return true;
        watcher->initial_bytes += entry.bytes->size();
        watcher->is_ours = share(*watcher, "ADDED", entry.bytes);
        if (!watcher->is_ours) write(*watcher, render(*watcher, "ADDED", entry.bytes));
        return true;
      });
  if (!scanned) return fail(watcher, scanned.error());
  if (rest) {
    Task next = [this, weak = std::weak_ptr(watcher), rest = *std::move(rest)] {
      const auto live = weak.lock();
      if (live && !live->closed) send_initial(live, rest);
    };
    return watcher->is_ours ? context_.loop.post_when_idle(std::move(next)) : context_.loop.post(std::move(next));
  }
  if (watcher->start.initial_events_end) bookmark(*watcher, watcher->after, true);
  follow(watcher);
}

/// Everything that came after `after`, and then whatever comes.
void Watches::follow(const std::shared_ptr<Watcher>& watcher) {
  const std::weak_ptr<Watcher> weak = watcher;
  const auto id = context_.store.watch(watcher->selection.resource, watcher->after,
                                       [this, weak](const std::shared_ptr<const store::Event>& event) {
                                         const auto live = weak.lock();
                                         if (live && !live->closed) on_event(*live, event);
                                       });
  if (!id) return fail(watcher, id.error());
  watcher->subscription = *id;
  if (watcher->closed) return context_.store.unwatch(*id);
  watcher->timeout = context_.loop.after(watcher->start.timeout, [this, weak] {
    if (const auto live = weak.lock()) end(live);
  });
  if (watcher->start.bookmarks) schedule_bookmark(watcher);
}

/// The head is out, so the error comes as an event.
void Watches::fail(const std::shared_ptr<Watcher>& watcher, Error error) {
  if (error.reason == Reason::kExpired) {
    error.message = fmt::format("too old resource version: {} ({})", watcher->after, context_.store.revision());
  }
  const std::string status = json::serialize(client::status_from_error(error));
  watcher->exchange->write(std::make_shared<const std::string>(R"({"type":"ERROR","object":)" + status + "}\n"));
  watcher->exchange->finish();
  close(watcher);
}

void Watches::on_event(Watcher& watcher, const std::shared_ptr<const store::Event>& event) {
  const store::Event& e = *event;
  if (e.entry.revision <= watcher.after) return;  // a watch may begin at a revision that is still to come
  const Selection& selection = watcher.selection;
  const bool matches = selection.matches(e.key, *e.entry.attributes);
  const bool matched = e.previous.attributes != nullptr && selection.matches(e.key, *e.previous.attributes);
  switch (e.type) {
    case store::EventType::kAdded:
      if (matches) send(watcher, "ADDED", event);
      return;
    case store::EventType::kModified:
      // Entering the selection looks like an addition, leaving it like a deletion.
      if (matches) return send(watcher, matched ? "MODIFIED" : "ADDED", event);
      if (matched) send(watcher, "DELETED", event);
      return;
    case store::EventType::kDeleted:
      if (matched || matches) send(watcher, "DELETED", event);
      return;
  }
}

void Watches::send(Watcher& watcher, std::string_view type, const std::shared_ptr<const store::Event>& event) {
  if (watcher.exchange->unsent() > kMaxUnsent + watcher.initial_bytes) {
    watcher.exchange->abort();
    return close(watcher.shared_from_this());
  }
  if (share(watcher, type, event->entry.bytes)) return;
  if (rendered_->event != event) {
    rendered_->event = event;
    rendered_->items.clear();
  }
  net::Bytes bytes;
  for (const Rendered::Item& item : rendered_->items) {
    if (item.type == type && item.resource == watcher.resource && item.form == watcher.form) bytes = item.bytes;
  }
  if (bytes == nullptr) {
    bytes = render(watcher, type, event->entry.bytes);
    rendered_->items.push_back({std::string(type), watcher.resource, watcher.form, bytes});
  }
  write(watcher, std::move(bytes));
}

void Watches::write(Watcher& watcher, net::Bytes line) {
  watcher.form.headers = false;  // the columns come once
  watcher.exchange->write(std::move(line));
}

/// False where the watcher must be given bytes of its own.
bool Watches::share(Watcher& watcher, std::string_view type, const net::Bytes& object) {
  if (watcher.form.as != As::kObject || !watcher.resource->is_storage) return false;
  return watcher.exchange->write_event(type, object);
}

net::Bytes Watches::render(const Watcher& watcher, std::string_view type, const net::Bytes& object) const {
  std::string out;
  out.reserve(object->size() + 40);
  out.append(R"({"type":")").append(type).append(R"(","object":)");
  const Form& form = watcher.form;
  auto parsed = form.as == As::kObject ? Result<json::Document>(json::Document()) : json::parse(*object);
  if (form.as != As::kObject && parsed) to_asked_version(*watcher.resource, *parsed);
  if (form.as == As::kObject || !parsed) {
    out += *in_version(*watcher.resource, object);
  } else if (form.as == As::kPartialMetadata) {
    json::append_serialized(partial_metadata(*parsed, form.version), out);
  } else {
    json::Array rows;
    rows.push_back(table_row(*watcher.resource, *parsed, form.row_object, form.version, context_.loop.now()));
    json::Object metadata;
    metadata.append("resourceVersion", parsed->string_at("metadata", "resourceVersion"));
    json::append_serialized(make_table(*watcher.resource, form, std::move(metadata), std::move(rows)), out);
  }
  out += "}\n";
  return std::make_shared<const std::string>(std::move(out));
}

/// Everything up to this revision has been told to the watcher, so it may resume from there.
void Watches::bookmark(Watcher& watcher, store::Revision revision, bool initial_end) {
  json::Object metadata;
  metadata.append("resourceVersion", std::to_string(revision));
  metadata.append("creationTimestamp", nullptr);
  if (initial_end) metadata.append("annotations", json::Object{{"k8s.io/initial-events-end", "true"}});
  json::Object object;
  object.append("kind", watcher.resource->kind);
  object.append("apiVersion", watcher.resource->api_version());
  object.append("metadata", std::move(metadata));
  std::string out = R"({"type":"BOOKMARK","object":)";
  if (watcher.form.as == As::kTable) {
    json::Array rows;
    rows.emplace_back(json::Object{{"cells", json::Array()}, {"object", std::move(object)}});
    json::Object table;
    table.append("kind", "Table");
    table.append("apiVersion", "meta.k8s.io/" + watcher.form.version);
    table.append("metadata", json::Object{{"resourceVersion", std::to_string(revision)}});
    table.append("columnDefinitions", nullptr);
    table.append("rows", std::move(rows));
    json::append_serialized(table, out);
  } else {
    json::append_serialized(object, out);
  }
  watcher.exchange->write(std::make_shared<const std::string>(out + "}\n"));
}

void Watches::schedule_bookmark(const std::shared_ptr<Watcher>& watcher) {
  const std::weak_ptr<Watcher> weak = watcher;
  watcher->bookmark = context_.loop.after(kBookmarkEvery, [this, weak] {
    const auto live = weak.lock();
    if (!live || live->closed) return;
    if (live->after <= context_.store.revision()) bookmark(*live, context_.store.revision(), false);
    schedule_bookmark(live);
  });
}

void Watches::end(const std::shared_ptr<Watcher>& watcher) {
  if (watcher->closed) return;
  const store::Revision now = context_.store.revision();
  if (watcher->start.bookmarks && watcher->after <= now) bookmark(*watcher, now, false);
  watcher->exchange->finish();
  close(watcher);
}

void Watches::close(const std::shared_ptr<Watcher>& watcher) {
  if (watcher->closed) return;
  watcher->closed = true;
  if (watcher->subscription) context_.store.unwatch(*watcher->subscription);
  context_.loop.cancel(watcher->timeout);
  context_.loop.cancel(watcher->bookmark);
  watchers_.erase(watcher);
}

}  // namespace muster::apiserver
