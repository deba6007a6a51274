// What rules report about the places of an object, in the words of a kube-apiserver. For functions that check.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "json/document.h"
#include "reflect/place.h"

namespace muster::api {

bool contains(const auto& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

/// The members of an object; none when it is not there.
const json::Object& members_of(const json::Document& object, std::string_view key);

class Findings {
 public:
  explicit Findings(std::vector<FieldCause>& causes) : causes_(causes) {}

  void required(const reflect::Place& at, std::string_view detail = {});
  void invalid(const reflect::Place& at, const json::Document& value, std::string_view detail);
  void not_supported(const reflect::Place& at, const json::Document& value, const std::vector<std::string>& supported);
  void forbidden(const reflect::Place& at, std::string_view detail);
  void duplicate(const reflect::Place& at, const json::Document& value);
  /// A name that is none of `known`.
  void not_found(const reflect::Place& at, const std::string& name, const std::vector<std::string>& known);
  /// A text that ends up in a C string.
  void without_nul(const json::Document& text, const reflect::Place& at);

  // Of the member `key` of the object at `place`; a member that is not there is right.
  void one_of(const json::Document& object, std::string_view key, const reflect::Place& place,
              std::initializer_list<std::string_view> supported);
  void between(const json::Document& object, std::string_view key, const reflect::Place& place, std::int64_t low,
               std::int64_t high);
  void not_negative(const json::Document& object, std::string_view key, const reflect::Place& place);
  void subdomain(const json::Document& object, std::string_view key, const reflect::Place& place);
  void dns_label(const json::Document& object, std::string_view key, const reflect::Place& place);
  void without_nul(const json::Document& object, std::string_view key, const reflect::Place& place);
  /// A number or the name of a port.
  void port(const json::Document& object, std::string_view key, const reflect::Place& place);

  // Of the member, which must be there and not be empty; true when it is.
  bool has_text(const json::Document& object, std::string_view key, const reflect::Place& place);

  void port_name(const std::string& name, const reflect::Place& at);
  void config_key(const std::string& key, const reflect::Place& at);
  /// The key of a label: all that is wrong with it.
  void qualified_name(const std::string& name, const reflect::Place& at);
  // Keys and values; `at` is where all of them are reported. None when the pointer is null.
  void labels(const json::Document* labels, const reflect::Place& at);
  void annotations(const json::Document* annotations, const reflect::Place& at);

 private:
  std::vector<FieldCause>& causes_;
};

}  // namespace muster::api
