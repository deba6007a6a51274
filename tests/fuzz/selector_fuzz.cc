// Any text as a label or field selector: asking twice for the same changes nothing.
#include "apiserver/attributes.h"
#include "apiserver/selectors.h"
#include "fuzz.h"

namespace {

using muster::apiserver::Selector;

const muster::store::Attributes kObjects[] = {
    {},
    {{"f/metadata.name", "a"}, {"f/status.phase", "Running"}, {"l/app", "web"}, {"l/n", "7"}},
    {{"f/metadata.namespace", "default"}, {"l/app", ""}, {"l/example.com/a", "x"}},
};

void check_labels(std::string_view text) {
  Selector once;
  if (!once.add_labels(text) || once.empty()) return;
  Selector twice;
  CHECK(twice.add_labels(text).has_value());
  CHECK(twice.add_labels(text).has_value());
  for (const auto& object : kObjects) CHECK(once.matches(object) == twice.matches(object));
}

void check_fields(std::string_view text) {
  Selector once;
  if (!once.add_fields(text, "pods") || once.empty()) return;
  Selector twice;
  CHECK(twice.add_fields(text, "pods").has_value());
  CHECK(twice.add_fields(text, "pods").has_value());
  for (const auto& object : kObjects) CHECK(once.matches(object) == twice.matches(object));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = muster::fuzz::text_of(data, size);
  check_labels(text);
  check_fields(text);
  return 0;
}
