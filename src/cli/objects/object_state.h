// The state of any object that a command waits for or shows: jobs as `jobs/summary.h` reads them, pods and everything
// else by their phase and conditions.
#pragma once

#include <span>
#include <string>

#include "json/document.h"

namespace muster::cli {

enum class ObjectEnd { kUnfinished, kSucceeded, kFailed, kStopped };

ObjectEnd object_end(const json::Document& object);
/// Returns the state of a job, else the phase or the newest true condition; "Pending" when there is neither.
std::string object_phase(const json::Document& object);
/// Returns why a job waits or how it ended, else the message of the condition that explains the phase; "" for none.
std::string object_message(const json::Document& object);

/// Returns why a container waits, or what it left at its end, which may be the last lines of its log.
std::string container_message(const json::Document& container_status);
/// Returns the pod's message about why it does not run or how it failed; "" when there is none.
std::string pod_message(const json::Document& pod);
/// Returns why an object is not running: a pod's own message or, for a job, its cause, else the message of its first
/// pending pod. "" when the object runs undisturbed or has ended, or when the cause is unknown.
std::string waiting_cause(const json::Document& object, std::span<const json::Document> pods = {});

}  // namespace muster::cli
