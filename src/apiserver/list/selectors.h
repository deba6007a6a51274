// Label and field selectors of list, watch and deletecollection.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/document.h"
#include "store/store.h"

namespace muster::apiserver {

struct Requirement {
  enum class Op { kEquals, kNotEquals, kIn, kNotIn, kExists, kNotExists, kGreater, kLess };
  std::string key;    // with its attribute prefix
  std::string field;  // the name of the field in a field selector
  Op op = Op::kEquals;
  std::vector<std::string> values;
  /// Nullopt when absent.
  std::optional<std::string_view> value_in(const store::Key& object, const store::Attributes& attributes) const;
  bool matches(const store::Key& object, const store::Attributes& attributes) const;
};

/// All requirements must hold.
class Selector {
 public:
  /// Kubernetes' whole grammar: a=b, a==b, a!=b, a in (b,c), a notin (b), a, !a, a>1, a<1. BadRequest otherwise.
  Status add_labels(std::string_view text);
  /// a=b, a==b, a!=b; `resource` says which fields may be named (BadRequest otherwise).
  Status add_fields(std::string_view text, std::string_view resource);

  bool empty() const { return requirements_.empty(); }
  bool matches(const store::Key& object, const store::Attributes& attributes) const;
  /// The only name that can match, or "": with it, a list of one object is a lookup.
  const std::string& only_name() const { return only_name_; }

 private:
  std::vector<Requirement> requirements_;
  std::string only_name_;
};

}  // namespace muster::apiserver
