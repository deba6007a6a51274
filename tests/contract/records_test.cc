// Kinds that are only stored, reviews that are only answered, and bodies in protobuf.
#include "contract_fixture.h"

namespace muster::contract {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kProtobufBody = "application/vnd.kubernetes.protobuf";
constexpr const char* kAccess = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

std::string field(int number, const std::string& bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

/// The bytes that Go writes for a ConfigMap with one value.
std::string config_map_bytes(const std::string& name) {
  const std::string type = field(1, "v1") + field(2, "ConfigMap");
  const std::string raw =
      field(1, field(1, name) + field(2, "") + field(8, "")) + field(2, field(1, "a") + field(2, "1"));
  return std::string("k8s\0", 4) + field(1, type) + field(2, raw) + field(3, "") + field(4, "");
}

TEST_P(ApiContract, BodiesMayBeProtobuf) {
  const Answer made = call("POST", core("configmaps"), config_map_bytes("c"), kProtobufBody);
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(made.body.string_at("data", "a"), "1");
  EXPECT_EQ(at(get(core("configmaps/c")).body, "data"), at(made.body, "data"));
}

TEST_P(ApiContract, BrokenProtobufIsABadRequest) {
  const std::string whole = config_map_bytes("c");
  for (const std::size_t length : {std::size_t{4}, std::size_t{9}, whole.size() - 9}) {
    const Answer refused = call("POST", core("configmaps"), whole.substr(0, length), kProtobufBody);
    EXPECT_EQ(refused.code, 400) << refused.text;
    EXPECT_EQ(refused.reason(), "BadRequest");
  }
}

TEST_P(ApiContract, WhoMayDoEverythingIsTold) {
  const Answer told = post(kAccess, R"({"spec":{"resourceAttributes":{"verb":"create","resource":"pods"}}})");
  ASSERT_EQ(told.code, 201) << told.text;
  EXPECT_TRUE(told.body.bool_at("status", "allowed"));
  EXPECT_EQ(told.body.string_at("spec", "resourceAttributes", "verb"), "create");
  EXPECT_EQ(told.body.string_at("kind"), "SelfSubjectAccessReview");
  EXPECT_EQ(get(kAccess).code, 405);
}

TEST_P(ApiContract, AnAccessReviewAsksOneThing) {
  const Answer neither = post(kAccess, R"({"spec":{}})");
  EXPECT_EQ(neither.code, 422);
  EXPECT_THAT(neither.causes(), ElementsAre("FieldValueInvalid spec.resourceAttributes"));
  const Answer both =
      post(kAccess, R"({"spec":{"resourceAttributes":{"verb":"get"},"nonResourceAttributes":{"verb":"get"}}})");
  EXPECT_EQ(both.code, 422);
  EXPECT_THAT(both.causes(), ElementsAre("FieldValueInvalid spec.nonResourceAttributes"));
}

TEST_P(ApiContract, RulesAreToldByNamespace) {
  const std::string rules = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
  const Answer told = post(rules, R"({"spec":{"namespace":"default"}})");
  ASSERT_EQ(told.code, 201) << told.text;
  EXPECT_EQ(at(told.body, "status", "resourceRules", 0, "verbs", 0), Document("*"));
  EXPECT_FALSE(told.body.bool_at("status", "incomplete"));
  const Answer nowhere = post(rules, R"({"spec":{}})");
  EXPECT_EQ(nowhere.code, 400);
  EXPECT_EQ(nowhere.message(), "no namespace on request");
}

TEST_P(ApiContract, TheClientIsToldItsName) {
  const Answer told = post("/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}");
  ASSERT_EQ(told.code, 201) << told.text;
  EXPECT_NE(told.body.string_at("status", "userInfo", "username"), "");
  EXPECT_EQ(at(told.body, "status", "userInfo", "groups", 0), Document("system:masters"));
}

TEST_P(ApiContract, LeasesKeepTheirMicroseconds) {
  const std::string leases = "/apis/coordination.k8s.io/v1/namespaces/" + ns_ + "/leases";
  const Answer made =
      post(leases, R"({"metadata":{"name":"l"},"spec":{"holderIdentity":"me","leaseDurationSeconds":15,)"
                   R"("renewTime":"2026-01-02T03:04:05.000006Z"}})");
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(made.body.string_at("spec", "renewTime"), "2026-01-02T03:04:05.000006Z");
  EXPECT_EQ(post(leases, R"({"metadata":{"name":"m"},"spec":{"renewTime":"noon"}})").code, 400);
  const Answer refused = post(leases, R"({"metadata":{"name":"m"},"spec":{"leaseDurationSeconds":0}})");
  EXPECT_EQ(refused.code, 422);
  EXPECT_THAT(refused.causes(), ElementsAre("FieldValueInvalid spec.leaseDurationSeconds"));
  const Answer rows = table(leases);
  EXPECT_EQ(at(rows.body, "rows", 0, "cells", 1), Document("me"));
}

TEST_P(ApiContract, PriorityClassesHaveTheirDefaultsAndLimits) {
  const std::string classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
  const Answer made = post(classes, R"({"metadata":{"name":")" + ns_ + R"("},"value":7})");
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(made.body.string_at("preemptionPolicy"), "PreemptLowerPriority");
  EXPECT_EQ(patch(classes + "/" + ns_, R"({"value":8})").code, 422);
  const Answer rows = table(classes + "/" + ns_);
  EXPECT_EQ(at(rows.body, "rows", 0, "cells", 1), Document(7));
  EXPECT_EQ(at(rows.body, "rows", 0, "cells", 2), Document(false));
  EXPECT_EQ(remove(classes + "/" + ns_).code, 200);
  const Answer high = post(classes, R"({"metadata":{"name":"high"},"value":1000000001})");
  EXPECT_EQ(high.code, 422);
  EXPECT_THAT(high.causes(), ElementsAre("FieldValueForbidden value"));
}

TEST_P(ApiContract, VolumesNeedCapacityAndModes) {
  const std::string volumes = "/api/v1/persistentvolumes";
  const Answer refused = post(volumes, R"({"metadata":{"name":")" + ns_ + R"("},"spec":{"hostPath":{"path":"/v"}}})");
  EXPECT_EQ(refused.code, 422);
  EXPECT_EQ(refused.causes()[0], "FieldValueRequired spec.accessModes");
  EXPECT_EQ(refused.causes()[1], "FieldValueRequired spec.capacity");
  const Answer made = post(volumes, R"({"metadata":{"name":")" + ns_ + R"("},"spec":{"hostPath":{"path":"/v"},)" +
                                        R"("capacity":{"storage":"1Gi"},"accessModes":["ReadWriteMany"]}})");
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(made.body.string_at("status", "phase"), "Pending");
  EXPECT_EQ(made.body.string_at("spec", "persistentVolumeReclaimPolicy"), "Retain");
  const Answer rows = table(volumes + "/" + ns_);
  EXPECT_EQ(at(rows.body, "rows", 0, "cells", 1), Document("1Gi"));
  EXPECT_EQ(at(rows.body, "rows", 0, "cells", 2), Document("RWX"));
  EXPECT_EQ(remove(volumes + "/" + ns_).code, 200);
}

TEST_P(ApiContract, ServiceAccountsAreKept) {
  const Answer made = post(core("serviceaccounts"), R"({"metadata":{"name":"builder"}})");
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(at(table(core("serviceaccounts/builder")).body, "rows", 0, "cells", 1), Document(0));
  EXPECT_EQ(remove(core("serviceaccounts/builder")).code, 200);
}

}  // namespace
}  // namespace muster::contract
