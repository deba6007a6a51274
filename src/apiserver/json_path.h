// The JSONPath of printer columns: .a.b, ['a.b'], [0], [-1:], [*], [?(@.type=="Ready")], also a\.b.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace muster::apiserver {

class JsonPath {
 public:
  /// A path that cannot be read gives nothing; the unit tests walk every column of the resource table.
  explicit JsonPath(std::string_view text);
  bool valid() const { return valid_; }
  std::vector<const json::Document*> find(const json::Document& object) const;

 private:
  struct Step {
    enum class Kind { kMember, kIndex, kSlice, kAll, kFilter };
    Kind kind = Kind::kMember;
    std::string member;             // kMember; kFilter: the field compared, "a.b"
    std::string value;              // kFilter
    bool negated = false;           // kFilter: !=
    std::int64_t from = 0;          // kIndex, kSlice
    std::optional<std::int64_t> to;  // kSlice
  };
  bool parse(std::string_view text);
  bool parse_bracket(std::string_view inside);

  std::vector<Step> steps_;
  bool valid_ = false;
};

}  // namespace muster::apiserver
