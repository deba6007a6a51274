// The server over a real store on virtual time: what the contract suite cannot see from outside, or would wait an hour
// for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "apiserver/api_server.h"
#include "json/document.h"
#include "testing/seeded_rng.h"
#include "testing/sim_loop.h"

namespace muster::apiserver {
namespace {

using ::testing::HasSubstr;

class Recorder final : public net::Exchange {
 public:
  void respond(net::Response response) override {
    headers = response.headers;
    status = response.status;
    body = std::move(response.body);
    for (const net::Bytes& piece : response.pieces) body += *piece;
    ended = true;
  }
  void begin(int code, net::Headers) override { status = code; }
  void write(net::Bytes bytes) override {
    body += *bytes;
    written.push_back(std::move(bytes));
  }
  void finish() override { ended = true; }
  std::size_t unsent() const override { return backlog; }
  void abort() override { aborted = true; }
  void on_gone(Task task) override { gone = std::move(task); }

  int status = 0;
  net::Headers headers;
  std::string body;
  std::vector<net::Bytes> written;
  bool ended = false;
  bool aborted = false;
  std::size_t backlog = 0;
  Task gone;
};

/// Says what it was asked and lets the test speak for the container.
class FakeNode final : public client::NodeApi {
 public:
  struct Stream final : client::LogStream {
    explicit Stream(int& open) : open_(open) { ++open_; }
    ~Stream() override { --open_; }
    int& open_;
  };
  Result<std::unique_ptr<client::LogStream>> read_log(const client::LogRequest& request,
                                                      UniqueFunction<void(std::string_view)> on_text,
                                                      Task on_end) override {
    asked = request;
    say = std::move(on_text);
    end = std::move(on_end);
    return std::unique_ptr<client::LogStream>(std::make_unique<Stream>(open));
  }
  client::LogRequest asked;
  UniqueFunction<void(std::string_view)> say;
  Task end;
  int open = 0;
};

class Engine : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "muster-apiserver.XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    open();
  }
  void TearDown() override {
    close();
    std::filesystem::remove_all(directory_);
  }

  void open() {
    store::Options options;
    options.directory = directory_;
    options.extract = extract_attributes;
    options.on_fatal = [](const Error& error) { FAIL() << error.message; };
    auto opened = store::Store::open(loop_, std::move(options));
    ASSERT_TRUE(opened.has_value()) << opened.error().message;
    store_ = *std::move(opened);
    server_ = std::make_unique<ApiServer>(loop_, rng_, *store_, server_options_);
    server_->start();
    until([&] { return store_->count("namespaces") == 3; });
  }
  void close() {
    server_.reset();
    store_->close();
    store_.reset();
  }

  /// Lets the writer thread commit and the loop tell, until it holds.
  template <typename Done>
  void until(Done done) {
    while (!done()) {
      loop_.settle();
      std::this_thread::yield();
    }
  }

  /// As if over the network.
  std::shared_ptr<Recorder> start_remote(const std::string& method, const std::string& target,
                                         const std::string& body = "") {
    auto exchange = std::make_shared<Recorder>();
    net::Request request{.method = method, .target = target, .headers = {}, .body = body, .peer = {.tls = true}};
    request.headers.set("Authorization", "Bearer t");
    request.headers.set("Host", "here");
    server_->handle(std::move(request), exchange);
    return exchange;
  }
  std::shared_ptr<Recorder> start(const std::string& method, const std::string& target, const std::string& body = "") {
    auto exchange = std::make_shared<Recorder>();
    net::Request request;
    request.method = method;
    request.target = target;
    request.body = body;
    request.peer.in_process = true;
    if (method == "PATCH") request.headers.set("Content-Type", "application/merge-patch+json");
    server_->handle(std::move(request), exchange);
    return exchange;
  }
  std::shared_ptr<Recorder> call(const std::string& method, const std::string& target, const std::string& body = "") {
    auto exchange = start(method, target, body);
    until([&] { return exchange->ended; });
    return exchange;
  }

