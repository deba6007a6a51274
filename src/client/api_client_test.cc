#include "client/api_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/watch_stream.h"
#include "testing/fake_transport.h"
#include "testing/sim_loop.h"

namespace muster::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const ResourceName kPods{"", "v1", "pods"};
const ResourceName kJobs{"kubeflow.org", "v1", "pytorchjobs"};

class ApiClientTest : public ::testing::Test {
 protected:
  OnDocument record() {
    return [this](Result<json::Document> result) { results_.push_back(std::move(result)); };
  }
  /// Takes the only result so far.
  Result<json::Document> take() {
    loop_.settle();
    EXPECT_EQ(results_.size(), 1U);
    Result<json::Document> out = std::move(results_.front());
    results_.clear();
    return out;
  }
  const net::Request& sent(std::size_t i = 0) { return transport_.request(i); }

  testing::SimLoop loop_;
  FakeTransport transport_{loop_};
  ApiClient client_{transport_, "secret"};
  std::vector<Result<json::Document>> results_;
};

json::Document parsed(std::string_view text) {
  return *json::parse(text);
}

TEST(Paths, CoreAndGroupsNamespacedAndNot) {
  EXPECT_EQ(collection_path(kPods, ""), "/api/v1/pods");
  EXPECT_EQ(collection_path(kPods, "ns"), "/api/v1/namespaces/ns/pods");
  EXPECT_EQ(path_of({kJobs, "ns", "a"}), "/apis/kubeflow.org/v1/namespaces/ns/pytorchjobs/a");
  EXPECT_EQ(path_of({kPods, "ns", "p", "binding"}), "/api/v1/namespaces/ns/pods/p/binding");
  EXPECT_EQ(path_of({{"", "v1", "nodes"}, "", "n"}), "/api/v1/nodes/n");
  EXPECT_EQ(path_of({kPods, "a/b", "../x?"}), "/api/v1/namespaces/a%2Fb/pods/..%2Fx%3F");
}

TEST_F(ApiClientTest, GetSendsTokenAndAccept) {
  client_.get({kPods, "default", "a"}, record());
  EXPECT_EQ(sent().method, "GET");
  EXPECT_EQ(sent().target, "/api/v1/namespaces/default/pods/a");
  EXPECT_EQ(sent().headers.get("Accept"), "application/json");
  EXPECT_EQ(sent().headers.get("Authorization"), "Bearer secret");
  EXPECT_EQ(sent().headers.get("User-Agent"), "muster");
  EXPECT_EQ(sent().body, "");
  transport_.reply(0, 200, R"({"kind":"Pod"})");
  EXPECT_THAT(results_, IsEmpty()) << "never inline";
  EXPECT_EQ(take()->string_at("kind"), "Pod");
  EXPECT_TRUE(transport_.cancelled(0)) << "the call is let go of when it is through";
}

TEST_F(ApiClientTest, NoTokenNoHeader) {
  ApiClient local(transport_, "");
  local.get({kPods, "default", "a"}, record());
  EXPECT_FALSE(sent().headers.has("Authorization"));
}

TEST_F(ApiClientTest, ListCarriesItsOptions) {
  client_.list(kPods, "ns",
               {.label_selector = "a=b,c in (d)",
                .field_selector = "status.phase=Running",
                .limit = 500,
                .continue_token = "t+=",
                .resource_version = "7",
                .as_table = true},
               record());
  EXPECT_EQ(sent().target,
            "/api/v1/namespaces/ns/pods?labelSelector=a%3Db%2Cc%20in%20%28d%29&fieldSelector=status.phase%3DRunning"
            "&limit=500&continue=t%2B%3D&resourceVersion=7");
  EXPECT_EQ(sent().headers.get("Accept"), "application/json;as=Table;v=v1;g=meta.k8s.io,application/json");
}

TEST_F(ApiClientTest, ListReadsOnlyTheGlance) {
  ListOptions options;
  options.glance.emplace(std::vector<std::string>{"metadata.name"});
  client_.list(kPods, "ns", options, record());
  transport_.reply(0, 200, R"({"items":[{"metadata":{"name":"a","uid":"u"},"spec":{}}],"metadata":{}})");
  EXPECT_EQ(*take(), parsed(R"({"items":[{"metadata":{"name":"a"}}],"metadata":{}})"));
  client_.list(kPods, "ns", options, record());
  transport_.reply(1, 200, "{not json");
  EXPECT_THAT(take().error().message, StartsWith("the server's answer is not JSON: "));
}

