// The Linux capabilities that a pod can have: those that a container's root needs to own files and change users, and
// IPC_LOCK. They count only for files and processes of the pod's own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace muster::api {

/// IPC_LOCK: the container may lock as much memory as the engine can give it.
constexpr std::uint64_t kIpcLockBit = std::uint64_t{1} << 14;

/// In alphabetical order.
std::vector<std::string> pod_capabilities();

/// Returns the bit of a capability that a pod can have, written "KILL" or "CAP_KILL".
std::optional<std::uint64_t> capability_bit(std::string_view name);

/// Returns the capabilities of a container with this securityContext, as bits: all that a pod can have but IPC_LOCK,
/// without what it drops, and with what it adds.
std::uint64_t capabilities_of(const json::Document& security_context);

}  // namespace muster::api
