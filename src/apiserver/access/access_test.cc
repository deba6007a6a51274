// Service accounts against the whole server: which token stands for whom, until when, and what its bearer may write.
#include <gmock/gmock.h>

#include "json/document.h"
#include "testing/engine_fixture.h"

namespace muster::apiserver {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kAccounts = "/api/v1/namespaces/default/serviceaccounts";
constexpr const char* kPod = R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})";

class Access : public Engine {
 protected:
  void SetUp() override {
    server_options_.account_key = "key";
    Engine::SetUp();
    until([&] { return store_->count("serviceaccounts") == 3; });
  }

  std::shared_ptr<Recorder> as(const std::string& token, const std::string& method, const std::string& target,
                               const std::string& body = "", const std::string& type = "") {
    auto exchange = std::make_shared<Recorder>();
    net::Request request{.method = method, .target = target, .headers = {}, .body = body, .peer = {.tls = true}};
    request.headers.set("Authorization", "Bearer " + token);
    request.headers.set("Host", "here");
    if (!type.empty()) request.headers.set("Content-Type", type);
    server_->handle(std::move(request), exchange);
    until([&] { return exchange->ended || exchange->status == 200; });
    return exchange;
  }
  std::string token_of(const std::string& account, const std::string& spec = "{}", const std::string& sender = "t") {
    const auto answer =
        as(sender, "POST", std::string(kAccounts) + "/" + account + "/token", R"({"spec":)" + spec + "}");
    EXPECT_EQ(answer->status, 201) << answer->body;
    return json::parse(answer->body)->string_at("status", "token");
  }
  json::Document object(const std::string& target) { return *json::parse(call("GET", target)->body); }
  int status_with(const std::string& token) { return as(token, "GET", kPods)->status; }
};

TEST_F(Access, ATokenOpensTheNamespaceOfItsAccountUntilItExpires) {
  const std::string token = token_of("default", R"({"expirationSeconds":600})");
  EXPECT_EQ(status_with(token), 200);
  EXPECT_EQ(as(token, "GET", "/api/v1/namespaces/kube-system/pods")->status, 403);
  EXPECT_EQ(as(token, "GET", "/api/v1/nodes")->status, 403);
  EXPECT_EQ(as(token, "GET", "/api/v1/pods?watch=1")->status, 403);
  EXPECT_EQ(as(token, "GET", "/metrics")->status, 403);
  EXPECT_EQ(as(token, "GET", "/version")->status, 200);
  EXPECT_EQ(as(token, "GET", "/apis/apps/v1")->status, 200);
  EXPECT_EQ(as(token, "GET", "/healthz")->status, 200);
  loop_.advance(std::chrono::seconds(599));
  EXPECT_EQ(status_with(token), 200);
  loop_.advance(std::chrono::seconds(1));
  EXPECT_EQ(status_with(token), 401);
}

TEST_F(Access, ATokenDiesWithItsAccountAndAnotherKeyOpensNothing) {
  ASSERT_EQ(call("POST", kAccounts, R"({"metadata":{"name":"builder"}})")->status, 201);
  const std::string token = token_of("builder");
  ASSERT_EQ(status_with(token), 200);
  close();
  server_options_.account_key = "another key";
  open();
  EXPECT_EQ(status_with(token), 401);
  close();
  server_options_.account_key = "key";
  open();
  EXPECT_EQ(status_with(token), 200);
  ASSERT_EQ(call("DELETE", std::string(kAccounts) + "/builder")->status, 200);
  EXPECT_EQ(status_with(token), 401);
  ASSERT_EQ(call("POST", kAccounts, R"({"metadata":{"name":"builder"}})")->status, 201);
  EXPECT_EQ(status_with(token), 401);
}

