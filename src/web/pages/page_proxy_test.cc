#include "web/pages/page_proxy.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <thread>

#include "api/muster/names.h"
#include "base/fd.h"
#include "base/strings.h"
#include "control/notebook/notebook.h"
#include "control/tensorboard/tensorboard.h"
#include "net/http_server.h"
#include "testing/ask_over_http.h"
#include "testing/fake_server.h"
#include "testing/seeded_rng.h"
#include "web/pages/content_port.h"
#include "web/pages/service_route.h"

namespace muster::web {
namespace {

using ::testing::HasSubstr;

class PageProxyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    pages_.start();
    const auto port = server_->listen("127.0.0.1", 0);
    ASSERT_TRUE(port) << port.error().message;
    port_ = *port;
  }

  /// Makes a TensorBoard whose pod has an address of its own, and a program that listens there.
  void put_board(const std::string& phase) {
    json::Document pod = cli::make_object("v1", "Pod", "mnist-tb-0");
    pod["metadata"]["namespace"] = "default";
    pod["metadata"]["uid"] = "p-1";
    pod["metadata"]["labels"][api::kTensorBoardUidLabel] = "u-1";
    pod["status"]["podIP"] = address_;
    // The fake lists a collection by its path, here those of all namespaces.
    api_.put("/api/v1/pods/mnist-tb-0", pod);
    json::Document board = cli::make_object("tensorstack.dev/v1beta1", "TensorBoard", "mnist");
    board["metadata"]["namespace"] = "default";
    board["metadata"]["uid"] = "u-1";
    board["status"] = json::Object{
        {"phase", phase},
        {"pod", json::Object{{"reference", json::Object{{"name", "mnist-tb-0"}}}}},
        {"conditions",
         json::Array{json::Object{{"type", "Ready"}, {"status", "False"}, {"message", "the pod is starting"}}}}};
    api_.put("/apis/tensorstack.dev/v1beta1/tensorboards/mnist", board);
  }

  void listen_as_tensorboard() {
    const auto port = program_.listen(address_, control::kTensorBoardPort);
    ASSERT_TRUE(port) << port.error().message;
  }

  net::Response get(const std::string& target, net::Headers headers = {}) {
    return testing::ask_over_http(loop_, port_, {.method = "GET", .target = target, .headers = std::move(headers)});
  }
  net::Response get_as_owner(const std::string& target) { return get(target, {{"Authorization", "Bearer secret"}}); }

  net::EventLoop loop_;
  testing::SeededRng rng_{1};
  cli::FakeServer api_{loop_};
  client::ApiClient client_{api_, ""};
  PageAccess access_{loop_, rng_, {.owner_token = "secret", .key = "key", .allowed_hosts = {"127.0.0.1"}}};
  std::string uid_ = "u-1";  // of the object that has the page
  Result<std::string> nothing_logged_in_ = std::string();
  PageProxy pages_{loop_,
                   rng_,
                   client_,
                   access_,
                   {.uid_of = [this](const PageName&) { return uid_; },
                    .idle_after = std::chrono::hours(1),
                    .find_logs =
                        [this](const json::Document&, OnLogsFound done) {
                          ++searches_;
                          done(nothing_logged_in_);
                        }}};
  int searches_ = 0;
  std::unique_ptr<net::HttpServer> server_ = make_content_server(loop_, {}, pages_);
  int port_ = 0;
  // An address that no other test on this machine uses.
  std::string address_ = fmt::format("127.{}.{}.7", 100 + ::getpid() % 100, ::getpid() / 100 % 250);
  net::Request passed_on_;
  net::HttpServer program_{loop_, {}, [this](net::Request request, const std::shared_ptr<net::Exchange>& exchange) {
                             passed_on_ = std::move(request);
                             exchange->respond({.status = 200, .headers = {{"X-From", "pod"}}, .body = "runs"});
                           }};
};