  std::string directory_;
  testing::SimLoop loop_;
  testing::SeededRng rng_{1};
  Options server_options_{.token = "t", .allowed_hosts = {"here"}};
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<ApiServer> server_;
};

constexpr const char* kConfigMaps = "/api/v1/namespaces/default/configmaps";
constexpr const char* kPods = "/api/v1/namespaces/default/pods";

TEST_F(Engine, NamespacesAreMadeOnceAndSurvive) {
  const std::string first = call("GET", "/api/v1/namespaces/default")->body;
  EXPECT_THAT(first, HasSubstr(R"("phase":"Active")"));
  EXPECT_EQ(call("GET", "/api/v1/namespaces/kube-system")->status, 200);
  EXPECT_EQ(call("GET", "/api/v1/namespaces/kube-public")->status, 200);
  close();
  open();
  EXPECT_EQ(call("GET", "/api/v1/namespaces/default")->body, first);
}

TEST_F(Engine, AQuotaHoldsAgainstManyCreationsAtOnceAndAfterARestart) {
  const std::string quota = "/api/v1/namespaces/default/resourcequotas";
  ASSERT_EQ(call("POST", quota, R"({"metadata":{"name":"q"},"spec":{"hard":{"count/configmaps":"5"}}})")->status, 201);
  // None of these is durable before the last one is asked for.
  std::vector<std::shared_ptr<Recorder>> asked;
  for (int i = 0; i < 20; ++i) {
    asked.push_back(start("POST", kConfigMaps, R"({"metadata":{"name":"c)" + std::to_string(i) + R"("}})"));
  }
  until([&] { return std::ranges::all_of(asked, [](const auto& one) { return one->ended; }); });
  EXPECT_EQ(std::ranges::count(asked, 201, [](const auto& one) { return one->status; }), 5);
  EXPECT_EQ(std::ranges::count(asked, 403, [](const auto& one) { return one->status; }), 15);
  const auto used = [&] {
    return json::parse(call("GET", quota + "/q")->body)->string_at("status", "used", "count/configmaps");
  };
  until([&] { return used() == "5"; });
  // A deletion makes room once it is done, and only once.
  EXPECT_EQ(call("DELETE", std::string(kConfigMaps) + "/c0")->status, 200);
  EXPECT_EQ(call("POST", kConfigMaps, R"({"metadata":{"name":"d"}})")->status, 201);
  EXPECT_EQ(call("POST", kConfigMaps, R"({"metadata":{"name":"e"}})")->status, 403);
  close();
  open();
  EXPECT_EQ(call("POST", kConfigMaps, R"({"metadata":{"name":"e"}})")->status, 403);
  EXPECT_EQ(call("DELETE", std::string(kConfigMaps) + "/d")->status, 200);
  until([&] { return used() == "4"; });
}

TEST_F(Engine, MoreRequestsThanItCanTakeAreToldToComeBack) {
  close();
  server_options_.max_requests = 3;
  server_options_.max_streams = 2;
  open();
  const auto create = [&](int i) {
    return start_remote("POST", kConfigMaps, R"({"metadata":{"name":"c)" + std::to_string(i) + R"("}})");
  };
  std::vector<std::shared_ptr<Recorder>> taken;
  for (int i = 0; i < 3; ++i) taken.push_back(create(i));
  const auto refused = create(3);
  EXPECT_EQ(refused->status, 429);
  EXPECT_EQ(refused->headers.get("Retry-After"), "1");
  EXPECT_THAT(refused->body, HasSubstr(R"("reason":"TooManyRequests")"));
  EXPECT_EQ(start_remote("GET", "/readyz")->status, 200);
  EXPECT_EQ(start_remote("GET", "/metrics")->status, 200);
  EXPECT_EQ(call("GET", kConfigMaps)->status, 200);  // the engine's own
  until([&] { return std::ranges::all_of(taken, [](const auto& one) { return one->ended; }); });
  for (const auto& one : taken) EXPECT_EQ(one->status, 201);
  // Watches do not take the place of requests, and have a bound of their own.
  const std::string watch = std::string(kConfigMaps) + "?watch=true";
  const auto first = start_remote("GET", watch);
  const auto second = start_remote("GET", watch);
  EXPECT_EQ(second->status, 200);
  EXPECT_EQ(start_remote("GET", watch)->status, 429);
  EXPECT_EQ(start_remote("GET", kConfigMaps)->status, 200);
  first->gone();
  EXPECT_EQ(start_remote("GET", watch)->status, 200);
}

