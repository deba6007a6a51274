#include "apiserver/admission/builtin_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kubernetes/kubernetes_fields.h"
#include "api/resource.h"

namespace muster::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Normalised {
  std::string text;
  std::vector<std::string> unknown;
  std::vector<std::string> wrong;
};

Normalised normalised(std::string_view kind, const std::string& text) {
  json::Document object = *json::parse(text);
  TypeFindings found = normalise_types(api::kubernetes::message_named(kind), object);
  Normalised out{.text = json::serialize(object), .unknown = {}, .wrong = {}};
  for (const FieldCause& cause : found.wrong) out.wrong.push_back(cause.field + ": " + cause.message);
  for (const auto& [path, suggestion] : found.unknown) out.unknown.push_back(path + " " + suggestion);
  return out;
}

TEST(BuiltinTypes, AmountsHaveOneText) {
  const auto amounts = [](const std::string& text) {
    return normalised("ResourceQuota", R"({"spec":{"hard":)" + text + "}}").text;
  };
  EXPECT_EQ(amounts(R"({"a":"1000m","b":".5","c":1,"d":0.5,"e":"1.5Gi","f":" 1 ","g":"1n"})"),
            R"({"spec":{"hard":{"a":"1","b":"500m","c":"1","d":"500m","e":"1536Mi","f":"1","g":"1m"}}})");
  EXPECT_EQ(normalised("Pod", R"({"spec":{"volumes":[{"emptyDir":{"sizeLimit":"1n"}}]}})").text,
            R"({"spec":{"volumes":[{"emptyDir":{"sizeLimit":"1n"}}]}})")
      << "only amounts of resources are rounded";
}

TEST(BuiltinTypes, TimesHaveOneText) {
  EXPECT_EQ(normalised("Event", R"({"firstTimestamp":"2030-01-01T08:00:00.5+08:00"})").text,
            R"({"firstTimestamp":"2030-01-01T00:00:00Z"})");
  EXPECT_EQ(normalised("Lease", R"({"spec":{"renewTime":"2030-01-01T08:00:00.500000+08:00"}})").text,
            R"({"spec":{"renewTime":"2030-01-01T00:00:00.500000Z"}})");
  for (const char* text : {"2030-01-01T00:00:00Z", "2030-01-01T00:00:00.5Z", "2030-01-01T00:00:00.1234567Z", "x"}) {
    EXPECT_THAT(normalised("Lease", std::string(R"({"spec":{"renewTime":")") + text + "\"}}").wrong,
                ElementsAre(std::string("spec.renewTime: must be a time with six digits after the point, such as "
                                        "2006-01-02T15:04:05.000000Z, in the years 1678 to 2261, got \"") +
                            text + "\""));
  }
}

TEST(BuiltinTypes, ATimeThatNoClockHereHoldsIsRefusedWithTheRange) {
  EXPECT_THAT(normalised("Event", R"({"firstTimestamp":"2300-01-01T00:00:00Z"})").wrong,
              ElementsAre("firstTimestamp: must be a time such as 2006-01-02T15:04:05Z, in the years 1678 to 2261, got "
                          "\"2300-01-01T00:00:00Z\""));
}

TEST(BuiltinTypes, BytesHaveOneText) {
  EXPECT_EQ(normalised("Secret", R"({"data":{"a":"YR==","b":"YQ==\n"}})").text, R"({"data":{"a":"YQ==","b":"YQ=="}})");
}

TEST(BuiltinTypes, UnknownMembersGoAndNearOnesAreNamed) {
  const Normalised pod = normalised("Pod", R"({"kind":"Pod","apiVersion":"v1","foo":1,"spec":{"containers":[)"
                                           R"({"livenessProbe":{"exc":{}},"kind":"x"}],"tolerations":[{"kee":"a"}],)"
                                           R"("volumes":[{"configMap":{"nam":"x","name":"y"}}]}})");
  EXPECT_THAT(pod.unknown, ElementsAre("foo ", "spec.containers[0].livenessProbe.exc exec", "spec.containers[0].kind ",
                                       "spec.tolerations[0].kee key", "spec.volumes[0].configMap.nam name"));
  EXPECT_EQ(pod.text, R"({"kind":"Pod","apiVersion":"v1","spec":{"containers":[{"livenessProbe":{}}],)"
                      R"("tolerations":[{}],"volumes":[{"configMap":{"name":"y"}}]}})");
}

