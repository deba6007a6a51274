#include "agent/names/addresses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/document_for_tests.h"

namespace muster::agent {
namespace {

std::string no_network(const json::Document& /*pod*/) {
  return "";
}

TEST(PickAddress, IsStableUniqueAndNotTheHostsOwn) {
  std::set<std::string> used;
  for (int i = 0; i < 5000; ++i) {
    const std::string address =
        pick_address("pod-" + std::to_string(i), [&](const std::string& one) { return used.contains(one); });
    EXPECT_TRUE(address.starts_with("127."));
    EXPECT_FALSE(address.starts_with("127.0."));
    EXPECT_FALSE(address.ends_with(".0"));
    EXPECT_FALSE(address.ends_with(".255"));
    EXPECT_TRUE(used.insert(address).second);
  }
  const auto none = [](const std::string&) { return false; };
  const std::string first = pick_address("x", none);
  EXPECT_EQ(pick_address("x", none), first);
  EXPECT_NE(pick_address("x", [&](const std::string& one) { return one == first; }), first);
}

TEST(HostsText, NamesPodsTheirHostnamesAndTheServicesThatSelectThem) {
  const auto master = doc(R"({"metadata":{"name":"mnist-master-0","labels":{"job":"mnist","role":"master"}},
                              "spec":{"hostname":"mnist-master-0","subdomain":"mnist"},"status":{"phase":"Running","podIP":"127.1.0.1"}})");
  const auto worker = doc(R"({"metadata":{"name":"mnist-worker-0","labels":{"job":"mnist"}},"spec":{},
                              "status":{"phase":"Pending","podIP":"127.1.0.2"}})");
  const auto ended = doc(
      R"({"metadata":{"name":"old","labels":{"age":"old"}},"spec":{},"status":{"phase":"Succeeded","podIP":"127.1.0.3"}})");
  const auto unready = doc(R"({"metadata":{"name":"new"},"spec":{},"status":{}})");
  // Kubeflow creates a service with the same name as the pod.
  const auto service = doc(R"({"metadata":{"name":"mnist-master-0"},"spec":{"selector":{"role":"master"}}})");
  const auto old = doc(R"({"metadata":{"name":"old-service"},"spec":{"selector":{"age":"old"}}})");
  const auto nobody = doc(R"({"metadata":{"name":"none"},"spec":{}})");
  const NamespaceNames names =
      namespace_names("ml", {&master, &worker, &ended, &unready}, {&service, &nobody, &old}, &no_network);
  EXPECT_EQ(hosts_text("ml", "127.0.0.1 localhost", {{"ml", names}}),
            "127.0.0.1 localhost\n"
            "# pods and services of namespace ml\n"
            "127.1.0.1 mnist-master-0 mnist-master-0.ml mnist-master-0.ml.svc mnist-master-0.ml.svc.cluster.local "
            "mnist-master-0.mnist mnist-master-0.mnist.ml mnist-master-0.mnist.ml.svc "
            "mnist-master-0.mnist.ml.svc.cluster.local "
            "mnist-master-0.mnist-master-0 mnist-master-0.mnist-master-0.ml mnist-master-0.mnist-master-0.ml.svc "
            "mnist-master-0.mnist-master-0.ml.svc.cluster.local\n"
            "127.1.0.2 mnist-worker-0 mnist-worker-0.ml mnist-worker-0.ml.svc mnist-worker-0.ml.svc.cluster.local\n"
            "127.1.0.3 old old.ml old.ml.svc old.ml.svc.cluster.local\n");
}

TEST(HostsText, OtherNamespacesSeeOnlyNamesThatSayTheirNamespace) {
  const auto pod = doc(R"({"metadata":{"name":"db"},"spec":{},"status":{"phase":"Running","podIP":"127.1.0.1"}})");
  EXPECT_EQ(hosts_text("web", "", {{"data", namespace_names("data", {&pod}, {}, &no_network)}}),
            "# namespace data\n127.1.0.1 db.data db.data.svc db.data.svc.cluster.local\n");
}