TEST_F(Access, ATokenBoundToAPodDiesWithThePod) {
  ASSERT_EQ(call("POST", kPods, kPod)->status, 201);
  const auto issued = server_->issue_pod_token(object(std::string(kPods) + "/p"));
  ASSERT_TRUE(issued.has_value());
  EXPECT_TRUE(issued->automount);
  const std::string asked = token_of("default", R"({"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"p"}})");
  const std::string child = token_of("default", "{}", issued->token);
  for (const std::string& token : {issued->token, asked, child}) EXPECT_EQ(status_with(token), 200);
  const auto me = as(asked, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}");
  EXPECT_THAT(me->body, HasSubstr(R"("username":"system:serviceaccount:default:default")"));
  EXPECT_THAT(me->body, HasSubstr(R"("authentication.kubernetes.io/pod-name":["p"])"));
  ASSERT_EQ(call("DELETE", std::string(kPods) + "/p?gracePeriodSeconds=0")->status, 200);
  for (const std::string& token : {issued->token, asked, child}) EXPECT_EQ(status_with(token), 401);
  ASSERT_EQ(call("POST", kPods, kPod)->status, 201);
  for (const std::string& token : {issued->token, asked, child}) EXPECT_EQ(status_with(token), 401);
}

TEST_F(Access, APodTokenNeedsItsAccountWhichMayDeclineToBeMounted) {
  ASSERT_EQ(call("POST", kAccounts, R"({"metadata":{"name":"quiet"},"automountServiceAccountToken":false})")->status,
            201);
  json::Document pod = *json::parse(R"({"metadata":{"namespace":"default","name":"p","uid":"u"},"spec":{}})");
  pod["spec"]["serviceAccountName"] = "quiet";
  EXPECT_FALSE(server_->issue_pod_token(pod)->automount);
  pod["spec"]["serviceAccountName"] = "missing";
  EXPECT_EQ(server_->issue_pod_token(pod).error().message, "serviceaccounts \"missing\" not found");
}

TEST_F(Access, ATokenForSomebodyElseOpensNothingHere) {
  EXPECT_EQ(status_with(token_of("default", R"({"audiences":["vault"]})")), 401);
}

TEST_F(Access, TokenRequestsAreChecked) {
  const auto ask = [&](const std::string& spec, const std::string& account = "default") {
    const auto answer = as("t", "POST", std::string(kAccounts) + "/" + account + "/token", R"({"spec":)" + spec + "}");
    return std::to_string(answer->status) + " " + json::parse(answer->body)->string_at("message");
  };
  EXPECT_THAT(ask("{}", "missing"), HasSubstr("404 serviceaccounts \"missing\" not found"));
  EXPECT_THAT(ask(R"({"expirationSeconds":5})"), HasSubstr("422 TokenRequest.authentication.k8s.io \"\" is invalid"));
  EXPECT_THAT(ask(R"({"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"p"}})"),
              HasSubstr("404 pods \"p\" not found"));
  ASSERT_EQ(call("POST", kPods, kPod)->status, 201);
  EXPECT_THAT(ask(R"({"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"p","uid":"u"}})"),
              HasSubstr("409 Operation cannot be fulfilled on pods \"p\": the UID in the bound object reference (u)"));
  EXPECT_THAT(ask(R"({"boundObjectRef":{"kind":"Node","apiVersion":"v1","name":"n"}})"),
              HasSubstr("400 cannot bind token to object of type v1, Kind=Node"));
  const std::string own = token_of("default");
  ASSERT_EQ(call("POST", kAccounts, R"({"metadata":{"name":"builder"}})")->status, 201);
  EXPECT_EQ(as(own, "POST", std::string(kAccounts) + "/builder/token", "{}")->status, 403);
  EXPECT_EQ(as(own, "POST", std::string(kAccounts) + "/default/token", "{}")->status, 201);
}

