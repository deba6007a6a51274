#include "api/check_container.h"

#include <algorithm>

#include "base/quantity.h"
#include "base/strings.h"
#include "reflect/causes.h"

namespace muster::api {

namespace {

using reflect::Place;

void check_env(const json::Document& container, const Place& place, std::vector<FieldCause>& causes) {
  const json::Document* env = container.find("env");
  if (env == nullptr || !env->is_array()) return;
  for (std::size_t i = 0; i < env->as_array().size(); ++i) {
    const std::string& name = env->as_array()[i].string_at("name");
    const Place list = place.member("env");
    const Place item = list.item(i);
    if (name.empty()) {
      causes.push_back(reflect::required_cause(item.member("name").text()));
      continue;
    }
    const bool right = std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~' && c != '='; });
    if (right) continue;
    causes.push_back(reflect::invalid_cause(
        item.member("name").text(), name,
        "a valid environment variable name must consist only of printable ASCII characters other than '='"));
  }
}

void check_sub_paths(const json::Document& container, const Place& place, std::vector<FieldCause>& causes) {
  const json::Document* mounts = container.find("volumeMounts");
  if (mounts == nullptr || !mounts->is_array()) return;
  for (std::size_t i = 0; i < mounts->as_array().size(); ++i) {
    for (const char* key : {"subPath", "subPathExpr"}) {
      const std::string& text = mounts->as_array()[i].string_at(key);
      if (text.empty()) continue;
      const Place list = place.member("volumeMounts");
      const Place item = list.item(i);
      const Place at = item.member(key);
      if (text.starts_with('/')) causes.push_back(reflect::invalid_cause(at.text(), text, "must be a relative path"));
      const auto parts = split(text, '/');
      if (std::ranges::find(parts, "..") != parts.end()) {
        causes.push_back(reflect::invalid_cause(at.text(), text, "must not contain '..'"));
      }
    }
  }
}

/// An amount may be written as a number.
std::string text_of(const json::Document& amount) {
  return amount.is_string() ? amount.as_string() : json::serialize(amount);
}

const json::Object& amounts(const json::Document& resources, std::string_view which) {
  static const json::Object none;
  const json::Document* found = resources.find(which);
  return found != nullptr && found->is_object() ? found->as_object() : none;
}

void check_resources(const json::Document& container, const Place& place, std::vector<FieldCause>& causes) {
  const json::Document* resources = container.find("resources");
  if (resources == nullptr || !resources->is_object()) return;
  const Place at = place.member("resources");
  for (const char* which : {"limits", "requests"}) {
    for (const json::Member& amount : amounts(*resources, which)) {
      const auto quantity = Quantity::parse(text_of(amount.value));
      if (!quantity || *quantity >= Quantity()) continue;
      causes.push_back(reflect::invalid_cause(at.member(which).text() + "[" + amount.key + "]", text_of(amount.value),
                                              "must be greater than or equal to 0"));
    }
  }
  for (const json::Member& request : amounts(*resources, "requests")) {
    const json::Document* limit = amounts(*resources, "limits").find(request.key);
    if (limit == nullptr) continue;
    const auto most = Quantity::parse(text_of(*limit));
    const auto wanted = Quantity::parse(text_of(request.value));
    if (!most || !wanted || *wanted <= *most) continue;
    causes.push_back(
        reflect::invalid_cause(at.member("requests").text(), text_of(request.value),
                               "must be less than or equal to " + request.key + " limit of " + text_of(*limit)));
  }
}

}  // namespace

void check_container(const json::Document& container, const Place& place, std::vector<FieldCause>& causes) {
  check_env(container, place, causes);
  check_sub_paths(container, place, causes);
  check_resources(container, place, causes);
}

}  // namespace muster::api
