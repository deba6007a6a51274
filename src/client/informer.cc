#include "client/informer.h"

#include <algorithm>
#include <vector>

#include "base/log.h"
#include "client/backoff.h"

namespace muster::client {
namespace {

constexpr Backoff kWatchBackoff;
// A watch that lasted this long was healthy. If the server ends watches sooner, the next one is delayed.
constexpr Duration kGoodWatch = std::chrono::seconds(1);
constexpr int kPageSize = 500;
constexpr int kTellSlice = 250;
constexpr int kShortestWatchSeconds = 300;
constexpr int kLongestWatchSeconds = 600;

Informer::Key key_of(const json::Document& object) {
  return {object.string_at("metadata", "namespace"), object.string_at("metadata", "name")};
}

const std::string& version_of(const json::Document& object) {
  return object.string_at("metadata", "resourceVersion");
}

const std::string& uid_of(const json::Document& object) {
  return object.string_at("metadata", "uid");
}

/// Reads what the informer itself needs of an object together with what its owner wants.
std::optional<json::Excerpt> glance_of(const std::optional<Informer::TextOnly>& text_only) {
  if (!text_only) return std::nullopt;
  std::vector<std::string> paths = {"metadata.name", "metadata.namespace", "metadata.uid", "metadata.resourceVersion"};
  paths.insert(paths.end(), text_only->glance.begin(), text_only->glance.end());
  return json::Excerpt(paths);
}

std::shared_ptr<const json::Document> document_of(const Informer::Key& key, const Informer::Held& held) {
  if (held.document != nullptr) return held.document;
  auto parsed = json::parse(*held.text);
  if (!parsed) {  // only the glance was parsed before
    LOG_ERROR("an object cannot be read, it is left alone until it is deleted", {"name", key.second},
              {"namespace", key.first}, {"error", parsed.error().message});
    return nullptr;
  }
  return std::make_shared<const json::Document>(*std::move(parsed));
}

/// Items of a list may omit their kind but events of a watch never do, and the copies must compare equal.
json::Document complete_item(json::Document item, const std::string& api_version, const std::string& kind) {
  if (!item.is_object() || item.find("kind") != nullptr || kind.empty()) return item;
  json::Object out;
  out.append("kind", kind);
  out.append("apiVersion", api_version);
  for (json::Member& member : item.as_object()) {
    if (member.key != "apiVersion") out.append(std::move(member.key), std::move(member.value));
  }
  return out;
}

}  // namespace

struct Informer::State : std::enable_shared_from_this<State> {
  State(Loop& l, Rng& r, ApiClient& c, ResourceName n, ListOptions s, OnChange f,
        const std::optional<TextOnly>& text_only, std::string one_namespace)
      : loop(l),
        rng(r),
        client(c),
        resource(std::move(n)),
        ns(std::move(one_namespace)),
        selector(std::move(s)),
        on_change(std::move(f)),
        glance(glance_of(text_only)) {}

  enum class Step { kList, kWatch };

  void begin();
  void list();
  void on_page(Result<json::Document> page);
  void take_list();
  void notify_some(Cache::const_iterator next);
  void notify_difference(const Key& key, const Held& held);
  void in_turn(Task task);
  void watch();
  void on_event(WatchEvent event);
  Held hold(const std::shared_ptr<const json::Document>& object, net::Bytes text) const;
  void on_watch_end(const Status& status);
  void go(Step step);
  void retry(Step step, const Error& why);
  std::shared_ptr<const json::Document> seen_of(const Held& held) const;
  void notify(const Key& key, const json::Document* before, const json::Document* now);

  Loop& loop;
  Rng& rng;
  ApiClient& client;
  ResourceName resource;
  std::string ns;
  ListOptions selector;
  OnChange on_change;
  std::optional<json::Excerpt> glance;  // set when only text is kept

