#include "json/patch.h"

#include <gtest/gtest.h>

namespace muster::json {
namespace {

TEST(ResolvePointer, WalksMembersAndItems) {
  const Document d = *parse(R"({"a":[{"b":7}]})");
  ASSERT_NE(resolve_pointer(d, "/a/0/b"), nullptr);
}

}  // namespace
}  // namespace muster::json
