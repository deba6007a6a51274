#include "web/pages/page_access.h"

#include <gmock/gmock.h>

#include "base/strings.h"
#include "testing/seeded_rng.h"
#include "testing/sim_loop.h"

namespace muster::web {
namespace {

using ::testing::HasSubstr;

const PageSubject kPage{.path = "/tb/default/mnist/", .uid = "u-1"};
const PageSubject kOther{.path = "/tb/default/other/", .uid = "u-2"};

class PageAccessTest : public ::testing::Test {
 protected:
  static net::Request request(net::Headers headers) {
    net::Request result{.method = "GET", .target = kPage.path, .headers = std::move(headers), .body = {}, .peer = {}};
    if (!result.headers.has("Host")) result.headers.set("Host", "127.0.0.1:8766");
    return result;
  }
  /// Follows a link and returns what the browser then sends as Cookie.
  std::string cookie() {
    const auto set = access_.redeem(access_.make_link_token("owner", kPage), kPage);
    return set ? split(*set, ';')[0] : "";
  }

  testing::SimLoop loop_;
  testing::SeededRng rng_{1};
  PageAccess access_{loop_, rng_, {.owner_token = "secret", .key = "key", .allowed_hosts = {"127.0.0.1"}}};
};

TEST_F(PageAccessTest, ALinkWorksOnceAndForItsPageOnly) {
  const std::string token = access_.make_link_token("owner", kPage);
  EXPECT_FALSE(access_.redeem(token, kOther));
  const auto set = access_.redeem(token, kPage);
  ASSERT_TRUE(set);
  EXPECT_THAT(*set, HasSubstr("; Path=/tb/default/mnist/; "));
  EXPECT_THAT(*set, HasSubstr("; HttpOnly; SameSite=Lax"));
  EXPECT_FALSE(access_.redeem(token, kPage));
  EXPECT_FALSE(access_.redeem("", kPage));
}

TEST_F(PageAccessTest, ALinkExpires) {
  const std::string token = access_.make_link_token("owner", kPage);
  loop_.advance(std::chrono::minutes(5));
  EXPECT_FALSE(access_.redeem(token, kPage));
}

TEST_F(PageAccessTest, OldLinksOfAnAccountMakeRoomAndThoseOfOthersStay) {
  const std::string first = access_.make_link_token("a", kPage);
  const std::string second = access_.make_link_token("a", kPage);
  const std::string others = access_.make_link_token("b", kPage);
  for (int i = 0; i < 99; ++i) access_.make_link_token("a", kPage);
  EXPECT_FALSE(access_.redeem(first, kPage));
  EXPECT_TRUE(access_.redeem(second, kPage));
  EXPECT_TRUE(access_.redeem(others, kPage));
}

TEST_F(PageAccessTest, AnotherObjectOfTheSameNameStartsFromNothing) {
  const PageSubject recreated{.path = kPage.path, .uid = "u-9"};
  const std::string link = access_.make_link_token("owner", kPage);
  const net::Request with = request({{"Cookie", cookie()}});
  EXPECT_TRUE(access_.may_see(with, kPage));
  EXPECT_FALSE(access_.may_see(with, recreated));
  EXPECT_FALSE(access_.redeem(link, recreated));
}

TEST_F(PageAccessTest, TheCookieOpensItsPageUntilItExpires) {
  const net::Request with = request({{"Cookie", "theme=dark; " + cookie()}});
  EXPECT_TRUE(access_.may_see(with, kPage));
  EXPECT_FALSE(access_.may_see(with, kOther));
  EXPECT_FALSE(access_.may_see(request({}), kPage));
  loop_.advance(std::chrono::days(8));
  EXPECT_FALSE(access_.may_see(with, kPage));
}

TEST_F(PageAccessTest, AForgedCookieOpensNothing) {
  std::string forged = cookie();
  forged.back() = forged.back() == '=' ? 'A' : '=';
  EXPECT_FALSE(access_.may_see(request({{"Cookie", forged}}), kPage));
  EXPECT_FALSE(access_.may_see(request({{"Cookie", "muster-page=99999999999."}}), kPage));
  EXPECT_FALSE(access_.may_see(request({{"Cookie", "muster-page"}}), kPage));
}

TEST_F(PageAccessTest, TheOwnersTokenOpensEveryPage) {
  EXPECT_TRUE(access_.may_see(request({{"Authorization", "Bearer secret"}}), kPage));
  EXPECT_FALSE(access_.may_see(request({{"Authorization", "Bearer other"}}), kPage));
}

TEST_F(PageAccessTest, OtherNamesAndSitesAreRefused) {
  const std::string valid = cookie();
  EXPECT_FALSE(access_.may_see(request({{"Host", "evil.example:8766"}, {"Cookie", valid}}), kPage));
  EXPECT_FALSE(access_.may_see(request({{"Origin", "http://evil.example"}, {"Cookie", valid}}), kPage));
  EXPECT_TRUE(access_.may_see(request({{"Origin", "http://127.0.0.1:8766"}, {"Cookie", valid}}), kPage));
}

}  // namespace
}  // namespace muster::web
