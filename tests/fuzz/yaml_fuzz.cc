// Any bytes as YAML: what is accepted is a valid Document, also as JSON, and is read back equal from `-o yaml`.
#include "fuzz.h"
#include "json/yaml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto documents = muster::json::parse_yaml(muster::fuzz::text_of(data, size));
  if (!documents) {
    CHECK(!documents.error().message.empty());
    return 0;
  }
  for (const muster::json::YamlDocument& one : *documents) {
    muster::fuzz::check_round_trip(one.value);
    const std::string written = muster::json::to_yaml(one.value);
    const auto again = muster::json::parse_yaml(written);
    CHECK(again.has_value());
    // A stream omits an empty document.
    CHECK(again->size() == 1 || one.value.is_null());
    if (again->size() == 1) CHECK(again->front().value == one.value);
  }
  return 0;
}