TEST_F(Engine, EveryNamespaceHasADefaultAccount) {
  until([&] { return store_->count("serviceaccounts") == 3; });
  ASSERT_EQ(call("POST", "/api/v1/namespaces", R"({"metadata":{"name":"more"}})")->status, 201);
  until([&] { return store_->count("serviceaccounts") == 4; });
  const std::string account = "/api/v1/namespaces/more/serviceaccounts/default";
  const std::string first = call("GET", account)->body;
  ASSERT_EQ(call("DELETE", account)->status, 200);
  until([&] { return call("GET", account)->status == 200; });
  EXPECT_NE(call("GET", account)->body, first);
  ASSERT_EQ(call("DELETE", "/api/v1/namespaces/more")->status, 200);
  until([&] { return store_->count("namespaces") == 3; });
  EXPECT_EQ(store_->count("serviceaccounts"), 3u);
}

TEST_F(Engine, DefaultAccountsAreMadeForNamespacesOfAnEarlierStart) {
  until([&] { return store_->count("serviceaccounts") == 3; });
  const store::Key key{"serviceaccounts", "default", "default"};
  server_.reset();
  bool done = false;
  store_->remove(
      key, store_->latest(key)->revision,
      [](store::Revision) {
        return store::Rendered{"{}", {}};
      },
      [&](Result<store::Entry>) { done = true; });
  until([&] { return done; });
  store_->close();
  store_.reset();
  open();
  until([&] { return store_->count("serviceaccounts") == 3; });
}

TEST_F(Engine, WatchersOfOneFormShareTheirBytes) {
  const auto a = start("GET", std::string(kConfigMaps) + "?watch=true");
  const auto b = start("GET", "/api/v1/configmaps?watch=true&labelSelector=!none");
  call("POST", kConfigMaps, R"({"metadata":{"name":"c"}})");
  ASSERT_EQ(a->written.size(), 1u);
  ASSERT_EQ(b->written.size(), 1u);
  EXPECT_EQ(a->written[0].get(), b->written[0].get());
}

TEST_F(Engine, SlowWatchersAreCutOff) {
  const auto slow = start("GET", std::string(kConfigMaps) + "?watch=true");
  const auto quick = start("GET", std::string(kConfigMaps) + "?watch=true");
  slow->backlog = (8u << 20) + 1;
  call("POST", kConfigMaps, R"({"metadata":{"name":"a"}})");
  call("POST", kConfigMaps, R"({"metadata":{"name":"b"}})");
  EXPECT_TRUE(slow->aborted);
  EXPECT_EQ(slow->written.size(), 0u);
  EXPECT_EQ(quick->written.size(), 2u);
}

TEST_F(Engine, BookmarksComeEveryMinuteAndAtTheEnd) {
  const auto watch = start("GET", std::string(kConfigMaps) + "?watch=true&allowWatchBookmarks=true&timeoutSeconds=90");
  const auto silent = start("GET", std::string(kConfigMaps) + "?watch=true&timeoutSeconds=90");
  loop_.advance(std::chrono::seconds(61));
  ASSERT_EQ(watch->written.size(), 1u);
  EXPECT_THAT(*watch->written[0], HasSubstr(R"({"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1")"));
  EXPECT_FALSE(watch->ended);
  loop_.advance(std::chrono::seconds(30));
  EXPECT_EQ(watch->written.size(), 2u);
  EXPECT_TRUE(watch->ended);
  EXPECT_EQ(silent->body, "");
  EXPECT_TRUE(silent->ended);
}

TEST_F(Engine, AWatcherThatWentIsForgotten) {
  const auto watch = start("GET", std::string(kConfigMaps) + "?watch=true");
  watch->gone();
  call("POST", kConfigMaps, R"({"metadata":{"name":"c"}})");
  EXPECT_EQ(watch->written.size(), 0u);
}

