// An adapter between the documents of one job kind and the one job model, and what the adapters share.
#pragma once

#include <span>
#include <string_view>

#include "base/clamped_seconds.h"
#include "base/result.h"
#include "jobs/model/model.h"
#include "jobs/model/where.h"
#include "json/document.h"

namespace muster::jobs {

/// The kinds of Job::objects.
enum class JobObject { kTensorBoard, kConfigMap };

/// All kinds of a family pause, scale and label their pods alike.
enum class JobFamily { kTensorStack, kKubeflow };

struct JobKind {
  std::string_view api_version;
  std::string_view kind;
  JobFamily family = JobFamily::kTensorStack;
  /// Normalises the object to the model. Returns Invalid, with admission's messages, for an object that admission would
  /// have rejected: on a cluster there is no webhook, so what the schema lets through is checked here.
  Result<Job> (*normalise)(const json::Document& object, Where where);
  /// Converts the object's status to the model.
  JobStatus (*read_status)(const json::Document& object);
  /// Returns the whole `status` member that represents `status` in the kind's own vocabulary, given the current object.
  /// Returns the same document when nothing changed: a time changes only together with what it belongs to.
  json::Document (*project)(const JobStatus& status, const json::Document& object, Where where, Time now);
  std::vector<JobObject> objects = {};
};

/// Returns the object with defaults set, or all of its errors.
Result<json::Document> checked(const json::Document& object, std::string_view api_version, std::string_view kind);
RestartPolicy restart_policy_from(std::string_view name, RestartPolicy fallback);
/// Sets identity and everything else that comes from metadata.
void set_identity(const json::Document& object, Job& job);
/// Returns true for the role of parameter servers, by its name in any spelling.
bool is_parameter_server(std::string_view role_type);
/// Sets what goes back and what fails when a replica fails: as the kind's programs need it, unless an annotation of the
/// object says otherwise. Job::succeeds_when must be set.
void set_failure_rules(const json::Document& object, RestartUnit natural, Job& job);
/// Reads the deadline and the time to live, which every kind's policy stores under the same names.
template <typename Policy>
void read_limits(const Policy& from, RunPolicy& to) {
  if (from.active_deadline_seconds) to.active_deadline = clamped_seconds(*from.active_deadline_seconds);
  if (from.ttl_seconds_after_finished) to.ttl_after_finished = std::chrono::seconds(*from.ttl_seconds_after_finished);
}
/// Sets how many ranks torchrun starts in each replica. "auto", "gpu" and "cpu" are known on the node alone.
void set_processes(std::string_view per_replica, Job& job);
/// Returns the container port named Job::port_name, for networks where every job can use the same one.
int declared_port(const Job& job, int fallback);
/// Whether the job shares the ports of the machine with other jobs.
bool shares_ports(Where where, const Job& job);
/// Sets the port of a job that has the network for itself: the one that the manifest names or that is usual.
void set_port(Where where, int port, Job& job);
/// Adds a warning about a field that is set but has no effect here.
void note_ignored(std::string_view path, std::string_view why, Job& job);
/// Adds a warning for templates that set variables which the launch sets itself.
void note_reserved_variables(Job& job);

}  // namespace muster::jobs
