#include "control/runtime/kind_choice.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace muster::control {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<json::Document> all_crds() {
  std::vector<json::Document> crds;
  for (const api::Resource& resource : api::resources()) {
    if (resource.has_own_crd()) crds.push_back(api::crd(resource));
  }
  return crds;
}

json::Document& crd_named(std::vector<json::Document>& crds, std::string_view name) {
  return *std::ranges::find_if(crds, [&](const auto& crd) { return crd.string_at("metadata", "name") == name; });
}

json::Object& status_fields(json::Document& version) {
  return version["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"].as_object();
}

/// As Kubeflow ships them: one version, and none of our status fields.
json::Document kubeflow_crd(std::string_view plural, std::string_view version_name) {
  json::Document crd = api::crd(*api::find_resource("kubeflow.org", version_name, plural));
  json::Array& versions = crd["spec"]["versions"].as_array();
  std::erase_if(versions, [&](const auto& version) { return version.string_at("name") != version_name; });
  for (const char* ours : {"restartCount", "attempts", "incidentReplicas", "succeededReplicas", "nextRetryTime",
                           "masterPort", "portCount", "observedGeneration"}) {
    status_fields(versions.front()).erase(ours);
  }
  return crd;
}

std::vector<std::string> chosen_names(const KindChoices& choices) {
  std::vector<std::string> names;
  for (const ChosenKind& one : choices.chosen) names.push_back(one.resource->plural + "/" + one.resource->version);
  return names;
}

TEST(ChooseKinds, RunsEveryKindOfOurOwnCrds) {
  const KindChoices choices = choose_kinds(all_crds(), {});
  EXPECT_EQ(choices.chosen.size(), 11);
  EXPECT_THAT(choices.absent, IsEmpty());
  EXPECT_THAT(choices.unusable, IsEmpty());
  for (const ChosenKind& one : choices.chosen) EXPECT_EQ(one.refusal, "") << one.resource->kind;
}

TEST(ChooseKinds, RunsKubeflowsKindsUnderTheirOwnCrds) {
  const std::vector crds{kubeflow_crd("pytorchjobs", "v1"), kubeflow_crd("mpijobs", "v2beta1")};
  const KindChoices choices = choose_kinds(crds, {});
  EXPECT_THAT(chosen_names(choices), ElementsAre("pytorchjobs/v1", "mpijobs/v2beta1"));
  for (const ChosenKind& one : choices.chosen) EXPECT_EQ(one.refusal, "") << one.resource->kind;
  EXPECT_EQ(choices.absent.size(), 9);
  EXPECT_TRUE(choices.runs_any());
}

TEST(ChooseKinds, LeavesOutAVersionThatItDoesNotKnow) {
  json::Document crd = kubeflow_crd("pytorchjobs", "v1");
  crd["spec"]["versions"].as_array().front()["name"] = "v3";
  const KindChoices choices = choose_kinds({&crd, 1}, {});
  EXPECT_FALSE(choices.runs_any());
  EXPECT_THAT(
      choices.unusable,
      ElementsAre("the CRD pytorchjobs.kubeflow.org serves v3, and Muster needs v1; install Muster's CRD (muster "
                  "crds | kubectl apply --server-side -f -)"));
}

TEST(ChooseKinds, RefusesAKindWhoseCrdPrunesAFieldAndRunsTheOthers) {
  std::vector crds = all_crds();
  json::Document& version = crd_named(crds, "tfjobs.kubeflow.org")["spec"]["versions"].as_array().front();
  status_fields(version).erase("startTime");
  json::Document& condition = status_fields(version)["conditions"]["items"];
  condition["properties"].as_object().erase("message");
  condition.as_object().erase("x-kubernetes-preserve-unknown-fields");
  const KindChoices choices = choose_kinds(crds, {});
  EXPECT_EQ(choices.chosen.size(), 11);
  for (const ChosenKind& one : choices.chosen) {
    if (one.resource->kind != "TFJob") {
      EXPECT_EQ(one.refusal, "") << one.resource->kind;
      continue;
    }
    EXPECT_EQ(one.refusal,
              "the CRD tfjobs.kubeflow.org prunes status.conditions[].message, status.startTime, which Muster writes; "
              "install Muster's CRD (muster crds | kubectl apply --server-side -f -) or leave the kind to its own "
              "operator (muster operator --kinds tfjobs.kubeflow.org=off)");
  }
}

TEST(ChooseKinds, RefusesAKindWithoutAStatusSubresource) {
  std::vector crds = all_crds();
  crd_named(crds, "crons.apps.kubedl.io")["spec"]["versions"].as_array().front().as_object().erase("subresources");
  const KindChoices choices = choose_kinds(crds, {{"crons.apps.kubedl.io", Wish::kOn}});
  const auto cron = std::ranges::find_if(choices.chosen, [](const auto& one) { return one.resource->kind == "Cron"; });
  EXPECT_THAT(cron->refusal, HasSubstr("no status subresource in version v1alpha1"));
}

