#include "apiserver/quota/quota_usage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::apiserver {
namespace {

using json::Document;

Document read(const std::string& text) {
  return *json::parse(text);
}

std::map<std::string, std::string> usage(const std::string& resource, const std::string& object) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, amount] : quota_usage(resource, read(object))) texts[name] = amount.text();
  return texts;
}

TEST(QuotaUsage, OfAPod) {
  const auto used = usage("pods", R"({"spec":{"containers":[
    {"name":"a","resources":{"requests":{"cpu":"300m"},"limits":{"memory":"300Mi","nvidia.com/gpu":"2"}}},
    {"name":"b","resources":{"requests":{"cpu":"300m","memory":"100Mi"},"limits":{"memory":"300Mi"}}}],
    "initContainers":[{"name":"i","resources":{"requests":{"cpu":"2"}}},
      {"name":"s","restartPolicy":"Always","resources":{"requests":{"cpu":"100m"}}}]}})");
  EXPECT_EQ(used, (std::map<std::string, std::string>{{"count/pods", "1"},
                                                      {"pods", "1"},
                                                      {"cpu", "2"},
                                                      {"requests.cpu", "2"},
                                                      {"memory", "400Mi"},
                                                      {"requests.memory", "400Mi"},
                                                      {"limits.memory", "600Mi"},
                                                      {"requests.nvidia.com/gpu", "2"}}));
}

TEST(QuotaUsage, APodThatHasEndedIsOnlyAnObject) {
  EXPECT_EQ(
      usage("pods", R"({"spec":{"containers":[{"resources":{"requests":{"cpu":1}}}]},"status":{"phase":"Failed"}})"),
      (std::map<std::string, std::string>{{"count/pods", "1"}}));
}

TEST(QuotaUsage, OfOtherKinds) {
  EXPECT_EQ(usage("pytorchjobs.kubeflow.org", "{}"),
            (std::map<std::string, std::string>{{"count/pytorchjobs.kubeflow.org", "1"}}));
  EXPECT_EQ(usage("secrets", "{}"), (std::map<std::string, std::string>{{"count/secrets", "1"}, {"secrets", "1"}}));
  EXPECT_EQ(usage("persistentvolumeclaims",
                  R"({"spec":{"storageClassName":"fast","resources":{"requests":{"storage":"1Gi"}}}})"),
            (std::map<std::string, std::string>{{"count/persistentvolumeclaims", "1"},
                                                {"persistentvolumeclaims", "1"},
                                                {"requests.storage", "1Gi"},
                                                {"fast.storageclass.storage.k8s.io/persistentvolumeclaims", "1"},
                                                {"fast.storageclass.storage.k8s.io/requests.storage", "1Gi"}}));
  EXPECT_EQ(
      usage("services", R"({"spec":{"type":"NodePort","ports":[{"port":1},{"port":2}]}})"),
      (std::map<std::string, std::string>{{"count/services", "1"}, {"services", "1"}, {"services.nodeports", "2"}}));
}

TEST(QuotaUsage, Scopes) {
  const Document best_effort = read(R"({"spec":{"containers":[{"name":"a"}]}})");
  const Document burstable = read(R"({"spec":{"activeDeadlineSeconds":5,"priorityClassName":"high","containers":[
        {"name":"a","resources":{"requests":{"cpu":"1"}}}]}})");
  const auto covers = [&](const std::string& scopes, const Document& pod) {
    return quota_covers(read(R"({"spec":)" + scopes + "}"), "pods", pod);
  };
  EXPECT_TRUE(covers(R"({})", best_effort));
  EXPECT_TRUE(covers(R"({"scopes":["BestEffort","NotTerminating"]})", best_effort));
  EXPECT_FALSE(covers(R"({"scopes":["BestEffort"]})", burstable));
  EXPECT_TRUE(covers(R"({"scopes":["NotBestEffort","Terminating"]})", burstable));
  const std::string in =
      R"({"scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass","operator":"In","values":["high"]}]}})";
  EXPECT_TRUE(covers(in, burstable));
  EXPECT_FALSE(covers(in, best_effort));
  EXPECT_FALSE(quota_covers(read(R"({"spec":{"scopes":["BestEffort"]}})"), "secrets", read("{}")));
}

TEST(QuotaUsage, NamesContainersThatDoNotSayWhatTheyNeed) {
  const Document pod = read(R"({"spec":{"containers":[{"name":"main"},
    {"name":"side","resources":{"limits":{"cpu":"1"}}}]}})");
  const Amounts hard = {
      {"requests.cpu", Amount::count(1)}, {"limits.memory", Amount::count(1)}, {"pods", Amount::count(1)}};
  EXPECT_EQ(missing_for_quota(hard, pod), "limits.memory for: main,side; requests.cpu for: main");
  EXPECT_EQ(missing_for_quota({{"pods", Amount::count(1)}}, pod), "");
}

}  // namespace
}  // namespace muster::apiserver
