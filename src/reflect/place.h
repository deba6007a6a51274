// Where a walk through a document stands: a chain on the stack, made into text only when there is something to report.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace muster::reflect {

struct Place {
  enum class Step { kRoot, kMember, kKey, kItem };
  const Place* parent = nullptr;
  Step step = Step::kRoot;
  std::string_view name = {};
  std::size_t index = 0;

  Place member(std::string_view child) const { return {this, Step::kMember, child}; }
  Place key(std::string_view child) const { return {this, Step::kKey, child}; }
  Place item(std::size_t child) const { return {this, Step::kItem, {}, child}; }

  /// "spec.roles.worker.tags[0]".
  std::string text() const;
  /// "spec.roles[worker].tags[0]": an API server writes keys of maps so when it speaks of lists by key.
  std::string keyed_text() const;
};

inline constexpr Place kRoot;

}  // namespace muster::reflect