TEST_F(ApiClientTest, WritesCarryTheirOptionsAndBodies) {
  const json::Document object = parsed(R"({"kind":"Pod","metadata":{"name":"a"}})");
  client_.create(kPods, "ns", object, {.field_validation = "Strict", .dry_run = true}, record());
  EXPECT_EQ(sent(0).method, "POST");
  EXPECT_EQ(sent(0).target, "/api/v1/namespaces/ns/pods?fieldManager=muster&fieldValidation=Strict&dryRun=All");
  EXPECT_EQ(sent(0).headers.get("Content-Type"), "application/json");
  EXPECT_EQ(sent(0).body, R"({"kind":"Pod","metadata":{"name":"a"}})");
  client_.update({kPods, "ns", "a", "status"}, object, {.field_manager = "ctl"}, record());
  EXPECT_EQ(sent(1).method, "PUT");
  EXPECT_EQ(sent(1).target, "/api/v1/namespaces/ns/pods/a/status?fieldManager=ctl");
  client_.create_subresource({kPods, "ns", "a", "binding"}, object, record());
  EXPECT_EQ(sent(2).method, "POST");
  EXPECT_EQ(sent(2).target, "/api/v1/namespaces/ns/pods/a/binding");
}

TEST_F(ApiClientTest, WritesUnderTheNameThatItActsAs) {
  client_.act_as("muster-operator");
  client_.patch({kPods, "ns", "a"}, PatchType::kMerge, parsed("{}"), {}, record());
  EXPECT_EQ(sent(0).target, "/api/v1/namespaces/ns/pods/a?fieldManager=muster-operator");
  EXPECT_EQ(sent(0).headers.get("User-Agent"), "muster-operator");
}

TEST_F(ApiClientTest, PatchTypesHaveTheirContentTypes) {
  const json::Document change = parsed(R"({"spec":{}})");
  for (const PatchType type : {PatchType::kMerge, PatchType::kJson, PatchType::kStrategic, PatchType::kApply}) {
    client_.patch({kPods, "ns", "a"}, type, change, {.force = type == PatchType::kApply}, record());
  }
  EXPECT_EQ(sent(0).headers.get("Content-Type"), "application/merge-patch+json");
  EXPECT_EQ(sent(1).headers.get("Content-Type"), "application/json-patch+json");
  EXPECT_EQ(sent(2).headers.get("Content-Type"), "application/strategic-merge-patch+json");
  EXPECT_EQ(sent(3).headers.get("Content-Type"), "application/apply-patch+yaml");
  EXPECT_EQ(sent(0).method, "PATCH");
  EXPECT_EQ(sent(0).target, "/api/v1/namespaces/ns/pods/a?fieldManager=muster");
  EXPECT_EQ(sent(3).target, "/api/v1/namespaces/ns/pods/a?fieldManager=muster&force=true");
}

TEST_F(ApiClientTest, DeleteHasABodyOnlyWhenItHasOptions) {
  client_.remove({kPods, "ns", "a"}, {}, record());
  EXPECT_EQ(sent(0).method, "DELETE");
  EXPECT_EQ(sent(0).body, "");
  EXPECT_FALSE(sent(0).headers.has("Content-Type"));
  client_.remove({kPods, "ns", "a"},
                 {.grace_period_seconds = 0,
                  .propagation_policy = "Background",
                  .precondition_uid = "u",
                  .precondition_resource_version = "5"},
                 record());
  EXPECT_EQ(parsed(sent(1).body), parsed(R"({"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,
                                             "propagationPolicy":"Background",
                                             "preconditions":{"uid":"u","resourceVersion":"5"}})"));
}

