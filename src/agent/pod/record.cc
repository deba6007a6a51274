#include "agent/pod/record.h"

#include <fmt/core.h>

#include <algorithm>

#include "json/document.h"
#include "shim/format.h"

namespace muster::agent {
namespace {

RunState state_of(const std::string& text) {
  if (text == "running") return RunState::kRunning;
  return text == "terminated" ? RunState::kTerminated : RunState::kWaiting;
}

/// Fills what a container's record and the one of its earlier run have in common.
template <typename T>
T result_of(const json::Document& from) {
  T to;
  to.run = static_cast<int>(from.int_at("run"));
  to.started = parse_rfc3339(from.string_at("started"));
  to.finished = parse_rfc3339(from.string_at("finished"));
  to.code = static_cast<int>(from.int_at("code"));
  to.signal = static_cast<int>(from.int_at("signal"));
  to.oom = from.bool_at("oom");
  to.message = from.string_at("message");
  to.termination = from.string_at("termination");
  return to;
}

ContainerRecord container_of(const json::Document& from) {
  auto to = result_of<ContainerRecord>(from);
  to.name = from.string_at("name");
  to.is_init = from.bool_at("init");
  to.killed = from.bool_at("killed");
  to.state = state_of(from.string_at("state"));
  to.pid = static_cast<pid_t>(from.int_at("pid"));
  if (const json::Document* last = from.find("last")) to.last = result_of<LastRun>(*last);
  return to;
}

Error torn() {
  return {.reason = Reason::kInternalError, .message = "the shim's record is torn: its checksum is wrong or missing"};
}

/// A record is one line of JSON and one with its checksum; version 1 had only the first.
Result<json::Document> parse_checked(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return torn();
  const std::string_view body = text.substr(0, end);
  TRY_ASSIGN(json::Document record, json::parse(body));
  const bool has_checksum = record.int_at("version") != 1;
  if (has_checksum && text.substr(end) != fmt::format("\n{:016x}\n", muster_checksum(body.data(), body.size())))
    return torn();
  return record;
}

}  // namespace

bool AttemptRecord::ended_well() const {
  return std::ranges::all_of(containers, [](const ContainerRecord& container) {
    return container.state == RunState::kTerminated && !container.has_failed();
  });
}

const ContainerRecord* AttemptRecord::find(std::string_view container) const {
  const auto found = std::ranges::find(containers, container, &ContainerRecord::name);
  return found == containers.end() ? nullptr : &*found;
}

Result<ShimIdentity> parse_identity(std::string_view text) {
  TRY_ASSIGN(const json::Document from, parse_checked(text));
  ShimIdentity to;
  to.version = static_cast<int>(from.int_at("version"));
  to.process = {static_cast<pid_t>(from.int_at("pid")), static_cast<std::uint64_t>(from.int_at("starttime"))};
  to.boot_id = from.string_at("boot_id");
  to.pid_namespace = static_cast<std::uint64_t>(from.int_at("pidns"));
  if (to.process.pid <= 0 || to.boot_id.empty()) {
    return Error{.reason = Reason::kInternalError, .message = "shim.json: pid or boot_id is missing"};
  }
  return to;
}

Result<AttemptRecord> parse_record(std::string_view text) {
  TRY_ASSIGN(const json::Document from, parse_checked(text));
  AttemptRecord to;
  to.ran = from.bool_at("ran");
  to.init_pid = static_cast<pid_t>(from.int_at("init_pid"));
  if (const json::Document* list = from.find("containers"); list != nullptr && list->is_array()) {
    for (const json::Document& item : list->as_array()) to.containers.push_back(container_of(item));
  }
  if (const json::Document* list = from.find("notices"); list != nullptr && list->is_array()) {
    for (const json::Document& item : list->as_array()) {
      if (item.is_string()) to.notices.push_back(item.as_string());
    }
  }
  return to;
}

}  // namespace muster::agent
