// What `wait --for=…` waits for.
#pragma once

#include <optional>
#include <string>

#include "json/document.h"
#include "json/jsonpath.h"

namespace muster::cli {

class WaitFor {
 public:
  enum class What { kFinished, kCondition, kJsonPath, kDeleted, kCreated };

  /// "" (the job has ended), condition=NAME[=VALUE], jsonpath=PATH[=VALUE], delete, create. BadRequest otherwise.
  static Result<WaitFor> parse(const std::string& text);

  What what() const { return what_; }
  /// Null: the object does not exist.
  bool met(const json::Document* object) const;

 private:
  bool condition_met(const json::Document& object) const;
  bool path_met(const json::Document& object) const;

  What what_ = What::kFinished;
  std::string condition_;
  std::optional<std::string> value_;
  std::optional<json::JsonPath> path_;
};

}  // namespace muster::cli