TEST_F(ApiClientTest, OnlyWritesThatNameTheirVersionMayBeRetried) {
  const ObjectName name{kPods, "ns", "a"};
  const auto repeatable = [&] { return net::may_repeat(sent(transport_.count() - 1)); };
  client_.get(name, record());
  EXPECT_TRUE(repeatable());
  client_.create(kPods, "ns", parsed("{}"), {}, record());
  EXPECT_FALSE(repeatable());
  client_.patch(name, PatchType::kMerge, parsed("{}"), {}, record());
  EXPECT_FALSE(repeatable());
  client_.update(name, parsed(R"({"metadata":{"name":"a"}})"), {}, record());
  EXPECT_FALSE(repeatable());
  client_.update(name, parsed(R"({"metadata":{"name":"a","resourceVersion":"7"}})"), {}, record());
  EXPECT_TRUE(repeatable());
  client_.remove(name, {}, record());
  EXPECT_FALSE(repeatable());
  client_.remove(name, {.precondition_uid = "u"}, record());
  EXPECT_TRUE(repeatable());
}

TEST_F(ApiClientTest, StatusBecomesAnError) {
  client_.get({kPods, "ns", "a"}, record());
  transport_.reply(0, 422, R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"Pod \"a\" is invalid",
      "reason":"Invalid","code":422,"details":{"name":"a","group":"g","kind":"Pod","retryAfterSeconds":3,
      "causes":[{"reason":"FieldValueInvalid","message":"Invalid value: 0","field":"spec.x"}]}})");
  const Error error = take().error();
  EXPECT_EQ(error.reason, Reason::kInvalid);
  EXPECT_EQ(error.message, "Pod \"a\" is invalid");
  EXPECT_EQ(error.name, "a");
  EXPECT_EQ(error.group, "g");
  EXPECT_EQ(error.kind, "Pod");
  EXPECT_EQ(error.retry_after, std::chrono::seconds(3));
  EXPECT_THAT(error.causes, ElementsAre(FieldCause{"FieldValueInvalid", "Invalid value: 0", "spec.x"}));
}

TEST_F(ApiClientTest, ErrorsWithoutAStatusAreMappedByTheirCode) {
  client_.get({kPods, "ns", "a"}, record());
  transport_.reply(0, 503, "<html>bad\x1b gateway</html>\n", {{"Retry-After", "2"}});
  const Error error = take().error();
  EXPECT_EQ(error.reason, Reason::kServiceUnavailable);
  EXPECT_THAT(error.message, StartsWith("the server answered with status 503: \"<html>bad"));
  EXPECT_THAT(error.message, ::testing::Not(HasSubstr("\x1b")));
  EXPECT_EQ(error.retry_after, std::chrono::seconds(2));
}

TEST_F(ApiClientTest, TransportErrorsAndBadJsonAreErrors) {
  client_.get({kPods, "ns", "a"}, record());
  transport_.end(0, Error{.reason = Reason::kServiceUnavailable, .message = "cannot connect"});
  EXPECT_EQ(take().error().message, "cannot connect");
  client_.get({kPods, "ns", "a"}, record());
  transport_.reply(1, 200, "{not json");
  EXPECT_THAT(take().error().message, StartsWith("the server's answer is not JSON: "));
}

TEST_F(ApiClientTest, WarningsGoToTheirSink) {
  std::vector<std::string> warnings;
  client_.on_warning([&](const std::string& text) { warnings.push_back(text); });
  client_.get({kPods, "ns", "a"}, record());
  transport_.reply(0, 200, "{}",
                   {{"Warning", R"(299 - "unknown field \"spec.x\"")"},
                    {"warning", R"(299 - "two")"},
                    {"Warning", R"(199 - "other code")"},
                    {"Warning", "299 - unquoted"}});
  EXPECT_TRUE(take().has_value());
  EXPECT_THAT(warnings, ElementsAre("unknown field \"spec.x\"", "two"));
}

TEST_F(ApiClientTest, DestroyingTheClientDropsItsCalls) {
  auto client = std::make_unique<ApiClient>(transport_, "");
  client->get({kPods, "ns", "a"}, record());
  client.reset();
  EXPECT_TRUE(transport_.cancelled(0));
  transport_.reply(0, 200, "{}");
  loop_.settle();
  EXPECT_THAT(results_, IsEmpty());
}

