#include "control/runtime/hands_off.h"

#include <fmt/core.h>

#include <algorithm>

#include "jobs/kind.h"
#include "jobs/kinds/status.h"

namespace muster::control {

namespace {

constexpr Duration kTimeOfOther = std::chrono::minutes(1);

/// Returns whether nobody waits for the object any more.
bool is_over(const json::Document& object) {
  if (object.at("metadata", "deletionTimestamp") != nullptr) return true;
  const JobKind* kind = kind_of_job(object);
  return kind != nullptr && is_finished(kind->read_status(object).phase);
}

/// Returns true for our own names, those of older operators included, and for the tools with which people write.
bool is_ours_or_a_person(const std::string& manager) {
  return manager.starts_with("muster") || manager.starts_with("kubectl");
}

/// Returns the status with our condition in front, because the last one may be the job's state; nullopt if it is there.
std::optional<json::Document> marked_status(const json::Document& object, const std::string& why, Time now) {
  const json::Document* found = object.find("status");
  json::Document status = found != nullptr && found->is_object() ? *found : json::Document(json::Object{});
  json::Array conditions{reflect::encode(next_condition(nullptr, kRefused, true, "FieldPruned", why, now))};
  for (const json::Document& condition : object.array_at("status", "conditions")) {
    if (condition.string_at("type") != kRefused) {
      conditions.push_back(condition);
    } else if (condition.string_at("message") == why) {
      return std::nullopt;
    }
  }
  status["conditions"] = std::move(conditions);
  return status;
}

}  // namespace

std::string other_writer_of_status(const json::Document& object) {
  for (const json::Document& entry : object.array_at("metadata", "managedFields")) {
    if (entry.string_at("subresource") != "status") continue;
    if (!is_ours_or_a_person(entry.string_at("manager"))) return entry.string_at("manager");
  }
  return "";
}

HandsOff refuse_object(const json::Document& object, const std::string& why, Time now) {
  HandsOff result{.why = why, .plan = {}};
  if (is_over(object)) return result;
  if (kind_of_job(object) != nullptr) {
    result.plan.status = marked_status(object, why, now);
    if (!result.plan.status) return result;  // an earlier operator has said it
  }
  result.plan.actions.emplace_back(EmitEvent{.type = "Warning", .reason = "FieldPruned", .message = why});
  return result;
}

HandsOff leave_to_writer(const json::Document& object, const std::string& writer) {
  HandsOff result{.why = fmt::format("{} writes the status of this object, so Muster leaves it alone", writer),
                  .plan = {}};
  if (!is_over(object)) {
    result.plan.actions.emplace_back(EmitEvent{.type = "Normal", .reason = "ManagedElsewhere", .message = result.why});
  }
  return result;
}

HandsOff leave_to_operator(const json::Document& object, const std::string& kind, const std::string& who, Time now) {
  HandsOff result;
  if (is_over(object) || !other_writer_of_status(object).empty()) return result;
  const auto created = parse_rfc3339(object.string_at("metadata", "creationTimestamp"));
  const Duration age = created ? now - *created : kTimeOfOther;
  if (age < kTimeOfOther) {
    result.plan.recheck_after = kTimeOfOther - age;
    return result;
  }
  result.why = fmt::format(
      "{} runs {}, so Muster leaves this object alone; to change that, stop it or run `muster "
      "operator --kinds {}=on`",
      who, kind, kind);
  result.plan.actions.emplace_back(EmitEvent{.type = "Normal", .reason = "ManagedElsewhere", .message = result.why});
  return result;
}

}  // namespace muster::control
