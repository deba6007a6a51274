// What the checks of the job kinds have in common. For check_*_jobs.cc only.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "json/document.h"

namespace muster::api {

inline constexpr std::size_t kMaxPodName = 63;  // a pod's name is also its host name

std::optional<std::int64_t> int_in(const json::Document* object, std::string_view key);

/// What the roles of a job add up to.
class ReplicaBudget {
 public:
  /// A role with `count` replicas, or as many as `grows_to`; `stem` is what stands between the job's name and the index
  /// in the names of its pods.
  void add(std::string_view stem, std::int64_t count, std::int64_t grows_to = 0);
  /// The longest name a pod would get must still be a name. Reports by how much the job's is too long.
  void check_name(const json::Document& job, std::vector<FieldCause>& causes) const;
  /// Within kMaxReplicas over all roles; `path` is where the roles are.
  void check_total(const std::string& path, std::vector<FieldCause>& causes) const;

 private:
  std::string longest_suffix_;
  std::int64_t total_ = 0;
};

/// At least one container, and all that must hold of a pod. False when there is no container. `path` is that of the
/// object that has the template.
bool check_template(const json::Document& holder, const std::string& path, std::vector<FieldCause>& causes);
/// The same without the template's metadata.
bool check_template_spec(const json::Document& holder, const std::string& path, std::vector<FieldCause>& causes);
/// Whether one of the template's containers has one of the names; the template is one that check_template passed.
bool has_container(const json::Document& replica, std::initializer_list<std::string_view> names);

}  // namespace muster::api