TEST(BuiltinTypes, WrongTypesAreNamed) {
  EXPECT_THAT(
      normalised("Pod", R"({"metadata":{"labels":{"a":1}},"spec":{"hostNetwork":"x","tolerations":"x",)"
                        R"("nodeSelector":[],"activeDeadlineSeconds":"5","containers":[{"command":[1],)"
                        R"("resources":{"limits":{"cpu":"1Ki1","memory":true}}},[]]}})")
          .wrong,
      ElementsAre("metadata.labels.a: must be a string, got 1", "spec.hostNetwork: must be true or false, got \"x\"",
                  "spec.tolerations: must be a list, got \"x\"", "spec.nodeSelector: must be an object, got []",
                  "spec.activeDeadlineSeconds: must be an integer, got \"5\"",
                  "spec.containers[0].command[0]: must be a string, got 1",
                  "spec.containers[0].resources.limits.cpu: must be a quantity such as 500m, 2 or 4Gi, got "
                  "\"1Ki1\"",
                  "spec.containers[0].resources.limits.memory: must be a quantity such as 500m, 2 or 4Gi, got "
                  "true",
                  "spec.containers[1]: must be an object, got []"));
}

TEST(BuiltinTypes, OfALongWrongValueOnlyTheBeginningIsTold) {
  const auto wrong = [](const std::string& data) {
    return normalised("ConfigMap", R"({"data":")" + data + R"("})").wrong;
  };
  EXPECT_THAT(wrong(std::string(198, 'x')),
              ElementsAre("data: must be an object, got \"" + std::string(198, 'x') + "\""));
  EXPECT_THAT(wrong(std::string(1u << 20, 'x')),
              ElementsAre("data: must be an object, got \"" + std::string(199, 'x') + "…"));
  EXPECT_THAT(wrong(std::string(198, 'x') + "ääää"),
              ElementsAre("data: must be an object, got \"" + std::string(198, 'x') + "…"));
}

TEST(BuiltinTypes, WhatMayBeSecretIsNotTold) {
  EXPECT_THAT(
      normalised("Secret", R"({"data":{"password":"p@ss","number":5}})").wrong,
      ElementsAre("data.password: must be a string in base64", "data.number: must be a string in base64, got 5"));
}

/// Collects the members that a descriptor has but the table of its kind lacks.
void find_missing(const reflect::TypeDesc& type, const api::kubernetes::Message& message, const std::string& path,
                  std::vector<std::string>& missing) {
  for (const reflect::FieldDesc& field : type.fields) {
    const api::kubernetes::Field* found = api::kubernetes::find_field(message, field.name);
    const std::string at = path + "." + field.name;
    if (found == nullptr && (!path.empty() || field.constant.empty())) missing.push_back(at);
    const reflect::TypeDesc* inner = &field.type();
    while (inner->element != nullptr) inner = &inner->element();
    if (found != nullptr && found->message != nullptr) find_missing(*inner, *found->message, at, missing);
  }
}

TEST(BuiltinTypes, TablesHaveWhatDescriptorsHave) {
  for (const api::Resource& resource : api::resources()) {
    const api::kubernetes::Message* message = resource.message();
    if (!resource.built_in || message == nullptr || resource.verbs.size() == 1) continue;
    std::vector<std::string> missing;
    find_missing(*resource.type, *message, "", missing);
    // The conditions of all kinds share one descriptor, although they differ slightly.
    std::erase_if(missing, [](const std::string& path) { return path.starts_with(".status.conditions."); });
    EXPECT_THAT(missing, IsEmpty()) << resource.kind;
  }
}

TEST(BuiltinTypes, NullInAListIsTheZeroOfItsType) {
  const Normalised pod = normalised("Pod", R"({"spec":{"containers":[{"command":[null]},null]}})");
  EXPECT_EQ(pod.text, R"({"spec":{"containers":[{"command":[""]},{}]}})");
  EXPECT_THAT(pod.wrong, IsEmpty());
}

}  // namespace
}  // namespace muster::apiserver