TEST(ChooseKinds, AcceptsASchemaThatKeepsUnknownFields) {
  json::Document crd = kubeflow_crd("pytorchjobs", "v1");
  json::Document& root = crd["spec"]["versions"].as_array().front()["schema"]["openAPIV3Schema"];
  root["properties"].as_object().erase("status");
  EXPECT_THAT(pruned_status_fields(*api::find_kind("kubeflow.org/v1", "PyTorchJob"), crd), ElementsAre("status"));
  root["x-kubernetes-preserve-unknown-fields"] = true;
  EXPECT_THAT(pruned_status_fields(*api::find_kind("kubeflow.org/v1", "PyTorchJob"), crd), IsEmpty());
}

TEST(ChooseKinds, LeavesOutAKindWithoutTheKindOfItsChildren) {
  std::vector crds = all_crds();
  std::erase_if(crds, [](const auto& crd) { return crd.string_at("metadata", "name").starts_with("tensorboards."); });
  const KindChoices choices = choose_kinds(crds, {});
  EXPECT_THAT(choices.absent, ElementsAre("tensorboards.tensorstack.dev"));
  EXPECT_THAT(choices.unusable, ::testing::Contains(HasSubstr("pytorchtrainingjobs.batch.tensorstack.dev needs "
                                                              "tensorboards.tensorstack.dev")));
}

Wishes wishes(const std::vector<std::string>& items) {
  const auto parsed = parse_wishes(items);
  EXPECT_TRUE(parsed.has_value()) << parsed.error().message;
  return parsed.value_or(Wishes{});
}

TEST(Wishes, AListOfNamesTurnsAllOthersOff) {
  EXPECT_THAT(chosen_names(choose_kinds(all_crds(), wishes({"PyTorchJob", "mpijobs.kubeflow.org"}))),
              ElementsAre("pytorchjobs/v1", "mpijobs/v1"));
  EXPECT_EQ(wishes({"tfjobs"}).at("tfjobs.kubeflow.org"), Wish::kOn);
  EXPECT_EQ(choose_kinds(all_crds(), wishes({"all"})).chosen.size(), 11);
}

TEST(Wishes, AWishForSomeLeavesTheOthersAuto) {
  const Wishes some = wishes({"tfjobs=on", "crons=off"});
  EXPECT_EQ(some.size(), 2);
  EXPECT_EQ(choose_kinds(all_crds(), some).chosen.size(), 10);
  EXPECT_EQ(wishes({"all=on", "crons=auto"}).at("crons.apps.kubedl.io"), Wish::kAuto);
  EXPECT_THAT(wishes({"auto"}), IsEmpty());
  EXPECT_THAT(wishes({}), IsEmpty());
}

TEST(Wishes, AMistakeIsExplained) {
  const auto message = [](const std::vector<std::string>& items) { return parse_wishes(items).error().message; };
  EXPECT_THAT(message({"torchjobs"}), HasSubstr(R"(--kinds: there is no kind "torchjobs"; use all or )"));
  EXPECT_EQ(message({"mpijobs=on"}),
            R"(--kinds: "mpijobs" is ambiguous; use mpijobs.batch.tensorstack.dev or mpijobs.kubeflow.org)");
  EXPECT_EQ(message({"tfjobs=yes"}), R"(--kinds: "tfjobs=yes" must end with =auto, =on or =off)");
  EXPECT_EQ(message({"tfjobs=on", "crons"}),
            R"(--kinds: "crons" has no =auto, =on or =off; write only names, or a wish for each)");
}

json::Document resource_list(const std::vector<std::string>& names) {
  json::Document list = json::Object{{"kind", "APIResourceList"}, {"resources", json::Array{}}};
  for (const std::string& name : names) list["resources"].as_array().push_back(json::Object{{"name", name}});
  return list;
}

TEST(CrdFromDiscovery, TellsTheVersionsAndTheStatusSubresource) {
  const api::Resource& mpi = *api::find_resource("kubeflow.org", "v1", "mpijobs");
  std::map<std::string, json::Document> lists;
  EXPECT_FALSE(crd_from_discovery(mpi, lists));
  lists["/apis/kubeflow.org/v1"] = resource_list({"pytorchjobs", "pytorchjobs/status"});
  EXPECT_FALSE(crd_from_discovery(mpi, lists));
  lists["/apis/kubeflow.org/v2beta1"] = resource_list({"mpijobs", "mpijobs/status"});
  const auto crd = crd_from_discovery(mpi, lists);
  ASSERT_TRUE(crd);
  const KindChoices choices = choose_kinds({&*crd, 1}, {});
  EXPECT_THAT(chosen_names(choices), ElementsAre("mpijobs/v2beta1"));
  EXPECT_TRUE(choices.runs_any());
}

TEST(CrdFromDiscovery, AKindWithoutAStatusSubresourceIsRefused) {
  const api::Resource& torch = *api::find_resource("kubeflow.org", "v1", "pytorchjobs");
  const auto crd = crd_from_discovery(torch, {{"/apis/kubeflow.org/v1", resource_list({"pytorchjobs"})}});
  ASSERT_TRUE(crd);
  const KindChoices choices = choose_kinds({&*crd, 1}, {});
  EXPECT_THAT(choices.chosen.front().refusal, HasSubstr("has no status subresource"));
}

}  // namespace
}  // namespace muster::control