TEST_F(PageProxyTest, PassesRequestsOnWithTheirPathAndWithoutCredentials) {
  put_board("Running");
  listen_as_tensorboard();
  loop_.run_until([&] { return get_as_owner("/tb/default/mnist/data/runs?x=1").status == 200; });
  const net::Response answer =
      get("/tb/default/mnist/data/runs?x=1", {{"Authorization", "Bearer secret"}, {"Cookie", "a=b"}});
  EXPECT_EQ(answer.body, "runs");
  EXPECT_EQ(answer.headers.get("X-From"), "pod");
  EXPECT_EQ(passed_on_.target, "/tb/default/mnist/data/runs?x=1");
  EXPECT_FALSE(passed_on_.headers.has("Authorization"));
  EXPECT_FALSE(passed_on_.headers.has("Cookie"));
}

TEST_F(PageProxyTest, SaysWhatThePortIsForAndThatNothingIsThere) {
  const net::Response answer = get("/api");
  EXPECT_EQ(answer.status, 404);
  EXPECT_THAT(answer.body, HasSubstr("the API is on the main port"));
}

TEST_F(PageProxyTest, TheApiPassesRequestsOnToTheServiceOfATensorBoard) {
  put_board("Running");
  listen_as_tensorboard();
  loop_.run_until([&] { return get_as_owner("/tb/default/mnist/").status == 200; });
  apiserver::Router router;
  router.add({service_route(pages_)});
  net::HttpServer api(loop_, {}, [&](net::Request request, const std::shared_ptr<net::Exchange>& exchange) {
    auto target = apiserver::parse_target(request.target);
    auto found = *router.find(request.method, target->path);
    found->route->handle({std::move(request), std::move(target->query), std::move(found->at)}, exchange);
  });
  port_ = *api.listen("127.0.0.1", 0);
  const std::string service = "/api/v1/namespaces/default/services/mnist:6006/proxy";
  EXPECT_EQ(get(service + "/data/a%2Fb?x=/y").body, "runs");
  EXPECT_EQ(passed_on_.target, "/tb/default/mnist/data/a%2Fb?x=/y");
  EXPECT_EQ(get(service + "?x=/y").headers.get("Location"), service + "/?x=/y");
  EXPECT_EQ(get("/api/v1/namespaces/default/services/mnist:22/proxy/").status, 404);
  EXPECT_EQ(get("/api/v1/namespaces/default/services/other/proxy/").status, 404);
}

TEST_F(PageProxyTest, ALinkSetsACookieAndLeadsToThePage) {
  const net::Response first =
      get("/tb/default/mnist/?token=" + access_.make_link_token("owner", {"/tb/default/mnist/", "u-1"}));
  EXPECT_EQ(first.status, 303);
  EXPECT_EQ(first.headers.get("Location"), "/tb/default/mnist/");
  const std::string cookie(first.headers.get("Set-Cookie").substr(0, first.headers.get("Set-Cookie").find(';')));
  EXPECT_EQ(get("/tb/default/mnist/", {{"Cookie", cookie}}).status, 404) << "allowed, but there is no TensorBoard";
  const net::Response again = get("/tb/default/mnist/?token=used");
  EXPECT_EQ(again.status, 403);
  EXPECT_THAT(again.body, HasSubstr("`muster tensorboard mnist -n default` prints a new one"));
}

TEST_F(PageProxyTest, ACookieOfADeletedObjectOpensNothingOfItsSuccessor) {
  const net::Response first =
      get("/tb/default/mnist/?token=" + access_.make_link_token("owner", {"/tb/default/mnist/", "u-1"}));
  const std::string cookie(first.headers.get("Set-Cookie").substr(0, first.headers.get("Set-Cookie").find(';')));
  EXPECT_EQ(get("/tb/default/mnist/", {{"Cookie", cookie}}).status, 404);
  uid_ = "u-2";
  EXPECT_EQ(get("/tb/default/mnist/", {{"Cookie", cookie}}).status, 401);
}

