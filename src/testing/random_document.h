// Random documents of a type, for property tests: valid, and without members that decoding and encoding would drop.
#pragma once

#include <string>

#include "base/ports.h"
#include "json/document.h"
#include "reflect/type_desc.h"

namespace muster::api {

class DocumentMaker {
 public:
  explicit DocumentMaker(Rng& rng) : rng_(rng) {}

  json::Document make(const reflect::TypeDesc& type);

 private:
  json::Document value(const reflect::FieldDesc* field, const reflect::TypeDesc& type);
  json::Document text(const reflect::FieldDesc* field);
  json::Document number(const reflect::FieldDesc* field);
  std::uint64_t below(std::uint64_t bound) { return rng_.next() % bound; }
  std::string fresh_word();
  template <std::size_t n>
  const char* pick(const char* const (&choices)[n]) {
    return choices[below(n)];
  }

  Rng& rng_;
  int words_ = 0;
};

}  // namespace muster::api
