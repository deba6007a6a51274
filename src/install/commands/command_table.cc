#include "install/commands/commands.h"

namespace muster::install {

namespace {

using cli::Server;

constexpr cli::Entry kClusterCommands[] = {
    {"install", "install Muster on a Kubernetes cluster", "muster install [--namespace NS] [--dry-run | --export]",
     "  muster install                         in muster-system, for all namespaces\n"
     "  muster install --dry-run               what would change\n"
     "  muster install --export | kubectl apply --server-side -f -\n"
     "  muster install --namespaces team-a,team-b -n team-a    with Roles only\n"
     "  muster install --kinds pytorchjobs=off,tfjobs=off      next to Kubeflow\n",
     make_install, Server::kOptional,
     "Uses your own credentials and server-side apply. A second run changes only what\n"
     "differs, so it also upgrades. A CRD without the label\n"
     "app.kubernetes.io/managed-by=muster belongs to somebody else and is never\n"
     "changed, unless --adopt names it.\n",
     0},
    {"check", "check a cluster before or after the installation", "muster check [--pre] [--namespace NS] [-o json]",
     "  muster check --pre                     can Muster be installed here?\n"
     "  muster check                           exit code 1 if something is wrong\n"
     "  muster check --wait --timeout 5m       until all is well\n",
     make_check, Server::kNeeded, "One line per check, with its fix. Changes nothing.\n", 0},
    {"verify", "train two ranks on the cluster and show their loss", "muster verify --image IMAGE [-n NAMESPACE]",
     "  muster verify --image registry.example/torch:2.4\n", make_verify, Server::kNeeded,
     "IMAGE has Python and PyTorch. The ranks use the CPU. The job is deleted at the\n"
     "end, unless --keep is given.\n",
     0},
    {"uninstall", "remove Muster from a cluster; kinds and jobs stay",
     "muster uninstall [--namespace NS] [--crds --yes]",
     "  muster uninstall                       the operator, its roles, its namespace\n"
     "  muster uninstall --crds                also the kinds and all their objects\n",
     make_uninstall, Server::kNeeded, "Says what stays. Running pods keep running.\n", 0, true},
};

}  // namespace

std::span<const cli::Entry> cluster_commands() {
  return kClusterCommands;
}

}  // namespace muster::install
