#include "contract_fixture.h"

namespace muster::contract {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_P(ApiContract, DeleteOfAPlainObjectAnswersWithStatus) {
  const Answer made = post(core("configmaps"), config_map("c"));
  const Answer gone = remove(core("configmaps/c"));
  EXPECT_EQ(gone.code, 200);
  EXPECT_EQ(gone.body.string_at("kind"), "Status");
  EXPECT_EQ(gone.body.string_at("status"), "Success");
  EXPECT_EQ(gone.body.string_at("details", "name"), "c");
  EXPECT_EQ(gone.body.string_at("details", "kind"), "configmaps");
  EXPECT_EQ(gone.body.string_at("details", "uid"), made.body.string_at("metadata", "uid"));
  EXPECT_EQ(get(core("configmaps/c")).code, 404);
  const Answer again = remove(core("configmaps/c"));
  EXPECT_EQ(again.code, 404);
  EXPECT_EQ(again.message(), "configmaps \"c\" not found");
}

TEST_P(ApiContract, DeleteOfAJobAnswersWithStatus) {
  ASSERT_EQ(post(kubeflow("pytorchjobs"), pytorch_job("j")).code, 201);
  const Answer gone = remove(kubeflow("pytorchjobs/j"), R"({"propagationPolicy":"Background"})");
  EXPECT_EQ(gone.code, 200) << gone.text;
  EXPECT_EQ(gone.body.string_at("status"), "Success") << gone.text;
  EXPECT_EQ(gone.body.string_at("details", "group"), "kubeflow.org");
  EXPECT_EQ(gone.body.string_at("details", "kind"), "pytorchjobs");
}

TEST_P(ApiContract, DeletePreconditions) {
  const Answer made = post(core("configmaps"), config_map("c"));
  Answer refused = remove(core("configmaps/c"), R"({"preconditions":{"uid":"other"}})");
  EXPECT_EQ(refused.code, 409);
  EXPECT_EQ(refused.reason(), "Conflict");
  EXPECT_THAT(refused.message(), HasSubstr("the UID in the precondition (other) does not match the UID in record ("));
  refused = remove(core("configmaps/c"), R"({"preconditions":{"resourceVersion":"1"}})");
  EXPECT_EQ(refused.code, 409);
  EXPECT_THAT(refused.message(), HasSubstr("the ResourceVersion in the precondition (1) does not match"));
  const Answer gone =
      remove(core("configmaps/c"), R"({"preconditions":{"resourceVersion":")" + made.version() + R"("}})");
  EXPECT_EQ(gone.code, 200);
}

TEST_P(ApiContract, DeleteOptionsAreChecked) {
  ASSERT_EQ(post(core("configmaps"), config_map("c")).code, 201);
  const Answer refused = remove(core("configmaps/c"), R"({"propagationPolicy":"Sideways"})");
  EXPECT_EQ(refused.code, 422) << refused.text;
  EXPECT_THAT(refused.causes(), ElementsAre("FieldValueNotSupported propagationPolicy"));
  EXPECT_EQ(get(core("configmaps/c")).code, 200);
}

TEST_P(ApiContract, DryRunDeleteLeavesTheObject) {
  ASSERT_EQ(post(core("configmaps"), config_map("c")).code, 201);
  EXPECT_EQ(remove(core("configmaps/c") + "?dryRun=All").code, 200);
  EXPECT_EQ(get(core("configmaps/c")).code, 200);
}

TEST_P(ApiContract, FinalizersHoldADeletedObject) {
  ASSERT_EQ(post(kubeflow("pytorchjobs"), pytorch_job("j")).code, 201);
  ASSERT_EQ(patch(kubeflow("pytorchjobs/j"), R"({"metadata":{"finalizers":["x.dev/hold"]}})").code, 200);
  const Answer marked = remove(kubeflow("pytorchjobs/j"));
  EXPECT_EQ(marked.code, 200);
  EXPECT_EQ(marked.body.string_at("kind"), "PyTorchJob") << marked.text;
  EXPECT_FALSE(marked.body.string_at("metadata", "deletionTimestamp").empty());
  EXPECT_EQ(at(marked.body, "metadata", "deletionGracePeriodSeconds"), Document(0));
  EXPECT_EQ(marked.body.int_at("metadata", "generation"), 2);

  const Answer kept = patch(kubeflow("pytorchjobs/j"), R"({"metadata":{"deletionTimestamp":null}})");
  EXPECT_EQ(kept.body.string_at("metadata", "deletionTimestamp"),
            marked.body.string_at("metadata", "deletionTimestamp"));
  const Answer refused = patch(kubeflow("pytorchjobs/j"), R"({"metadata":{"finalizers":["x.dev/hold","x.dev/new"]}})");
  EXPECT_EQ(refused.code, 422) << refused.text;
  // Kubernetes checks the metadata of custom resources twice, and reports it twice.
  EXPECT_THAT(refused.causes(), Each("FieldValueForbidden metadata.finalizers"));
  EXPECT_THAT(refused.message(), HasSubstr("no new finalizers can be added if the object is being deleted, found new "
                                           "finalizers []string{\"x.dev/new\"}"));

  const Answer released = patch(kubeflow("pytorchjobs/j"), R"({"metadata":{"finalizers":null}})");
  EXPECT_EQ(released.code, 200) << released.text;
  EXPECT_EQ(get(kubeflow("pytorchjobs/j")).code, 404);
}

TEST_P(ApiContract, UnboundPodsGoAtOnce) {
  ASSERT_EQ(post(core("pods"), pod("p")).code, 201);
  const Answer gone = remove(core("pods/p"));
  EXPECT_EQ(gone.code, 200);
  EXPECT_EQ(gone.body.string_at("kind"), "Pod");
  EXPECT_EQ(get(core("pods/p")).code, 404);
}

// A real server deletes by its cache, which may lag a moment behind; resourceVersion=0 reads that cache.
constexpr const char* kCachedPod = "pods/p?resourceVersion=0";

TEST_P(ApiContract, BoundPodsHaveTimeToStop) {
  ASSERT_EQ(post(core("pods"), pod("p")).code, 201);
  ASSERT_EQ(post(core("pods/p/binding"), R"({"metadata":{"name":"p"},"target":{"kind":"Node","name":"n"}})").code, 201);
  get_until(core(kCachedPod), [](const Answer& a) { return a.body.string_at("spec", "nodeName") == "n"; });
  const Answer marked = remove(core("pods/p"));
  EXPECT_EQ(marked.code, 200);
  EXPECT_EQ(at(marked.body, "metadata", "deletionGracePeriodSeconds"), Document(30)) << marked.text;
  EXPECT_EQ(marked.body.int_at("metadata", "generation"), 2);
  const Answer longer = remove(core("pods/p"), R"({"gracePeriodSeconds":60})");
  EXPECT_EQ(at(longer.body, "metadata", "deletionGracePeriodSeconds"), Document(30));
  const Answer shorter = remove(core("pods/p"), R"({"gracePeriodSeconds":5})");
  EXPECT_EQ(at(shorter.body, "metadata", "deletionGracePeriodSeconds"), Document(5));
  EXPECT_EQ(get(core("pods/p")).code, 200);
  EXPECT_EQ(remove(core("pods/p"), R"({"gracePeriodSeconds":0})").code, 200);
  EXPECT_EQ(get(core("pods/p")).code, 404);
}

TEST_P(ApiContract, EndedPodsGoAtOnceEvenWhenBound) {
  ASSERT_EQ(post(core("pods"), pod("p")).code, 201);
  ASSERT_EQ(post(core("pods/p/binding"), R"({"metadata":{"name":"p"},"target":{"kind":"Node","name":"n"}})").code, 201);
  ASSERT_EQ(patch(core("pods/p/status"), R"({"status":{"phase":"Succeeded"}})").code, 200);
  get_until(core(kCachedPod), [](const Answer& a) { return a.body.string_at("status", "phase") == "Succeeded"; });
  EXPECT_EQ(remove(core("pods/p")).code, 200);
  EXPECT_EQ(get(core("pods/p")).code, 404);
}

TEST_P(ApiContract, DeleteCollectionBySelector) {
  ASSERT_EQ(post(core("configmaps"), config_map("a", R"({"x":"1"})")).code, 201);
  ASSERT_EQ(post(core("configmaps"), config_map("b", R"({"x":"1"})")).code, 201);
  ASSERT_EQ(post(core("configmaps"), config_map("c", R"({"x":"2"})")).code, 201);
  const Answer gone = remove(core("configmaps") + "?labelSelector=x%3D1");
  EXPECT_EQ(gone.code, 200);
  EXPECT_EQ(gone.body.string_at("kind"), "ConfigMapList") << gone.text;
  EXPECT_EQ(at(gone.body, "items").as_array().size(), 2u);
  EXPECT_FALSE(gone.version().empty());
  EXPECT_EQ(get(core("configmaps/a")).code, 404);
  EXPECT_EQ(get(core("configmaps/c")).code, 200);
}

TEST_P(ApiContract, DeleteCollectionTakesListOptionsAndDryRun) {
  for (const char* name : {"a", "b", "c"}) ASSERT_EQ(post(core("configmaps"), config_map(name)).code, 201);
  EXPECT_EQ(remove(core("configmaps") + "?dryRun=All").code, 200);
  EXPECT_EQ(at(get(core("configmaps")).body, "items").as_array().size(), 3u);
  const Answer first = remove(core("configmaps") + "?limit=1");
  EXPECT_EQ(first.code, 200);
  EXPECT_EQ(at(first.body, "items").as_array().size(), 1u);
  EXPECT_FALSE(first.body.string_at("metadata", "continue").empty());
  EXPECT_EQ(at(get(core("configmaps")).body, "items").as_array().size(), 2u);
  EXPECT_EQ(remove(core("configmaps"), R"({"preconditions":{"uid":"x"}})").code, 409);
  EXPECT_EQ(remove(core("configmaps") + "?labelSelector=a%3Db%3Dc").code, 400);
  Answer refused = remove(core("configmaps") + "?dryRun=Some");
  EXPECT_EQ(refused.code, 422) << refused.text;
  EXPECT_THAT(refused.causes(), ElementsAre("FieldValueNotSupported dryRun"));
  refused = remove(core("configmaps"), R"({"dryRun":["Some"]})");
  EXPECT_EQ(refused.code, 422) << refused.text;
  refused = remove(core("configmaps"), R"({"propagationPolicy":"Bogus"})");
  EXPECT_EQ(refused.code, 422);
  EXPECT_EQ(at(get(core("configmaps")).body, "items").as_array().size(), 2u);
}

std::string owned(const std::string& name, const Answer& owner, const std::string& more) {
  return R"({"metadata":{"name":")" + name + R"(","ownerReferences":[{"apiVersion":")" +
         owner.body.string_at("apiVersion") + R"(","kind":")" + owner.body.string_at("kind") + R"(","name":")" +
         owner.body.string_at("metadata", "name") + R"(","uid":")" + owner.body.string_at("metadata", "uid") + "\"" +
         more + "}]}}";
}

