// Any text as a label or field selector: adding the same requirement twice changes nothing.
#include <algorithm>

#include "apiserver/list/attributes.h"
#include "apiserver/list/selectors.h"
#include "fuzz.h"

namespace {

using muster::apiserver::Selector;

const muster::store::Attributes kObjects[] = {
    {},
    {{muster::apiserver::field_key("pods", "status.phase"), "Running"}, {"l/app", "web"}, {"l/n", "7"}},
    {{"l/app", ""}, {"l/example.com/a", "x"}},
};

bool same(const Selector& once, const Selector& twice) {
  const muster::store::Key key{"pods", "default", "a"};
  return std::ranges::all_of(
      kObjects, [&](const auto& object) { return once.matches(key, object) == twice.matches(key, object); });
}

void check_labels(std::string_view text) {
  Selector once;
  if (!once.add_labels(text) || once.empty()) return;
  Selector twice;
  CHECK(twice.add_labels(text).has_value());
  CHECK(twice.add_labels(text).has_value());
  CHECK(same(once, twice));
}

void check_fields(std::string_view text) {
  Selector once;
  if (!once.add_fields(text, "pods") || once.empty()) return;
  Selector twice;
  CHECK(twice.add_fields(text, "pods").has_value());
  CHECK(twice.add_fields(text, "pods").has_value());
  CHECK(same(once, twice));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = muster::fuzz::text_of(data, size);
  check_labels(text);
  check_fields(text);
  return 0;
}
