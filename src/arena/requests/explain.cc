#include "arena/requests/explain.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "client/logs/log_target.h"

namespace muster::arena {

namespace {

using json::Document;

constexpr int kLastLines = 5;

Time event_time(const Document& event) {
  for (const char* member : {"lastTimestamp", "eventTime", "firstTimestamp"}) {
    if (const auto time = parse_rfc3339(event.string_at(member))) return *time;
  }
  return Time{};
}

bool concerns(const Document& event, const Job& job) {
  const std::string& name = event.string_at("involvedObject", "name");
  if (event.string_at("involvedObject", "uid") == job.uid) return true;
  const bool of_pod = event.string_at("involvedObject", "kind") == "Pod";
  return of_pod && std::ranges::find(job.instances, name, &Instance::name) != job.instances.end();
}

/// The container that ended with an error, or nullptr.
const Document* failed_status(const Document& pod) {
  for (const char* list : {"initContainerStatuses", "containerStatuses"}) {
    for (const Document& status : pod.array_at("status", list)) {
      const Document* terminated = status.at("state", "terminated");
      if (terminated != nullptr && terminated->int_at("exitCode") != 0) return &status;
    }
  }
  return nullptr;
}

/// One instance that failed, with the time of its failure.
struct Culprit {
  Document pod;
  Document status;
  std::string finished_at;
};

/// Finds the instance that failed first: the others usually end because of it.
std::optional<Culprit> first_failed(cli::Session& session, const Job& job) {
  std::optional<Culprit> first;
  for (const Instance& one : job.instances) {
    if (one.phase != "Failed") continue;
    auto pod = session.get({{"", "v1", "pods"}, job.ns, one.name});
    const Document* status = pod ? failed_status(*pod) : nullptr;
    if (status == nullptr) continue;
    Culprit culprit{
        .pod = *pod, .status = *status, .finished_at = status->string_at("state", "terminated", "finishedAt")};
    if (!first || culprit.finished_at < first->finished_at) first = std::move(culprit);
  }
  return first;
}

}  // namespace

Result<std::vector<EventRow>> events_of(cli::Session& session, const Job& job) {
  TRY_ASSIGN(const Document list, session.list({"", "v1", "events"}, job.ns, {}));
  std::vector<EventRow> out;
  for (const Document& event : list.array_at("items")) {
    if (!concerns(event, job)) continue;
    out.push_back({.source = fmt::format("{}/{}", to_lower(event.string_at("involvedObject", "kind")),
                                         event.string_at("involvedObject", "name")),
                   .type = event.string_at("type"),
                   .last = event_time(event),
                   .message = fmt::format("[{}] {}", event.string_at("reason"), event.string_at("message"))});
  }
  std::ranges::stable_sort(out, {}, &EventRow::last);
  return out;
}

std::string explanation_of(cli::Session& session, const Job& job) {
  if (job.status == "RUNNING" || job.status == "SUCCEEDED") return "";
  const auto culprit = first_failed(session, job);
  if (!culprit) {
    return job.message.empty() ? "" : fmt::format("The job is {}: {}", job.status, job.message);
  }
  const std::string& pod = culprit->pod.string_at("metadata", "name");
  const std::string& container = culprit->status.string_at("name");
  std::string out = fmt::format("{} failed first: container {} ended with exit code {}", pod, container,
                                culprit->status.int_at("state", "terminated", "exitCode"));
  const std::string& reason = culprit->status.string_at("state", "terminated", "message");
  if (!reason.empty()) out += ": " + reason;
  const auto log =
      session.get_text(client::log_target(job.ns, pod, container) + fmt::format("&tailLines={}", kLastLines));
  if (log && !log->empty()) out += fmt::format("\nThe last lines of its log:\n{}", trim(*log));
  return out;
}

}  // namespace muster::arena
