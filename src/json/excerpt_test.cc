#include "json/excerpt.h"

#include <gtest/gtest.h>

namespace muster::json {
namespace {

std::string excerpt(const std::vector<std::string>& paths, std::string_view text) {
  const auto found = Excerpt(paths).read(text);
  return found ? serialize(*found) : found.error().message;
}

TEST(Excerpt, ReadsTheValuesAtThePaths) {
  const std::string text =
      R"({"kind":"Pod","metadata":{"name":"a","labels":{"x":"1","y.z":"2"},"managedFields":[{"f":{"}":"\\\"]"}}]},)"
      R"("spec":{"hostNetwork":true,"containers":[{"name":"c"}],"n":-1.5e3},"status":{"phase":"Running"}})";
  EXPECT_EQ(excerpt({"metadata.labels", "status.phase", "spec.hostNetwork", "spec.n", "none.at.all"}, text),
            R"({"metadata":{"labels":{"x":"1","y.z":"2"}},"spec":{"hostNetwork":true,"n":-1500},)"
            R"("status":{"phase":"Running"}})");
  EXPECT_EQ(excerpt({"kind"}, text), R"({"kind":"Pod"})");
  EXPECT_EQ(excerpt({"kind.deeper", "metadata.name"}, text), R"({"metadata":{"name":"a"}})");
}

TEST(Excerpt, TakesWhiteSpaceEscapesAndEmptyThings) {
  EXPECT_EQ(excerpt({"a", "b"}, " { \"x\" : [ ] , \"a\" :\t\"\\\\\" ,\n\"y\":{},\"b\" : { } } "),
            R"({"a":"\\","b":{}})");
  EXPECT_EQ(excerpt({"a"}, "{}"), "{}");
}

TEST(Excerpt, RejectsTextThatIsNotAnObject) {
  const std::string whole = R"({"x":{"y":["\"",1]},"a":"b"})";
  for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
    EXPECT_EQ(excerpt({"a"}, whole.substr(0, size)), "excerpt: the text is not a JSON object") << size;
  }
  for (const char* text : {"[]", "1", R"({"x":})", R"({"x"})", R"({"a":tru})", R"({x:1})", R"({"x":1]})"}) {
    EXPECT_EQ(excerpt({"a"}, text), "excerpt: the text is not a JSON object") << text;
  }
}

TEST(Excerpt, ReadsEachItemOfAList) {
  const Excerpt wanted({"metadata.name", "status"});
  const auto read = [&](std::string_view text) {
    const auto found = wanted.read_list(text);
    return found ? serialize(*found) : found.error().message;
  };
  EXPECT_EQ(read(R"({"kind":"PodList","metadata":{"continue":"x"},"items":[ {"metadata":{"name":"a","uid":"1"},)"
                 R"("spec":{"n":[{}]},"status":{"phase":"Running"},"more":1}, {"metadata":{"name":"b\n"}},{}]})"),
            R"({"kind":"PodList","metadata":{"continue":"x"},"items":[{"metadata":{"name":"a"},)"
            R"("status":{"phase":"Running"}},{"metadata":{"name":"b\n"}},{}]})");
  EXPECT_EQ(read(R"({"items":[],"kind":"L"})"), R"({"items":[],"kind":"L"})");
  EXPECT_EQ(read(R"({"items":null})"), R"({"items":null})");
  for (const char* text :
       {"[]", R"({"items":[1]})", R"({"items":[{}})", R"({"items":[{},]})", R"({"items":[{"a":}]})"}) {
    EXPECT_EQ(read(text), "excerpt: the text is not a JSON list of objects") << text;
  }
}

}  // namespace
}  // namespace muster::json
