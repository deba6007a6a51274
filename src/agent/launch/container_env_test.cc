#include "agent/launch/container_env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/document_for_tests.h"

namespace muster::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

class ContainerEnv : public ::testing::Test {
 protected:
  Result<Variables> variables(const char* container, const Variables& defaults = {}) {
    return container_variables(
        pod_, doc(container),
        {.address = "127.1.2.3", .host_address = "127.0.0.1", .node_cpus = 2, .node_memory = 4096},
        {.config_map = [this](const std::string& name) { return name == "settings" ? borrowed(config_map_) : nullptr; },
         .secret = [this](const std::string& name) { return name == "keys" ? borrowed(secret_) : nullptr; },
         .claim = [](const std::string&) { return nullptr; }},
        defaults);
  }

  json::Document pod_ = doc(R"({"metadata":{"name":"job-0","namespace":"ml","uid":"u1","labels":{"app":"mnist"},
                                "annotations":{"muster.dev/gang-size":"2"}},"spec":{"nodeName":"laptop"}})");
  json::Document config_map_ = doc(R"({"data":{"LR":"0.1","1BAD":"x"},"binaryData":{"BIN":"AAE="}})");
  json::Document secret_ = doc(R"({"data":{"TOKEN":"aHVudGVyMg=="}})");
};

TEST(Expand, FollowsKubernetesRules) {
  const Variables env = {{"A", "1"}, {"B", "two"}};
  EXPECT_EQ(expand("$(A)-$(B)", env), "1-two");
  EXPECT_EQ(expand("$(MISSING)", env), "$(MISSING)");
  EXPECT_EQ(expand("$$(A) $$ $$$(A)", env), "$(A) $ $1");
  EXPECT_EQ(expand("$A ${A} $", env), "$A ${A} $");
  EXPECT_EQ(expand("$(A", env), "$(A");
  EXPECT_EQ(expand("--x=$(A)$(A)", env), "--x=11");
}

TEST_F(ContainerEnv, LaterVariablesMayReferToEarlierOnes) {
  const auto got = variables(R"json({"env":[{"name":"HOST","value":"h"},{"name":"URL","value":"tcp://$(HOST):$(PORT)"},
                               {"name":"PORT","value":"1"},{"name":"HOST","value":"other"}]})json",
                             {{"HOME", "/root"}});
  ASSERT_TRUE(got);
  EXPECT_THAT(*got, ElementsAre(Pair("HOME", "/root"), Pair("HOST", "other"), Pair("URL", "tcp://h:$(PORT)"),
                                Pair("PORT", "1")));
}

TEST_F(ContainerEnv, FieldsOfThePod) {
  const auto got = variables(R"({"env":[
      {"name":"NAME","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}},
      {"name":"NS","valueFrom":{"fieldRef":{"fieldPath":"metadata.namespace"}}},
      {"name":"UID_","valueFrom":{"fieldRef":{"fieldPath":"metadata.uid"}}},
      {"name":"APP","valueFrom":{"fieldRef":{"fieldPath":"metadata.labels['app']"}}},
      {"name":"GANG","valueFrom":{"fieldRef":{"fieldPath":"metadata.annotations['muster.dev/gang-size']"}}},
      {"name":"IP","valueFrom":{"fieldRef":{"fieldPath":"status.podIP"}}},
      {"name":"NODE","valueFrom":{"fieldRef":{"fieldPath":"spec.nodeName"}}}]})");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_THAT(*got, ElementsAre(Pair("NAME", "job-0"), Pair("NS", "ml"), Pair("UID_", "u1"), Pair("APP", "mnist"),
                                Pair("GANG", "2"), Pair("IP", "127.1.2.3"), Pair("NODE", "laptop")));
}

