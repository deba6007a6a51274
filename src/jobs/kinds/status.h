// What the status of every job kind has in common: conditions and the times of their changes, pauses, times.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/kubernetes/meta_v1.h"
#include "jobs/model/model.h"
#include "json/document.h"
#include "reflect/reflect.h"

namespace muster::jobs {

/// Returns the object's status, or an empty one when it is missing or cannot be decoded.
template <typename KindStatus>
KindStatus decoded_status(const json::Document& object) {
  const json::Document* status = object.find("status");
  if (status == nullptr) return {};
  return reflect::decode<KindStatus>(*status).value_or(KindStatus{});
}

bool is_true(const std::vector<api::Condition>& conditions, std::string_view type);
/// Returns the successor of `before` (null: none). The time of the last transition changes only when the status does.
api::Condition next_condition(const api::Condition* before, std::string type, bool value, std::string reason,
                              std::string message, Time now);

/// Reads the pause from the condition that is true while the job is paused and false afterwards.
void read_pause(const api::Condition* paused, JobStatus& to);

/// The condition of a job that the operator refused, until it runs the job after all.
inline constexpr const char* kRefused = "MusterRefused";
/// The condition of a job of Kubeflow's kinds that waits for something, as long as it does. TensorStack's kinds say it
/// in the condition Running.
inline constexpr const char* kWaiting = "Waiting";
/// The condition of a job that runs and does nothing. A job that has always been active does not have it.
inline constexpr const char* kStalled = "Stalled";
std::string stall_reason(const JobStatus& status);
std::string stall_message(const JobStatus& status);
/// Returns JobStatus::stalled.
std::string read_stall(const std::vector<api::Condition>& conditions);

/// Reads what every kind's status stores under the same names: start, end, attempts and ports.
template <typename KindStatus>
void read_progress(const KindStatus& from, JobStatus& to) {
  to.attempts = from.attempts;
  to.incident = {from.incident_replicas.begin(), from.incident_replicas.end()};
  to.succeeded = {from.succeeded_replicas.begin(), from.succeeded_replicas.end()};
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
  to.incident_replicas = {from.incident.begin(), from.incident.end()};
  to.succeeded_replicas = {from.succeeded.begin(), from.succeeded.end()};
  to.start_time = from.started;
  to.completion_time = from.completed;
  to.next_retry_time = from.next_retry;
  to.master_port = from.port;
  to.port_count = from.port_count > 1 ? std::optional(from.port_count) : std::nullopt;
  to.observed_generation = from.observed_generation;
}

}  // namespace muster::jobs