TEST_P(ApiContract, DependentsFollowTheirOwner) {
  const Answer owner = post(core("secrets"), R"({"metadata":{"name":"owner"}})");
  ASSERT_EQ(post(core("configmaps"), owned("child", owner, "")).code, 201);
  ASSERT_EQ(remove(core("secrets/owner"), R"({"propagationPolicy":"Background"})").code, 200);
  get_until(core("configmaps/child"), [](const Answer& a) { return a.code == 404; });
}

TEST_P(ApiContract, DependentsOfNobodyAreCollected) {
  ASSERT_EQ(post(core("configmaps"), R"({"metadata":{"name":"child","ownerReferences":[{"apiVersion":"v1","kind":)"
                                     R"("Secret","name":"never","uid":"0f0f0f0f-0000-4000-8000-000000000000"}]}})")
                .code,
            201);
  get_until(core("configmaps/child"), [](const Answer& a) { return a.code == 404; });
}

TEST_P(ApiContract, ForegroundDeletionWaitsForBlockingDependents) {
  const Answer owner = post(core("secrets"), R"({"metadata":{"name":"owner"}})");
  ASSERT_EQ(post(core("configmaps"), owned("child", owner, R"(,"blockOwnerDeletion":true)")).code, 201);
  ASSERT_EQ(patch(core("configmaps/child"), R"({"metadata":{"finalizers":["x.dev/hold"]}})").code, 200);
  const Answer marked = remove(core("secrets/owner"), R"({"propagationPolicy":"Foreground"})");
  EXPECT_EQ(marked.code, 200);
  EXPECT_EQ(json::serialize(at(marked.body, "metadata", "finalizers")), R"(["foregroundDeletion"])") << marked.text;
  get_until(core("configmaps/child"),
            [](const Answer& a) { return !a.body.string_at("metadata", "deletionTimestamp").empty(); });
  EXPECT_EQ(get(core("secrets/owner")).code, 200);
  ASSERT_EQ(patch(core("configmaps/child"), R"({"metadata":{"finalizers":null}})").code, 200);
  get_until(core("secrets/owner"), [](const Answer& a) { return a.code == 404; });
  EXPECT_EQ(get(core("configmaps/child")).code, 404);
}

