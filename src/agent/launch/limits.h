// What a pod's containers may use of this machine. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/machine/machine.h"
#include "base/quantity.h"
#include "json/document.h"
#include "linux/cgroup.h"

namespace muster::agent {

/// The amount at resources.LIST.NAME of a container; nullopt when it is not set.
std::optional<Quantity> resource_of(const json::Document& container, std::string_view list, const std::string& name);

/// The limits of a container, those beyond the machine capped. A limit without a request is also the request, as in
/// Kubernetes. Processes are not among them: every container has the same limit.
linux_os::CgroupLimits limits_of(const json::Document& container, const Machine& machine);

/// The limits of the containers that have any, by name. The names of init containers and others never collide.
std::map<std::string, linux_os::CgroupLimits> limits_by_container(const json::Document& pod, const Machine& machine);

/// The size of the /dev/shm that these pods share: the sum of their limits of memory, or half of the machine's memory
/// if a container has no limit or the sum is larger.
std::int64_t shared_memory_size(const std::vector<std::shared_ptr<const json::Document>>& pods, const Machine& machine);

/// Which of the limits nobody enforces here and why, for users; "" when all are enforced. Limits of memory always are:
/// without control groups the engine measures what containers use (metrics/memory_source.h).
std::string unenforced(const std::map<std::string, linux_os::CgroupLimits>& limits, const linux_os::CgroupTree& tree);

/// How many processes and threads a container may have unless the configuration says otherwise: far more than training
/// needs, even with a thread per core in each of a dozen workers, and few enough for the machine.
std::int64_t default_process_limit(std::int64_t cpus);

}  // namespace muster::agent
