#include "json/yaml.h"

#include <gtest/gtest.h>

namespace muster::json {
namespace {

TEST(ParseYaml, ReadsADocument) {
  const auto d = parse_yaml("a: 1\nb: [x, 'y']\n");
  ASSERT_TRUE(d.has_value());
  EXPECT_EQ(serialize((*d)[0].value), R"({"a":1,"b":["x","y"]})");
}

}  // namespace
}  // namespace muster::json
