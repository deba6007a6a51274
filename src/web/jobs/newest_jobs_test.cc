#include "web/jobs/newest_jobs.h"

#include <gmock/gmock.h>

#include "testing/engine_fixture.h"

namespace muster::web {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using namespace std::chrono_literals;

class NewestJobs : public apiserver::Engine {
 protected:
  void SetUp() override {
    Engine::SetUp();
    server_->add_routes(newest_jobs_routes(server_->context()));
  }
  void make(const std::string& api_version, const std::string& kind, const std::string& ns, const std::string& name,
            const std::string& spec) {
    const auto made =
        call("POST", "/apis/" + api_version + "/namespaces/" + ns + "/" + api::find_kind(api_version, kind)->plural,
             R"({"apiVersion":")" + api_version + R"(","kind":")" + kind + R"(","metadata":{"name":")" + name +
                 R"("},"spec":)" + spec + "}");
    ASSERT_EQ(made->status, 201) << made->body;
  }
  void make_pytorch(const std::string& name, const std::string& ns = "default") {
    make("kubeflow.org/v1", "PyTorchJob", ns, name,
         R"({"pytorchReplicaSpecs":{"Master":{"template":{"spec":{"containers":[{"name":"pytorch","image":"i"}]}}}}})");
  }
  void make_generic(const std::string& name) {
    make("batch.tensorstack.dev/v1beta1", "GenericJob", "default", name,
         R"({"replicaSpecs":[{"type":"worker","template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}]})");
  }
  json::Document get(const std::string& path) {
    const auto answer = call("GET", "/apis/muster.dev/v1/" + path);
    EXPECT_EQ(answer->status, 200) << answer->body;
    return *json::parse(answer->body);
  }
  std::vector<std::string> names(const std::string& path) {
    std::vector<std::string> all;
    const json::Document list = get(path);
    for (const json::Document& item : list.array_at("items")) all.push_back(item.string_at("metadata", "name"));
    return all;
  }
};

TEST_F(NewestJobs, OfAllKindsTheNewestComeFirst) {
  make_pytorch("oldest");
  loop_.advance(2s);
  make_generic("b");
  make_pytorch("a");
  loop_.advance(2s);
  make_pytorch("newest");
  EXPECT_THAT(names("namespaces/default/jobs"), ElementsAre("newest", "a", "b", "oldest"));
  const json::Document list = get("namespaces/default/jobs?limit=2");
  ASSERT_EQ(list.array_at("items").size(), 2u);
  EXPECT_EQ(list.int_at("metadata", "remainingItemCount"), 2);
  EXPECT_EQ(list.array_at("items")[1].string_at("kind"), "PyTorchJob");
}

TEST_F(NewestJobs, AreThoseOfOneNamespaceOrOfAll) {
  make_pytorch("here");
  make_pytorch("there", "kube-public");
  EXPECT_THAT(names("namespaces/default/jobs"), ElementsAre("here"));
  EXPECT_THAT(names("namespaces/empty/jobs"), IsEmpty());
  EXPECT_THAT(names("jobs"), ElementsAre("here", "there"));
  EXPECT_EQ(get("jobs").at("metadata", "remainingItemCount"), nullptr);
}

TEST_F(NewestJobs, HaveOnlyTheFieldsThatAreAskedFor) {
  make_pytorch("a");
  const json::Document list = get("jobs?fields=kind,metadata.name");
  EXPECT_EQ(json::serialize(list.array_at("items")[0]), R"({"kind":"PyTorchJob","metadata":{"name":"a"}})");
}

TEST_F(NewestJobs, HaveTheirSummary) {
  make_pytorch("a");
  const json::Document whole = get("jobs").array_at("items")[0];
  EXPECT_EQ(whole.string_at("summary", "state"), "Pending");
  EXPECT_EQ(whole.int_at("summary", "replicas", "wanted"), 1);
  EXPECT_NE(whole.find("spec"), nullptr);
  const json::Document asked = get("jobs?fields=metadata.name,summary").array_at("items")[0];
  EXPECT_EQ(*asked.find("summary"), *whole.find("summary"));
  EXPECT_EQ(asked.find("spec"), nullptr);
  const json::Document alone = get("jobs?fields=summary").array_at("items")[0];
  EXPECT_EQ(alone.as_object().size(), 1u);
}

TEST_F(NewestJobs, RefuseParametersThatWouldBeIgnored) {
  const std::string jobs = "/apis/muster.dev/v1/jobs?";
  for (const char* query : {"labelSelector=a", "watch=true", "fields=*", "fields=,,", "fields=summary.state"}) {
    EXPECT_EQ(call("GET", jobs + query)->status, 400) << query;
  }
  EXPECT_EQ(call("GET", jobs + "fields=metadata,metadata.name&limit=1")->status, 200);
}

TEST_F(NewestJobs, ALimitIsANumberInItsRange) {
  const auto refusal = [this](const std::string& limit) {
    const auto answer = call("GET", "/apis/muster.dev/v1/jobs?limit=" + limit);
    EXPECT_EQ(answer->status, 400);
    return json::parse(answer->body)->string_at("message");
  };
  EXPECT_EQ(refusal("0"), "limit: must be between 1 and 500, got 0");
  EXPECT_EQ(refusal("-1"), "limit: must be between 1 and 500, got -1");
  EXPECT_EQ(refusal("501"), "limit: must be between 1 and 500, got 501");
  EXPECT_EQ(refusal("few"), "query parameter limit: must be a whole number, got \"few\"");
  EXPECT_EQ(refusal(""), "query parameter limit: must be a whole number, got \"\"");
  EXPECT_EQ(refusal("99999999999999999999"),
            "query parameter limit: must be a whole number, got \"99999999999999999999\"");
  EXPECT_EQ(call("GET", "/apis/muster.dev/v1/jobs?limit=1")->status, 200);
  EXPECT_EQ(call("GET", "/apis/muster.dev/v1/jobs?limit=500")->status, 200);
}

}  // namespace
}  // namespace muster::web
