#include "install/objects/decide.h"

#include <gmock/gmock.h>

#include "api/resource.h"
#include "install/objects/metadata.h"

namespace muster::install {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const json::Document& our_crd() {
  static const json::Document kCrd = api::crd(*api::find_typed("pytorchjob"));
  return kCrd;
}

json::Document without_label(json::Document object) {
  object["metadata"].as_object().erase("labels");
  return object;
}

TEST(Decide, AppliesWhatIsAbsentAndWhatIsOurs) {
  EXPECT_EQ(decide(our_crd(), nullptr, {}).step, Step::kApply);
  EXPECT_EQ(decide(our_crd(), &our_crd(), {}).step, Step::kApply);
}

TEST(Decide, LeavesAForeignCrdAloneAndSaysWhatItIsGoodFor) {
  const json::Document foreign = without_label(our_crd());
  const Decision decision = decide(our_crd(), &foreign, {});
  EXPECT_EQ(decision.step, Step::kLeave);
  EXPECT_EQ(decision.why,
            "belongs to somebody else and stays as it is; its jobs run; to replace it: muster install --adopt "
            "pytorchjobs.kubeflow.org");
}

TEST(Decide, SaysWhichVersionAForeignCrdLacks) {
  json::Document foreign = without_label(our_crd());
  foreign["spec"]["versions"].as_array()[0]["name"] = "v7";
  const Decision decision = decide(our_crd(), &foreign, {});
  EXPECT_EQ(decision.step, Step::kLeave);
  EXPECT_THAT(decision.why, HasSubstr("the CRD pytorchjobs.kubeflow.org serves v7, and Muster needs v1"));
}

TEST(Decide, ReplacesAForeignCrdThatIsAdopted) {
  const json::Document foreign = without_label(our_crd());
  EXPECT_EQ(decide(our_crd(), &foreign, {.adopted = {"pytorchjobs.kubeflow.org"}}).step, Step::kApply);
}

TEST(Decide, NeverDropsAVersionInWhichObjectsAreStored) {
  json::Document live = our_crd();
  live["status"]["storedVersions"] = json::Array{"v1alpha1", "v1"};
  const Decision decision = decide(our_crd(), &live, {});
  EXPECT_EQ(decision.step, Step::kRefuse);
  EXPECT_THAT(decision.why, HasSubstr("objects are stored in version v1alpha1, which this version of Muster does not "
                                      "serve"));
}

TEST(Decide, LeavesANamespaceThatExistsItsLabels) {
  const json::Document wanted = new_object("v1", "Namespace", "", "team");
  const json::Document live = without_label(wanted);
  EXPECT_EQ(decide(wanted, &live, {}).step, Step::kLeave);
}

TEST(Decide, WaitsForWhatIsBeingDeleted) {
  json::Document live = our_crd();
  live["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  const Decision decision = decide(our_crd(), &live, {});
  EXPECT_EQ(decision.step, Step::kRefuse);
  EXPECT_EQ(decision.why, "is being deleted; try again when it is gone");
}

TEST(Decide, RefusesToOverwriteWhatSomebodyElseHasMade) {
  const json::Document wanted = new_object("apps/v1", "Deployment", "muster-system", "muster-operator");
  json::Document live = without_label(wanted);
  EXPECT_EQ(decide(wanted, &live, {}).why, "exists and does not belong to Muster; rename or delete it");
  live = wanted;
  live["metadata"]["labels"]["app.kubernetes.io/managed-by"] = "Helm";
  live["metadata"]["annotations"]["meta.helm.sh/release-name"] = "training";
  live["metadata"]["annotations"]["meta.helm.sh/release-namespace"] = "muster-system";
  const Decision decision = decide(wanted, &live, {});
  EXPECT_EQ(decision.step, Step::kRefuse);
  EXPECT_EQ(decision.why,
            "was installed by the Helm release muster-system/training; change it there, with helm upgrade");
}

TEST(ChangedFields, AreNamedWithBothValues) {
  json::Document before = json::Object{{"spec", json::Object{{"replicas", 1}, {"same", true}}}};
  before["metadata"] = json::Object{{"resourceVersion", "1"}, {"generation", 1}};
  json::Document after = before;
  EXPECT_THAT(changed_fields(before, after), IsEmpty());
  after["metadata"]["resourceVersion"] = "2";
  after["spec"]["replicas"] = 2;
  before["spec"]["list"] = after["spec"]["list"] = json::Array{json::Object{{"image", "a"}}};
  after["spec"]["paused"] = true;
  after["spec"]["list"].as_array()[0]["image"] = "b";
  after["spec"].as_object().erase("same");
  EXPECT_THAT(changed_fields(before, after), ElementsAre("spec.replicas: 1 -> 2", "spec.list[0].image: \"a\" -> \"b\"",
                                                         "spec.paused: none -> true", "spec.same: true -> none"));
}

}  // namespace
}  // namespace muster::install