TEST_F(Access, WhatReachesTheHostIsTheOwnersAlone) {
  const std::string token = token_of("default");
  const std::string volume = R"("volumes":[{"name":"v","hostPath":{"path":"/etc"}}])";
  const std::string containers = R"("containers":[{"name":"pytorch","image":"i"}])";
  const std::string pod = R"({"metadata":{"name":"p"},"spec":{)" + containers + "," + volume + "}}";
  const auto refused = as(token, "POST", kPods, pod);
  EXPECT_EQ(refused->status, 403);
  EXPECT_EQ(
      json::parse(refused->body)->string_at("message"),
      "pods \"p\" is forbidden: spec.volumes[0].hostPath: only the owner of this engine may use folders of the "
      "host, got a request from system:serviceaccount:default:default; use a persistentVolumeClaim or an emptyDir, "
      "or ask the owner to write the object");
  EXPECT_EQ(as(token, "POST", std::string(kPods) + "?dryRun=All", pod)->status, 403);
  EXPECT_EQ(as(token, "PATCH", std::string(kPods) + "/p?fieldManager=m",
               R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{)" + containers + "," + volume + "}}",
               "application/apply-patch+yaml")
                ->status,
            403);

  const std::string deployments = "/apis/apps/v1/namespaces/default/deployments";
  const auto deployment = [&](const std::string& name, const std::string& more) {
    return R"({"metadata":{"name":")" + name + R"("},"spec":{"replicas":0,"selector":{"matchLabels":{"a":"b"}},)" +
           R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{)" + containers + more + "}}}}";
  };
  EXPECT_EQ(as(token, "POST", deployments, deployment("d", "," + volume))->status, 403);
  const std::string jobs = "/apis/kubeflow.org/v1/namespaces/default/pytorchjobs";
  EXPECT_EQ(as(token, "POST", jobs,
               R"({"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","metadata":{"name":"j"},"spec":{)"
               R"("pytorchReplicaSpecs":{"Master":{"replicas":1,"template":{"spec":{)" +
                   containers + "," + volume + "}}}}}}")
                ->status,
            403);
  const std::string claims = "/api/v1/namespaces/default/persistentvolumeclaims";
  const std::string claim_spec =
      R"("spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}})";
  EXPECT_EQ(as(token, "POST", claims, R"({"metadata":{"name":"c","annotations":{"muster.dev/path":"/"}},)" + claim_spec)
                ->status,
            403);

  // Nor may it change its way there, by any verb, nor change what the owner made that way.
  const std::string merge = "application/merge-patch+json";
  ASSERT_EQ(as(token, "POST", claims, R"({"metadata":{"name":"c"},)" + claim_spec)->status, 201);
  const std::string annotate = R"({"metadata":{"annotations":{"muster.dev/path":"/"}}})";
  EXPECT_EQ(as(token, "PATCH", claims + "/c", annotate, merge)->status, 403);
  EXPECT_EQ(as(token, "PATCH", claims + "/c/status", annotate, merge)->status, 403);
  ASSERT_EQ(as(token, "POST", deployments, deployment("d", ""))->status, 201);
  EXPECT_EQ(as(token, "PUT", deployments + "/d", deployment("d", "," + volume))->status, 403);
  EXPECT_EQ(as(token, "PATCH", deployments + "/d", R"({"spec":{"template":{"spec":{)" + volume + "}}}}", merge)->status,
            403);
  EXPECT_EQ(as(token, "PATCH", deployments + "/d", R"({"metadata":{"labels":{"x":"y"}}})", merge)->status, 200);
  ASSERT_EQ(call("POST", deployments, deployment("owners", "," + volume))->status, 201);
  EXPECT_EQ(as(token, "PATCH", deployments + "/owners", R"({"spec":{"replicas":1}})", merge)->status, 403);
  EXPECT_EQ(as(token, "PATCH", deployments + "/owners/scale", R"({"spec":{"replicas":1}})", merge)->status, 403);
  EXPECT_EQ(as(token, "GET", deployments + "/owners")->status, 200);
  EXPECT_EQ(as(token, "DELETE", deployments + "/owners")->status, 200);

  // A ConfigMap only talks about it.
  EXPECT_EQ(as(token, "POST", kConfigMaps, R"({"metadata":{"name":"c"},"data":{"hostPath":"/etc"}})")->status, 201);
}