TEST_F(PageProxyTest, ALinkThatWasUsedStillLeadsItsBrowserToThePage) {
  const std::string link =
      "/tb/default/mnist/?token=" + access_.make_link_token("owner", {"/tb/default/mnist/", "u-1"});
  const std::string cookie(get(link).headers.get("Set-Cookie"));
  const net::Response again = get(link, {{"Cookie", cookie.substr(0, cookie.find(';'))}});
  EXPECT_EQ(again.status, 303);
  EXPECT_EQ(again.headers.get("Location"), "/tb/default/mnist/");
  EXPECT_EQ(get(link).status, 403);
}

TEST_F(PageProxyTest, ATokenBelowThePageIsTheProgramsOwn) {
  put_board("Running");
  listen_as_tensorboard();
  EXPECT_EQ(get_as_owner("/tb/default/mnist/data?token=its-own").status, 200);
  EXPECT_EQ(passed_on_.target, "/tb/default/mnist/data?token=its-own");
}

TEST_F(PageProxyTest, StrangersSeeNothing) {
  put_board("Running");
  const net::Response answer = get("/tb/default/mnist/");
  EXPECT_EQ(answer.status, 401);
  EXPECT_THAT(answer.body, HasSubstr("muster tensorboard mnist"));
  EXPECT_EQ(get("/tb/default/mnist/", {{"Host", "evil.example"}}).status, 403);
}

TEST_F(PageProxyTest, SaysWhatIsMissing) {
  EXPECT_EQ(get_as_owner("/tb/default/mnist").status, 308);
  const net::Response none = get_as_owner("/tb/default/other/");
  EXPECT_EQ(none.status, 404);
  EXPECT_THAT(none.body, HasSubstr("there is no TensorBoard \"other\" in namespace \"default\""));
  put_board("Initializing");
  loop_.run_until([&] { return get_as_owner("/tb/default/mnist/").status == 503; });
  const net::Response starting = get_as_owner("/tb/default/mnist/");
  EXPECT_THAT(starting.body, HasSubstr("TensorBoard mnist is Initializing: the pod is starting"));
  EXPECT_EQ(starting.headers.get("Refresh"), "3");
}

TEST_F(PageProxyTest, AProgramThatDoesNotListenYetIsStarting) {
  put_board("Running");
  loop_.run_until([&] { return get_as_owner("/tb/default/mnist/").status == 503; });
  EXPECT_THAT(get_as_owner("/tb/default/mnist/").body, HasSubstr("TensorBoard is starting"));
}

/// Listens at an address and answers one connection in no HTTP.
class OtherProtocol {
 public:
  OtherProtocol(const std::string& address, int port) : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<std::uint16_t>(port));
    ::inet_pton(AF_INET, address.c_str(), &at.sin_addr);
    const int yes = 1;
    ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
    EXPECT_EQ(::listen(listener_.get(), 1), 0);
    thread_ = std::jthread([this] { answer(); });
  }

 private:
  void answer() const {
    const Fd peer(::accept(listener_.get(), nullptr, nullptr));
    constexpr std::string_view kGreeting = "SSH-2.0-OpenSSH_9.2\r\n";
    EXPECT_EQ(::send(peer.get(), kGreeting.data(), kGreeting.size(), 0), static_cast<ssize_t>(kGreeting.size()));
    std::array<char, 4096> request{};
    while (::recv(peer.get(), request.data(), request.size(), 0) > 0) {
    }
  }

  Fd listener_;
  std::jthread thread_;
};

TEST_F(PageProxyTest, AProgramThatAnswersInNoHttpIsNotStarting) {
  put_board("Running");
  loop_.run_until([&] { return get_as_owner("/tb/default/mnist/").status == 503; });
  const OtherProtocol program(address_, control::kTensorBoardPort);
  const net::Response answer = get_as_owner("/tb/default/mnist/");
  EXPECT_EQ(answer.status, 502);
  EXPECT_EQ(answer.body, fmt::format("TensorBoard runs, but its answer cannot be shown: {}:{} does not answer in HTTP: "
                                     "bad version\n",
                                     address_, control::kTensorBoardPort));
}