TEST_F(Engine, EventsLastAnHourAfterTheirLastChange) {
  const std::string events = "/api/v1/namespaces/default/events";
  const char* event = R"({"metadata":{"name":"%"},"involvedObject":{"kind":"Pod","name":"p","namespace":"default"}})";
  const auto named = [&](const std::string& name) { return std::string(event).replace(21, 1, name); };
  ASSERT_EQ(call("POST", events, named("a"))->status, 201);
  ASSERT_EQ(call("POST", events, named("b"))->status, 201);
  loop_.advance(std::chrono::minutes(50));
  ASSERT_EQ(call("PATCH", events + "/b", R"({"count":2})")->status, 200);
  loop_.advance(std::chrono::minutes(11));
  until([&] { return store_->count("events") == 1; });
  EXPECT_EQ(call("GET", events + "/b")->status, 200);
  loop_.advance(std::chrono::minutes(50));
  until([&] { return store_->count("events") == 0; });
}

TEST_F(Engine, DependentsLeftBehindByACrashAreCollectedAtTheNextStart) {
  ASSERT_EQ(call("POST", "/api/v1/namespaces/default/secrets", R"({"metadata":{"name":"owner"}})")->status, 201);
  const auto owner = *json::parse(call("GET", "/api/v1/namespaces/default/secrets/owner")->body);
  ASSERT_EQ(
      call(
          "POST", kConfigMaps,
          R"({"metadata":{"name":"child","ownerReferences":[{"apiVersion":"v1","kind":"Secret","name":"owner","uid":")" +
              owner.string_at("metadata", "uid") + R"("}]}})")
          ->status,
      201);
  // The owner's deletion is durable, and then the server dies before it looks at the dependents.
  server_.reset();
  bool removed = false;
  const store::Key key{"secrets", "default", "owner"};
  store_->remove(
      key, store_->latest(key)->revision,
      [](store::Revision) {
        return store::Rendered{"{}", {}};
      },
      [&](Result<store::Entry>) { removed = true; });
  until([&] { return removed; });
  store_->close();
  store_.reset();
  open();
  until([&] { return store_->count("configmaps") == 0; });
}

TEST_F(Engine, LogsComeFromTheNode) {
  FakeNode node;
  ASSERT_EQ(call("POST", kPods,
                 R"({"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}})")
                ->status,
            201);
  const std::string log = std::string(kPods) + "/p/log";
  EXPECT_EQ(json::parse(call("GET", log)->body)->string_at("message"),
            "container \"c\" in pod \"p\" is waiting to start: ContainerCreating");
  call(
      "PATCH", std::string(kPods) + "/p/status",
      R"({"status":{"containerStatuses":[{"name":"c","image":"i","imageID":"","ready":true,"restartCount":0,"state":{"running":{}}}]}})");
  EXPECT_EQ(call("GET", log)->status, 503);
  server_->set_node(&node);
  EXPECT_EQ(json::parse(call("GET", log + "?previous=true")->body)->string_at("message"),
            "previous terminated container \"c\" in pod \"p\" not found");

  const auto whole = start("GET", log + "?tailLines=2&timestamps=true");
  EXPECT_EQ(node.asked.container, "c");
  EXPECT_EQ(node.asked.tail_lines, 2);
  EXPECT_TRUE(node.asked.timestamps);
  EXPECT_EQ(node.open, 1);
  node.say("one\n");
  node.say("two\n");
  node.end();
  loop_.settle();
  EXPECT_EQ(whole->status, 200);
  EXPECT_EQ(whole->body, "one\ntwo\n");
  EXPECT_TRUE(whole->ended);
  EXPECT_EQ(node.open, 0);

  const auto follower = start("GET", log + "?follow=true");
  EXPECT_EQ(follower->status, 200);  // before the first line
  follower->gone();
  loop_.settle();
  EXPECT_EQ(node.open, 0);
}

