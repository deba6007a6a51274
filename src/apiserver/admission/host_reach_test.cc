#include "apiserver/admission/host_reach.h"

#include <gmock/gmock.h>

#include "json/document.h"

namespace muster::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

NodePolicy policy() {
  return {.folders = {.data_dir = "/var/lib/engine", .allowed = {"/data"}},
          .missing_folder = [](const std::string& path) { return path == "/home/me/mistyped" ? "must exist" : ""; }};
}

json::Document job_with(const std::string& path) {
  return *json::parse(R"({"spec":{"replicaSpecs":[{"template":{"spec":{"volumes":[{"name":"v","hostPath":{"path":")" +
                      path + R"("}}]}}}]}})");
}

json::Document claim_with(const std::string& path) {
  return *json::parse(R"({"metadata":{"annotations":{"muster.dev/path":")" + path + R"("}},"spec":{}})");
}

std::vector<std::string> problems(const json::Document& object, const json::Document* before = nullptr) {
  std::vector<std::string> texts;
  for (const FieldCause& cause : check_host_folders(policy(), before, object)) {
    texts.push_back(cause.field + ": " + cause.message);
  }
  return texts;
}

TEST(HostReach, AHostPathOutsideTheAllowedFoldersIsRefusedWithItsPathAndTheWayToAllowIt) {
  EXPECT_THAT(problems(job_with("/data/sets")), IsEmpty());
  EXPECT_THAT(
      problems(job_with("/srv")),
      ElementsAre("spec.replicaSpecs[0].template.spec.volumes[0].hostPath.path: Invalid value: \"/srv\": must lie "
                  "in a folder that the configuration allows; add it to `hostPaths` in config.yaml and restart "
                  "the engine, or name it in the annotation muster.dev/path of a claim"));
}

TEST(HostReach, TheOwnerMayNameAnyFolderForAClaimButTheKernelsAndTheEngines) {
  EXPECT_THAT(problems(claim_with("/home/me/project")), IsEmpty());
  EXPECT_THAT(problems(claim_with("/proc/1/root")),
              ElementsAre("metadata.annotations.muster.dev/path: Invalid value: \"/proc/1/root\": must not be / or lie "
                          "in /proc, /dev or /sys"));
  EXPECT_THAT(problems(claim_with("/var/lib")), ElementsAre(HasSubstr("must not be the engine's data directory")));
}

TEST(HostReach, AFolderThatAClaimNamesMustExistWhenTheClaimIsMade) {
  const json::Document claim = claim_with("/home/me/mistyped");
  EXPECT_THAT(problems(claim), ElementsAre(HasSubstr("\"/home/me/mistyped\": must exist")));
  EXPECT_THAT(problems(claim, &claim), IsEmpty());
}

TEST(HostReach, WhatWasAcceptedBeforeStays) {
  const json::Document old = job_with("/srv");
  EXPECT_THAT(problems(job_with("/srv"), &old), IsEmpty());
  EXPECT_THAT(problems(job_with("/srv/other"), &old), ElementsAre(HasSubstr("\"/srv/other\"")));
}

TEST(HostReach, APortOfTheHostReachesItInAPodAndInATemplateOfAnyKind) {
  EXPECT_EQ(host_reach(*json::parse(R"({"spec":{"containers":[{"ports":[{"containerPort":80,"hostPort":8080}]}]}})")),
            "spec.containers[0].ports[0].hostPort");
  EXPECT_EQ(
      host_reach(*json::parse(R"({"spec":{"any":{"template":{"spec":{"containers":[{"ports":[{"hostPort":1}]}]}}}}})")),
      "spec.any.template.spec.containers[0].ports[0].hostPort");
  EXPECT_EQ(host_reach(*json::parse(R"({"spec":{"containers":[{"ports":[{"containerPort":80,"hostPort":0}]}]}})")), "");
  EXPECT_EQ(host_reach(*json::parse(R"({"data":{"hostPort":"8080"}})")), "");
  EXPECT_THAT(problems(*json::parse(R"({"spec":{"containers":[{"ports":[{"hostPort":8080}]}]}})")), IsEmpty());
}

TEST(HostReach, TheNetworkOfTheHostReachesItInAPodAndInATemplateOfAnyKind) {
  const auto pod = *json::parse(R"({"spec":{"hostNetwork":true,"containers":[{"name":"a"}]}})");
  EXPECT_EQ(host_reach(pod), "spec.hostNetwork");
  EXPECT_EQ(host_reach(*json::parse(R"({"spec":{"any":[{"template":{"spec":{"hostNetwork":true}}}]}})")),
            "spec.any[0].template.spec.hostNetwork");
  EXPECT_EQ(host_reach(*json::parse(R"({"spec":{"hostNetwork":false}})")), "");
  EXPECT_EQ(host_reach(*json::parse(R"({"data":{"hostNetwork":"true"}})")), "");
  EXPECT_THAT(problems(pod), IsEmpty()) << "it names no folder";
}

TEST(HostReach, OnlyTheOwnerMayWriteTheNetworkOfTheHost) {
  const auto with = *json::parse(R"({"metadata":{"name":"p"},"spec":{"hostNetwork":true}})");
  const auto without = *json::parse(R"({"metadata":{"name":"p"},"spec":{}})");
  ResourceRequest request;
  request.resource = api::find_resource("", "v1", "pods");
  request.who = owner();
  EXPECT_TRUE(check_host_reach(request, nullptr, with));
  request.who = service_account({.ns = "team", .name = "builder"});
  EXPECT_TRUE(check_host_reach(request, nullptr, without));
  for (const auto& [before, after] : {std::pair<const json::Document*, const json::Document*>{nullptr, &with},
                                      {&without, &with},
                                      {&with, &without}}) {
    const Status refused = check_host_reach(request, before, *after);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().reason, Reason::kForbidden);
    EXPECT_THAT(refused.error().message,
                HasSubstr("spec.hostNetwork: only the owner of this engine may use the network of the host, got a "
                          "request from system:serviceaccount:team:builder; remove it"));
  }
}

}  // namespace
}  // namespace muster::apiserver