TEST(HostsText, FindsTheServiceOfEachReplicaAmongThoseOfItsJob) {
  const auto pod = doc(R"({"metadata":{"name":"w-1","labels":{"job":"j","index":"1"}},"spec":{},
                           "status":{"phase":"Running","podIP":"127.1.0.1"}})");
  const auto first = doc(R"({"metadata":{"name":"s-0"},"spec":{"selector":{"job":"j","index":"0"}}})");
  const auto second = doc(R"({"metadata":{"name":"s-1"},"spec":{"selector":{"job":"j","index":"1"}}})");
  const auto all = doc(R"({"metadata":{"name":"all"},"spec":{"selector":{"job":"j"}}})");
  const std::string text = namespace_names("ml", {&pod}, {&first, &second, &all}, &no_network).inside;
  EXPECT_THAT(text, ::testing::HasSubstr(" all.ml "));
  EXPECT_THAT(text, ::testing::HasSubstr(" w-1.s-1.ml "));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("s-0")));
}

TEST(NetworkNames, AreThoseOfTheJobAndOfServicesThatNobodyOwns) {
  const auto pod_of = [](const std::string& name, const std::string& job, const std::string& address) {
    return doc(R"({"metadata":{"name":")" + name + R"(","labels":{"app":")" + name +
               R"("},"annotations":{"network":")" + job + R"("}},"spec":{},"status":{"phase":"Running","podIP":")" +
               address + R"("}})");
  };
  const auto mine = pod_of("mine", "a", "127.1.0.1");
  const auto hidden = pod_of("hidden", "b", "127.1.0.2");
  const auto web = pod_of("web", "b", "127.1.0.3");
  const auto host = pod_of("host", "", "127.1.0.4");
  const auto shop = doc(R"({"metadata":{"name":"shop"},"spec":{"selector":{"app":"web"}}})");
  const auto of_host = doc(R"({"metadata":{"name":"of-host"},"spec":{"selector":{"app":"host"}}})");
  const auto owned = doc(R"({"metadata":{"name":"owned","ownerReferences":[{"controller":true,"uid":"job-b"}]},
                             "spec":{"selector":{"app":"hidden"}}})");
  const NamespaceNames names =
      namespace_names("ml", {&mine, &hidden, &web, &host}, {&shop, &owned, &of_host},
                      [](const json::Document& pod) { return pod.string_at("metadata", "annotations", "network"); });
  EXPECT_EQ(names.networks.size(), 2U);
  EXPECT_EQ(names.networks.at("a"),
            "127.1.0.1 mine mine.ml mine.ml.svc mine.ml.svc.cluster.local\n"
            "127.1.0.3 shop shop.ml shop.ml.svc shop.ml.svc.cluster.local "
            "web.shop web.shop.ml web.shop.ml.svc web.shop.ml.svc.cluster.local\n");
  EXPECT_THAT(names.networks.at("b"), ::testing::HasSubstr("127.1.0.2 hidden "));
  EXPECT_THAT(names.networks.at("b"), ::testing::HasSubstr(" hidden.owned "));
  EXPECT_THAT(names.networks.at("b"), ::testing::Not(::testing::HasSubstr("mine")));
  EXPECT_THAT(names.inside, ::testing::HasSubstr("127.1.0.4 host "));
}

TEST(NetworkNames, HaveTheHostNamesOfAHeadlessService) {
  const auto first = doc(R"({"metadata":{"name":"db-x1","labels":{"app":"db"}},
                             "spec":{"hostname":"db-0","subdomain":"db"},"status":{"phase":"Running","podIP":"127.1.0.1"}})");
  const auto client =
      doc(R"({"metadata":{"name":"client"},"spec":{},"status":{"phase":"Running","podIP":"127.1.0.2"}})");
  const auto service = doc(R"({"metadata":{"name":"db"},"spec":{"clusterIP":"None","selector":{"app":"db"}}})");
  const NamespaceNames names = namespace_names(
      "ml", {&first, &client}, {&service}, [](const json::Document& pod) { return pod.string_at("metadata", "name"); });
  EXPECT_THAT(names.networks.at("client"), ::testing::HasSubstr(" db-0.db db-0.db.ml "));
  EXPECT_THAT(names.networks.at("client"), ::testing::Not(::testing::HasSubstr("127.1.0.1 db-x1 ")));
}

}  // namespace
}  // namespace muster::agent
