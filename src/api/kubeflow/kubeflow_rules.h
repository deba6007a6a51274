// Rules that kubeflow.org's job kinds share, for the descriptors of those kinds.
#pragma once

#include <string>
#include <vector>

#include "reflect/type_desc.h"

namespace muster::reflect {

/// A DNS-1035 label.
inline constexpr const char* kJobNamePattern = "^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$";
/// For a spec with a map of replicas by role: at least one role, and only these.
std::vector<Rule> role_rules(const std::string& list, const std::vector<std::string>& roles);
/// For the same spec: the role, if present, has one replica.
Rule one_replica_rule(const std::string& list, const std::string& role, std::string message);

}  // namespace muster::reflect
