// Place: the current position in a walk through a document. It is a chain on the stack; text is only made for a report.
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
  /// "spec.roles[worker].tags[0]": the form in which an API server writes keys of maps when it reports on keyed lists.
  std::string keyed_text() const;
};

inline constexpr Place kRoot;

}  // namespace muster::reflect
