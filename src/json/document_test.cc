#include "json/document.h"

#include <gtest/gtest.h>

namespace muster::json {
namespace {

std::string error_of(std::string_view text) {
  const Result<Document> result = parse(text);
  if (result) return "parsed";
  EXPECT_EQ(result.error().reason, Reason::kBadRequest);
  return result.error().message;
}

std::string round(std::string_view text) {
  const Result<Document> result = parse(text);
  return result ? serialize(*result) : result.error().message;
}

TEST(Parse, KeepsOrderAndExactIntegers) {
  EXPECT_EQ(round(R"( {"b":1, "a":[true,false,null,"x"], "n":9223372036854775807,"m":-9223372036854775808} )"),
            R"({"b":1,"a":[true,false,null,"x"],"n":9223372036854775807,"m":-9223372036854775808})");
}

TEST(ParseErrors, NameLineAndColumn) {
  EXPECT_EQ(error_of("{\"a\": 1,\n  \"b\": }"), "line 2, column 8: unexpected \"}\"");
}

}  // namespace
}  // namespace muster::json
