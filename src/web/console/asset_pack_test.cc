#include "web/console/asset_pack.h"

#include <gmock/gmock.h>

namespace muster::web {
namespace {

using ::testing::HasSubstr;

TEST(AssetPackTest, FilesHaveTheirFormsAndBytes) {
  const auto pack = parse_asset_pack(
      "muster-console 1\nindex.html text/html identity 3\nassets/a.js text/javascript identity 5\n"
      "assets/a.js text/javascript br 2\n\nabc12\n45br");
  ASSERT_TRUE(pack) << pack.error().message;
  EXPECT_EQ(pack->size(), 2u);
  EXPECT_EQ(*pack->at("index.html").forms.at("identity"), "abc");
  EXPECT_EQ(pack->at("assets/a.js").type, "text/javascript");
  EXPECT_EQ(*pack->at("assets/a.js").forms.at("identity"), "12\n45");
  EXPECT_EQ(*pack->at("assets/a.js").forms.at("br"), "br");
}

TEST(AssetPackTest, NothingIsNoConsole) {
  const auto pack = parse_asset_pack("");
  ASSERT_TRUE(pack);
  EXPECT_TRUE(pack->empty());
}

TEST(AssetPackTest, ABrokenPackIsRefused) {
  for (const char* text : {"other 1\n\n", "muster-console 1\na b c\n\n", "muster-console 1\na b identity 9\n\nxy",
                           "muster-console 1\na b identity -1\n\nxy", "muster-console 1\na b gzip 2\n\nxy"}) {
    const auto pack = parse_asset_pack(text);
    ASSERT_FALSE(pack) << text;
    EXPECT_THAT(pack.error().message, HasSubstr("the embedded files are broken"));
  }
}

}  // namespace
}  // namespace muster::web
