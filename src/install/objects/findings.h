// What `muster check` says about the facts it has found. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "cli/output/checks.h"
#include "control/runtime/kind_choice.h"
#include "install/objects/settings.h"
#include "json/document.h"

namespace muster::install {

/// Whether `muster check` looks at a cluster before or after the installation.
enum class Stage { kBefore, kAfter };

cli::Check server_finding(const json::Document& version);
std::vector<cli::Check> kind_findings(const std::vector<json::Document>& crds, const control::Wishes& wishes,
                                      Stage stage);
/// `operators`: who else runs a kind, by the kind's qualified name.
cli::Check others_finding(const std::map<std::string, std::string>& operators);
/// `groups`: the API groups that the cluster serves; `queues`: namespaces with a LocalQueue `default`.
cli::Check queues_finding(const std::vector<std::string>& groups, const std::vector<std::string>& queues);

/// Answers to questions about rights.
struct Answers {
  std::vector<std::string> denied = {};  // "list pods"
  bool is_known = true;                  // false: the asker may not ask
};
cli::Check installer_finding(const Answers& answers);
/// `secrets` are the answers about the role that a cluster may leave out.
std::vector<cli::Check> operator_rights_findings(const Answers& answers, const Answers& secrets);

cli::Check deployment_finding(const std::optional<json::Document>& deployment, const std::vector<std::string>& causes,
                              const Settings& settings);
cli::Check version_finding(const json::Document& deployment);
cli::Check lease_finding(const std::optional<json::Document>& lease, Time now, const Settings& settings);

/// Takes from the Deployment what its operator was told about namespaces, kinds and replicas.
void read_settings(const json::Document& deployment, Settings& settings);

}  // namespace muster::install
