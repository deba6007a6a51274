#include "control/runtime/event_recorder.h"

#include <fmt/core.h>

#include <map>
#include <utility>

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

  void tell(json::Document event) {
    const std::string name = event.string_at("metadata", "name");
    // The same is being said right now: it is counted when that is done.
    if (const auto said = under_way.find({event.string_at("metadata", "namespace"), name}); said != under_way.end()) {
      ++said->second;
      return;
    }
    const client::ObjectName target{events_resource(), event.string_at("metadata", "namespace"), name};
    under_way[{target.ns, target.name}] = 0;
    client.create(target.resource, target.ns, event, {}, [self = shared_from_this(), target](Result<json::Document> r) {
      const bool exists = !r && r.error().reason == Reason::kAlreadyExists;
      if (!r && !exists) return self->end(target, r.error());
      self->count_up(target, exists ? 1 : 0);
    });
  }

  /// Adds what was said again meanwhile, and `more`.
  void count_up(const client::ObjectName& event, std::int64_t more) {
    more += std::exchange(under_way[{event.ns, event.name}], 0);
    if (more == 0) return end(event, ok());
    client.get(event, [self = shared_from_this(), event, more](Result<json::Document> found) {
      if (!found) return self->end(event, found.error());
      const json::Document patch =
          json::Object{{"metadata", json::Object{{"resourceVersion", found->string_at("metadata", "resourceVersion")}}},
                       {"count", found->int_at("count") + more},
                       {"lastTimestamp", format_rfc3339(self->loop.now())}};
      self->client.patch(event, client::PatchType::kMerge, patch, {}, [self, event](Result<json::Document> patched) {
        if (!patched) return self->end(event, patched.error());
        self->count_up(event, 0);
      });
    });
  }

  void end(const client::ObjectName& event, const Status& status) {
    under_way.erase({event.ns, event.name});
    if (!status) LOG_WARN("event not recorded", {"event", event.name}, {"error", status.error().message});
  }

  Loop& loop;
  client::ApiClient& client;
  std::string component;
  std::map<std::pair<std::string, std::string>, std::int64_t> under_way;  // namespace, name -> said again since
};

EventRecorder::EventRecorder(Loop& loop, client::ApiClient& client, std::string component)
    : state_(std::make_shared<State>(loop, client, std::move(component))) {}

EventRecorder::~EventRecorder() = default;

void EventRecorder::record(const api::ObjectReference& about, const std::string& type, const std::string& reason,
                           const std::string& message) {
  if (state_->under_way.size() >= kMaxPending) {
    LOG_WARN("event dropped, too many under way", {"object", about.name}, {"reason", reason});
    return;
  }
  state_->tell(state_->document(about, type, reason, message));
}

}  // namespace muster::control
