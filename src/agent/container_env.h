// The environment variables and the command line of a container, as a kubelet works them out. Pure: what is looked up
// in other objects comes in as functions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "json/document.h"

namespace muster::agent {

/// Objects a pod refers to; null when there is none of that name in the namespace.
struct References {
  using Find = std::function<std::shared_ptr<const json::Document>(const std::string& name)>;
  Find config_map;
  Find secret;
  Find claim;
};

/// What a pod may ask about itself beyond its own document.
struct PodFacts {
  std::string address;
  std::string host_address;
  std::int64_t node_cpus = 1;  // what a limit is when there is none
  std::int64_t node_memory = 0;
};

using Variables = std::vector<std::pair<std::string, std::string>>;  // in order, each name once

/// $(NAME) becomes the variable's value, $$ a dollar; a name that is not there is left as it is written.
std::string expand(std::string_view text, const std::function<const std::string*(const std::string&)>& value_of);
std::string expand(std::string_view text, const Variables& variables);

/// `defaults` first, then envFrom, then env; later ones win. NotFound when a ConfigMap, Secret or key is missing: the
/// container can start when it appears.
Result<Variables> container_variables(const json::Document& pod, const json::Document& container, const PodFacts& facts,
                                      const References& references, const Variables& defaults);

/// A field of the pod by its downward-API path; Invalid when there is no such field.
Result<std::string> pod_field(const json::Document& pod, const PodFacts& facts, std::string_view path);

/// A Secret's value: `data` is base64.
Result<std::string> secret_value(const json::Document& secret, const std::string& key);
Result<std::string> config_map_value(const json::Document& config_map, const std::string& key);

}  // namespace muster::agent
