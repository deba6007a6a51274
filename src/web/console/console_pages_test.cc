#include "web/console/console_pages.h"

#include <gmock/gmock.h>

#include "base/sha256.h"
#include "base/strings.h"
#include "json/document.h"
#include "net/signature_for_tests.h"
#include "testing/seeded_rng.h"
#include "testing/sim_loop.h"

namespace muster::web {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

net::Bytes console_bytes(const char* text) {
  return std::make_shared<const std::string>(text);
}

AssetPack console_pack() {
  return {{"index.html", {"text/html", {{"identity", console_bytes("page")}, {"br", console_bytes("p")}}}},
          {"assets/a.js", {"text/javascript", {{"identity", console_bytes("script")}, {"gzip", console_bytes("s")}}}}};
}

class ConsolePagesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    pages_.serve_at({"http://127.0.0.1:8765", "https://box:8765"}, [this] { return is_alone_; });
  }
  static net::Request request(const char* method, const std::string& target, net::Headers headers = {}) {
    if (!headers.has("Host")) headers.set("Host", "127.0.0.1:8765");
    return {.method = method, .target = target, .headers = std::move(headers), .body = {}, .peer = {}};
  }
  net::Response get(const std::string& target, net::Headers headers = {}) {
    return pages_.answer(request("GET", target, std::move(headers)));
  }
  net::Response log_in(const std::string& code) {
    return pages_.answer(request("POST", "/console/login", {{"Authorization", "Bearer " + code}}));
  }

  testing::SimLoop loop_;
  testing::SeededRng rng_{1};
  PageAccess access_{
      loop_, rng_, {.owner_token = "secret", .key = "key", .allowed_hosts = {"127.0.0.1", "localhost", "box"}}};
  Result<bool> is_alone_ = true;
  OneTimeLinks links_{loop_, rng_};
  ConsoleSessions sessions_{loop_, rng_, "key"};
  net::SigningKey key_ = *net::SigningKey::read(*net::SigningKey::make_pem());
  ConsolePages pages_{console_pack(), access_, links_, sessions_, key_};
};

TEST_F(ConsolePagesTest, ItServesItsPathsAndTheRootOfABrowser) {
  EXPECT_TRUE(ConsolePages::serves(request("GET", "/console")));
  EXPECT_TRUE(ConsolePages::serves(request("GET", "/console/jobs?phase=Running")));
  EXPECT_TRUE(ConsolePages::serves(request("GET", "/", {{"Accept", "text/html,*/*"}})));
  EXPECT_FALSE(ConsolePages::serves(request("GET", "/")));
  EXPECT_FALSE(ConsolePages::serves(request("GET", "/consoles")));
  EXPECT_FALSE(ConsolePages::serves(request("GET", "/api/v1/pods")));
}

TEST_F(ConsolePagesTest, EveryPageIsTheIndexWithStrictHeaders) {
  for (const char* path : {"/console/", "/console/jobs/default/a.b", "/console/?lang=zh"}) {
    const net::Response page = get(path);
    EXPECT_EQ(page.status, 200);
    EXPECT_EQ(*page.pieces.at(0), "page");
    EXPECT_EQ(page.headers.get("Cache-Control"), "no-cache");
    EXPECT_THAT(std::string(page.headers.get("Content-Security-Policy")), HasSubstr("default-src 'none'"));
    EXPECT_EQ(page.headers.get("X-Content-Type-Options"), "nosniff");
  }
  EXPECT_EQ(get("/console").headers.get("Location"), "/console/");
}

TEST_F(ConsolePagesTest, FilesAreKeptForEverAndUnknownOnesAreNotThere) {
  const net::Response file = get("/console/assets/a.js");
  EXPECT_EQ(*file.pieces.at(0), "script");
  EXPECT_THAT(std::string(file.headers.get("Cache-Control")), HasSubstr("immutable"));
  EXPECT_EQ(get("/console/assets/b.js").status, 404);
}

TEST_F(ConsolePagesTest, ABrowserGetsTheSmallestFormThatItAccepts) {
  const net::Response page = get("/console/", {{"Accept-Encoding", "gzip, deflate, br;q=1.0"}});
  EXPECT_EQ(page.headers.get("Content-Encoding"), "br");
  EXPECT_EQ(*page.pieces.at(0), "p");
  const net::Response file = get("/console/assets/a.js", {{"Accept-Encoding", "br, gzip"}});
  EXPECT_EQ(file.headers.get("Content-Encoding"), "gzip");
}

TEST_F(ConsolePagesTest, AnUnchangedIndexIsNotSentAgain) {
  const std::string etag(get("/console/").headers.get("ETag"));
  EXPECT_EQ(get("/console/", {{"If-None-Match", etag}}).status, 304);
}

