#include "apiserver/admission/node_policy.h"

#include <gmock/gmock.h>

namespace muster::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const api::Resource& pods() {
  return *api::find_resource("", "v1", "pods");
}

std::vector<std::string> policy_problems(const std::string& spec, const std::string& security = "{}") {
  const auto pod = json::parse(R"({"spec":{)" + spec + R"("containers":[{"name":"c","image":"i","securityContext":)" +
                               security + "}]}}");
  std::vector<std::string> texts;
  for (const FieldCause& cause : check_pod_security(pods(), *pod)) texts.push_back(cause.field + ": " + cause.message);
  return texts;
}

TEST(PodSecurity, WhatIsInForceIsAccepted) {
  EXPECT_THAT(
      policy_problems(R"("hostNetwork":true,"hostPID":false,"securityContext":{"runAsNonRoot":true,"runAsUser":1000,
                         "seccompProfile":{"type":"RuntimeDefault"}},)",
                      R"({"privileged":false,"procMount":"Default","allowPrivilegeEscalation":false,
                         "capabilities":{"drop":["ALL"],"add":["NET_BIND_SERVICE"]}})"),
      IsEmpty());
}

TEST(PodSecurity, WhatAPodCannotHaveIsRefusedWithItsPath) {
  EXPECT_THAT(policy_problems(R"("hostPID":true,)"),
              ElementsAre("spec.hostPID: Forbidden: pods have processes and shared memory of their own on this engine; "
                          "remove it"));
  EXPECT_THAT(policy_problems("", R"({"privileged":true})"),
              ElementsAre("spec.containers[0].securityContext.privileged: Forbidden: pods have no privileges on this "
                          "engine; remove it"));
  EXPECT_THAT(policy_problems("", R"({"procMount":"Unmasked"})"),
              ElementsAre("spec.containers[0].securityContext.procMount: Forbidden: must be Default, got \"Unmasked\"; "
                          "remove it"));
  EXPECT_THAT(policy_problems(R"("securityContext":{"seccompProfile":{"type":"Unconfined"}},)"),
              ElementsAre("spec.securityContext.seccompProfile.type: Forbidden: pods have this engine's own filter of "
                          "system calls, got \"Unconfined\"; write RuntimeDefault or remove seccompProfile"));
  EXPECT_THAT(policy_problems("", R"({"capabilities":{"add":["KILL","SYS_ADMIN"]}})"),
              ElementsAre("spec.containers[0].securityContext.capabilities.add[1]: Forbidden: a pod can have CHOWN, "
                          "DAC_OVERRIDE, FOWNER, FSETID, IPC_LOCK, KILL, NET_BIND_SERVICE, SETGID, SETUID only, got "
                          "\"SYS_ADMIN\"; remove it"));
}

TEST(PodSecurity, NonRootNeedsAUserThatIsNotRoot) {
  EXPECT_THAT(
      policy_problems(R"("securityContext":{"runAsNonRoot":true},)"),
      ElementsAre("spec.containers[0].securityContext.runAsUser: Required value: runAsNonRoot needs it, because "
                  "images bring no user on this engine"));
  EXPECT_THAT(
      policy_problems(R"("securityContext":{"runAsNonRoot":true,"runAsUser":1000},)", R"({"runAsUser":0})"),
      ElementsAre("spec.containers[0].securityContext.runAsUser: Forbidden: must not be 0, because runAsNonRoot "
                  "is true"));
  EXPECT_THAT(policy_problems(R"("securityContext":{"runAsNonRoot":true},)", R"({"runAsNonRoot":false})"), IsEmpty());
}

TEST(PodSecurity, TemplatesAreCheckedToo) {
  const auto deployment =
      json::parse(R"({"spec":{"template":{"spec":{"hostIPC":true,"containers":[{"name":"c","image":"i"}]}}}})");
  const auto causes = check_pod_security(*api::find_resource("apps", "v1", "deployments"), *deployment);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].field, "spec.template.spec.hostIPC");
}

TEST(HostPorts, GiveOneWarningWherePodsShareTheNetworkOfTheMachine) {
  NodePolicy policy;
  const auto pod = json::parse(
      R"({"spec":{"containers":[{"ports":[{"containerPort":80}]},{"ports":[{"hostPort":80},{"hostPort":81}]}]}})");
  EXPECT_THAT(warn_about_host_ports(policy, pods(), *pod), IsEmpty());
  policy.publishes_ports = false;
  EXPECT_THAT(warn_about_host_ports(policy, pods(), *pod),
              ElementsAre("spec.containers[1].ports[0].hostPort has no effect: pods share the network of this machine, "
                          "in which programs are reached at the address of their pod"));
  const auto on_host = json::parse(R"({"spec":{"hostNetwork":true,"containers":[{"ports":[{"hostPort":80}]}]}})");
  EXPECT_THAT(warn_about_host_ports(policy, pods(), *on_host), IsEmpty());
  const auto wrong = json::parse(R"({"spec":{"containers":[{"ports":7},{"ports":[1]},3]}})");
  EXPECT_THAT(warn_about_host_ports(policy, pods(), *wrong), IsEmpty());
}

TEST(Images, AWarningNamesThePlaceAndComesOncePerImage) {
  NodePolicy policy;
  policy.warn_about_image = [](const std::string& image) { return image == "new" ? "is not known" : ""; };
  const auto pod = json::parse(
      R"({"spec":{"containers":[{"image":"old"},{"image":"new"},{"image":"new"}],"initContainers":[{"image":"old"}]}})");
  EXPECT_THAT(warn_about_images(policy, pods(), *pod), ElementsAre("spec.containers[1].image: is not known"));
}

}  // namespace
}  // namespace muster::apiserver
