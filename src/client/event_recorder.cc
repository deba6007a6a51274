#include "client/event_recorder.h"

#include <map>
#include <set>
#include <utility>

#include "base/log.h"
#include "base/sha256.h"
#include "client/event_correlator.h"

namespace muster::client {

namespace {

ResourceName events() {
  return {"", "v1", "events"};
}

/// Returns the beginning of the text, without cutting a UTF-8 character.
std::string cut(const std::string& text, std::size_t longest) {
  if (text.size() <= longest) return text;
  while (longest > 0 && (static_cast<unsigned char>(text[longest]) & 0xC0) == 0x80) --longest;
  return text.substr(0, longest);
}

/// A namespace that is being deleted accepts no more Events, so these errors are expected.
bool is_worth_logging(const Error& error) {
  return error.reason != Reason::kNotFound && error.reason != Reason::kForbidden;
}

}  // namespace

struct EventRecorder::State : std::enable_shared_from_this<EventRecorder::State> {
  State(Loop& l, ApiClient& c, api::EventSource s) : loop(l), client(c), source(std::move(s)) {}

  /// The repeats of one Event that arrived while it was being written.
  struct Pending {
    std::int64_t repeats = 0;
    json::Document event;  // the newest
  };

  json::Document document(const api::ObjectReference& about, const std::string& type, const std::string& reason,
                          const std::string& name, const std::string& message) const {
    const std::string time = format_rfc3339(loop.now());
    json::Object from{{"component", source.component}};
    if (!source.host.empty()) from.append("host", source.host);
    return json::Object{{"apiVersion", "v1"},
                        {"kind", "Event"},
                        {"metadata", json::Object{{"name", name}, {"namespace", about.ns}}},
                        {"involvedObject", json::Object{{"apiVersion", about.api_version},
                                                        {"kind", about.kind},
                                                        {"namespace", about.ns},
                                                        {"name", about.name},
                                                        {"uid", about.uid}}},
                        {"reason", reason},
                        {"message", message},
                        {"type", type},
                        {"source", std::move(from)},
                        {"firstTimestamp", time},
                        {"lastTimestamp", time},
                        {"count", 1},
                        {"reportingComponent", source.component},
                        {"reportingInstance", source.host.empty() ? source.component : source.host}};
  }

  void write(json::Document event) {
    const ObjectName target{events(), event.string_at("metadata", "namespace"), event.string_at("metadata", "name")};
    const auto [entry, is_new] = pending.try_emplace({target.ns, target.name});
    entry->second.event = std::move(event);
    if (!is_new) {
      ++entry->second.repeats;
    } else if (written.contains({target.ns, target.name})) {
      count_up(target, 1);
    } else {
      create(target);
    }
  }

  void create(const ObjectName& target) {
    client.create(target.resource, target.ns, pending[{target.ns, target.name}].event, {},
                  [self = shared_from_this(), target](Result<json::Document> made) {
                    const bool exists = !made && made.error().reason == Reason::kAlreadyExists;
                    if (!made && !exists) return self->end(target, made.error());
                    if (self->written.size() >= kMostWritten) self->written.clear();
                    self->written.insert({target.ns, target.name});
                    self->count_up(target, exists ? 1 : 0);
                  });
  }

  /// Increments the count by the repeats that arrived meanwhile, and by `more`.
  void count_up(const ObjectName& event, std::int64_t more) {
    more += std::exchange(pending[{event.ns, event.name}].repeats, 0);
    if (more == 0) return end(event, ok());
    client.get(event, [self = shared_from_this(), event, more](Result<json::Document> found) {
      const bool is_gone = !found && found.error().reason == Reason::kNotFound;
      // Servers forget Events after some time.
      if (is_gone && self->written.erase({event.ns, event.name}) > 0) return self->create(event);
      if (!found) return self->end(event, found.error());
      const json::Document patch =
          json::Object{{"metadata", json::Object{{"resourceVersion", found->string_at("metadata", "resourceVersion")}}},
                       {"message", self->pending[{event.ns, event.name}].event.string_at("message")},
                       {"count", found->int_at("count") + more},
                       {"lastTimestamp", format_rfc3339(self->loop.now())}};
      self->client.patch(event, PatchType::kMerge, patch, {}, [self, event](Result<json::Document> patched) {
        if (!patched) return self->end(event, patched.error());
        self->count_up(event, 0);
      });
    });
  }

  void end(const ObjectName& event, const Status& status) {
    pending.erase({event.ns, event.name});
    if (!status && on_refused) on_refused(event.ns, status.error());
    if (!status && is_worth_logging(status.error())) {
      LOG_WARN("event not written", {"event", event.name}, {"error", status.error().message});
    }
  }

  Loop& loop;
  ApiClient& client;
  api::EventSource source;
  EventCorrelator correlator;
  static constexpr std::size_t kMostWritten = 4096;
  std::map<std::pair<std::string, std::string>, Pending> pending;  // by namespace and name
  std::set<std::pair<std::string, std::string>> written;           // that exist, so that a repeat is not a create
  std::function<void(const std::string& ns, const Error& error)> on_refused;
};

EventRecorder::EventRecorder(Loop& loop, ApiClient& client, api::EventSource source)
    : state_(std::make_shared<State>(loop, client, std::move(source))) {}

EventRecorder::~EventRecorder() = default;

void EventRecorder::on_refused(std::function<void(const std::string& ns, const Error& error)> told) {
  state_->on_refused = std::move(told);
}

bool EventRecorder::is_idle() const {
  return state_->pending.empty();
}

void EventRecorder::record(const api::ObjectReference& about, const std::string& type, const std::string& reason,
                           const std::string& message) {
  const auto event =
      state_->correlator.correlate(about, type, reason, cut(message, kLongestMessage), state_->loop.mono());
  if (!event) return;
  if (state_->pending.size() >= kMaxPending) {
    LOG_WARN("event dropped, too many under way", {"object", about.name}, {"reason", reason});
    return;
  }
  const std::string name = about.name + "." + sha256_hex(event->identity).substr(0, 16);
  state_->write(state_->document(about, type, reason, name, event->message));
}

}  // namespace muster::client