TEST_F(ConsolePagesTest, ACodeIsTradedForASessionOnce) {
  const std::string code = links_.make("owner", "/console/");
  const net::Response answer = log_in(code);
  ASSERT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.get("Cache-Control"), "no-store");
  EXPECT_TRUE(sessions_.is_open(json::parse(answer.body)->string_at("token")));
  const net::Response again = log_in(code);
  EXPECT_EQ(again.status, 401);
  EXPECT_THAT(again.body, HasSubstr("run muster console for a new one"));
  EXPECT_EQ(log_in("").status, 401);
  EXPECT_EQ(log_in(links_.make("owner", "/tb/default/mnist/")).status, 401);
}

TEST_F(ConsolePagesTest, ALinkNamesTheKeyOfTheServer) {
  const std::string link = pages_.make_link();
  EXPECT_THAT(link, StartsWith("http://127.0.0.1:8765/console/#login="));
  EXPECT_THAT(link, EndsWith("&server=" + sha256_hex(key_.public_key()).substr(0, 32)));
}

TEST_F(ConsolePagesTest, AProofSignsTheNonceAndTheOriginOfTheServer) {
  const std::string nonce(32, 'a');
  const net::Response answer = get("/console/proof?nonce=" + nonce);
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.headers.get("Cache-Control"), "no-store");
  const auto proof = *json::parse(answer.body);
  const auto key = base64_decode(proof.string_at("key"));
  const auto signature = base64_decode(proof.string_at("signature"));
  ASSERT_TRUE(key && signature);
  EXPECT_EQ(*key, key_.public_key());
  EXPECT_TRUE(net::is_signed_by(*key, "muster console\nhttp://127.0.0.1:8765\n" + nonce, *signature));
  EXPECT_FALSE(net::is_signed_by(*key, "muster console\nhttp://127.0.0.1:9999\n" + nonce, *signature));
}

TEST_F(ConsolePagesTest, NothingIsSignedForAnotherOrigin) {
  const std::string path = "/console/proof?nonce=" + std::string(32, 'a');
  for (const char* host : {"127.0.0.1:9999", "localhost:8765", "127.0.0.1", "box:8765"}) {
    const net::Response answer = get(path, {{"Host", host}});
    EXPECT_EQ(answer.status, 403) << host;
    EXPECT_THAT(answer.body, HasSubstr("http://127.0.0.1:8765")) << host;
  }
  net::Request over_tls = request("GET", path, {{"Host", "box:8765"}});
  over_tls.peer.tls = true;
  EXPECT_EQ(pages_.answer(over_tls).status, 200);
}

TEST_F(ConsolePagesTest, NothingIsSignedWhileAnotherProgramHasConnectionsAtThePort) {
  const std::string path = "/console/proof?nonce=" + std::string(32, 'a');
  is_alone_ = false;
  EXPECT_EQ(get(path).status, 409);
  is_alone_ = Error{.reason = Reason::kInternalError, .message = "cannot read"};
  EXPECT_EQ(get(path).status, 500);
  is_alone_ = true;
  EXPECT_EQ(get(path).status, 200);
}

TEST_F(ConsolePagesTest, ANonceIsHexadecimalAndLongEnough) {
  for (const std::string& nonce : {std::string(), std::string(31, 'a'), std::string(129, 'a'), std::string(32, 'x')}) {
    EXPECT_EQ(get("/console/proof?nonce=" + nonce).status, 400) << nonce;
  }
}

TEST_F(ConsolePagesTest, ABrowserAtLocalhostIsSentToTheProvenAddress) {
  const net::Response page = get("/console/jobs?ns=a", {{"Host", "localhost:8765"}});
  EXPECT_EQ(page.status, 302);
  EXPECT_EQ(page.headers.get("Location"), "http://127.0.0.1:8765/console/jobs?ns=a");
  EXPECT_EQ(get("/console/jobs", {{"Host", "localhost:9999"}}).status, 200);  // a forwarded port
}

TEST_F(ConsolePagesTest, OtherNamesSitesAndMethodsAreRefused) {
  EXPECT_EQ(get("/console/", {{"Host", "evil.example"}}).status, 403);
  EXPECT_EQ(get("/console/", {{"Origin", "http://evil.example"}}).status, 403);
  EXPECT_EQ(pages_.answer(request("POST", "/console/")).status, 405);
}

TEST_F(ConsolePagesTest, ABuildWithoutTheConsoleSaysSo) {
  ConsolePages none{{}, access_, links_, sessions_, key_};
  const net::Response page = none.answer(request("GET", "/console/"));
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("has no console"));
}

}  // namespace
}  // namespace muster::web