TEST_F(Engine, MetricsSayWhatWasAskedAndWhatIsThere) {
  const auto watch = start("GET", std::string(kConfigMaps) + "?watch=true");
  call("GET", std::string(kConfigMaps) + "/none");
  call("GET", "/nothing/here");
  call("BREW", "/");
  const auto metrics = call("GET", "/metrics");
  EXPECT_EQ(metrics->status, 200);
  for (
      const char* line : {
          R"(apiserver_request_total{verb="GET",group="",version="v1",resource="configmaps",subresource="",code="404"} 1)",
          R"(apiserver_request_total{verb="GET",group="",version="",resource="",subresource="",code="404"} 1)",
          R"(apiserver_request_total{verb="WATCH",group="",version="v1",resource="configmaps",subresource="",code="200"} 1)",
          R"(apiserver_request_total{verb="other",group="",version="",resource="",subresource="",code="405"} 1)",
          R"(apiserver_request_duration_seconds_bucket{verb="GET",group="",version="v1",resource="configmaps",subresource="",le="0.0001"} 1)",
          R"(apiserver_request_duration_seconds_count{verb="GET",group="",version="v1",resource="configmaps",subresource=""} 1)",
          R"(apiserver_storage_objects{resource="namespaces"} 3)",
          "muster_watches_open 1\n",
          "muster_store_revision ",
          "muster_store_commits_total ",
          "process_resident_memory_bytes ",
      }) {
    EXPECT_THAT(metrics->body, HasSubstr(line));
  }
  EXPECT_THAT(metrics->body, ::testing::Not(HasSubstr(R"(duration_seconds_count{verb="WATCH")")));
}

TEST_F(Engine, OneObjectIsReadWithoutLookingAtTheOthers) {
  ASSERT_EQ(call("POST", kConfigMaps, R"({"metadata":{"name":"a"}})")->status, 201);
  const auto list = call("GET", std::string(kConfigMaps) + "?fieldSelector=metadata.name%3Da");
  EXPECT_THAT(list->body, HasSubstr(R"("name":"a")"));
  const auto none = call("GET", std::string(kConfigMaps) + "?fieldSelector=metadata.name%3Db");
  EXPECT_THAT(none->body, HasSubstr(R"("items":[])"));
}

TEST_F(Engine, WhatAnOlderVersionStoredIsNotChangedByWhatThisOneSets) {
  const std::string pod =
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"default","uid":"u"},"spec":{"containers":)"
      R"([{"name":"a","image":"i","resources":{"limits":{"cpu":"1000m"}},"livenessProbe":{"exec":{"command":["a"]}}}],)"
      R"("volumes":[{"name":"v","hostPath":{"path":"/a"}}]}})";
  bool stored = false;
  store_->put(
      {"pods", "default", "p"}, 0,
      [&](store::Revision) {
        return store::Rendered{pod, {}};
      },
      [&](Result<store::Entry>) { stored = true; });
  until([&] { return stored; });
  const std::string target = "/api/v1/namespaces/default/pods/p";
  const auto labelled = call("PATCH", target, R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_EQ(labelled->status, 200) << labelled->body;
  EXPECT_EQ(call("PATCH", target, R"({"spec":{"hostNetwork":true}})")->status, 422);
}

TEST_F(Engine, NobodyOwnsWhatAPodDoesNotHave) {
  net::Request request{.method = "PATCH",
                       .target = "/api/v1/namespaces/default/pods/p?fieldManager=m",
                       .headers = {},
                       .body =
                           "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a, image: "
                           "i, livenessProbe: {exec: {command: [a]}, foo: 1}}]}}",
                       .peer = {.in_process = true}};
  request.headers.set("Content-Type", "application/apply-patch+yaml");
  auto exchange = std::make_shared<Recorder>();
  server_->handle(std::move(request), exchange);
  until([&] { return exchange->ended; });
  EXPECT_EQ(exchange->status, 201) << exchange->body;
  EXPECT_THAT(exchange->body, HasSubstr("\"f:livenessProbe\":"));
  EXPECT_EQ(exchange->body.find("foo"), std::string::npos) << exchange->body;
}

}  // namespace
}  // namespace muster::apiserver
