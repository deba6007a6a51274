// Helpers shared by the checks of the job kinds. For check_*_jobs.cc, and for check_service.cc, which defines one.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/rules/findings.h"
#include "json/document.h"

namespace muster::api {

inline constexpr std::size_t kMaxPodName = 63;  // a pod's name is also its host name

std::optional<std::int64_t> int_in(const json::Document* object, std::string_view key);

/// Sums up the replicas of a job's roles and finds the longest name of a pod.
class ReplicaBudget {
 public:
  /// Adds a role with `count` replicas that may grow to `grows_to`; `stem` is the part between the job's name and the
  /// index in the names of its pods.
  void add(std::string_view stem, std::int64_t count, std::int64_t grows_to = 0);
  /// Checks that the longest name of a pod is still valid, and reports by how much the job's name is too long.
  void check_name(const json::Document& job, Findings& found) const;
  /// Checks that all roles together stay within kMaxReplicas; `path` is the path of the roles.
  void check_total(const std::string& path, Findings& found) const;

 private:
  std::string longest_suffix_;
  std::int64_t total_ = 0;
};

/// Checks the annotations that change what happens when a replica fails.
void check_failure_annotations(const json::Document& job, Findings& found);

/// Checks the template by the rules for pods. Returns false when it has no container. `path` is the path of the object
/// that has the template.
bool check_template(const json::Document& holder, const std::string& path, Findings& found);
/// Does the same without checking the template's metadata.
bool check_template_spec(const json::Document& holder, const std::string& path, Findings& found);
/// Checks the ports of a Service, or of an object from which Services are made.
void check_service_ports(const json::Document& spec, const reflect::Place& place, Findings& found);
/// Whether one of the template's containers has one of the names. Only for templates that check_template accepted.
bool has_container(const json::Document& replica, std::initializer_list<std::string_view> names);

}  // namespace muster::api
