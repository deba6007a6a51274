// The server over a real store on virtual time: what the contract suite cannot observe from outside, or would have to
// wait an hour for.
#include <gmock/gmock.h>

#include <algorithm>

#include "json/document.h"
#include "testing/engine_fixture.h"
#include "testing/fake_node.h"

namespace muster::apiserver {
namespace {

using ::testing::HasSubstr;

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
  // None of these is durable when the last one is sent.
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
  // A deletion frees quota when it is done, and only once.
  EXPECT_EQ(call("DELETE", std::string(kConfigMaps) + "/c0")->status, 200);
  EXPECT_EQ(call("POST", kConfigMaps, R"({"metadata":{"name":"d"}})")->status, 201);
  EXPECT_EQ(call("POST", kConfigMaps, R"({"metadata":{"name":"e"}})")->status, 403);
  close();
  open();
  EXPECT_EQ(call("POST", kConfigMaps, R"({"metadata":{"name":"e"}})")->status, 403);
  EXPECT_EQ(call("DELETE", std::string(kConfigMaps) + "/d")->status, 200);
  until([&] { return used() == "4"; });
}

TEST_F(Engine, ANamespaceHasABoundOfObjectsAndBytes) {
  close();
  server_options_.namespace_limits = {.objects = 10, .bytes = 20'000};
  open();
  until([&] { return store_->count("serviceaccounts") == 3; });
  const auto create = [&](const std::string& name, std::size_t size) {
    return call("POST", kConfigMaps,
                R"({"metadata":{"name":")" + name + R"("},"data":{"a":")" + std::string(size, 'x') + R"("}})");
  };
  ASSERT_EQ(create("a", 9'000)->status, 201);
  const auto refused = create("b", 15'000);
  EXPECT_EQ(refused->status, 403);
  EXPECT_THAT(refused->body, HasSubstr(R"(exceeded quota: namespace, requested: bytes=)"));
  EXPECT_THAT(refused->body, HasSubstr("raise limits.bytesPerNamespace"));
  ASSERT_EQ(create("b", 1'000)->status, 201);
  // An update may not grow the object, except one of the engine itself, but it may shrink it.
  const std::string b = std::string(kConfigMaps) + "/b";
  const std::string grown = R"({"metadata":{"name":"b"},"data":{"a":")" + std::string(15'000, 'x') + R"("}})";
  const auto grow = start_remote("PUT", b, grown);
  until([&] { return grow->ended; });
  EXPECT_EQ(grow->status, 403);
  EXPECT_EQ(call("PUT", b, grown)->status, 200);
  EXPECT_EQ(create("c", 10)->status, 403);
  const auto shrink = start_remote("PUT", b, R"({"metadata":{"name":"b"}})");
  until([&] { return shrink->ended; });
  EXPECT_EQ(shrink->status, 200);
  // Other namespaces have their own.
  EXPECT_EQ(call("POST", "/api/v1/namespaces/kube-public/configmaps", R"({"metadata":{"name":"c"}})")->status, 201);
  int made = 0;
  while (made < 20 && create("o" + std::to_string(made), 1)->status == 201) ++made;
  EXPECT_EQ(made, 7);
  EXPECT_THAT(create("o", 1)->body, HasSubstr("exceeded quota: namespace, requested: objects=1, used: objects=10"));
  close();
  open();
  EXPECT_EQ(create("o", 1)->status, 403);
  EXPECT_EQ(call("DELETE", b)->status, 200);
  EXPECT_EQ(create("o", 1)->status, 201);
}

TEST_F(Engine, LargeBodiesAreReadOnAnotherThreadAndBoundedForAnAccount) {
  const auto create = [&](int i) {
    return start_remote("POST", kConfigMaps,
                        R"({"metadata":{"name":"c)" + std::to_string(i) + R"("},"data":{"a":")" +
                            std::string(70'000, 'x') + R"(","b":"1","b":"2"}})");
  };
  std::vector<std::shared_ptr<Recorder>> taken;
  for (int i = 0; i < 16; ++i) taken.push_back(create(i));
  for (const auto& one : taken) EXPECT_FALSE(one->ended);
  const auto refused = create(16);
  EXPECT_EQ(refused->status, 429);
  EXPECT_EQ(refused->headers.get("Retry-After"), "1");
  until([&] { return std::ranges::all_of(taken, [](const auto& one) { return one->ended; }); });
  for (const auto& one : taken) {
    EXPECT_EQ(one->status, 201);
    EXPECT_THAT(std::string(one->headers.get("Warning")), HasSubstr("duplicate field"));
  }
  const auto again = create(16);
  until([&] { return again->ended; });
  EXPECT_EQ(again->status, 201);
  // A server that ends while bodies are being read answers nobody, and waits for nobody.
  for (int i = 20; i < 30; ++i) taken.push_back(create(i));
  close();
  loop_.settle();
  open();
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
  EXPECT_EQ(call("GET", kConfigMaps)->status, 200);  // a request of the engine itself
  until([&] { return std::ranges::all_of(taken, [](const auto& one) { return one->ended; }); });
  for (const auto& one : taken) EXPECT_EQ(one->status, 201);
  // Watches do not count as requests; they have a limit of their own.
  const std::string watch = std::string(kConfigMaps) + "?watch=true";
  const auto first = start_remote("GET", watch);
  const auto second = start_remote("GET", watch);
  EXPECT_EQ(second->status, 200);
  EXPECT_EQ(start_remote("GET", watch)->status, 429);
  EXPECT_EQ(start_remote("GET", kConfigMaps)->status, 200);
  first->gone();
  EXPECT_EQ(start_remote("GET", watch)->status, 200);
}

TEST_F(Engine, IsSetUpWhenWhatItBeginsWithCanBeRead) {
  EXPECT_EQ(call("GET", "/api/v1/namespaces/default")->status, server_->is_set_up() ? 200 : 404);
  until([&] { return server_->is_set_up(); });
  EXPECT_EQ(call("GET", "/api/v1/namespaces/default")->status, 200);
  EXPECT_EQ(call("GET", "/apis/scheduler.tensorstack.dev/v1beta1/queues/default")->status, 200);
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
  // The owner's deletion is durable, but the server dies before it looks at the dependents.
  server_.reset();
  remove_unseen({"secrets", "default", "owner"});
  store_->close();
  store_.reset();
  open();
  until([&] { return store_->count("configmaps") == 0; });
}

TEST_F(Engine, WhatAFullDiskRefusedIsCollectedLater) {
  const std::string events = "/api/v1/namespaces/default/events";
  ASSERT_EQ(call("POST", events, R"({"metadata":{"name":"e"},"involvedObject":{"kind":"Pod","namespace":"default"}})")
                ->status,
            201);
  ASSERT_EQ(call("POST", "/api/v1/namespaces/default/secrets", R"({"metadata":{"name":"owner"}})")->status, 201);
  const auto owner = *json::parse(call("GET", "/api/v1/namespaces/default/secrets/owner")->body);
  const std::string child =
      R"({"metadata":{"name":"child","ownerReferences":[{"apiVersion":"v1","kind":"Secret","name":"owner","uid":")" +
      owner.string_at("metadata", "uid") + R"("}]}})";
  ASSERT_EQ(call("POST", kConfigMaps, child)->status, 201);
  server_.reset();
  remove_unseen({"secrets", "default", "owner"});
  disk_.full = true;
  server_ = std::make_unique<ApiServer>(loop_, rng_, *store_, server_options_);
  server_->start();
  until([&] { return store_->stats().times_full > 0; });
  loop_.advance(std::chrono::hours(2));
  for (int i = 0; i < 100; ++i) loop_.settle();
  EXPECT_EQ(store_->count("configmaps"), 1u);
  EXPECT_EQ(store_->count("events"), 1u);
  disk_.full = false;
  until([&] {
    loop_.advance(std::chrono::seconds(6));
    return store_->count("configmaps") == 0 && store_->count("events") == 0;
  });
}

TEST_F(Engine, ManyObjectsAreDeletedTogether) {
  for (int i = 0; i < 150; ++i) {
    ASSERT_EQ(call("POST", kConfigMaps, R"({"metadata":{"name":"c)" + std::to_string(i) + R"("}})")->status, 201);
  }
  const auto gone = call("DELETE", kConfigMaps);
  EXPECT_EQ(gone->status, 200);
  EXPECT_EQ(json::parse(gone->body)->at("items")->as_array().size(), 150u);
  EXPECT_EQ(store_->count("configmaps"), 0u);
  const auto none = call("DELETE", kConfigMaps);
  EXPECT_THAT(none->body, HasSubstr(R"("items":[])"));
}

TEST_F(Engine, AServerThatGoesLeavesADeletionUnfinished) {
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(call("POST", kConfigMaps, R"({"metadata":{"name":"c)" + std::to_string(i) + R"("}})")->status, 201);
  }
  const auto under_way = start("DELETE", kConfigMaps);
  server_.reset();
  until([&] { return store_->count("configmaps") == 36; });
  loop_.settle();
  EXPECT_FALSE(under_way->ended);
  server_ = std::make_unique<ApiServer>(loop_, rng_, *store_, server_options_);
}

TEST_F(Engine, AKindWithTwoVersionsCountsOnce) {
  const std::string quota = "/api/v1/namespaces/default/resourcequotas";
  ASSERT_EQ(
      call("POST", quota, R"({"metadata":{"name":"q"},"spec":{"hard":{"count/mpijobs.kubeflow.org":"2"}}})")->status,
      201);
  const auto job = [](const std::string& name) {
    return R"({"kind":"MPIJob","apiVersion":"kubeflow.org/v2beta1","metadata":{"name":")" + name +
           R"("},"spec":{"mpiReplicaSpecs":{"Launcher":{"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}}}})";
  };
  const std::string jobs = "/apis/kubeflow.org/v2beta1/namespaces/default/mpijobs";
  const auto used = [&] {
    return json::parse(call("GET", quota + "/q")->body)->string_at("status", "used", "count/mpijobs.kubeflow.org");
  };
  const auto made = call("POST", jobs, job("a"));
  ASSERT_EQ(made->status, 201) << made->body;
  until([&] { return used() != "0"; });
  EXPECT_EQ(used(), "1");
  close();
  open();
  until([&] { return !used().empty(); });
  EXPECT_EQ(used(), "1") << "counted again";
  EXPECT_EQ(call("POST", jobs, job("b"))->status, 201);
  EXPECT_EQ(call("POST", jobs, job("c"))->status, 403);
}

TEST_F(Engine, NumbersThatNoClockHoldsAreTakenAsLong) {
  const std::string pod =
      R"({"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}})";
  ASSERT_EQ(call("POST", kPods, pod)->status, 201);
  const std::string name = std::string(kPods) + "/p";
  EXPECT_EQ(call("GET", name + "/log?sinceSeconds=9223372036854775807")->status, 400);
  const auto gone = json::parse(call("DELETE", name + "?gracePeriodSeconds=9223372036854775807")->body);
  EXPECT_EQ(gone->int_at("metadata", "deletionGracePeriodSeconds"), 9223372036854775807);
  EXPECT_THAT(gone->string_at("metadata", "deletionTimestamp"), ::testing::StartsWith("2125-12-0"));
  const auto sooner = json::parse(call("DELETE", name + "?gracePeriodSeconds=30")->body);
  EXPECT_THAT(sooner->string_at("metadata", "deletionTimestamp"), ::testing::StartsWith("2026-01-0"));
}