TEST_F(PageProxyTest, ABrokenEscapeIsNamed) {
  const net::Response answer = get_as_owner("/tb/default/mnist/%zz");
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, HasSubstr("broken percent escape in \"%zz\""));
}

TEST_F(PageProxyTest, AVisitIsNotedOnceAMinute) {
  put_board("Suspended");
  loop_.run_until([&] { return get_as_owner("/tb/default/mnist/").status == 503; });
  const std::string note = "PATCH /apis/tensorstack.dev/v1beta1/namespaces/default/tensorboards/mnist";
  const auto is_note = [&](const std::string& request) { return request.starts_with(note); };
  const auto noted = std::ranges::find_if(api_.requests, is_note);
  ASSERT_NE(noted, api_.requests.end());
  const std::string body = api_.bodies[static_cast<std::size_t>(noted - api_.requests.begin())];
  EXPECT_THAT(body, HasSubstr("\"muster.dev/last-visit\":\"20"));

  json::Document board = *api_.find("/apis/tensorstack.dev/v1beta1/tensorboards/mnist");
  board["metadata"]["annotations"][api::kLastVisitAnnotation] = format_rfc3339_micro(loop_.now());
  board["status"]["phase"] = "Initializing";
  api_.put("/apis/tensorstack.dev/v1beta1/tensorboards/mnist", board);
  loop_.run_until([&] { return get_as_owner("/tb/default/mnist/").body.find("is Initializing") != std::string::npos; });
  const auto notes = std::ranges::count_if(api_.requests, is_note);
  EXPECT_EQ(get_as_owner("/tb/default/mnist/").status, 503);
  EXPECT_EQ(std::ranges::count_if(api_.requests, is_note), notes);
  // A request without a login does not count as a visit.
  EXPECT_EQ(get("/tb/default/mnist/").status, 401);
  EXPECT_EQ(std::ranges::count_if(api_.requests, is_note), notes);
}

TEST_F(PageProxyTest, ThePageSaysThatNothingWasLoggedYet) {
  nothing_logged_in_ = std::string("claim mnist, folder log");
  put_board("Running");
  listen_as_tensorboard();
  loop_.run_until([&] { return get_as_owner("/tb/default/mnist/data/runs").status == 200; });
  const net::Response empty = get_as_owner("/tb/default/mnist/");
  EXPECT_EQ(empty.status, 503);
  EXPECT_EQ(empty.headers.get("Refresh"), "3");
  EXPECT_THAT(empty.body, HasSubstr("nothing was logged yet (claim mnist, folder log)"));
  nothing_logged_in_ = std::string();
  EXPECT_EQ(get_as_owner("/tb/default/mnist/").status, 200);
  const int searches = searches_;
  EXPECT_EQ(get_as_owner("/tb/default/mnist/").status, 200);
  EXPECT_EQ(searches_, searches) << "it has something to show, and keeps it";
}

TEST_F(PageProxyTest, LogsThatCannotBeSearchedAreTensorBoardsToExplain) {
  nothing_logged_in_ = Error{.reason = Reason::kNotFound, .message = "no such claim"};
  put_board("Running");
  listen_as_tensorboard();
  loop_.run_until([&] { return get_as_owner("/tb/default/mnist/").status == 200; });
  EXPECT_EQ(passed_on_.target, "/tb/default/mnist/");
}

