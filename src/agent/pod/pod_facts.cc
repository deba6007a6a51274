#include "agent/pod/pod_facts.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/muster/names.h"
#include "base/strings.h"

namespace muster::agent {
namespace {

using json::Document;

constexpr std::int64_t kDefaultGrace = 30;
constexpr Duration kLongestHeadStart = std::chrono::seconds(10);  // whatever somebody wrote into the annotation
constexpr std::string_view kLaunchWord = "launch ";
constexpr std::string_view kBootWord = " in boot ";

RestartPolicy restart_policy_of(const Document& pod) {
  const std::string& policy = pod.string_at("spec", "restartPolicy");
  if (policy == "Never") return RestartPolicy::kNever;
  return policy == "OnFailure" ? RestartPolicy::kOnFailure : RestartPolicy::kAlways;
}

std::int64_t grace_of(const Document& pod) {
  for (const Document* grace :
       {pod.at("metadata", "deletionGracePeriodSeconds"), pod.at("spec", "terminationGracePeriodSeconds")}) {
    if (grace != nullptr && grace->is_int()) return grace->as_int();
  }
  return kDefaultGrace;
}

std::optional<Time> deadline_of(const Document& pod) {
  const Document* seconds = pod.at("spec", "activeDeadlineSeconds");
  const auto began = parse_rfc3339(pod.string_at("status", "startTime"));
  if (seconds == nullptr || !seconds->is_int() || !began) return std::nullopt;
  return *began + std::chrono::seconds(seconds->as_int());
}

Duration head_start_of(const Document& pod) {
  const auto span = parse_duration(pod.string_at("metadata", "annotations", api::kHeadStartAnnotation));
  return std::clamp(span.value_or(Duration(0)), Duration(0), kLongestHeadStart);
}

std::optional<Intent> intent_of(const Document& pod) {
  for (const Document& condition : pod.array_at("status", "conditions")) {
    if (condition.string_at("type") == kIntentCondition && condition.string_at("status") == "True")
      return parse_intent(condition.string_at("message"));
  }
  return std::nullopt;
}

int restarts_of(const Document& pod, const char* statuses, const std::string& container) {
  for (const Document& status : pod.array_at("status", statuses)) {
    if (status.string_at("name") == container) return static_cast<int>(status.int_at("restartCount"));
  }
  return 0;
}

}  // namespace

std::string intent_message(const Intent& intent) {
  return fmt::format("{}{}{}{}", kLaunchWord, intent.launch, kBootWord, intent.boot_id);
}

std::optional<Intent> parse_intent(const std::string& message) {
  const auto boot = message.find(kBootWord);
  if (!message.starts_with(kLaunchWord) || boot == std::string::npos) return std::nullopt;
  const auto launch = parse_int(message.substr(kLaunchWord.size(), boot - kLaunchWord.size()));
  if (!launch || *launch < 0) return std::nullopt;
  return Intent{static_cast<int>(*launch), message.substr(boot + kBootWord.size())};
}

bool has_ended(const Document& pod) {
  const std::string& phase = pod.string_at("status", "phase");
  return phase == "Succeeded" || phase == "Failed";
}

std::string host_name_of(const json::Document& pod) {
  const std::string& given = pod.string_at("spec", "hostname");
  // A UTS host name has at most 64 bytes; Kubernetes truncates it to 63.
  return (given.empty() ? pod.string_at("metadata", "name") : given).substr(0, 63);
}

DesiredPod desired_pod(const Document& pod) {
  DesiredPod to;
  to.uid = pod.string_at("metadata", "uid");
  to.ns = pod.string_at("metadata", "namespace");
  to.name = pod.string_at("metadata", "name");
  to.restart_policy = restart_policy_of(pod);
  for (const bool is_init : {true, false}) {
    for (const Document& container : pod.array_at("spec", is_init ? "initContainers" : "containers")) {
      const std::string& name = container.string_at("name");
      to.containers.push_back(
          {name, is_init, restarts_of(pod, is_init ? "initContainerStatuses" : "containerStatuses", name)});
    }
  }
  to.has_ended = has_ended(pod);
  to.is_deleted = pod.at("metadata", "deletionTimestamp") != nullptr;
  to.grace_seconds = grace_of(pod);
  to.deadline = deadline_of(pod);
  to.head_start = head_start_of(pod);
  to.address = pod.string_at("status", "podIP");
  to.intent = intent_of(pod);
  return to;
}

}  // namespace muster::agent