TEST_F(Engine, LogsComeFromTheNode) {
  testing::FakeNode node;
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
  node.end(ok());
  loop_.settle();
  EXPECT_EQ(whole->status, 200);
  EXPECT_EQ(whole->body, "one\ntwo\n");
  EXPECT_TRUE(whole->ended);
  EXPECT_EQ(node.open, 0);

  const auto slow = start("GET", log);
  slow->backlog = 1u << 20;
  node.say("one\n");
  EXPECT_EQ(node.paused, 0);
  slow->backlog += 1;
  node.say("two\n");
  EXPECT_EQ(node.paused, 1);
  slow->read_until((1u << 19) + 1);
  loop_.advance(std::chrono::seconds(1));
  EXPECT_EQ(node.resumed, 0);
  slow->read_until(1u << 19);
  loop_.settle();
  EXPECT_EQ(node.resumed, 1);
  node.end(Error{.message = "the disk is broken"});
  EXPECT_TRUE(slow->aborted) << "what was sent is not all of it";
  EXPECT_FALSE(slow->ended);
  loop_.settle();
  const auto nothing = start("GET", log);
  node.end(Error{.message = "the disk is broken"});
  EXPECT_EQ(nothing->status, 500);
  loop_.settle();
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

std::string many_annotations(int from, int count) {
  std::string out = R"({"metadata":{"name":"c","annotations":{)";
  for (int i = from; i < from + count; ++i) out += (i == from ? "\"a" : ",\"a") + std::to_string(i) + R"(":"")";
  return out + "}}}";
}

