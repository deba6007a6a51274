// The parts of a Pod object that decide what happens to its processes, as a struct.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "json/document.h"

namespace muster::agent {

/// What the API stores before anything is started. The boot id tells a launch that was lost with the machine from one
/// that never began.
struct Intent {
  int launch = 0;
  std::string boot_id;
  bool operator==(const Intent&) const = default;
};

enum class RestartPolicy { kNever, kOnFailure, kAlways };

struct DesiredContainer {
  std::string name;
  bool is_init = false;
  int restarts = 0;  // as the API shows it
};

struct DesiredPod {
  std::string uid;
  std::string ns;
  std::string name;
  RestartPolicy restart_policy = RestartPolicy::kAlways;
  std::vector<DesiredContainer> containers;  // init containers first
  bool is_deleted = false;
  bool has_ended = false;
  std::int64_t grace_seconds = 30;
  std::optional<Time> deadline;  // startTime + activeDeadlineSeconds
  Duration head_start{};         // of the gang's first rank, after which this pod starts
  std::string address;           // as the API shows it
  std::optional<Intent> intent;  // as the API shows it
};

/// Returns true when the phase is Succeeded or Failed, which never changes again.
bool has_ended(const json::Document& pod);
/// Returns the host name inside the pod: spec.hostname, or the pod's name.
std::string host_name_of(const json::Document& pod);
DesiredPod desired_pod(const json::Document& pod);

// The intent is a condition of the pod, which a kubelet sets at the same moment: its sandbox is about to be used.
inline constexpr const char* kIntentCondition = "PodReadyToStartContainers";
std::string intent_message(const Intent& intent);
std::optional<Intent> parse_intent(const std::string& message);

}  // namespace muster::agent
