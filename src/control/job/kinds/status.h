// What the status of every job kind has in common, whatever its words: conditions and when they changed, pauses, times.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/meta.h"
#include "control/job/model.h"
#include "json/document.h"
#include "reflect/reflect.h"

namespace muster::control {

/// The object's status; an empty one when there is none, or none that can be read.
template <typename KindStatus>
KindStatus decoded_status(const json::Document& object) {
  const json::Document* status = object.find("status");
  if (status == nullptr) return {};
  return reflect::decode<KindStatus>(*status).value_or(KindStatus{});
}

/// Null when there is none of the type.
const api::Condition* find_condition(const std::vector<api::Condition>& conditions, std::string_view type);
bool is_true(const std::vector<api::Condition>& conditions, std::string_view type);
/// A condition that was `before`, null for none: the time of the last transition moves only when the status does.
api::Condition next_condition(const api::Condition* before, std::string type, bool value, std::string reason,
                              std::string message, Time now);

/// From the condition that is true while the job is paused, and false after it was.
void read_pause(const api::Condition* paused, JobStatus& to);

/// What every kind's status has under the same names: when it began and ended, which attempt it is, its ports.
template <typename KindStatus>
void read_progress(const KindStatus& from, JobStatus& to) {
  to.attempts = from.attempts;
  to.started = from.start_time;
  to.completed = from.completion_time;
  to.next_retry = from.next_retry_time;
  to.port = from.master_port;
  to.port_count = from.port_count.value_or(1);
  to.observed_generation = from.observed_generation.value_or(0);
}
template <typename KindStatus>
void write_progress(const JobStatus& from, KindStatus& to) {
  to.attempts = from.attempts;
  to.start_time = from.started;
  to.completion_time = from.completed;
  to.next_retry_time = from.next_retry;
  to.master_port = from.port;
  to.port_count = from.port_count > 1 ? std::optional(from.port_count) : std::nullopt;
  to.observed_generation = from.observed_generation;
}

}  // namespace muster::control
