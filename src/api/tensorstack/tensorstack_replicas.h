// What TensorStack's job kinds share: the list of roles, which each kind restricts, and switches with two spellings.
// For descriptors and checks.
#pragma once

#include <string>
#include <vector>

#include "json/document.h"
#include "reflect/type_desc.h"

namespace muster::reflect {

inline constexpr const char* kRolePattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

/// TrainingReplicaSpec for a kind that has only these roles and is not elastic.
TypeDesc replica_of(std::string name, std::vector<std::string> roles);
/// Whether a part with a switch, such as torchrunConfig or runMode.debug, is on: by `enabled` or by the older spelling
/// `enable`. False when the part is absent.
bool is_switched_on(const json::Document* part);
/// The same in CEL for a part that is present: "self.torchrunConfig".
std::string cel_switched_on(const std::string& part);
/// For a type with a template: the template has a container. The schema of a pod's spec already requires one, so this
/// rule requires the spec. The checks of the kinds look at the container as well.
Rule has_container_rule();

/// The number of replicas of the role in the replicaSpecs of `spec`; 0 when the role is absent.
std::int64_t replicas_of(const json::Document& spec, std::string_view role);

}  // namespace muster::reflect
