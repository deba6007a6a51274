#include "web/pages/local_page.h"

#include <gmock/gmock.h>

#include "net/http_client.h"
#include "testing/ask_over_http.h"
#include "testing/seeded_rng.h"

namespace muster::web {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kPagePath = "/api/v1/namespaces/default/services/mnist-tensorboard:6006/proxy/";

class LocalPageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto port = far_.listen("127.0.0.1", 0);
    ASSERT_TRUE(port) << port.error().message;
    server_ = std::make_unique<net::HttpClient>(loop_, net::Endpoint{.host = "127.0.0.1", .port = *port, .tls = false});
    page_ = std::make_unique<LocalPage>(loop_, rng_, *server_, kPagePath);
    ASSERT_TRUE(page_->listen(0));
    link_ = page_->make_link();
    port_ = std::stoi(link_.substr(std::string("http://127.0.0.1:").size()));
  }

  net::Response ask(const std::string& method, const std::string& target, net::Headers headers, std::string body = "") {
    return testing::ask_over_http(
        loop_, port_, {.method = method, .target = target, .headers = std::move(headers), .body = std::move(body)});
  }
  std::string target_of_link() const { return link_.substr(link_.find(kPagePath)); }
  /// Follows the link and returns the cookie.
  std::string opened() {
    const std::string cookie(ask("GET", target_of_link(), {}).headers.get("Set-Cookie"));
    return cookie.substr(0, cookie.find(';'));
  }

  net::EventLoop loop_;
  testing::SeededRng rng_{1};
  std::vector<net::Request> arrived_;
  net::HttpServer far_{loop_, {}, [this](net::Request request, const std::shared_ptr<net::Exchange>& exchange) {
                         arrived_.push_back(std::move(request));
                         exchange->respond({.status = 200, .headers = {{"Set-Cookie", "far=1"}}, .body = "runs"});
                       }};
  std::unique_ptr<net::HttpClient> server_;
  std::unique_ptr<LocalPage> page_;
  std::string link_;
  int port_ = 0;
};

TEST_F(LocalPageTest, TheLinkOpensThePageInOneBrowser) {
  const net::Response first = ask("GET", target_of_link(), {});
  EXPECT_EQ(first.status, 303);
  EXPECT_EQ(first.headers.get("Location"), kPagePath);
  EXPECT_THAT(std::string(first.headers.get("Set-Cookie")), HasSubstr(std::string("Path=") + kPagePath));
  EXPECT_EQ(ask("GET", target_of_link(), {}).status, 401);
  EXPECT_THAT(arrived_, IsEmpty());
}

TEST_F(LocalPageTest, RequestsGoOnUnderTheSamePathAndWithoutTheLogin) {
  const std::string cookie = opened();
  const net::Response answer = ask("POST", std::string(kPagePath) + "data/x?tag=a%2Fb", {{"Cookie", cookie}}, "body");
  EXPECT_EQ(answer.body, "runs");
  EXPECT_FALSE(answer.headers.has("Set-Cookie"));
  ASSERT_EQ(arrived_.size(), 1u);
  EXPECT_EQ(arrived_[0].method, "POST");
  EXPECT_EQ(arrived_[0].target, std::string(kPagePath) + "data/x?tag=a%2Fb");
  EXPECT_EQ(arrived_[0].body, "body");
  EXPECT_FALSE(arrived_[0].headers.has("Cookie"));
}

TEST_F(LocalPageTest, NothingElseOfTheServerIsReached) {
  const std::string cookie = opened();
  for (const std::string& target :
       {std::string("/api/v1/namespaces/default/secrets"), std::string("/"),
        std::string(kPagePath) + "../../../secrets", std::string(kPagePath) + "%2e%2e/%2E%2E/secrets",
        std::string(kPagePath) + "..%2fsecrets", std::string(kPagePath) + "%zz"}) {
    EXPECT_EQ(ask("GET", target, {{"Cookie", cookie}}).status, 404) << target;
  }
  EXPECT_THAT(arrived_, IsEmpty());
}

TEST_F(LocalPageTest, StrangersAndOtherSitesSeeNothing) {
  const std::string cookie = opened();
  EXPECT_EQ(ask("GET", kPagePath, {}).status, 401);
  EXPECT_EQ(ask("GET", kPagePath, {{"Cookie", cookie}, {"Host", "evil.example"}}).status, 401);
  EXPECT_EQ(ask("GET", kPagePath, {{"Cookie", cookie}, {"Origin", "http://evil.example"}}).status, 401);
  EXPECT_THAT(arrived_, IsEmpty());
}

}  // namespace
}  // namespace muster::web
