// What list and watch share: selection by namespace, name and selectors, and the requested revision.
#pragma once

#include <functional>
#include <optional>

#include "apiserver/context/context.h"
#include "apiserver/http/request.h"
#include "apiserver/list/selectors.h"

namespace muster::apiserver {

struct Selection {
  std::string resource;
  bool cluster_scope = false;
  std::string ns;    // "" for all
  std::string name;  // "" for all
  Selector selector;

  /// True when at most one object can match.
  bool only_key() const { return !name.empty() && (cluster_scope || !ns.empty()); }
  bool matches(const store::Key& key, const store::Attributes& attributes) const;
};
Result<Selection> parse_selection(const ResourceRequest& request);

/// Nullopt means the most recent revision. Invalid when the text is not a number.
Result<std::optional<store::Revision>> parse_revision(const Query& query);
/// The error for a revision that does not exist yet; clients wait and retry.
Error too_large(store::Revision asked, store::Revision current);

}  // namespace muster::apiserver
