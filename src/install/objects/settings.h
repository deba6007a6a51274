// What a platform team may choose about an installation on a cluster. The flags of `muster install`, the values of the
// Helm chart and this struct have the same names.
#pragma once

#include <string>
#include <vector>

namespace muster::install {

inline constexpr const char* kName = "muster-operator";  // of the Deployment, its account, its roles and its Lease
inline constexpr const char* kOwnPriorityClass = "muster-operator";
inline constexpr int kPort = 8080;
inline constexpr int kOldestMinor = 25;  // of Kubernetes 1: the first with rules (CEL) in CRDs by default

/// The version of this program, which is also that of its image.
std::string version();
std::string default_image();

struct Settings {
  std::string ns = "muster-system";
  /// Those whose jobs the operator runs, with Roles there and no ClusterRole. Empty: all, with ClusterRoles.
  std::vector<std::string> namespaces = {};
  std::vector<std::string> kinds = {};  // the items of `muster operator --kinds`
  std::string image = default_image();
  std::vector<std::string> image_pull_secrets = {};
  int replicas = 1;
  std::string priority_class = {};  // kOwnPriorityClass: one that the installation brings
  std::string cpu = "100m";         // requested
  std::string memory = "128Mi";     // requested
  std::string memory_limit = "1Gi";
  std::vector<std::string> extra_args = {};  // of `muster operator`
  bool crds = true;
  bool rbac = true;
  bool secrets = true;  // the role for the Secrets of MPI jobs and Notebooks
  bool user_roles = true;
  bool service_monitor = false;
};

}  // namespace muster::install
