// What the operator may do on a cluster, derived from what its controllers do, and the roles of its users.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "install/objects/settings.h"
#include "json/document.h"

namespace muster::install {

/// One rule of a role.
struct Rule {
  std::string group;
  std::vector<std::string> resources;
  std::vector<std::string> verbs;
  std::vector<std::string> names = {};  // empty: all

  bool operator==(const Rule&) const = default;
};

/// The rights of one account, as three roles: a cluster without the one for Secrets runs all other kinds.
struct Rights {
  std::vector<Rule> jobs;     // where jobs are
  std::vector<Rule> cluster;  // on what has no namespace; none with Settings::namespaces
  std::vector<Rule> secrets;  // where jobs are
  std::vector<Rule> lease;    // in the operator's own namespace
};
Result<Rights> rights_of_operator(const Settings& settings);

/// All objects that grant rights: the operator's account and its roles, and the roles of users.
Result<std::vector<json::Document>> role_objects(const Settings& settings);

/// All rules by role (jobs, cluster, secrets, lease, view, edit), for the Helm chart.
json::Document rules_by_role();

}  // namespace muster::install
