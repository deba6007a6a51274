#include "apiserver/list/selectors.h"

#include <gtest/gtest.h>

#include "apiserver/list/attributes.h"

namespace muster::apiserver {
namespace {

const store::Attributes& sample() {
  static const store::Attributes attributes = extract_attributes(
      "pods",
      R"({"metadata":{"name":"p","namespace":"n","uid":"u","labels":{"a":"1","b.dev/c":"x"}},"spec":{"nodeName":"m"},)"
      R"("status":{"phase":"Running"}})");
  return attributes;
}

bool labels_match(std::string_view text) {
  Selector selector;
  const auto read = selector.add_labels(text);
  EXPECT_TRUE(read.has_value()) << text;
  return selector.matches({"pods", "n", "p"}, sample());
}

bool fields_match(std::string_view text) {
  Selector selector;
  const auto read = selector.add_fields(text, "pods");
  EXPECT_TRUE(read.has_value()) << text;
  return selector.matches({"pods", "n", "p"}, sample());
}

TEST(Selector, EmptyMatchesAll) {
  EXPECT_TRUE(labels_match(""));
  EXPECT_TRUE(labels_match("  "));
  EXPECT_TRUE(fields_match(""));
}

TEST(Selector, EveryOperator) {
  for (const char* text : {"a=1", "a==1", "a = 1", "a!=2", "z!=1", "a in (1,2)", "a in (2, 1)", "a notin (2)",
                           "z notin (1)", "a", "!z", "a>0", "a<2", "b.dev/c=x", "a,b.dev/c in (x),!q"}) {
    EXPECT_TRUE(labels_match(text)) << text;
  }
  for (const char* text : {"a=2", "a!=1", "a in (2)", "a notin (1)", "z", "!a", "a>1", "b.dev/c>1", "a=1,z=2", "a="}) {
    EXPECT_FALSE(labels_match(text)) << text;
  }
}

TEST(Selector, BrokenTextsAreBadRequests) {
  for (const char* text :
       {"a in (b", "a in b", "a=b=c", "a b", "=x", ",", "a,", "a=(b)", "!", "a=b c", "a b=c", "/=x"}) {
    Selector selector;
    const auto read = selector.add_labels(text);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_EQ(read.error().reason, Reason::kBadRequest) << text;
  }
}

TEST(Selector, Fields) {
  EXPECT_TRUE(fields_match("metadata.name=p,spec.nodeName==m"));
  EXPECT_TRUE(fields_match("status.phase!=Failed"));
  EXPECT_FALSE(fields_match("status.phase=Failed"));
  EXPECT_TRUE(fields_match("status.podIP="));
  Selector selector;
  EXPECT_EQ(selector.add_fields("spec.foo=1", "pods").error().message, "field label not supported: spec.foo");
  EXPECT_EQ(selector.add_fields("spec.nodeName=1", "configmaps").error().message,
            "field label not supported: spec.nodeName");
  EXPECT_EQ(selector.add_fields("nonsense", "pods").error().message,
            "invalid selector: 'nonsense'; can't understand 'nonsense'");
}

TEST(Selector, OneNameIsALookup) {
  Selector selector;
  ASSERT_TRUE(selector.add_fields("metadata.name=p", "pods").has_value());
  EXPECT_EQ(selector.only_name(), "p");
  Selector other;
  ASSERT_TRUE(other.add_fields("metadata.name!=p", "pods").has_value());
  EXPECT_EQ(other.only_name(), "");
}

}  // namespace
}  // namespace muster::apiserver
