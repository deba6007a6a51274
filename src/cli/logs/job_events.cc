#include "cli/logs/job_events.h"

#include <fmt/core.h>

#include <algorithm>

#include "jobs/summary.h"

namespace muster::cli {
namespace {

client::LiveQuery events_about(const Selected& job, const std::string& uid) {
  return {.resource = {"", "v1", "events"}, .ns = job.ns, .field_selector = "involvedObject.uid=" + uid};
}

bool has_run_for_a_while(const json::Document& object) {
  return !object.at("status") || jobs::summarise(object).started.has_value();
}

bool is_one_of(const std::string& reason, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return reason.find(word) != std::string::npos; });
}

}  // namespace

bool explains_lines(const json::Document& event) {
  const std::string& reason = event.string_at("reason");
  if (reason == "ReplicaFailed" || reason == "FailedCreate") return true;
  if (event.string_at("type") != "Warning") {
    return is_one_of(reason, {"Overcommitted", "Active", "Restart", "Pause", "Resume", "Suspended", "Scal"});
  }
  // What it waits for, and how it ends, is said elsewhere.
  return !is_one_of(reason, {"Unschedulable", "QueueNotFound", "Failed", "Exceeded", "Exhausted", "Stopped"});
}

JobEvents::JobEvents(Session& session, const Selected& job, const json::Document& object, Say say)
    : say_(std::move(say)),
      label_(job.short_label()),
      shows_past_(!has_run_for_a_while(object)),
      events_(session.loop(), session.api(), events_about(job, object.string_at("metadata", "uid")),
              {.on_list = [this](const json::Document& list) { take_list(list); },
               .on_event =
                   [this](const std::string& type, const json::Document& event) {
                     if (type != "DELETED") take(event);
                   },
               .on_failed = [](const Error&) {}}) {  // the logs are followed without them
  const jobs::Summary summary = jobs::summarise(object);
  if (summary.stalled) say_(fmt::format("{} Stalled: {}\n", label_, summary.cause));
  events_.start();
}

void JobEvents::take_list(const json::Document& list) {
  const bool is_past = !std::exchange(listed_, true) && !shows_past_;
  for (const json::Document& event : list.array_at("items")) {
    if (is_past) {
      shown_.insert(fmt::format("{} {}", event.string_at("metadata", "name"), event.int_at("count")));
    } else {
      take(event);
    }
  }
}

void JobEvents::take(const json::Document& event) {
  if (!explains_lines(event)) return;
  const std::string which = fmt::format("{} {}", event.string_at("metadata", "name"), event.int_at("count"));
  if (!shown_.insert(which).second) return;
  say_(fmt::format("{} {}: {}\n", label_, event.string_at("reason"), event.string_at("message")));
}

}  // namespace muster::cli
