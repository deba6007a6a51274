#include "api/owners.h"

#include <gtest/gtest.h>

#include "api/kubernetes/core_v1.h"
#include "api/muster/names.h"
#include "reflect/reflect.h"

namespace muster::api {
namespace {

Pod pod(const std::string& name, const std::string& group, const std::string& controller_uid) {
  Pod pod;
  pod.metadata.ns = "default";
  pod.metadata.name = name;
  if (!group.empty()) pod.metadata.labels[kGroupNameLabel] = group;
  // The first owner is not the controller and must not be mistaken for it.
  pod.metadata.owner_references = {{.api_version = "v1",
                                    .kind = "ConfigMap",
                                    .name = "c",
                                    .uid = "u-0",
                                    .controller = {},
                                    .block_owner_deletion = {}}};
  if (!controller_uid.empty()) {
    pod.metadata.owner_references.push_back({.api_version = "v1",
                                             .kind = "Job",
                                             .name = "j",
                                             .uid = controller_uid,
                                             .controller = true,
                                             .block_owner_deletion = true});
  }
  return pod;
}

TEST(Owners, TheControllerIsTheOneThatSaysSo) {
  const Pod owned = pod("a", "", "u-1");
  ASSERT_NE(controller_of(owned.metadata), nullptr);
  EXPECT_EQ(controller_of(owned.metadata)->uid, "u-1");
  EXPECT_EQ(controller_of(reflect::encode(owned))->string_at("uid"), "u-1");
  EXPECT_TRUE(is_controlled_by(owned.metadata, "u-1"));
  EXPECT_FALSE(is_controlled_by(owned.metadata, "u-0"));
  EXPECT_EQ(controller_of(pod("a", "", "").metadata), nullptr);
  EXPECT_EQ(controller_of(reflect::encode(pod("a", "", ""))), nullptr);
  EXPECT_FALSE(is_controlled_by(reflect::encode(pod("a", "", "")), "u-0"));
}

TEST(Gangs, ArePodsOfOneGroupAndOneController) {
  EXPECT_EQ(gang_of(pod("a", "g", "u-1").metadata), gang_of(pod("b", "g", "u-1").metadata));
  EXPECT_NE(gang_of(pod("a", "g", "u-1").metadata), gang_of(pod("b", "g", "u-2").metadata));
  EXPECT_NE(gang_of(pod("a", "", "u-1").metadata), gang_of(pod("b", "", "u-1").metadata));
}

TEST(Gangs, AreTheSameInStructsAndDocuments) {
  for (const char* group : {"", "g"}) {
    Pod one = pod("a", group, "u-1");
    one.metadata.annotations[kGangSizeAnnotation] = "3";
    EXPECT_EQ(gang_of(one.metadata), gang_of(reflect::encode(one)));
    EXPECT_EQ(gang_size(one.metadata), 3u);
    EXPECT_EQ(gang_size(reflect::encode(one)), 3u);
  }
  EXPECT_EQ(gang_size(pod("a", "g", "u-1").metadata), 1u);
}

}  // namespace
}  // namespace muster::api