TEST_F(Engine, NothingIsStoredThatCouldNotBeReadBack) {
  const std::string object = std::string(kConfigMaps) + "/c";
  EXPECT_EQ(json::parse(call("POST", kConfigMaps, many_annotations(0, 20'000))->body)->string_at("message"),
            "ConfigMap \"c\" is invalid: metadata.annotations: Too many: 20000: must have at most 19000 items");
  ASSERT_EQ(call("POST", kConfigMaps, many_annotations(0, 19'000))->status, 201);
  EXPECT_TRUE(json::parse(call("GET", object)->body).has_value());
  EXPECT_TRUE(json::parse(call("GET", kConfigMaps)->body).has_value());
  EXPECT_EQ(call("PATCH", object, many_annotations(19'000, 1))->status, 422);
  EXPECT_EQ(call("PATCH", object, many_annotations(1'000, 18'000))->status, 200);
  EXPECT_EQ(call("DELETE", object)->status, 200);

  const std::string jobs = "/apis/kubeflow.org/v1/namespaces/default/pytorchjobs";
  const auto nested = [](int levels) {
    std::string deep;
    for (int i = 0; i < levels; ++i) deep += R"({"a":)";
    deep += "1" + std::string(static_cast<std::size_t>(levels), '}');
    return R"({"kind":"PyTorchJob","apiVersion":"kubeflow.org/v1","metadata":{"name":"j"},"spec":{"pytorchReplicaSpecs":{"Master":{"template":{"spec":)"
           R"({"containers":[{"name":"pytorch","image":"i","lifecycle":)" +
           deep + "}]}}}}}}";
  };
  const auto refused = json::parse(call("POST", jobs, nested(180))->body);
  EXPECT_THAT(refused->string_at("message"), HasSubstr("nested deeper than 180 levels"));
  EXPECT_EQ(refused->int_at("code"), 422);
  ASSERT_EQ(call("POST", jobs, nested(169))->status, 201);
  EXPECT_TRUE(json::parse(call("GET", jobs)->body).has_value());
}

TEST_F(Engine, AStoredObjectThatCannotBeReadCanBeDeleted) {
  std::string broken =
      R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c","namespace":"default","uid":"u",)"
      R"("finalizers":["example.org/held"]},"data":{)";
  for (int i = 0; i <= 20'000; ++i) broken += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + R"(":"")";
  broken += "}}";
  ASSERT_FALSE(json::parse(broken).has_value());
  bool stored = false;
  store_->put(
      {"configmaps", "default", "c"}, 0,
      [&](store::Revision) {
        return store::Rendered{broken, {}};
      },
      [&](Result<store::Entry>) { stored = true; });
  until([&] { return stored; });
  const std::string object = std::string(kConfigMaps) + "/c";
  EXPECT_THAT(json::parse(call("PATCH", object, "{}")->body)->string_at("message"),
              HasSubstr("configmaps \"default/c\": the stored object cannot be read"));
  EXPECT_EQ(call("DELETE", object, R"({"preconditions":{"uid":"other"}})")->status, 409);
  EXPECT_EQ(call("DELETE", object + "?propagationPolicy=Foreground")->status, 200);
  EXPECT_EQ(call("GET", object)->status, 404);
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