TEST_F(ApiClientTest, StreamGivesBytesOrAnError) {
  std::string body;
  int status = 0;
  std::vector<Status> ends;
  const auto sink = [&] {
    net::ResponseSink out;
    out.on_head = [&](int code, const net::Headers&) { status = code; };
    out.on_data = [&](std::string_view bytes) { body += bytes; };
    out.on_end = [&](Status end) { ends.push_back(std::move(end)); };
    return out;
  };
  const auto logs = client_.stream("GET", "/api/v1/namespaces/ns/pods/p/log?follow=true", sink());
  EXPECT_EQ(sent(0).headers.get("Accept"), "application/json, */*");
  EXPECT_EQ(sent(0).headers.get("Authorization"), "Bearer secret");
  transport_.reply(0, 200, "line\n");
  loop_.settle();
  EXPECT_EQ(body, "line\n");
  EXPECT_EQ(status, 200);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_TRUE(ends[0].has_value());

  body.clear();
  status = 0;
  const auto missing = client_.stream("GET", "/x", sink());
  transport_.reply(1, 404, R"({"kind":"Status","reason":"NotFound","message":"no such pod","code":404})");
  loop_.settle();
  EXPECT_EQ(body, "");
  EXPECT_EQ(status, 0);
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(ends[1].error().reason, Reason::kNotFound);
}

TEST(StatusDocument, ErrorsGoThereAndBack) {
  const Error error{.reason = Reason::kTooManyRequests,
                    .message = "slow down",
                    .causes = {{"A", "b", "c"}},
                    .retry_after = std::chrono::milliseconds(1500),
                    .group = "g",
                    .kind = "k",
                    .name = "n"};
  const json::Document status = status_from_error(error);
  EXPECT_EQ(json::serialize(status),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"slow down",)"
            R"("reason":"TooManyRequests","details":{"name":"n","group":"g","kind":"k",)"
            R"("causes":[{"reason":"A","message":"b","field":"c"}],"retryAfterSeconds":2},"code":429})");
  const Error back = error_from_status(status, 429);
  EXPECT_EQ(back.reason, error.reason);
  EXPECT_EQ(back.message, error.message);
  EXPECT_EQ(back.causes, error.causes);
  EXPECT_EQ(back.retry_after, std::chrono::seconds(2)) << "rounded up: never too early";
  EXPECT_EQ(back.name, "n");
}

TEST(StatusDocument, UnknownReasonsAreDerivedFromTheCode) {
  EXPECT_EQ(error_from_status(parsed(R"({"reason":"Gone","code":410})"), 200).reason, Reason::kExpired);
  EXPECT_EQ(error_from_status(parsed(R"({"code":404})"), 200).reason, Reason::kNotFound);
  EXPECT_EQ(error_from_status(parsed(R"({})"), 409).reason, Reason::kConflict);
  EXPECT_EQ(error_from_status(parsed(R"({"reason":"InternalError","code":500})"), 500).reason, Reason::kInternalError);
  EXPECT_EQ(error_from_status(parsed(R"({"details":{"causes":"junk","name":3}})"), 418).message,
            "the server answered with status 418");
}

class WatchTest : public ApiClientTest {
 protected:
  void watch(const WatchOptions& options = {}) {
    WatchSink sink;
    sink.on_event = [this](const WatchEvent& event) {
      events_.push_back(event.type + " " + event.object.string_at("metadata", "name"));
      if (events_.size() == drop_after_) handle_.reset();
    };
    sink.on_end = [this](Status status) { ends_.push_back(std::move(status)); };
    handle_ = client_.watch(kPods, "ns", options, std::move(sink));
  }
  static std::string event(const std::string& type, const std::string& name) {
    return R"({"type":")" + type + R"(","object":{"metadata":{"name":")" + name + "\"}}}\n";
  }

  WatchHandle handle_;
  std::vector<std::string> events_;
  std::vector<Status> ends_;
  std::size_t drop_after_ = 0;
};

TEST_F(WatchTest, CarriesItsOptions) {
  watch({.label_selector = "a=b", .resource_version = "9", .timeout_seconds = 400});
  EXPECT_EQ(sent().target,
            "/api/v1/namespaces/ns/pods?watch=true&allowWatchBookmarks=true&labelSelector=a%3Db&resourceVersion=9"
            "&timeoutSeconds=400");
  watch({.field_selector = "metadata.name=x", .bookmarks = false, .as_table = true});
  EXPECT_EQ(sent(1).target, "/api/v1/namespaces/ns/pods?watch=true&fieldSelector=metadata.name%3Dx");
  EXPECT_THAT(std::string(sent(1).headers.get("Accept")), HasSubstr("as=Table"));
}

