#include "control/refusal.h"

#include <gtest/gtest.h>

namespace muster::control {
namespace {

Error error_of(Reason reason, const std::string& message) {
  Error error;
  error.reason = reason;
  error.message = message;
  return error;
}

std::optional<Refusal> refusal(Reason reason, const std::string& message) {
  return refusal_of(error_of(reason, message), "pod mnist-worker-0", "team");
}

TEST(Refusal, AFullQuotaSaysItsLimitAndNotWhatIsUsedNow) {
  const auto said = refusal(Reason::kForbidden,
                            "pods \"mnist-worker-0\" is forbidden: exceeded quota: compute, requested: pods=1, used: "
                            "pods=3, limited: pods=3");
  ASSERT_TRUE(said);
  EXPECT_EQ(said->reason, "QuotaExceeded");
  EXPECT_EQ(said->message,
            "quota compute of namespace team is full: pod mnist-worker-0 requests pods=1, the limit is pods=3; delete "
            "what is no longer needed there, or raise the quota");
}

TEST(Refusal, PodSecuritySaysWhichFields) {
  const auto said =
      refusal(Reason::kForbidden,
              "pods \"mnist-worker-0\" is forbidden: violates PodSecurity \"restricted:latest\": "
              "runAsNonRoot != true (pod or container \"main\" must set securityContext.runAsNonRoot=true)");
  ASSERT_TRUE(said);
  EXPECT_EQ(said->reason, "PodSecurityViolated");
  EXPECT_EQ(said->message,
            "pod mnist-worker-0 violates Pod Security \"restricted:latest\": runAsNonRoot != true (pod or container "
            "\"main\" must set securityContext.runAsNonRoot=true); set this in the pod template, or change the label "
            "pod-security.kubernetes.io/enforce of namespace team");
}

TEST(Refusal, AWebhookThatDeniesIsQuotedWhateverItsCode) {
  for (const Reason code : {Reason::kForbidden, Reason::kBadRequest, Reason::kInternalError}) {
    const auto said = refusal(code, "admission webhook \"policy.example\" denied the request: no latest tags");
    ASSERT_TRUE(said);
    EXPECT_EQ(said->reason, "WebhookDenied");
    EXPECT_EQ(said->message,
              "admission webhook policy.example denies pod mnist-worker-0: no latest tags; change the job accordingly, "
              "or ask who runs the webhook");
  }
}

TEST(Refusal, AWebhookThatIsDownIsNamedWithoutWhatChangesEachTime) {
  const auto said =
      refusal(Reason::kInternalError,
              "Internal error occurred: failed calling webhook \"policy.example\": failed to call webhook: "
              "Post \"https://127.0.0.1:1/?timeout=10s\": dial tcp 127.0.0.1:1: connect: connection refused");
  ASSERT_TRUE(said);
  EXPECT_EQ(said->reason, "WebhookFailed");
  EXPECT_EQ(said->message,
            "the API server cannot ask admission webhook policy.example about pod mnist-worker-0: connection refused; "
            "start the webhook again, or delete its configuration: kubectl get "
            "validatingwebhookconfigurations,mutatingwebhookconfigurations");
}

TEST(Refusal, AMissingRightNamesTheUserAndTheVerb) {
  const auto said = refusal(Reason::kForbidden,
                            "pods is forbidden: User \"system:serviceaccount:muster:operator\" cannot create resource "
                            "\"pods\" in API group \"\" in the namespace \"team\"");
  ASSERT_TRUE(said);
  EXPECT_EQ(said->reason, "MissingRight");
  EXPECT_EQ(
      said->message,
      "Muster may not create pod mnist-worker-0: user system:serviceaccount:muster:operator cannot create resource "
      "\"pods\" in API group \"\"; bind the role of Muster's operator to that user in namespace team");
}

TEST(Refusal, ANamespaceThatTerminatesIsKnownByItsCause) {
  Error error = error_of(Reason::kForbidden, "it is being terminated");
  EXPECT_FALSE(says_namespace_terminates(error));
  error.causes = {{"NamespaceTerminating", "namespace team is being terminated", "metadata.namespace"}};
  EXPECT_TRUE(says_namespace_terminates(error));
  const auto said = refusal_of(error, "pod mnist-worker-0", "team");
  ASSERT_TRUE(said);
  EXPECT_EQ(said->reason, "NamespaceTerminating");
}

TEST(Refusal, ATakenNameIsToldAsItIs) {
  const auto said = refusal(Reason::kAlreadyExists, "pod a already exists and belongs to nobody; delete it");
  ASSERT_TRUE(said);
  EXPECT_EQ(said->reason, "NameTaken");
  EXPECT_EQ(said->message, "pod a already exists and belongs to nobody; delete it");
}

TEST(Refusal, WhateverElseIsRefusedIsQuoted) {
  const auto said =
      refusal(Reason::kInvalid, "Pod \"mnist-worker-0\" is invalid: spec.containers[0].image: Required value");
  ASSERT_TRUE(said);
  EXPECT_EQ(said->reason, "CreateRefused");
  EXPECT_TRUE(is_refusal(said->reason));
  EXPECT_FALSE(is_refusal("Unschedulable"));
}

TEST(Refusal, TroubleThatPassesIsNone) {
  EXPECT_FALSE(refusal(Reason::kConflict, "the object has been modified"));
  EXPECT_FALSE(refusal(Reason::kInternalError, "etcdserver: request timed out"));
  EXPECT_FALSE(refusal(Reason::kTooManyRequests, "too many requests"));
  EXPECT_FALSE(refusal(Reason::kTimeout, "no answer"));
}

}  // namespace
}  // namespace muster::control
