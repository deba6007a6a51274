#include "install/commands/settings_flags.h"

namespace muster::install {

void add_settings_flags(cli::Flags& flags, Settings& settings, std::int64_t& replicas) {
  flags.add("namespaces", &settings.namespaces, "run jobs only in the namespaces A,B, with Roles there");
  flags.add("kinds", &settings.kinds, "run only the kinds A,B, or A=auto|on|off,… (default all=auto)");
  flags.add("image", &settings.image, "image of the operator");
  flags.add("image-pull-secrets", &settings.image_pull_secrets, "Secrets A,B of the namespace for the registry");
  flags.add("replicas", &replicas, "operators; one works, the others stand by");
  flags.add("priority-class", &settings.priority_class, "of the operator; muster-operator: bring one of that name");
  flags.add("cpu", &settings.cpu, "CPU that the operator requests");
  flags.add("memory", &settings.memory, "memory that the operator requests");
  flags.add("memory-limit", &settings.memory_limit, "most memory that the operator may use");
  flags.add("extra-args", &settings.extra_args, "further flags of muster operator");
  flags.add("crds", &settings.crds, "install the kinds");
  flags.add("rbac", &settings.rbac, "install the roles of the operator and of users");
  flags.add("secrets", &settings.secrets, "install the operator's role for Secrets (MPI jobs, Notebooks)");
  flags.add("user-roles", &settings.user_roles, "add the kinds to the roles view and edit of users");
  flags.add("service-monitor", &settings.service_monitor, "install a ServiceMonitor for Prometheus");
}

}  // namespace muster::install
