// Collects what rules report about the fields of an object, in a kube-apiserver's format. For the check functions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "json/document.h"
#include "reflect/place.h"

namespace muster::api {

bool contains(const auto& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

/// The members of the object at `key`; empty when it is absent.
const json::Object& members_of(const json::Document& object, std::string_view key);

/// Visits the items of the list `key` in the object at `place`, each with its own place.
void visit_items(const json::Document& object, std::string_view key, const reflect::Place& place, const auto& visit) {
  const reflect::Place list = place.member(key);
  std::size_t index = 0;
  for (const json::Document& item : object.array_at(key)) visit(item, list.item(index++));
}

/// Where something is reported: at a place, or at the field with this path.
struct FieldPath {
  FieldPath(const reflect::Place& place) : text(place.text()) {}  // NOLINT(google-explicit-constructor)
  FieldPath(std::string path) : text(std::move(path)) {}          // NOLINT(google-explicit-constructor)
  FieldPath(const char* path) : text(path) {}                     // NOLINT(google-explicit-constructor)
  std::string text;
};

class Findings {
 public:
  std::vector<FieldCause> take() && { return std::move(causes_); }

  void add(FieldCause cause) { causes_.push_back(std::move(cause)); }
  void required(FieldPath at, std::string_view detail = {});
  void invalid(FieldPath at, const json::Document& value, std::string_view detail);
  void not_supported(FieldPath at, const json::Document& value, const std::vector<std::string>& supported);
  void forbidden(FieldPath at, std::string_view detail);
  void duplicate(FieldPath at, const json::Document& value);
  void at_most_bytes(std::size_t bytes, std::size_t most, FieldPath at);
  /// Reports a name that is none of `known`.
  void not_found(const reflect::Place& at, const std::string& name, const std::vector<std::string>& known);
  /// Checks a text that becomes a C string.
  void without_nul(const json::Document& text, const reflect::Place& at);

  // These check the member `key` of the object at `place`; an absent member is valid.
  void one_of(const json::Document& object, std::string_view key, const reflect::Place& place,
              std::initializer_list<std::string_view> supported);
  void between(const json::Document& object, std::string_view key, const reflect::Place& place, std::int64_t low,
               std::int64_t high);
  void not_negative(const json::Document& object, std::string_view key, const reflect::Place& place);
  void subdomain(const json::Document& object, std::string_view key, const reflect::Place& place);
  void dns_label(const json::Document& object, std::string_view key, const reflect::Place& place);
  void without_nul(const json::Document& object, std::string_view key, const reflect::Place& place);
  /// Accepts the number or the name of a port.
  void port(const json::Document& object, std::string_view key, const reflect::Place& place);

  // Reports a member that is absent or empty; returns true when it has a text.
  bool has_text(const json::Document& object, std::string_view key, const reflect::Place& place);

  void port_name(const std::string& name, const reflect::Place& at);
  void config_key(const std::string& key, const reflect::Place& at);
  /// Reports everything that is wrong with the key of a label.
  void qualified_name(const std::string& name, const reflect::Place& at);
  // These check keys and values and report all problems at `at`. The pointer may be null.
  void labels(const json::Document* labels, const reflect::Place& at);
  void annotations(const json::Document* annotations, const reflect::Place& at);

 private:
  std::vector<FieldCause> causes_;
};

}  // namespace muster::api
