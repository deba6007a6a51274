#include "cli/objects/describe_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/muster/names.h"
#include "api/owners.h"
#include "base/strings.h"
#include "base/visible_text.h"
#include "cli/objects/object_state.h"
#include "cli/objects/three_way.h"
#include "cli/output/sort_objects.h"
#include "cli/output/table.h"
#include "jobs/kinds/kept_state.h"
#include "jobs/pods.h"
#include "json/yaml.h"

namespace muster::cli {

namespace {

std::string age(const std::string& time, const Viewer& viewer) {
  const auto parsed = parse_rfc3339(time);
  return parsed ? human_duration(viewer.now - *parsed) : "<unknown>";
}

std::string indent(const std::string& text, std::string_view by) {
  std::string out;
  for (const std::string& line : split(trim(text), '\n')) out += std::string(by) + line + "\n";
  return out;
}

std::string line(std::string_view label, std::string_view value) {
  return fmt::format("{:<13} {}\n", label.empty() ? "" : std::string(label) + ":", value);
}

/// Returns a message as a cell, unless the head shows it already.
std::string unless_told(const std::string& message, const Viewer& viewer) {
  return !message.empty() && message == viewer.told ? "(as above)" : cell_text(message);
}

/// The end of a log, as pods that failed have it as their message, and whose it is.
struct LogTail {
  std::vector<std::string> replicas;
  std::string text;
};

/// The last lines of a log are not a message: their last one is shown as the message, and all of them below the table.
std::string message_or_last_line(const std::string& message, const Viewer& viewer) {
  const std::string text(trim(message));
  const std::size_t last = text.rfind('\n');
  return last == std::string::npos ? unless_told(text, viewer) : cell_text(text.substr(last + 1));
}

/// Ranks that fail together often write the same.
void collect_tail(std::vector<LogTail>& tails, const std::string& replica, const std::string& message) {
  const std::string text(trim(message));
  if (text.find('\n') == std::string::npos) return;
  const auto same = std::ranges::find(tails, text, &LogTail::text);
  same == tails.end() ? tails.push_back({{replica}, text}) : same->replicas.push_back(replica);
}

std::string tail_blocks(const std::vector<LogTail>& tails) {
  constexpr std::size_t kMostBlocks = 3;
  std::string out;
  for (std::size_t i = 0; i < std::min(tails.size(), kMostBlocks); ++i) {
    out += fmt::format("Last lines of {}:\n{}", join(tails[i].replicas, ", "), indent(tails[i].text, "  "));
  }
  if (tails.size() > kMostBlocks) out += fmt::format("({} more: muster logs)\n", tails.size() - kMostBlocks);
  return out;
}

/// Wraps a sentence to the width of the terminal.
std::string wrapped_line(std::string_view label, std::string_view sentence, std::size_t width) {
  constexpr std::size_t kLabel = 14;
  constexpr std::size_t kLeast = 20;
  if (width < kLabel + kLeast) return line(label, sentence);
  std::string out;
  for (const std::string& part : wrapped(sentence, width - kLabel)) out += line(out.empty() ? label : "", part);
  return out;
}

/// Formats a map with one "a=b" per line, aligned below each other.
std::string map_lines(std::string_view label, const json::Document* map) {
  std::string out;
  if (map != nullptr && map->is_object()) {
    for (const json::Member& member : map->as_object()) {
      // This annotation is long and only repeats what is shown below.
      if (member.key == kLastAppliedAnnotation) continue;
      out += line(out.empty() ? label : "", member.key + "=" + cell_text(member.value));
    }
  }
  return out.empty() ? line(label, "<none>") : out;
}

std::string table(std::string_view title, const std::vector<std::vector<std::string>>& rows, std::size_t width,
                  std::size_t names = 1) {
  constexpr std::size_t kIndent = 2;
  if (rows.size() < 2) return fmt::format("{}:  <none>\n", title);
  Columns columns({.width = width > kIndent ? width - kIndent : 0, .whole = names, .wraps_last = true});
  return fmt::format("{}:\n{}", title, indent(columns.lines(rows), "  "));
}

std::string or_none(const std::string& text) {
  return text.empty() ? "<none>" : cell_text(text);
}

std::string conditions(const json::Document& object, const Viewer& viewer) {
  const json::Array& all = object.array_at("status", "conditions");
  if (all.empty()) return "";
  std::vector<std::vector<std::string>> rows{{"TYPE", "STATUS", "AGE", "REASON", "MESSAGE"}};
  for (const json::Document& condition : all) {
    if (!jobs::is_for_people(condition)) continue;
    rows.push_back({condition.string_at("type"), condition.string_at("status"),
                    age(condition.string_at("lastTransitionTime"), viewer), or_none(condition.string_at("reason")),
                    unless_told(condition.string_at("message"), viewer)});
  }
  return table("Conditions", rows, viewer.width);
}

/// Of the replica: a restart that replaces its pod begins a new attempt.
std::string attempt_of(const json::Document& pod) {
  const std::string& attempt = pod.string_at("metadata", "labels", api::kAttemptLabel);
  return attempt.empty() ? "0" : attempt;
}

std::int64_t restarts_of(const json::Document& pod) {
  std::int64_t total = 0;
  for (const json::Document& status : pod.array_at("status", "containerStatuses")) {
    total += status.int_at("restartCount");
  }
  return total;
}

std::string first_container_state(const json::Document& pod) {
  const json::Array& statuses = pod.array_at("status", "containerStatuses");
  return statuses.empty() ? "<none>" : container_state(statuses.front());
}

json::Document without_values(const json::Document& map) {
  json::Object out;
  if (map.is_object()) {
    for (const json::Member& member : map.as_object()) {
      const auto bytes = base64_decode(member.value.is_string() ? member.value.as_string() : "");
      out.append(member.key, fmt::format("{} bytes", bytes ? bytes->size() : 0));
    }
  }
  return out;
}

}  // namespace

std::string container_state(const json::Document& container_status) {
  if (const json::Document* ended = container_status.at("state", "terminated")) {
    const std::string& reason = ended->string_at("reason");
    const std::int64_t signal = ended->int_at("signal");
    std::string out =
        fmt::format("Terminated: {} (exit code {}", reason.empty() ? "Ended" : reason, ended->int_at("exitCode"));
    if (signal != 0) out += fmt::format(", signal {}", signal);
    return out + ")";
  }
  if (container_status.at("state", "running") != nullptr) return "Running";
  const std::string& reason = container_status.string_at("state", "waiting", "reason");
  return reason.empty() ? "Waiting" : "Waiting: " + reason;
}

std::string head_message(const json::Document& object, const std::string& cause) {
  if (object.find("status") == nullptr) return "";
  return cause.empty() ? object_message(object) : cause;
}

std::string describe_head(const json::Document& object, const Viewer& viewer) {
  const std::string& created = object.string_at("metadata", "creationTimestamp");
  std::string out = line("Name", object.string_at("metadata", "name"));
  const std::string& ns = object.string_at("metadata", "namespace");
  if (!ns.empty()) out += line("Namespace", ns);
  out += line("Kind", fmt::format("{} ({})", object.string_at("kind"), object.string_at("apiVersion")));
  const bool has_phase =
      !object.string_at("status", "phase").empty() || !object.array_at("status", "conditions").empty();
  if (has_phase) out += line("Phase", object_phase(object));
  if (!viewer.told.empty()) out += wrapped_line("Message", cell_text(viewer.told), viewer.width);
  for (const std::string& note : viewer.notes) out += wrapped_line("Note", note, viewer.width);
  out += map_lines("Labels", object.at("metadata", "labels"));
  out += map_lines("Annotations", object.at("metadata", "annotations"));
  if (!created.empty()) out += line("Created", fmt::format("{} ({} ago)", created, age(created, viewer)));
  if (const std::string& going = object.string_at("metadata", "deletionTimestamp"); !going.empty()) {
    out += line("Terminating", "since " + going);
  }
  if (const json::Document* owner = api::controller_of(object)) {
    out += line("Controlled by", owner->string_at("kind") + "/" + owner->string_at("name"));
  }
  if (object.find("status") != nullptr) {
    const std::string& start = object.string_at("status", "startTime");
    const std::string& end = object.string_at("status", "completionTime");
    if (!start.empty()) out += line("Started", start);
    if (!end.empty()) {
      const auto from = parse_rfc3339(start);
      const auto to = parse_rfc3339(end);
      out += line("Completed", from && to ? fmt::format("{} (after {})", end, human_duration(*to - *from)) : end);
    }
  }
  return out + conditions(object, viewer);
}

std::string describe_replicas(std::vector<jobs::JobPod> pods, const std::string& job_name, const Viewer& viewer) {
  std::ranges::stable_sort(pods, {}, [](const jobs::JobPod& one) { return one.pod.string_at("metadata", "name"); });
  std::vector<std::vector<std::string>> rows{
      {"REPLICA", "POD", "PHASE", "ATTEMPT", "RESTARTS", "STATE", "AGE", "MESSAGE"}};
  std::vector<LogTail> tails;
  for (const jobs::JobPod& one : pods) {
    const json::Document& pod = one.pod;
    const std::string name = pod.string_at("metadata", "name") + (one.exists ? "" : " (deleted)");
    collect_tail(tails, jobs::replica_label(pod, job_name), pod_message(pod));
    rows.push_back({jobs::replica_label(pod, job_name), name, or_none(pod.string_at("status", "phase")),
                    attempt_of(pod), std::to_string(restarts_of(pod)), first_container_state(pod),
                    age(pod.string_at("metadata", "creationTimestamp"), viewer),
                    message_or_last_line(pod_message(pod), viewer)});
  }
  return table("Replicas", rows, viewer.width, 2) + tail_blocks(tails);
}

std::string describe_deleted_job(const std::string& kind, const std::string& api_version, const jobs::JobPods& job,
                                 const Viewer& viewer) {
  const json::Document first = job.pods.empty() ? json::Document() : job.pods.front().pod;
  const json::Document* owner = api::controller_of(first);
  const std::string name = owner == nullptr ? "" : owner->string_at("name");
  return line("Name", name) + line("Namespace", first.string_at("metadata", "namespace")) +
         line("Kind", fmt::format("{} ({})", kind, api_version)) + line("UID", job.uid) + line("Phase", "deleted") +
         line("Logs", "muster logs " + name) + describe_replicas(job.pods, name, viewer);
}

std::string describe_containers(const json::Document& pod, const Viewer& viewer) {
  std::vector<std::vector<std::string>> rows{{"NAME", "IMAGE", "STATE", "SINCE", "RESTARTS", "MESSAGE"}};
  std::vector<LogTail> tails;
  for (const json::Document& container : pod.array_at("spec", "containers")) {
    const std::string& name = container.string_at("name");
    const json::Array& statuses = pod.array_at("status", "containerStatuses");
    const auto status = std::ranges::find(statuses, name, [](const json::Document& s) { return s.string_at("name"); });
    if (status == statuses.end()) {
      rows.push_back({name, container.string_at("image"), "Waiting", "", "0", unless_told(pod_message(pod), viewer)});
      continue;
    }
    const std::string& ended = status->string_at("state", "terminated", "finishedAt");
    const std::string& since = ended.empty() ? status->string_at("state", "running", "startedAt") : ended;
    const std::string message = container_message(*status);
    collect_tail(tails, name, message);
    rows.push_back({name, container.string_at("image"), container_state(*status),
                    since.empty() ? "" : age(since, viewer), std::to_string(status->int_at("restartCount")),
                    message_or_last_line(message.empty() ? pod_message(pod) : message, viewer)});
  }
  return table("Containers", rows, viewer.width) + tail_blocks(tails);
}

std::string describe_body(const json::Document& object, const std::string& kind) {
  if (!object.is_object()) return "";
  std::string out;
  for (const json::Member& member : object.as_object()) {
    const bool told = member.key == "apiVersion" || member.key == "kind" || member.key == "metadata";
    if (told || member.value.is_null()) continue;
    json::Document value = member.value;
    if (kind == "Secret" && (member.key == "data" || member.key == "stringData")) value = without_values(value);
    // The conditions are already shown above, as a table.
    if (member.key == "status" && value.is_object()) value.as_object().erase("conditions");
    if (value.is_object() && value.as_object().empty()) continue;
    std::string title = member.key;
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    if (value.is_object() || value.is_array()) {
      out += fmt::format("{}:\n{}", title, indent(json::to_yaml(value), "  "));
    } else {
      out += line(title, cell_text(value));
    }
  }
  return out;
}

std::string describe_events(std::vector<json::Document> events, const Viewer& viewer) {
  const auto last_seen = [](const json::Document& event) {
    for (const char* key : {"lastTimestamp", "eventTime", "firstTimestamp"}) {
      if (!event.string_at(key).empty()) return event.string_at(key);
    }
    return event.string_at("metadata", "creationTimestamp");
  };
  // Times are whole seconds: what happened within one is in the order of the writes.
  std::ranges::stable_sort(
      events, {}, [&](const json::Document& event) { return std::pair(last_seen(event), revision_of(event)); });
  std::vector<std::vector<std::string>> rows{{"TYPE", "REASON", "AGE", "COUNT", "FROM", "MESSAGE"}};
  for (const json::Document& event : events) {
    const std::string& component = event.string_at("source", "component");
    rows.push_back({event.string_at("type"), event.string_at("reason"), age(last_seen(event), viewer),
                    std::to_string(std::max<std::int64_t>(1, event.int_at("count"))),
                    or_none(component.empty() ? event.string_at("reportingComponent") : component),
                    unless_told(event.string_at("message"), viewer)});
  }
  return table("Events", rows, viewer.width, 2);
}

}  // namespace muster::cli
