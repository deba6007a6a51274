#include "control/runtime/status_patch.h"

namespace muster::control {

std::optional<json::Document> merge_patch_between(const json::Document& before, const json::Document& after) {
  if (before == after) return std::nullopt;
  if (!before.is_object() || !after.is_object()) return after;
  json::Object patch;
  for (const auto& [key, value] : after.as_object()) {
    const json::Document* old = before.find(key);
    if (old == nullptr) {
      patch.append(key, value);
    } else if (auto inner = merge_patch_between(*old, value)) {
      patch.append(key, *std::move(inner));
    }
  }
  for (const auto& [key, value] : before.as_object()) {
    if (!after.as_object().contains(key)) patch.append(key, nullptr);
  }
  return patch;
}

}  // namespace muster::control