  Cache cache;
  Cache incoming;  // pages of the list in progress; not visible until it is complete
  std::string continue_token;
  std::string revision;
  bool can_stream = true;     // until the server rejects initial events
  bool is_streaming = false;  // initial events are arriving, into `incoming`
  bool synced = false;
  bool started = false;
  bool stopped = false;
  std::optional<Cache> told_before;  // the previous view, while the changes since then are reported
  std::vector<Task> deferred;        // events that arrived in the meantime
  std::vector<Task> sync_tasks;
  int failures = 0;
  MonoTime watch_began;
  WatchHandle handle;
  Loop::Id timer = 0;
};

void Informer::State::go(Step step) {
  if (stopped) return;
  switch (step) {
    case Step::kList:
      begin();
      return;
    case Step::kWatch:
      watch();
      return;
  }
}

void Informer::State::retry(Step step, const Error& why) {
  if (failures == 0) {
    LOG_WARN("cannot follow a resource, trying again", {"resource", resource.plural}, {"error", why.message});
  }
  timer = loop.after(kWatchBackoff.wait(++failures, why.retry_after, rng), [weak = weak_from_this(), step] {
    if (const auto self = weak.lock()) self->go(step);
  });
}

void Informer::State::begin() {
  is_streaming = glance && can_stream;
  if (!is_streaming) return list();
  incoming.clear();
  revision.clear();
  watch();
}

void Informer::State::list() {
  ListOptions options = selector;
  options.limit = kPageSize;
  options.continue_token = continue_token;
  options.resource_version.clear();
  options.as_table = false;
  client.list(resource, ns, options, [weak = weak_from_this()](Result<json::Document> page) {
    if (const auto self = weak.lock(); self != nullptr && !self->stopped) self->on_page(std::move(page));
  });
}

void Informer::State::on_page(Result<json::Document> page) {
  if (!page.has_value()) {
    // The pages of a list belong together: the ones gathered so far are useless without the rest.
    continue_token.clear();
    incoming.clear();
    retry(Step::kList, page.error());
    return;
  }
  std::string kind = page->string_at("kind");
  if (kind.ends_with("List")) kind.resize(kind.size() - 4);
  const std::string api_version = page->string_at("apiVersion");
  json::Document* items = page->find("items");
  if (items != nullptr && items->is_array()) {
    for (json::Document& item : items->as_array()) {
      const auto object = std::make_shared<const json::Document>(complete_item(std::move(item), api_version, kind));
      incoming.insert_or_assign(key_of(*object), hold(object, nullptr));
    }
  }
  revision = page->string_at("metadata", "resourceVersion");
  continue_token = page->string_at("metadata", "continue");
  if (!continue_token.empty()) {
    list();
    return;
  }
  take_list();
  if (!stopped) watch();
}

void Informer::State::notify(const Key& key, const json::Document* before, const json::Document* now) {
  if (!stopped) on_change(key, before, now);
}

/// The document that `on_change` receives.
std::shared_ptr<const json::Document> Informer::State::seen_of(const Held& held) const {
  if (!glance) return held.document;
  auto seen = glance->read(*held.text);
  CHECK(seen.has_value());  // it was parsed before it was kept
  return std::make_shared<const json::Document>(*std::move(seen));
}

/// First replaces the view as a whole, then reports how it differs from the old one.
void Informer::State::take_list() {
  const auto self = shared_from_this();  // a callback may destroy the informer
  told_before = std::exchange(cache, std::move(incoming));
  incoming.clear();
  for (const auto& [key, held] : *told_before) {
    if (!cache.contains(key)) notify(key, seen_of(held).get(), nullptr);
  }
  notify_some(cache.begin());
}

/// Works in slices, so that requests are served in between. Watch events that arrive meanwhile are deferred.
void Informer::State::notify_some(Cache::const_iterator next) {
  const auto self = shared_from_this();
  for (int told = 0; next != cache.end() && told < kTellSlice; ++told, ++next)
    notify_difference(next->first, next->second);
  if (stopped) return;
  if (next != cache.end()) {
    return loop.post_when_idle([weak = weak_from_this(), next] {
      if (const auto live = weak.lock(); live != nullptr && !live->stopped) live->notify_some(next);
    });
  }
  told_before.reset();
  synced = true;
  for (Task& task : std::exchange(sync_tasks, {})) {
    if (!stopped) task();
  }
  for (Task& task : std::exchange(deferred, {})) {
    if (!stopped) task();
  }
}

void Informer::State::notify_difference(const Key& key, const Held& held) {
  const auto old = told_before->find(key);
  const bool known = old != told_before->end();
  if (known && old->second.version == held.version) return;
  const auto object = seen_of(held);
  if (known && old->second.uid == held.uid) return notify(key, old->second.document.get(), object.get());
  if (known) notify(key, seen_of(old->second).get(), nullptr);  // deleted and created again since the last view
  notify(key, nullptr, object.get());
}

/// Runs the task now, or after all changes that are being reported.
void Informer::State::in_turn(Task task) {
  if (told_before) {
    deferred.push_back(std::move(task));
  } else {
    task();
  }
}

void Informer::State::watch() {
  watch_began = loop.mono();
  const auto spread = static_cast<std::uint64_t>(kLongestWatchSeconds - kShortestWatchSeconds + 1);
  WatchOptions options;
  options.label_selector = selector.label_selector;
  options.field_selector = selector.field_selector;
  options.resource_version = revision;
  options.initial_events = is_streaming;
  options.glance = glance;
  options.timeout_seconds = kShortestWatchSeconds + static_cast<int>(rng.next() % spread);
  WatchSink sink;
  sink.on_event = [weak = weak_from_this()](WatchEvent event) {
    const auto self = weak.lock();
    if (self == nullptr || self->stopped) return;
    self->in_turn([state = self.get(), event = std::move(event)]() mutable { state->on_event(std::move(event)); });
  };
  sink.on_end = [weak = weak_from_this()](const Status& status) {
    const auto self = weak.lock();
    if (self == nullptr || self->stopped) return;
    self->in_turn([state = self.get(), status] { state->on_watch_end(status); });
  };
  handle = client.watch(resource, ns, options, std::move(sink));
}

Informer::Held Informer::State::hold(const std::shared_ptr<const json::Document>& object, net::Bytes text) const {
  Held held{version_of(*object), uid_of(*object), nullptr, nullptr};
  if (!glance) {
    held.document = object;
  } else {
    held.text = text != nullptr ? std::move(text) : std::make_shared<const std::string>(json::serialize(*object));
  }
  return held;
}

void Informer::State::on_event(WatchEvent event) {
  if (const std::string& version = version_of(event.object); !version.empty()) revision = version;
  if (event.type == "BOOKMARK") {
    const bool complete = event.object.string_at("metadata", "annotations", "k8s.io/initial-events-end") == "true";
    if (!is_streaming || !complete) return;
    is_streaming = false;
    return take_list();
  }
  const auto object = std::make_shared<const json::Document>(std::move(event.object));
  const Key key = key_of(*object);
  if (is_streaming) {
    if (event.type == "DELETED") {
      incoming.erase(key);
    } else {
      incoming.insert_or_assign(key, hold(object, std::move(event.text)));
    }
    return;
  }
  const auto found = cache.find(key);
  const bool known = found != cache.end();
  if (event.type == "DELETED") {
    if (!known) return;
    const Held before = std::move(found->second);
    cache.erase(found);
    return notify(key, seen_of(before).get(), nullptr);
  }
  Held held = hold(object, std::move(event.text));
  if (!known) {
    cache.emplace(key, std::move(held));
    return notify(key, nullptr, object.get());
  }
  if (found->second.version == held.version) return;
  const Held before = std::exchange(found->second, std::move(held));
  if (before.uid == uid_of(*object)) return notify(key, before.document.get(), object.get());
  notify(key, seen_of(before).get(), nullptr);
  notify(key, nullptr, object.get());
}

void Informer::State::on_watch_end(const Status& status) {
  handle.reset();
  const bool good = loop.mono() - watch_began >= kGoodWatch;
  if (good) failures = 0;
  if (std::exchange(is_streaming, false)) {  // incomplete, so it is useless
    incoming.clear();
    const bool refused =
        !status && (status.error().reason == Reason::kInvalid || status.error().reason == Reason::kBadRequest);
    if (refused) can_stream = false;
    if (refused) return list();
    return retry(Step::kList, status ? Error{.reason = Reason::kServiceUnavailable,
                                             .message = "the server ended the watch before all objects had come"}
                                     : status.error());
  }
  if (status.has_value()) {
    if (good) {
      watch();
    } else {
      retry(Step::kWatch,
            Error{.reason = Reason::kServiceUnavailable, .message = "the server ended the watch at once"});
    }
    return;
  }
  if (status.error().reason != Reason::kExpired) {
    retry(Step::kWatch, status.error());
  } else if (failures == 0) {
    failures = 1;  // if the next one expires as quickly, it is delayed
    begin();
  } else {
    retry(Step::kList, status.error());
  }
}

Informer::Informer(Loop& loop, Rng& rng, ApiClient& client, ResourceName resource, ListOptions selector,
                   OnChange on_change, std::optional<TextOnly> text_only, std::string ns)
    : state_(std::make_shared<State>(loop, rng, client, std::move(resource), std::move(selector), std::move(on_change),
                                     text_only, std::move(ns))) {}

Informer::~Informer() {
  state_->stopped = true;
  state_->handle.reset();
  state_->loop.cancel(state_->timer);
}

void Informer::start() {
  CHECK(!state_->started);
  state_->started = true;
  state_->begin();
}

bool Informer::synced() const {
  return state_->synced;
}

void Informer::when_synced(Task task) {
  if (state_->synced) {
    state_->loop.post(std::move(task));
  } else {
    state_->sync_tasks.push_back(std::move(task));
  }
}

const Informer::Cache& Informer::cache() const {
  return state_->cache;
}

std::shared_ptr<const json::Document> Informer::find(const std::string& ns, const std::string& name) const {
  const auto found = state_->cache.find({ns, name});
  return found == state_->cache.end() ? nullptr : document_of(found->first, found->second);
}

}  // namespace muster::client