TEST_P(ApiContract, OrphanedDependentsStay) {
  const Answer owner = post(core("secrets"), R"({"metadata":{"name":"owner"}})");
  ASSERT_EQ(post(core("configmaps"), owned("child", owner, "")).code, 201);
  const Answer marked = remove(core("secrets/owner"), R"({"propagationPolicy":"Orphan"})");
  EXPECT_EQ(marked.code, 200);
  get_until(core("secrets/owner"), [](const Answer& a) { return a.code == 404; });
  const Answer child = get(core("configmaps/child"));
  EXPECT_EQ(child.code, 200);
  EXPECT_EQ(at(child.body, "metadata", "ownerReferences"), Document());
}

TEST_P(ApiContract, TheFirstNamespacesStay) {
  const Answer refused = remove("/api/v1/namespaces/default");
  EXPECT_EQ(refused.code, 403);
  EXPECT_EQ(refused.message(), "namespaces \"default\" is forbidden: this namespace may not be deleted");
}

TEST_P(ApiContract, DeletedNamespacesAreEmptiedAndGo) {
  const Answer made = post("/api/v1/namespaces", R"({"metadata":{"generateName":"contract-"}})");
  const std::string ns = "/api/v1/namespaces/" + made.body.string_at("metadata", "name");
  ASSERT_EQ(post(ns + "/configmaps", config_map("c")).code, 201);
  ASSERT_EQ(patch(ns + "/configmaps/c", R"({"metadata":{"finalizers":["x.dev/hold"]}})").code, 200);
  const Answer marked = remove(ns);
  EXPECT_EQ(marked.code, 200);
  EXPECT_EQ(marked.body.string_at("kind"), "Namespace");
  EXPECT_EQ(marked.body.string_at("status", "phase"), "Terminating");
  EXPECT_EQ(at(marked.body, "metadata", "deletionGracePeriodSeconds"), Document());
  const Answer refused = post(ns + "/configmaps", config_map("d"));
  EXPECT_EQ(refused.code, 403) << refused.text;
  EXPECT_EQ(refused.reason(), "Forbidden");
  EXPECT_THAT(refused.causes(), ElementsAre("NamespaceTerminating metadata.namespace"));
  const Answer unnamed = post(ns + "/configmaps", R"({"metadata":{"generateName":"made-"}})");
  EXPECT_THAT(unnamed.message(), ::testing::StartsWith("configmaps \"made-")) << unnamed.text;
  get_until(ns + "/configmaps/c",
            [](const Answer& a) { return !a.body.string_at("metadata", "deletionTimestamp").empty(); });
  // The namespace reports what holds it.
  const Answer held = get_until(ns, [](const Answer& a) { return at(a.body, "status", "conditions").is_array(); });
  std::vector<std::string> conditions;
  for (const Document& condition : at(held.body, "status", "conditions").as_array()) {
    conditions.push_back(condition.string_at("type") + " " + condition.string_at("status") + " " +
                         condition.string_at("reason"));
  }
  EXPECT_THAT(conditions, ElementsAre("NamespaceDeletionDiscoveryFailure False ResourcesDiscovered",
                                      "NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions",
                                      "NamespaceDeletionContentFailure False ContentDeleted",
                                      "NamespaceContentRemaining True SomeResourcesRemain",
                                      "NamespaceFinalizersRemaining True SomeFinalizersRemain"));
  EXPECT_EQ(at(held.body, "status", "conditions", 3, "message"),
            Document("Some resources are remaining: configmaps. has 1 resource instances"));
  EXPECT_EQ(at(held.body, "status", "conditions", 4, "message"),
            Document("Some content in the namespace has finalizers remaining: x.dev/hold in 1 resource instances"));
  ASSERT_EQ(patch(ns + "/configmaps/c", R"({"metadata":{"finalizers":null}})").code, 200);
  get_until(ns, [](const Answer& a) { return a.code == 404; });
}

}  // namespace
}  // namespace muster::contract
