// Any bytes as JSON: what is accepted survives writing and reading, compact and indented.
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = muster::json::parse(muster::fuzz::text_of(data, size));
  if (!document) {
    CHECK(!document.error().message.empty());
    return 0;
  }
  muster::fuzz::check_round_trip(*document);
  const auto pretty = muster::json::parse(muster::json::serialize_pretty(*document));
  CHECK(pretty.has_value() && *pretty == *document);
  return 0;
}
