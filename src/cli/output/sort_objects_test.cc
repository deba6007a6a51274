#include "cli/output/sort_objects.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

std::string sorted(std::string_view items, std::string_view by, std::string_view inside = "") {
  json::Array array = json::parse(items)->as_array();
  const Status done = sort_objects(array, *SortBy::parse(std::string(by)), inside);
  return done ? json::serialize(json::Document(std::move(array))) : done.error().message;
}

TEST(SortObjects, PutsNumbersByValueAndTextsByTheNumbersInThem) {
  EXPECT_EQ(sorted(R"([{"n":10},{"n":9},{"n":-1}])", ".n"), R"([{"n":-1},{"n":9},{"n":10}])");
  EXPECT_EQ(sorted(R"([{"n":"a10"},{"n":"a2"},{"n":"a"}])", "{.n}"), R"([{"n":"a"},{"n":"a2"},{"n":"a10"}])");
}

TEST(SortObjects, KeepsEqualsInPlaceAndPutsMissingFirst) {
  EXPECT_EQ(sorted(R"([{"n":1,"i":1},{"i":2},{"n":1,"i":3}])", ".n"), R"([{"i":2},{"n":1,"i":1},{"n":1,"i":3}])");
}

TEST(SortObjects, LooksInsideTheRowsOfATable) {
  EXPECT_EQ(sorted(R"([{"object":{"n":2}},{"object":{"n":1}}])", ".n", "object"),
            R"([{"object":{"n":1}},{"object":{"n":2}}])");
}

TEST(SortObjects, RefusesAFieldThatNobodyHas) {
  EXPECT_EQ(sorted(R"([{"n":2}])", ".nn"), "--sort-by: no object has the field \".nn\"");
  EXPECT_EQ(sorted("[]", ".nn"), "[]");
}

TEST(SortObjects, RowsOfEventsAreInTheOrderOfTheirWrites) {
  json::Array rows = json::parse(R"([{"cells":["c"],"object":{"metadata":{"resourceVersion":"10"}}},
                                      {"cells":["a"],"object":{"metadata":{"resourceVersion":"9"}}},
                                      {"cells":["b"]}])")
                         ->as_array();
  sort_rows_by_write(rows);
  EXPECT_EQ(json::serialize(rows[0].array_at("cells").front()), R"("b")");
  EXPECT_EQ(json::serialize(rows[1].array_at("cells").front()), R"("a")");
  EXPECT_EQ(json::serialize(rows[2].array_at("cells").front()), R"("c")");
}

}  // namespace
}  // namespace muster::cli
