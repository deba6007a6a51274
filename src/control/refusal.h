// Why the API server refuses to create a child, where somebody can do something about it, in words for the people who
// can. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace muster::control {

struct Refusal {
  std::string reason;   // as a condition has it
  std::string message;  // with the fix; it stays the same while the cause does, so it has no counts that move
  bool operator==(const Refusal&) const = default;
};

inline constexpr const char* kNamespaceTerminating = "NamespaceTerminating";

/// `what` is "pod mnist-worker-0", for example. Returns nullopt for errors that pass by themselves, such as a conflict
/// or a server in trouble.
std::optional<Refusal> refusal_of(const Error& error, const std::string& what, const std::string& ns);
/// Returns whether refusal_of gives this reason.
bool is_refusal(std::string_view reason);
/// Returns whether the namespace is being deleted, so that it takes no new objects.
bool says_namespace_terminates(const Error& error);

}  // namespace muster::control
