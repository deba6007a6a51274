#include "apiserver/list/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"

namespace muster::apiserver {
namespace {

using ::testing::HasSubstr;

Result<Page> parse(const std::string& query, store::Revision current = 100) {
  return parse_page(*Query::parse(query), current);
}

std::string token_text(const std::string& json) {
  std::string text = base64_encode(json);
  text.erase(text.find_last_not_of('=') + 1);
  return text;
}

TEST(Page, TokensComeBack) {
  const ContinueToken token{.revision = 85, .start = std::string("ns/ü~?>\0", 9), .remaining = 7};
  const std::string text = encode_token(token);
  EXPECT_EQ(text.find_first_of("+/="), std::string::npos);
  const auto back = decode_token(text);
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(back->revision, token.revision);
  EXPECT_EQ(back->start, token.start);
  EXPECT_EQ(back->remaining, token.remaining);
}

TEST(Page, TakesTheTokensOfAKubeApiserver) {
  const auto token = decode_token("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6ODUsInN0YXJ0IjoiL2JcdTAwMDAifQ");
  ASSERT_TRUE(token.has_value()) << token.error().message;
  EXPECT_EQ(token->revision, 85);
  EXPECT_EQ(token->start, std::string("/b\0", 3));
  EXPECT_FALSE(token->remaining.has_value());
}

TEST(Page, SaysWhatIsWrongWithAToken) {
  const auto why = [](const std::string& text) {
    const auto token = decode_token(text);
    return token ? "" : token.error().message;
  };
  EXPECT_THAT(why("%%%"), HasSubstr("continue key is not valid: illegal base64"));
  EXPECT_THAT(why("abc"), HasSubstr("continue key is not valid"));
  EXPECT_THAT(why(token_text("{}")), HasSubstr("does not recognize this encoded version"));
  EXPECT_THAT(why(token_text(R"({"v":"meta.k8s.io/v2","rv":1,"start":"a"})")), HasSubstr("meta.k8s.io/v2"));
  EXPECT_THAT(why(token_text(R"({"v":"meta.k8s.io/v1","rv":0,"start":"a"})")), HasSubstr("start resourceVersion"));
  EXPECT_THAT(why(token_text(R"({"v":"meta.k8s.io/v1","rv":1})")), HasSubstr("start key empty"));
  EXPECT_THAT(why(token_text(R"({"v":"meta.k8s.io/v1","rv":1,"start":"../x"})")), HasSubstr("../x"));
}

TEST(Page, ARevisionIsExactOnlyWhereItIsMeantSo) {
  EXPECT_EQ(parse("resourceVersion=7")->revision, 100u);
  EXPECT_EQ(parse("resourceVersion=7&resourceVersionMatch=NotOlderThan&limit=2")->revision, 100u);
  EXPECT_EQ(parse("resourceVersion=7&limit=2")->revision, 7u);
  EXPECT_EQ(parse("resourceVersion=7&resourceVersionMatch=Exact")->revision, 7u);
  EXPECT_EQ(parse("resourceVersion=0&limit=2")->limit, 0);
  EXPECT_EQ(parse("limit=2")->limit, 2);
  EXPECT_EQ(parse("limit=-3")->limit, 0);
}

TEST(Page, RefusesWhatDoesNotGoTogether) {
  const auto causes = [](const std::string& query) {
    const auto page = parse(query);
    return page ? 0 : static_cast<int>(page.error().causes.size());
  };
  EXPECT_EQ(causes("resourceVersionMatch=Exact"), 1);
  EXPECT_EQ(causes("resourceVersionMatch=Bogus"), 2);
  EXPECT_EQ(causes("resourceVersion=0&resourceVersionMatch=Exact"), 1);
  EXPECT_EQ(causes("continue=x&resourceVersionMatch=Exact"), 2);
  EXPECT_EQ(causes("sendInitialEvents=true"), 1);
  const std::string token = encode_token({.revision = 5, .start = "a", .remaining = {}});
  EXPECT_EQ(parse("resourceVersion=5&continue=" + token).error().reason, Reason::kBadRequest);
  EXPECT_EQ(parse("limit=abc").error().reason, Reason::kBadRequest);
  EXPECT_EQ(parse("resourceVersion=101").error().reason, Reason::kTimeout);
  EXPECT_EQ(parse("continue=" + encode_token({.revision = 101, .start = "a", .remaining = {}})).error().reason,
            Reason::kTimeout);
}

}  // namespace
}  // namespace muster::apiserver
