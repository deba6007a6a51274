#include "agent/network/service_ports.h"

#include <gmock/gmock.h>

#include "agent/document_for_tests.h"

namespace muster::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

ServicePorts ports_of(const json::Document& service, const json::Document& pod) {
  return service_ports({&service}, {&pod}, [](const std::string& uid) { return uid == "on-host" ? "" : "ml." + uid; });
}

json::Document web_pod(const std::string& uid = "u", const std::string& phase = "Running") {
  return doc(R"({"metadata":{"uid":")" + uid + R"(","labels":{"app":"web"}},"spec":{"containers":[{"name":"c",
      "ports":[{"name":"http","containerPort":8080}]}]},"status":{"phase":")" +
             phase + R"(","podIP":"127.9.0.1"}})");
}

json::Document service(const std::string& ports, const std::string& owners = "") {
  return doc(R"({"metadata":{"name":"web","ownerReferences":[)" + owners + R"(]},"spec":{"selector":{"app":"web"},
      "ports":[)" +
             ports + "]}}");
}

TEST(ServicePorts, LeadFromThePortOfTheServiceToThatOfThePod) {
  EXPECT_THAT(ports_of(service(R"({"port":80,"targetPort":8080})"), web_pod()),
              ElementsAre(Pair(Pair("127.9.0.1", 80), ServicePort{"ml.u", 8080})));
  EXPECT_THAT(ports_of(service(R"({"port":80,"targetPort":"http"})"), web_pod()),
              ElementsAre(Pair(Pair("127.9.0.1", 80), ServicePort{"ml.u", 8080})));
  EXPECT_THAT(ports_of(service(R"({"port":8080})"), web_pod()),
              ElementsAre(Pair(Pair("127.9.0.1", 8080), ServicePort{"ml.u", 8080})));
}

TEST(ServicePorts, LeaveOutWhatCannotBePassedOn) {
  EXPECT_THAT(ports_of(service(R"({"port":53,"protocol":"UDP"})"), web_pod()), IsEmpty());
  EXPECT_THAT(ports_of(service(R"({"port":80,"targetPort":"absent"})"), web_pod()), IsEmpty());
  EXPECT_THAT(ports_of(service(R"({"port":80})"), web_pod("u", "Succeeded")), IsEmpty());
  EXPECT_THAT(ports_of(service(R"({"port":80})"), web_pod("on-host")), IsEmpty());
}

TEST(ServicePorts, OfAJobAreForItsOwnPods) {
  EXPECT_THAT(ports_of(service(R"({"port":80})", R"({"kind":"PyTorchJob","uid":"j","controller":true})"), web_pod()),
              IsEmpty());
}

}  // namespace
}  // namespace muster::agent
