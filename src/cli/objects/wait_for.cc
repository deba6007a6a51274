#include "cli/objects/wait_for.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "cli/objects/object_state.h"

namespace muster::cli {

namespace {

constexpr std::string_view kCondition = "condition=";
constexpr std::string_view kJsonPath = "jsonpath=";

/// A status written for an older generation says nothing about the object as it is now.
bool is_current(const json::Document& object, const json::Document& where) {
  const json::Document* observed = where.find("observedGeneration");
  return observed == nullptr || !observed->is_int() || observed->as_int() >= object.int_at("metadata", "generation");
}

}  // namespace

Result<WaitFor> WaitFor::parse(const std::string& text) {
  WaitFor out;
  if (text.empty()) return out;
  if (text == "delete" || text == "create") {
    out.what_ = text == "delete" ? What::kDeleted : What::kCreated;
    return out;
  }
  if (text.starts_with(kCondition) && text.size() > kCondition.size()) {
    out.what_ = What::kCondition;
    out.condition_ = text.substr(kCondition.size());
    const std::size_t equals = out.condition_.find('=');
    out.value_ = equals == std::string::npos ? "True" : out.condition_.substr(equals + 1);
    out.condition_ = out.condition_.substr(0, equals);
    return out;
  }
  if (text.starts_with(kJsonPath) && text.size() > kJsonPath.size()) {
    out.what_ = What::kJsonPath;
    std::string path = text.substr(kJsonPath.size());
    // The value stands after the closing brace; without braces after the last '=' outside brackets.
    std::size_t equals = std::string::npos;
    if (const std::size_t brace = path.rfind('}'); brace != std::string::npos) {
      if (brace + 1 < path.size() && path[brace + 1] == '=') equals = brace + 1;
    } else if (const std::size_t last = path.rfind('='); last != std::string::npos) {
      const std::size_t bracket = path.rfind(']');
      if (bracket == std::string::npos || bracket < last) equals = last;
    }
    if (equals != std::string::npos) {
      std::string_view value = std::string_view(path).substr(equals + 1);
      const bool quoted =
          value.size() >= 2 && (value.front() == '\'' || value.front() == '"') && value.back() == value.front();
      if (quoted) value = value.substr(1, value.size() - 2);
      out.value_ = std::string(value);
      path.resize(equals);
    }
    TRY_ASSIGN(out.path_, json::JsonPath::parse(path));
    return out;
  }
  return Error{.reason = Reason::kBadRequest,
               .message = fmt::format("--for: must be condition=NAME, condition=NAME=VALUE, jsonpath=PATH, "
                                      "jsonpath=PATH=VALUE, delete or create, got {}",
                                      quote(text))};
}

bool WaitFor::met(const json::Document* object) const {
  if (what_ == What::kDeleted) return object == nullptr;
  if (object == nullptr) return false;
  switch (what_) {
    case What::kFinished:
      return object_end(*object) != ObjectEnd::kUnfinished;
    case What::kCondition:
      return condition_met(*object);
    case What::kJsonPath:
      return path_met(*object);
    case What::kCreated:
      return true;
    case What::kDeleted:
      break;
  }
  return false;
}

bool WaitFor::condition_met(const json::Document& object) const {
  const json::Document* status = object.find("status");
  const json::Document* conditions = object.at("status", "conditions");
  if (conditions == nullptr || !conditions->is_array() || !is_current(object, *status)) return false;
  return std::ranges::any_of(conditions->as_array(), [&](const json::Document& condition) {
    return to_lower(condition.string_at("type")) == to_lower(condition_) &&
           to_lower(condition.string_at("status")) == to_lower(*value_) && is_current(object, condition);
  });
}

bool WaitFor::path_met(const json::Document& object) const {
  const auto found = path_->find(object);
  if (!value_) return !found.empty();
  return std::ranges::any_of(found, [&](const json::Document* value) { return json::plain_text(*value) == *value_; });
}

}  // namespace muster::cli
