#include "control/runtime/jobs.h"

#include <gtest/gtest.h>

#include "api/kubernetes/core_v1.h"
#include "json/yaml.h"
#include "testing/fake_transport.h"
#include "testing/model_kind.h"
#include "testing/seeded_rng.h"
#include "testing/sim_loop.h"

namespace muster::control {
namespace {

json::Document from_yaml(std::string_view text) {
  return json::parse_yaml(text)->front().value;
}

class JobsTest : public ::testing::Test {
 protected:
  /// Returns the plan for a job that wants the hosts "new", when this is the only child.
  Plan plan_with(const json::Document& config_map) {
    const Controller controller = jobs_.controllers().front();
    const json::Document job = from_yaml(R"(
apiVersion: test.muster.dev/v1
kind: ModelJob
metadata: {name: mpi, namespace: default, uid: u-1}
spec:
  succeedsWhen: [{every: [worker-0]}]
  roles: [{type: worker, replicas: 1}]
  objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: hosts}, data: {hostfile: new}}]
status: {phase: Pending}
)");
    Snapshot seen{.primary = job, .children = {}, .now = loop_.now()};
    for (const WatchedKind& kind : controller.children) {
      std::vector<AnyObject> found;
      if (kind.type == &reflect::type_of<api::ConfigMap>()) found.push_back(*kind.decode(config_map));
      seen.children.add(*kind.type, std::move(found));
    }
    return controller.plan(seen);
  }

  testing::SimLoop loop_;
  testing::SeededRng rng_;
  client::FakeTransport transport_{loop_};
  client::ApiClient client_{transport_, ""};
  SharedInformers informers_{loop_, rng_, client_};
  Jobs jobs_{Where::kEngine, informers_, [](int) { return true; }, 0, {&model_job_kind(), 1}};
};

json::Document hosts(std::string_view content) {
  json::Document found = from_yaml(
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: hosts, namespace: default, uid: c-1, resourceVersion: '7', "
      "ownerReferences: [{apiVersion: test.muster.dev/v1, kind: ModelJob, name: mpi, uid: u-1, controller: true}]}}");
  found["data"]["hostfile"] = std::string(content);
  return found;
}

bool concerns_a_config_map(const Action& action) {
  const auto* create = std::get_if<Create>(&action);
  return std::holds_alternative<Update>(action) ||
         (create != nullptr && create->object.string_at("kind") == "ConfigMap");
}

TEST_F(JobsTest, UpdatesAnObjectWhoseContentDiffers) {
  const Plan plan = plan_with(hosts("old"));
  const auto found = std::ranges::find_if(plan.actions, concerns_a_config_map);
  ASSERT_NE(found, plan.actions.end());
  const auto* update = std::get_if<Update>(&*found);
  ASSERT_NE(update, nullptr) << "the object exists";
  EXPECT_EQ(update->child.uid, "c-1");
  EXPECT_EQ(update->resource_version, "7");
  EXPECT_EQ(update->patch.string_at("data", "hostfile"), "new");
}

TEST_F(JobsTest, LeavesAnObjectWithTheWantedContent) {
  EXPECT_TRUE(std::ranges::none_of(plan_with(hosts("new")).actions, concerns_a_config_map));
}

}  // namespace
}  // namespace muster::control
