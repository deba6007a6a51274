#include "control/runtime/event_recorder.h"

#include <fmt/core.h>

#include "api/resource.h"
#include "base/check.h"
#include "base/log.h"
#include "base/sha256.h"

namespace muster::control {

namespace {

client::ResourceName events_resource() {
  const api::Resource* resource = api::find_resource("", "v1", "events");
  CHECK(resource != nullptr);
  return *resource;
}

std::string event_name(const api::ObjectReference& about, const std::string& type, const std::string& reason,
                       const std::string& message) {
  const std::string said = fmt::format("{}\n{}\n{}\n{}\n{}", about.kind, about.uid, type, reason, message);
  return about.name + "." + sha256_hex(said).substr(0, 16);
}

}  // namespace

struct EventRecorder::State : std::enable_shared_from_this<EventRecorder::State> {
  State(Loop& l, client::ApiClient& c, std::string name) : loop(l), client(c), component(std::move(name)) {}

  json::Document document(const api::ObjectReference& about, const std::string& type, const std::string& reason,
                          const std::string& message) const {
    const std::string time = format_rfc3339(loop.now());
    return json::Object{
        {"apiVersion", "v1"},
        {"kind", "Event"},
        {"metadata", json::Object{{"name", event_name(about, type, reason, message)}, {"namespace", about.ns}}},
        {"involvedObject", json::Object{{"apiVersion", about.api_version},
                                        {"kind", about.kind},
                                        {"namespace", about.ns},
                                        {"name", about.name},
                                        {"uid", about.uid}}},
        {"reason", reason},
        {"message", message},
        {"type", type},
        {"source", json::Object{{"component", component}}},
        {"firstTimestamp", time},
        {"lastTimestamp", time},
        {"count", 1},
        {"reportingComponent", component},
        {"reportingInstance", component}};
  }

  void create(json::Document event) {
    const std::string ns = event.string_at("metadata", "namespace");
    const std::string name = event.string_at("metadata", "name");
    client.create(events_resource(), ns, event, {}, [self = shared_from_this(), ns, name](Result<json::Document> made) {
      if (made || made.error().reason != Reason::kAlreadyExists) return self->end(made, name);
      self->count_up({.resource = events_resource(), .ns = ns, .name = name});
    });
  }

  void count_up(const client::ObjectName& event) {
    client.get(event, [self = shared_from_this(), event](Result<json::Document> found) {
      if (!found) return self->end(found, event.name);
      const json::Document patch =
          json::Object{{"metadata", json::Object{{"resourceVersion", found->string_at("metadata", "resourceVersion")}}},
                       {"count", found->int_at("count") + 1},
                       {"lastTimestamp", format_rfc3339(self->loop.now())}};
      self->client.patch(event, client::PatchType::kMerge, patch, {},
                         [self, name = event.name](Result<json::Document> patched) { self->end(patched, name); });
    });
  }

  void end(const Result<json::Document>& result, const std::string& name) {
    --pending;
    if (!result) LOG_WARN("event not recorded", {"event", name}, {"error", result.error().message});
  }

  Loop& loop;
  client::ApiClient& client;
  std::string component;
  int pending = 0;
};

EventRecorder::EventRecorder(Loop& loop, client::ApiClient& client, std::string component)
    : state_(std::make_shared<State>(loop, client, std::move(component))) {}

EventRecorder::~EventRecorder() = default;

void EventRecorder::record(const api::ObjectReference& about, const std::string& type, const std::string& reason,
                           const std::string& message) {
  if (state_->pending >= kMaxPending) {
    LOG_WARN("event dropped, too many under way", {"object", about.name}, {"reason", reason});
    return;
  }
  ++state_->pending;
  state_->create(state_->document(about, type, reason, message));
}

}  // namespace muster::control
