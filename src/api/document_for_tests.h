// Random documents of a type, for property tests: valid, and without members that decoding and encoding would drop.
#pragma once

#include <string>

#include "json/document.h"
#include "reflect/type_desc.h"
#include "testing/seeded_rng.h"

namespace muster::api {

class DocumentMaker {
 public:
  explicit DocumentMaker(std::uint64_t seed) : rng_(seed) {}

  json::Document make(const reflect::TypeDesc& type);

 private:
  json::Document value(const reflect::FieldDesc* field, const reflect::TypeDesc& type);
  json::Document text(const reflect::FieldDesc* field);
  json::Document number(const reflect::FieldDesc* field);
  std::string fresh_word();
  template <std::size_t n>
  const char* pick(const char* const (&choices)[n]) {
    return choices[rng_.below(n)];
  }

  testing::SeededRng rng_;
  int words_ = 0;
};

}  // namespace muster::api
