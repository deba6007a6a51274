#include "main/operator_kinds.h"

#include <gmock/gmock.h>

#include "testing/fake_server.h"
#include "testing/sim_loop.h"

namespace muster {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kCrds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
constexpr const char* kTorch = "pytorchjobs.kubeflow.org";

class OperatorKindsTest : public ::testing::Test {
 protected:
  void have_crd(const std::string& name) {
    for (const api::Resource* kind : control::operated_kinds()) {
      if (kind->qualified_name() == name) server_.put(std::string(kCrds) + "/" + name, api::crd(*kind));
    }
  }
  void forbid(const std::string& path) {
    server_.refuse("GET", path, 403,
                   json::Object{{"kind", "Status"}, {"reason", "Forbidden"}, {"code", 403}, {"message", "no"}});
  }
  void forbid_each_crd() {
    for (const api::Resource* kind : control::operated_kinds()) {
      forbid(std::string(kCrds) + "/" + kind->qualified_name());
    }
  }
  /// What discovery says about PyTorchJobs; a FakeServer takes the path for an object's.
  void discover_torch() {
    server_.put("/apis/kubeflow.org/v1",
                json::Object{{"metadata", json::Object{}},
                             {"resources", json::Array{json::Object{{"name", "pytorchjobs"}},
                                                       json::Object{{"name", "pytorchjobs/status"}}}}});
  }
  FoundKinds read(const std::vector<std::string>& namespaces = {}) {
    auto found = read_kinds(session_, api_, {}, namespaces);
    EXPECT_TRUE(found) << (found ? "" : found.error().message);
    return found ? *std::move(found) : FoundKinds{};
  }
  static std::vector<std::string> names(const FoundKinds& found) {
    std::vector<std::string> names;
    for (const control::ChosenKind& one : found.choices.chosen) names.push_back(one.resource->qualified_name());
    return names;
  }

  testing::SimLoop loop_;
  cli::FakeServer server_{loop_};
  client::ApiClient api_{server_, ""};
  cli::Session session_{loop_, api_,
                        [this](const std::function<bool()>& done) {
                          for (int i = 0; i < 100 && !done(); ++i) loop_.advance(std::chrono::seconds(1));
                        },
                        cli::Terminal{}, "default"};
};

TEST_F(OperatorKindsTest, TheCrdsOfTheClusterAreListedOnce) {
  have_crd(kTorch);
  const FoundKinds found = read();
  EXPECT_THAT(names(found), ElementsAre(kTorch));
  EXPECT_THAT(server_.requests, ElementsAre(HasSubstr(kCrds)));
  EXPECT_THAT(found.notes, ElementsAre(HasSubstr("the cluster lacks ")));
}

TEST_F(OperatorKindsTest, InNamespacesNothingOfTheClusterIsListed) {
  have_crd(kTorch);
  const FoundKinds found = read({"a"});
  EXPECT_THAT(names(found), ElementsAre(kTorch));
  EXPECT_THAT(found.choices.namespaces, ElementsAre("a"));
  EXPECT_THAT(server_.requests, Each(HasSubstr(std::string(kCrds) + "/")));
}

TEST_F(OperatorKindsTest, WithoutTheRightToReadCrdsDiscoveryTells) {
  forbid_each_crd();
  discover_torch();
  const FoundKinds found = read({"a"});
  EXPECT_THAT(names(found), ElementsAre(kTorch));
  EXPECT_TRUE(found.choices.runs_any());
  EXPECT_THAT(found.notes, Contains(AllOf(HasSubstr("may not read the CRDs "), HasSubstr(kTorch),
                                          HasSubstr("give it the right get on customresourcedefinitions"))));
}

TEST_F(OperatorKindsTest, ARefusedListIsReadByName) {
  forbid(kCrds);
  have_crd(kTorch);
  const FoundKinds found = read();
  EXPECT_THAT(names(found), ElementsAre(kTorch));
  EXPECT_THAT(found.choices.namespaces, IsEmpty());
  EXPECT_THAT(found.notes, Each(Not(HasSubstr("may not read"))));
}

TEST_F(OperatorKindsTest, AnyOtherErrorIsReported) {
  server_.refuse("GET", kCrds, 500, json::Object{{"kind", "Status"}, {"code", 500}, {"message", "etcd is away"}});
  const auto found = read_kinds(session_, api_, {}, {});
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("etcd is away"));
}

}  // namespace
}  // namespace muster