TEST_F(PageProxyTest, ADeploymentOfArenaServesItsPagesWithoutThePrefix) {
  json::Document deployment = cli::make_object("apps/v1", "Deployment", "mnist-tensorboard");
  deployment["metadata"]["namespace"] = "default";
  deployment["metadata"]["labels"] = json::Object{{"role", "tensorboard"}};
  deployment["metadata"]["uid"] = "d";
  api_.put("/apis/apps/v1/deployments/mnist-tensorboard", deployment);
  loop_.run_until([&] { return get_as_owner("/tb/default/mnist-tensorboard/").status == 503; });
  json::Document pod = cli::make_object("v1", "Pod", "mnist-tensorboard-0");
  pod["metadata"]["namespace"] = "default";
  pod["metadata"]["labels"] = json::Object{{"role", "tensorboard"}};
  pod["metadata"]["ownerReferences"] = json::Array{json::Object{{"uid", "d"}, {"controller", true}}};
  pod["status"] = *json::parse(
      R"({"phase":"Running","containerStatuses":[{"state":{"waiting":{"reason":"CrashLoopBackOff"}},)"
      R"("lastState":{"terminated":{"exitCode":69,"message":"there is no tensorboard in this environment\n"}}}]})");
  api_.put("/api/v1/pods/mnist-tensorboard-0", pod);
  const auto body = [&] { return get_as_owner("/tb/default/mnist-tensorboard/").body; };
  loop_.run_until([&] { return body() != "TensorBoard mnist-tensorboard is starting\n"; });
  EXPECT_EQ(body(), "TensorBoard mnist-tensorboard has ended: there is no tensorboard in this environment\n");
  pod["status"] = json::Object{{"phase", "Running"}, {"podIP", address_}};
  api_.put("/api/v1/pods/mnist-tensorboard-0", pod);
  listen_as_tensorboard();
  loop_.run_until([&] { return get_as_owner("/tb/default/mnist-tensorboard/data/runs?x=1").status == 200; });
  EXPECT_EQ(passed_on_.target, "/data/runs?x=1");
  EXPECT_EQ(get_as_owner("/tb/default/mnist%2Dtensorboard/").status, 404);
  EXPECT_THAT(get("/tb/default/mnist-tensorboard/?token=used").body,
              HasSubstr("`arena tensorboard mnist -n default` prints a new one"));
}

// ---- notebooks ----

/// A program that answers as JupyterLab does: it echoes bodies and what comes over WebSockets.
class NotebookProxyTest : public PageProxyTest {
 protected:
  NotebookProxyTest() {
    json::Document pod = cli::make_object("v1", "Pod", "mnist-nb-0");
    pod["metadata"]["namespace"] = "default";
    pod["metadata"]["labels"][api::kNotebookUidLabel] = "n-1";
    pod["status"]["podIP"] = address_;
    api_.put("/api/v1/pods/mnist-nb-0", pod);
    put_token("of-jupyter");
    put_notebook("Running");
  }

  void put_token(std::string_view token) {
    json::Document secret = cli::make_object("v1", "Secret", "mnist-nb");
    secret["metadata"]["namespace"] = "default";
    secret["metadata"]["labels"][api::kNotebookUidLabel] = "n-1";
    secret["data"] = json::Object{{"token", base64_encode(token)}};
    api_.put("/api/v1/secrets/mnist-nb", secret);
  }

  void put_notebook(const std::string& phase) {
    json::Document notebook = cli::make_object("tensorstack.dev/v1beta1", "Notebook", "mnist");
    notebook["metadata"]["namespace"] = "default";
    notebook["metadata"]["uid"] = "n-1";
    notebook["status"] = json::Object{
        {"phase", phase},
        {"pod", json::Object{{"reference", json::Object{{"name", "mnist-nb-0"}}}}},
        {"conditions", json::Array{json::Object{{"type", "Ready"}, {"status", "False"}, {"message", "the reason"}}}}};
    api_.put("/apis/tensorstack.dev/v1beta1/notebooks/mnist", notebook);
  }

  void listen_as_jupyter() {
    const auto port = jupyter_.listen(address_, control::kNotebookPort);
    ASSERT_TRUE(port) << port.error().message;
    loop_.run_until([&] { return get_as_owner("/notebook/default/mnist/").status == 200; });
  }

