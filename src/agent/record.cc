#include "agent/record.h"

#include <algorithm>

#include "json/document.h"

namespace muster::agent {
namespace {

RunState state_of(const std::string& text) {
  if (text == "running") return RunState::kRunning;
  return text == "terminated" ? RunState::kTerminated : RunState::kWaiting;
}

ContainerRecord container_of(const json::Document& from) {
  ContainerRecord to;
  to.name = from.string_at("name");
  to.is_init = from.bool_at("init");
  to.state = state_of(from.string_at("state"));
  to.started = parse_rfc3339(from.string_at("started"));
  to.finished = parse_rfc3339(from.string_at("finished"));
  to.code = static_cast<int>(from.int_at("code"));
  to.signal = static_cast<int>(from.int_at("signal"));
  to.message = from.string_at("message");
  return to;
}

}  // namespace

const ContainerRecord* AttemptRecord::find(std::string_view container) const {
  const auto found = std::ranges::find(containers, container, &ContainerRecord::name);
  return found == containers.end() ? nullptr : &*found;
}

Result<ShimIdentity> parse_identity(std::string_view text) {
  TRY_ASSIGN(const json::Document from, json::parse(text));
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
  TRY_ASSIGN(const json::Document from, json::parse(text));
  AttemptRecord to;
  to.ran = from.bool_at("ran");
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
