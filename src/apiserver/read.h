// What list and watch have in common: selection by namespace, name and selectors, and the revision asked for.
#pragma once

#include <functional>
#include <optional>

#include "apiserver/context.h"
#include "apiserver/request.h"
#include "apiserver/selectors.h"

namespace muster::apiserver {

struct Selection {
  std::string resource;
  bool cluster_scope = false;
  std::string ns;    // "" for all
  std::string name;  // "" for all
  Selector selector;

  /// At most one object can match.
  bool only_key() const { return !name.empty() && (cluster_scope || !ns.empty()); }
  bool matches(const store::Key& key, const store::Attributes& attributes) const;
};
Result<Selection> parse_selection(const ResourceRequest& request);

/// nullopt: the most recent. Invalid when it is no number.
Result<std::optional<store::Revision>> parse_revision(const Query& query);
/// A revision that does not exist yet; clients wait and try again.
Error too_large(store::Revision asked, store::Revision current);

}  // namespace muster::apiserver
