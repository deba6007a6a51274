#include "apiserver/admission/notify_rules.h"

#include <gmock/gmock.h>

#include "json/document.h"
#include "testing/engine_fixture.h"

namespace muster::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

json::Document job_for(const std::string& targets) {
  return json::Object{
      {"kind", "PyTorchTrainingJob"},
      {"metadata", json::Object{{"name", "j"}, {"annotations", json::Object{{"muster.dev/notify", targets}}}}}};
}

std::vector<std::string> target_problems(const std::string& targets, const json::Document* before = nullptr) {
  std::vector<std::string> texts;
  for (const FieldCause& cause : check_notify_targets(before, job_for(targets))) texts.push_back(cause.message);
  return texts;
}

TEST(NotifyRules, TargetsAndSecretsMayBeNamed) {
  EXPECT_THAT(target_problems("team, secret/notify-x7kfp"), IsEmpty());
  EXPECT_THAT(target_problems("Team!"), ElementsAre(HasSubstr("must be names of targets")));
  EXPECT_THAT(target_problems("secret/"), ElementsAre(HasSubstr("needs the name of a Secret")));
}

TEST(NotifyRules, AUrlIsRefusedWithoutRepeatingItsToken) {
  const auto texts = target_problems("https://hooks.example.org/T0KEN");
  EXPECT_THAT(texts, ElementsAre(HasSubstr("in a Secret of type muster.dev/notify")));
  EXPECT_THAT(texts, Not(ElementsAre(HasSubstr("T0KEN"))));
}

TEST(NotifyRules, WhatWasThereStays) {
  const json::Document before = job_for("Team!");
  EXPECT_THAT(target_problems("Team!", &before), IsEmpty());
}

/// What may be written by whom: the owner and the service account of a pod.
struct Writer {
  explicit Writer(bool is_owner) {
    request.resource = api::find_resource("", "v1", "secrets");
    if (is_owner) {
      request.who = owner();
    } else {
      request.who = service_account({.ns = "default", .name = "default"});
    }
  }
  std::string refusal(const json::Document* before, const json::Document& after) const {
    const Status status = check_notify_sender(request, before, after);
    return status ? "" : status.error().message;
  }
  ResourceRequest request;
};

TEST(NotifyRules, OnlyTheOwnerNamesSecretsAndWritesThem) {
  const json::Document job = job_for("secret/hook");
  const json::Document secret =
      json::Object{{"kind", "Secret"}, {"type", "muster.dev/notify"}, {"metadata", json::Object{{"name", "hook"}}}};
  EXPECT_EQ(Writer(true).refusal(nullptr, job), "");
  EXPECT_EQ(Writer(true).refusal(nullptr, secret), "");
  EXPECT_THAT(Writer(false).refusal(nullptr, job), HasSubstr("only the owner of this engine may name a Secret here"));
  EXPECT_THAT(Writer(false).refusal(nullptr, secret), HasSubstr("only the owner of this engine may write Secrets"));
  EXPECT_THAT(Writer(false).refusal(&secret, secret), HasSubstr("only the owner"));
  EXPECT_EQ(Writer(false).refusal(nullptr, job_for("team")), "");
  // Its status, for example, may be written by others.
  EXPECT_EQ(Writer(false).refusal(&job, job), "");
}

}  // namespace
}  // namespace muster::apiserver