  void echo(net::Request request, const std::shared_ptr<net::Exchange>& exchange) {
    passed_on_ = request;
    net::Headers headers = {{"Set-Cookie", "_xsrf=of-jupyter; Path=/"}, {"Service-Worker-Allowed", "/"}};
    const bool upgrades = net::asks_for_upgrade(request.headers);
    if (upgrades) {
      headers.set("Connection", "Upgrade");
      headers.set("Upgrade", "websocket");
      headers.set("Sec-WebSocket-Accept", "accepted");
    }
    exchange->begin(upgrades ? 101 : 200, std::move(headers));
    exchange->read_input({.on_data =
                              [this, exchange](std::string_view bytes) {
                                received_ += bytes.size();
                                exchange->write(std::make_shared<const std::string>(bytes));
                              },
                          .on_end = [exchange] { exchange->finish(); }});
  }

  std::size_t received_ = 0;
  net::HttpServer jupyter_{loop_,
                           {},
                           [this](net::Request request, const std::shared_ptr<net::Exchange>& exchange) {
                             echo(std::move(request), exchange);
                           },
                           net::ServerLimits{},
                           nullptr,
                           [](const net::Request&) { return true; }};
};

TEST_F(NotebookProxyTest, JupyterGetsItsTokenAndItsCookiesAndNoneOfOurs) {
  listen_as_jupyter();
  const net::Response answer =
      get("/notebook/default/mnist/lab", {{"Authorization", "Bearer secret"}, {"Cookie", "muster-page=ours"}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(passed_on_.target, "/notebook/default/mnist/lab");
  EXPECT_EQ(passed_on_.headers.get("Authorization"), "token of-jupyter");
  EXPECT_EQ(passed_on_.headers.get("Cookie"), "_xsrf=of-jupyter");
  EXPECT_FALSE(answer.headers.has("Set-Cookie"));
  EXPECT_FALSE(answer.headers.has("Service-Worker-Allowed"));
}

TEST_F(NotebookProxyTest, ATokenThatIsNoHeaderIsNotSent) {
  listen_as_jupyter();
  const std::string why =
      "data.token of Secret \"mnist-nb\" must be the token of JupyterLab, in one line; delete the Secret, and a new "
      "one is created\n";
  for (const std::string_view token : {"a\r\nX-Injected: 1", "a\n", ""}) {
    put_token(token);
    loop_.run_until([&] { return get_as_owner("/notebook/default/mnist/").body == why; });
    put_token("fine");
    loop_.run_until([&] { return get_as_owner("/notebook/default/mnist/").status == 200; });
  }
}

TEST_F(NotebookProxyTest, LargeBodiesStreamBothWays) {
  listen_as_jupyter();
  constexpr std::size_t kPieces = 64;
  const auto piece = std::make_shared<const std::string>(256 * 1024, 'x');
  net::HttpClient browser(loop_, {.host = "127.0.0.1", .port = port_, .tls = false});
  std::size_t answered = 0;
  bool ended = false;
  net::ResponseSink sink;
  sink.on_data = [&](std::string_view bytes) { answered += bytes.size(); };
  sink.on_end = [&](const Status& end) { ended = bool(end); };
  const auto call = browser.send({.method = "PUT",
                                  .target = "/notebook/default/mnist/api/contents/big",
                                  .headers = {{"Authorization", "Bearer secret"}},
                                  .streams_body = true},
                                 std::move(sink));
  for (std::size_t i = 0; i < kPieces; ++i) call->write(piece);
  call->finish();
  loop_.run_until([&] { return ended; });
  EXPECT_EQ(received_, kPieces * piece->size());
  EXPECT_EQ(answered, received_);
}

TEST_F(NotebookProxyTest, AWebSocketCarriesBytesBothWaysUntilTheBrowserLeaves) {
  listen_as_jupyter();
  net::HttpClient browser(loop_, {.host = "127.0.0.1", .port = port_, .tls = false});
  int status = 0;
  net::Headers headers;
  std::string answered;
  net::ResponseSink sink;
  sink.on_head = [&](int code, const net::Headers& received) {
    status = code;
    headers = received;
  };
  sink.on_data = [&](std::string_view bytes) { answered += bytes; };
  auto call = browser.send({.method = "GET",
                            .target = "/notebook/default/mnist/terminals/websocket/1",
                            .headers = {{"Authorization", "Bearer secret"},
                                        {"Connection", "keep-alive, Upgrade"},
                                        {"Upgrade", "websocket"},
                                        {"Sec-WebSocket-Key", "key"}}},
                           std::move(sink));
  loop_.run_until([&] { return status != 0; });
  EXPECT_EQ(status, 101);
  EXPECT_EQ(headers.get("Upgrade"), "websocket");
  EXPECT_EQ(headers.get("Sec-WebSocket-Accept"), "accepted");
  EXPECT_EQ(passed_on_.headers.get("Sec-WebSocket-Key"), "key");
  EXPECT_EQ(passed_on_.headers.get("Authorization"), "token of-jupyter");
  call->write(std::make_shared<const std::string>("frame"));
  loop_.run_until([&] { return answered == "frame"; });
  call.reset();
  // The connections that stay are kept alive for later requests.
  loop_.run_until([&] { return server_->connections() == 0 && jupyter_.connections() <= 1; });
}

TEST_F(NotebookProxyTest, StrangersOtherSitesAndOtherPagesCookiesOpenNoWebSocket) {
  listen_as_jupyter();
  const auto first =
      get("/notebook/default/other/?token=" + access_.make_link_token("owner", {"/notebook/default/other/", "u-1"}));
  const std::string others(first.headers.get("Set-Cookie").substr(0, first.headers.get("Set-Cookie").find(';')));
  const auto open = [&](net::Headers headers) {
    headers.set("Connection", "Upgrade");
    headers.set("Upgrade", "websocket");
    return get("/notebook/default/mnist/api/events/subscribe", std::move(headers)).status;
  };
  EXPECT_EQ(open({}), 401);
  EXPECT_EQ(open({{"Cookie", others}}), 401);
  EXPECT_EQ(open({{"Authorization", "Bearer of-jupyter"}}), 401);
  EXPECT_EQ(open({{"Authorization", "Bearer secret"}, {"Origin", "https://evil.example"}}), 403);
  EXPECT_EQ(open({{"Authorization", "Bearer secret"}, {"Host", "evil.example"}}), 403);
}

TEST_F(NotebookProxyTest, SaysWhyThereIsNoPageAndWhatToDo) {
  put_notebook("Suspended");
  const std::string why = "Notebook mnist is Suspended: the reason; `muster notebook mnist -n default` resumes it\n";
  loop_.run_until([&] { return get_as_owner("/notebook/default/mnist/").body == why; });
  EXPECT_EQ(get_as_owner("/notebook/default/other/").body, "there is no Notebook \"other\" in namespace \"default\"\n");
  EXPECT_THAT(get("/notebook/default/mnist/").body, HasSubstr("log in with a link from `muster notebook mnist"));
}

TEST(PageName, IsTheFirstPartOfAPath) {
  const auto page = page_of("/tb/default/mnist/data/runs?x=1");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->path, "/tb/default/mnist/");
  EXPECT_TRUE(page_of("/tb/default/mnist"));
  EXPECT_FALSE(page_of("/tb/default"));
  EXPECT_EQ(page_of("/notebook/default/mnist/lab?x=1")->path, "/notebook/default/mnist/");
  EXPECT_FALSE(page_of("/other/default/mnist/"));
  EXPECT_FALSE(page_of("/tb/default/../secret/"));
}

}  // namespace
}  // namespace muster::web
