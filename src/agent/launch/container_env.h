// Computes the environment variables and the command line of a container as a kubelet does. Pure: lookups of other
// objects are passed in as functions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "json/document.h"

namespace muster::agent {

/// The objects that a pod refers to; null when the namespace has none of that name.
struct References {
  using Find = std::function<std::shared_ptr<const json::Document>(const std::string& name)>;
  Find config_map;
  Find secret;
  Find claim;
};

/// Facts about a pod that are not in its own document.
struct PodFacts {
  std::string address;
  std::string host_address;
  std::int64_t node_cpus = 1;  // the limit of a container that sets none
  std::int64_t node_memory = 0;
  bool may_change_user = false;                  // the engine runs as root, so that pods have several users and groups
  std::optional<std::int64_t> most_locked = {};  // bytes of memory that a pod can lock; absent: as many as there are
};

using Variables = std::vector<std::pair<std::string, std::string>>;  // in order; names are unique

/// Replaces $(NAME) by the variable's value and $$ by a dollar sign; unknown variables stay as they are written.
std::string expand(std::string_view text, const std::function<const std::string*(const std::string&)>& value_of);
std::string expand(std::string_view text, const Variables& variables);

/// Merges `defaults`, envFrom and env; later ones override earlier ones. NotFound when a ConfigMap, Secret or key is
/// missing: the container can start once it exists.
Result<Variables> container_variables(const json::Document& pod, const json::Document& container, const PodFacts& facts,
                                      const References& references, const Variables& defaults);

/// Returns a field of the pod by its downward-API path; Invalid when there is no such field.
Result<std::string> pod_field(const json::Document& pod, const PodFacts& facts, std::string_view path);

/// Returns an amount of the container that the resourceFieldRef names, or else of `container`, which may be null.
Result<std::string> resource_field(const json::Document& pod, const json::Document* container,
                                   const json::Document& reference, const PodFacts& facts);

/// Returns a value of a Secret, decoded from base64.
Result<std::string> secret_value(const json::Document& secret, const std::string& key);
Result<std::string> config_map_value(const json::Document& config_map, const std::string& key);

}  // namespace muster::agent
