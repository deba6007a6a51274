#include "api/capabilities.h"

#include <algorithm>
#include <array>
#include <utility>

namespace muster::api {
namespace {

constexpr int kIpcLock = 14;
static_assert(kIpcLockBit == std::uint64_t{1} << kIpcLock);
// The numbers of <linux/capability.h>.
constexpr std::array<std::pair<std::string_view, int>, 9> kCapabilities = {{{"CHOWN", 0},
                                                                            {"DAC_OVERRIDE", 1},
                                                                            {"FOWNER", 3},
                                                                            {"FSETID", 4},
                                                                            {"IPC_LOCK", kIpcLock},
                                                                            {"KILL", 5},
                                                                            {"NET_BIND_SERVICE", 10},
                                                                            {"SETGID", 6},
                                                                            {"SETUID", 7}}};

/// Those that a container has unless it drops them: memory is locked only by those that ask for it.
std::uint64_t usual_bits() {
  std::uint64_t bits = 0;
  for (const auto& [name, number] : kCapabilities) bits |= std::uint64_t{1} << number;
  return bits & ~kIpcLockBit;
}

std::uint64_t bits_of(const json::Array& names) {
  std::uint64_t bits = 0;
  for (const json::Document& name : names) {
    if (name.is_string())
      bits |= name.as_string() == "ALL" ? usual_bits() : capability_bit(name.as_string()).value_or(0);
  }
  return bits;
}

}  // namespace

std::vector<std::string> pod_capabilities() {
  std::vector<std::string> names;
  for (const auto& [name, number] : kCapabilities) names.emplace_back(name);
  return names;
}

std::optional<std::uint64_t> capability_bit(std::string_view name) {
  if (name.starts_with("CAP_")) name.remove_prefix(4);
  const auto found = std::ranges::find(kCapabilities, name, &std::pair<std::string_view, int>::first);
  if (found == kCapabilities.end()) return std::nullopt;
  return std::uint64_t{1} << found->second;
}

std::uint64_t capabilities_of(const json::Document& security_context) {
  const std::uint64_t dropped = bits_of(security_context.array_at("capabilities", "drop"));
  return (usual_bits() & ~dropped) | bits_of(security_context.array_at("capabilities", "add"));
}

}  // namespace muster::api