TEST_F(Access, AClaimOfTheOwnerIsClosedToAccounts) {
  const std::string token = token_of("default");
  const std::string merge = "application/merge-patch+json";
  const std::string claims = "/api/v1/namespaces/default/persistentvolumeclaims";
  const std::string claim_spec =
      R"("spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}})";
  const std::string home =
      R"({"metadata":{"name":"home","annotations":{"muster.dev/owner-only":"true"}},)" + claim_spec;
  const auto pod = [](const std::string& name, const std::string& claim) {
    return R"({"metadata":{"name":")" + name +
           R"("},"spec":{"containers":[{"name":"c","image":"i"}],"volumes":[{"name":"v","persistentVolumeClaim":)" +
           R"({"claimName":")" + claim + R"("}}]}})";
  };
  // A pod would wait for the claim that `muster run` makes, or find its own under that name.
  EXPECT_EQ(as(token, "POST", kPods, pod("early", "home"))->status, 403);
  EXPECT_EQ(as(token, "POST", claims, R"({"metadata":{"name":"home"},)" + claim_spec)->status, 403);

  ASSERT_EQ(call("POST", claims, home)->status, 201);
  const auto refused = as(token, "POST", kPods, pod("p", "home"));
  EXPECT_EQ(refused->status, 403);
  EXPECT_EQ(
      json::parse(refused->body)->string_at("message"),
      "pods \"p\" is forbidden: spec.volumes[0].persistentVolumeClaim.claimName: only the owner of this engine may "
      "use claim \"home\", got a request from system:serviceaccount:default:default; use another claim, or ask the "
      "owner to write the object");
  const std::string volumes = R"("volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"home"}}])";
  const std::string in_template =
      R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"pytorch","image":"i"}],)" +
      volumes + "}}";
  const std::string deployments = "/apis/apps/v1/namespaces/default/deployments";
  const std::string deployment =
      R"({"metadata":{"name":"d"},"spec":{"replicas":0,"selector":{"matchLabels":{"a":"b"}},)" + in_template + "}}";
  EXPECT_EQ(as(token, "POST", deployments, deployment)->status, 403);
  const std::string jobs = "/apis/kubeflow.org/v1/namespaces/default/pytorchjobs";
  const std::string job = R"({"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","metadata":{"name":"j"},"spec":{)"
                          R"("pytorchReplicaSpecs":{"Master":{"replicas":1,)" +
                          in_template + "}}}}";
  EXPECT_EQ(as(token, "POST", jobs, job)->status, 403);
  const auto board = [](const std::string& spec) {
    return R"({"apiVersion":"tensorstack.dev/v1beta1","kind":"TensorBoard","metadata":{"name":"t"},"spec":)" + spec +
           "}";
  };
  const std::string boards = "/apis/tensorstack.dev/v1beta1/namespaces/default/tensorboards";
  EXPECT_EQ(as(token, "POST", boards, board(R"({"trainingLogFilesets":["t9k://pvc/home/.netrc"]})"))->status, 403);
  EXPECT_EQ(as(token, "POST", boards, board(R"({"logDir":{"pvc":[{"name":"home"}]}})"))->status, 403);

  // What the owner has made with it is not the account's to change, and the mark is not the account's to set.
  ASSERT_EQ(call("POST", deployments, deployment)->status, 201);
  EXPECT_EQ(as(token, "PATCH", deployments + "/d", R"({"spec":{"replicas":1}})", merge)->status, 403);
  EXPECT_EQ(as(token, "PATCH", claims + "/home", R"({"metadata":{"annotations":null}})", merge)->status, 403);
  ASSERT_EQ(as(token, "POST", claims, R"({"metadata":{"name":"mine"},)" + claim_spec)->status, 201);
  EXPECT_EQ(
      as(token, "PATCH", claims + "/mine", R"({"metadata":{"annotations":{"muster.dev/owner-only":"true"}}})", merge)
          ->status,
      403);
  EXPECT_EQ(as(token, "POST", kPods, pod("with-mine", "mine"))->status, 201);
  ASSERT_EQ(call("POST", kPods, pod("with-home", "home"))->status, 201);
  for (const char* way : {"exec?command=env&stdout=true", "attach?stdout=true"}) {
    EXPECT_EQ(as(token, "GET", std::string(kPods) + "/with-home/" + way)->status, 403) << way;
  }
  EXPECT_EQ(as(token, "GET", std::string(kPods) + "/with-mine/exec?command=env&stdout=true")->status, 400)
      << "the pod has no machine";
  EXPECT_EQ(as(token, "POST", kConfigMaps, R"({"metadata":{"name":"c"},"data":{"claimName":"home"}})")->status, 201);
}

TEST_F(Access, AnAccountDoesNotPlayTheNodeOrTheScheduler) {
  const std::string token = token_of("default");
  ASSERT_EQ(as(token, "POST", kPods, kPod)->status, 201);
  const std::string pod = std::string(kPods) + "/p";
  EXPECT_EQ(as(token, "POST", pod + "/binding", R"({"target":{"name":"n"}})")->status, 403);
  EXPECT_EQ(
      as(token, "PATCH", pod + "/status", R"({"status":{"phase":"Failed"}})", "application/merge-patch+json")->status,
      403);
  EXPECT_EQ(as(token, "GET", pod + "/status")->status, 200);
  EXPECT_EQ(as(token, "POST", "/api/v1/persistentvolumes", "{}")->status, 403);
  EXPECT_EQ(as(token, "PATCH", "/api/v1/nodes/n", "{}", "application/merge-patch+json")->status, 403);
}

TEST_F(Access, ReviewsAnswerFromTheSameTable) {
  const std::string token = token_of("default");
  const auto allowed = [&](const std::string& who, const std::string& spec) {
    const auto answer =
        as(who, "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", R"({"spec":)" + spec + "}");
    return json::parse(answer->body)->bool_at("status", "allowed");
  };
  const std::string here = R"({"resourceAttributes":{"verb":"list","resource":"pods","namespace":"default"}})";
  const std::string everywhere = R"({"resourceAttributes":{"verb":"list","resource":"pods"}})";
  const std::string metrics = R"({"nonResourceAttributes":{"verb":"get","path":"/metrics"}})";
  EXPECT_TRUE(allowed(token, here));
  EXPECT_FALSE(allowed(token, everywhere));
  EXPECT_FALSE(allowed(token, metrics));
  for (const std::string& spec : {here, everywhere, metrics}) EXPECT_TRUE(allowed("t", spec));

  const auto rules = [&](const std::string& ns) {
    return as(token, "POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
              R"({"spec":{"namespace":")" + ns + R"("}})")
        ->body;
  };
  EXPECT_THAT(rules("default"), HasSubstr(R"({"verbs":["get"],"apiGroups":[""],"resources":["pods/status"]})"));
  EXPECT_THAT(rules("default"), HasSubstr(R"("resources":["pytorchjobs"])"));
  EXPECT_THAT(rules("default"), Not(HasSubstr("pods/binding")));
  EXPECT_THAT(rules("default"), Not(HasSubstr("nodes")));
  EXPECT_THAT(rules("default"), HasSubstr(R"({"verbs":["get"],"nonResourceURLs":["/apis/*"]})"));
  EXPECT_THAT(rules("kube-system"), Not(HasSubstr("pytorchjobs")));
}

}  // namespace
}  // namespace muster::apiserver