TEST_F(WatchTest, EventsAreWholeWhereverTheBytesAreCut) {
  const std::string stream = event("ADDED", "a") + event("MODIFIED", "b") + "\n" + event("BOOKMARK", "");
  for (std::size_t size = 1; size <= stream.size(); ++size) {
    const std::size_t n = transport_.count();
    events_.clear();
    watch();
    transport_.head(n, 200);
    for (std::size_t at = 0; at < stream.size(); at += size) transport_.data(n, stream.substr(at, size));
    loop_.settle();
    EXPECT_THAT(events_, ElementsAre("ADDED a", "MODIFIED b", "BOOKMARK ")) << "pieces of " << size;
  }
  EXPECT_THAT(ends_, IsEmpty());
}

TEST_F(WatchTest, OrderlyEndIsOk) {
  watch();
  transport_.reply(0, 200, event("ADDED", "a"));
  loop_.settle();
  ASSERT_EQ(ends_.size(), 1U);
  EXPECT_TRUE(ends_[0].has_value());
}

TEST_F(WatchTest, ErrorEventEndsTheWatch) {
  watch();
  transport_.head(0, 200);
  transport_.data(0, event("ADDED", "a") +
                         R"({"type":"ERROR","object":{"kind":"Status","reason":"Expired","code":410,"message":"old"}})"
                         "\n" +
                         event("ADDED", "never"));
  loop_.settle();
  EXPECT_THAT(events_, ElementsAre("ADDED a"));
  ASSERT_EQ(ends_.size(), 1U);
  EXPECT_EQ(ends_[0].error().reason, Reason::kExpired);
  EXPECT_EQ(ends_[0].error().message, "old");
  EXPECT_TRUE(transport_.cancelled(0)) << "the connection is not left hanging";
}

TEST_F(WatchTest, HttpErrorEndsTheWatch) {
  watch();
  transport_.reply(0, 410, R"({"kind":"Status","reason":"Expired","code":410,"message":"too old"})");
  loop_.settle();
  ASSERT_EQ(ends_.size(), 1U);
  EXPECT_EQ(ends_[0].error().reason, Reason::kExpired);
  EXPECT_THAT(events_, IsEmpty());
}

TEST_F(WatchTest, BrokenStreamsAreErrors) {
  for (const auto& [bytes, message] :
       {std::pair<std::string, std::string>{"nonsense\n", "watch: an event is not JSON: "},
        {"{\"type\":\"ADDED\"}\n", "watch: an event has no type or no object"},
        {"{\"type\":\"ADD", "watch: the stream ended in the middle of an event"}}) {
    const std::size_t n = transport_.count();
    ends_.clear();
    watch();
    transport_.reply(n, 200, bytes);
    loop_.settle();
    ASSERT_EQ(ends_.size(), 1U);
    EXPECT_THAT(ends_[0].error().message, StartsWith(message));
  }
}

TEST_F(WatchTest, EndlessLineIsNotBufferedWithoutBound) {
  watch();
  transport_.head(0, 200);
  const std::string piece(1024 * 1024, 'x');
  for (std::size_t i = 0; i <= kMaxWatchLine / piece.size(); ++i) transport_.data(0, piece);
  loop_.settle();
  ASSERT_EQ(ends_.size(), 1U);
  EXPECT_EQ(ends_[0].error().message, "watch: an event is longer than 33554432 bytes");
  EXPECT_TRUE(transport_.cancelled(0));
}

TEST_F(WatchTest, NothingComesAfterTheHandleIsDropped) {
  drop_after_ = 2;
  watch();
  transport_.reply(0, 200, event("ADDED", "a") + event("ADDED", "b") + event("ADDED", "c"));
  loop_.settle();
  EXPECT_THAT(events_, ElementsAre("ADDED a", "ADDED b"));
  EXPECT_THAT(ends_, IsEmpty());
  EXPECT_TRUE(transport_.cancelled(0));
}

}  // namespace
}  // namespace muster::client
