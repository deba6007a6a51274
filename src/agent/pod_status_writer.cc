// What the API is told of a pod: its status, one write at a time, and events.
#include <fmt/core.h>

#include "agent/addresses.h"
#include "agent/state.h"
#include "base/log.h"

namespace muster::agent {
namespace {

using json::Document;
using json::Object;

constexpr Duration kRetryWrite = std::chrono::seconds(1);

Stage stage_of(Step step) {
  switch (step) {
    case Step::kWaiting:
    case Step::kStarting:
      return Stage::kPending;
    case Step::kRunning:
    case Step::kLookAgain:
      return Stage::kRunning;
    case Step::kBackOff:
      return Stage::kBackOff;
    case Step::kEnded:
      break;
  }
  return Stage::kEnded;
}

}  // namespace

std::string Agent::State::give_address(const std::string& uid, const Document& pod) {
  std::string address = pod.string_at("status", "podIP");
  // Given before this server started, or by it: then it must be among those in use.
  if (address.empty()) {
    address = pick_address(
        uid, [this](const std::string& one) { return addresses_.contains(one) || shown_addresses_.contains(one); });
  }
  addresses_.insert(address);
  return address;
}

PodView Agent::State::view_of(const PodRun& run) const {
  PodView view;
  view.stage = stage_of(run.step);
  view.address = run.address;
  view.host_address = "127.0.0.1";
  view.now = loop_.now();
  view.restarts = run.attempt;
  view.restart_delay = restart_delay(run.attempt, options_.first_restart_delay);
  view.current = run.current;
  view.previous = run.previous;
  view.waiting_reason = run.waiting_reason;
  view.waiting_message = run.waiting_message;
  view.failure_reason = run.failure_reason;
  view.failure_message = run.failure_message;
  return view;
}

bool Agent::State::push_status(PodRun& run, const Document& pod) {
  if (run.writing) return false;
  const std::string& version = pod.string_at("metadata", "resourceVersion");
  // The informer does not show the last write yet; when it does, this is called again.
  if (!run.outdated.empty() && run.outdated == version) return false;
  Document status = pod_status(pod, view_of(run));
  const Document* shown = pod.find("status");
  if ((shown != nullptr && *shown == status) || (run.taken_at == version && run.taken == status)) return true;
  run.writing = true;
  Document patch{Object{}};
  patch["metadata"] = Object{{"uid", run.uid}, {"resourceVersion", version}};
  patch["status"] = status;
  client_.patch(
      {client::ResourceName("", "v1", "pods"), pod.string_at("metadata", "namespace"),
       pod.string_at("metadata", "name"), "status"},
      client::PatchType::kMerge, patch, {},
      [this, alive = alive_, uid = run.uid, version, sent = std::move(status)](Result<Document> done) mutable {
        if (!*alive) return;
        PodRun* late = find_run(uid);
        if (late == nullptr) return;
        late->writing = false;
        if (!done && done.error().reason == Reason::kNotFound) return;
        if (!done && done.error().reason != Reason::kConflict) {
          LOG_WARN("pod status not written, trying again", {"uid", uid}, {"error", done.error().message});
          return after(*late, kRetryWrite);
        }
        if (done && done->string_at("metadata", "resourceVersion") == version) {
          // The server writes it in other words and found nothing new.
          late->taken_at = version;
          late->taken = std::move(sent);
        } else {
          late->outdated = version;
        }
        want_sync(uid);
      });
  return false;
}

void Agent::State::tell(PodRun& run, const Document& pod, const Remark& remark) {
  if (!run.told.insert(fmt::format("{} {} {}", run.attempt, remark.reason, remark.message)).second) return;
  const api::ObjectReference about{.api_version = "v1",
                                   .kind = "Pod",
                                   .ns = pod.string_at("metadata", "namespace"),
                                   .name = pod.string_at("metadata", "name"),
                                   .uid = pod.string_at("metadata", "uid"),
                                   .resource_version = {},
                                   .field_path = {}};
  events_.record(about, remark.type, remark.reason, remark.message);
}

void Agent::State::tell_progress(PodRun& run, const Document& pod) {
  if (!run.current) return;
  for (const std::string& notice : run.current->notices) tell(run, pod, {"Warning", "Sandbox", notice});
  for (const ContainerRecord& container : run.current->containers) {
    if (container.started) tell(run, pod, {"Normal", "Started", "Started container " + container.name});
    if (!container.message.empty()) {
      tell(run, pod,
           {"Warning", "Failed",
            fmt::format("Error: container {} could not be started: {}", container.name, container.message)});
    }
  }
}

}  // namespace muster::agent