TEST_F(ContainerEnv, ResourcesAreRoundedUpAndFallBackToTheNode) {
  const auto got = variables(R"({"resources":{"limits":{"cpu":"1500m","memory":"1Gi"}},"env":[
      {"name":"CPU","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu"}}},
      {"name":"MILLI","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu","divisor":"1m"}}},
      {"name":"MEM","valueFrom":{"resourceFieldRef":{"resource":"limits.memory","divisor":"1Mi"}}},
      {"name":"ASKED","valueFrom":{"resourceFieldRef":{"resource":"requests.cpu"}}}]})");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_THAT(*got, ElementsAre(Pair("CPU", "2"), Pair("MILLI", "1500"), Pair("MEM", "1024"), Pair("ASKED", "2")));
}

TEST_F(ContainerEnv, AnAmountMayBeThatOfAnotherContainer) {
  pod_["spec"]["containers"] = doc(R"([{"name":"other","resources":{"limits":{"cpu":"3"}}}])");
  const auto got = variables(R"({"resources":{"limits":{"cpu":"1"}},"env":[
      {"name":"OWN","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu"}}},
      {"name":"OTHER","valueFrom":{"resourceFieldRef":{"containerName":"other","resource":"limits.cpu"}}}]})");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_THAT(*got, ElementsAre(Pair("OWN", "1"), Pair("OTHER", "3")));
}

TEST_F(ContainerEnv, AllLabelsAreLinesInTheOrderOfTheirKeys) {
  pod_["metadata"]["labels"] = doc(R"({"b":"2","a":"say \"hi\""})");
  EXPECT_EQ(*pod_field(pod_, {}, "metadata.labels"), "a=\"say \\\"hi\\\"\"\nb=\"2\"");
  EXPECT_EQ(*pod_field(pod_, {}, "metadata.annotations"), "muster.dev/gang-size=\"2\"");
}

TEST_F(ContainerEnv, ValuesFromConfigMapsAndSecrets) {
  const auto got =
      variables(R"({"envFrom":[{"prefix":"P_","configMapRef":{"name":"settings"}},{"secretRef":{"name":"keys"}}],
      "env":[{"name":"T","valueFrom":{"secretKeyRef":{"name":"keys","key":"TOKEN"}}},
             {"name":"L","valueFrom":{"configMapKeyRef":{"name":"settings","key":"LR"}}}]})");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_THAT(*got, ElementsAre(Pair("P_LR", "0.1"), Pair("P_1BAD", "x"), Pair("TOKEN", "hunter2"),
                                Pair("T", "hunter2"), Pair("L", "0.1")));
}

TEST_F(ContainerEnv, NamesThatNoProgramCouldReadAreLeftOut) {
  const auto got = variables(R"({"envFrom":[{"configMapRef":{"name":"settings"}}]})");
  ASSERT_TRUE(got);
  EXPECT_THAT(*got, ElementsAre(Pair("LR", "0.1")));
}

TEST_F(ContainerEnv, WhatIsMissingIsNamedAndCanBeWaitedFor) {
  const auto key = variables(R"({"env":[{"name":"X","valueFrom":{"secretKeyRef":{"name":"keys","key":"NONE"}}}]})");
  ASSERT_FALSE(key);
  EXPECT_EQ(key.error().reason, Reason::kNotFound);
  EXPECT_EQ(key.error().message, "env \"X\": couldn't find key \"NONE\" in secret \"keys\"");
  const auto object = variables(R"({"envFrom":[{"configMapRef":{"name":"other"}}]})");
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().message, "configmap \"other\" not found");
}

TEST_F(ContainerEnv, WhatIsOptionalMayBeMissing) {
  const auto got = variables(R"({"envFrom":[{"secretRef":{"name":"other","optional":true}}],
      "env":[{"name":"X","valueFrom":{"configMapKeyRef":{"name":"other","key":"k","optional":true}}}]})");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_TRUE(got->empty());
}

TEST_F(ContainerEnv, AnUnknownFieldIsFinal) {
  const auto got = variables(R"({"env":[{"name":"X","valueFrom":{"fieldRef":{"fieldPath":"status.phase"}}}]})");
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().reason, Reason::kInvalid);
  EXPECT_EQ(got.error().message, "env \"X\": fieldRef: unsupported fieldPath \"status.phase\"");
}

}  // namespace
}  // namespace muster::agent
