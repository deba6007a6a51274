// A small type that has every shape and rule, described like the real ones.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "base/time.h"
#include "json/document.h"
#include "reflect/type_desc.h"

namespace muster::reflect::sample {

inline json::Document parsed(std::string_view text) {
  return *json::parse(text);
}

struct Wheel {
  std::string name;
  std::optional<std::int32_t> spokes;
  json::Document rest;
};

struct Engine {
  bool enabled = false;
  std::string power;
};

struct CartSpec {
  std::string owner;
  std::string paint;
  std::optional<std::int32_t> load;
  std::int64_t serial = 0;
  double weight = 0;
  std::optional<bool> brake;
  std::string gears;
  Quantity fuel;
  std::optional<Time> built;
  std::optional<Time> tuned;
  std::map<std::string, std::string> secrets;
  std::vector<std::string> tags;
  std::map<std::string, Quantity> cargo;
  std::vector<Wheel> wheels;
  std::optional<Engine> engine;
  Engine spare;
  json::Document notes;
};

struct Cart {
  CartSpec spec;
};

}  // namespace muster::reflect::sample

namespace muster::reflect {

TypeDesc describe(Of<sample::Wheel>);
TypeDesc describe(Of<sample::Engine>);
TypeDesc describe(Of<sample::CartSpec>);
TypeDesc describe(Of<sample::Cart>);

}  // namespace muster::reflect
