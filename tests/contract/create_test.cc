#include <set>

#include "contract_fixture.h"

namespace muster::contract {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST_P(ApiContract, CreateGivesTheObjectItsIdentity) {
  const Answer made = post(core("pods"), pod("p"));
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(made.body.string_at("kind"), "Pod");
  EXPECT_EQ(made.body.string_at("apiVersion"), "v1");
  EXPECT_EQ(made.body.string_at("metadata", "namespace"), ns_);
  EXPECT_EQ(made.body.string_at("metadata", "uid").size(), 36u);
  EXPECT_EQ(made.body.string_at("metadata", "creationTimestamp").size(), 20u);
  EXPECT_FALSE(made.version().empty());
  EXPECT_EQ(made.body.int_at("metadata", "generation"), 1);
  const Answer read = get(core("pods/p"));
  EXPECT_EQ(read.code, 200);
  EXPECT_EQ(read.body, made.body);
}

TEST_P(ApiContract, CreateFillsInPodDefaults) {
  const Answer made = post(core("pods"), pod("p"));
  ASSERT_EQ(made.code, 201) << made.text;
  const Document& spec = at(made.body, "spec");
  EXPECT_EQ(spec.string_at("restartPolicy"), "Always");
  EXPECT_EQ(spec.int_at("terminationGracePeriodSeconds"), 30);
  EXPECT_EQ(spec.string_at("dnsPolicy"), "ClusterFirst");
  EXPECT_EQ(spec.string_at("schedulerName"), "default-scheduler");
  EXPECT_TRUE(spec.bool_at("enableServiceLinks"));
  EXPECT_EQ(at(spec, "containers", 0, "imagePullPolicy"), Document("IfNotPresent"));
  EXPECT_EQ(at(spec, "containers", 0, "terminationMessagePath"), Document("/dev/termination-log"));
  EXPECT_EQ(made.body.string_at("status", "phase"), "Pending");
  EXPECT_EQ(made.body.string_at("status", "qosClass"), "BestEffort");
}

TEST_P(ApiContract, PodsWithEqualRequestsAndLimitsAreGuaranteed) {
  const Answer made =
      post(core("pods"), R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i","resources":)"
                         R"({"limits":{"cpu":"1","memory":"1Gi"}}}]}})");
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(made.body.string_at("status", "qosClass"), "Guaranteed");
  EXPECT_EQ(at(made.body, "spec", "containers", 0, "resources", "requests", "cpu"), Document("1"));
}

TEST_P(ApiContract, CreateTwiceIsAlreadyExists) {
  ASSERT_EQ(post(kubeflow("pytorchjobs"), pytorch_job("j")).code, 201);
  const Answer again = post(kubeflow("pytorchjobs"), pytorch_job("j"));
  EXPECT_EQ(again.code, 409);
  EXPECT_EQ(again.reason(), "AlreadyExists");
  EXPECT_EQ(again.message(), "pytorchjobs.kubeflow.org \"j\" already exists");
  EXPECT_EQ(again.body.string_at("details", "name"), "j");
  EXPECT_EQ(again.body.string_at("details", "group"), "kubeflow.org");
  EXPECT_EQ(again.body.string_at("details", "kind"), "pytorchjobs");
}

TEST_P(ApiContract, GenerateNameMakesDifferentNames) {
  std::set<std::string> names;
  for (int i = 0; i < 5; ++i) {
    const Answer made = post(core("configmaps"), R"({"metadata":{"generateName":"cm-"}})");
    ASSERT_EQ(made.code, 201) << made.text;
    const std::string& name = made.body.string_at("metadata", "name");
    EXPECT_THAT(name, StartsWith("cm-"));
    EXPECT_EQ(name.size(), 8u);
    EXPECT_EQ(made.body.string_at("metadata", "generateName"), "cm-");
    names.insert(name);
  }
  EXPECT_EQ(names.size(), 5u);
}

TEST_P(ApiContract, CreateNeedsAName) {
  const Answer refused = post(core("configmaps"), R"({"metadata":{}})");
  EXPECT_EQ(refused.code, 422);
  EXPECT_EQ(refused.reason(), "Invalid");
  EXPECT_EQ(refused.message(),
            "ConfigMap \"\" is invalid: metadata.name: Required value: name or generateName is required");
  EXPECT_THAT(refused.causes(), ElementsAre("FieldValueRequired metadata.name"));
}

TEST_P(ApiContract, AllMistakesInMetadataAreToldAtOnce) {
  const Answer refused = post(core("configmaps"), R"({"metadata":{"name":"A_b","labels":{"x y":"v w"}}})");
  EXPECT_EQ(refused.code, 422);
  EXPECT_EQ(refused.body.string_at("details", "kind"), "ConfigMap");
  EXPECT_EQ(refused.body.string_at("details", "name"), "A_b");
  EXPECT_THAT(refused.causes(), ElementsAre("FieldValueInvalid metadata.name", "FieldValueInvalid metadata.labels",
                                            "FieldValueInvalid metadata.labels"));
  EXPECT_THAT(refused.message(), HasSubstr("Invalid value: \"A_b\": a lowercase RFC 1123 subdomain must consist of"));
}

TEST_P(ApiContract, NamesOfServicesAndNamespacesAreLabels) {
  const Answer service = post(core("services"), R"({"metadata":{"name":"1a"},"spec":{"ports":[{"port":80}]}})");
  EXPECT_EQ(service.code, 422) << service.text;
  EXPECT_THAT(service.causes(), ElementsAre("FieldValueInvalid metadata.name"));
  const Answer ns = post("/api/v1/namespaces", R"({"metadata":{"name":"a.b"}})");
  EXPECT_EQ(ns.code, 422) << ns.text;
  EXPECT_THAT(ns.causes(), ElementsAre("FieldValueInvalid metadata.name"));
}

TEST_P(ApiContract, CreateInAMissingNamespaceIsNotFound) {
  const Answer refused = post("/api/v1/namespaces/missing-here/configmaps", config_map("c"));
  EXPECT_EQ(refused.code, 404);
  EXPECT_EQ(refused.reason(), "NotFound");
  EXPECT_EQ(refused.message(), "namespaces \"missing-here\" not found");
  EXPECT_EQ(refused.body.string_at("details", "kind"), "namespaces");
  const Answer custom = post("/apis/kubeflow.org/v1/namespaces/missing-here/pytorchjobs", pytorch_job("j"));
  EXPECT_EQ(custom.code, 404);
  EXPECT_EQ(custom.message(), "namespaces \"missing-here\" not found");
}

TEST_P(ApiContract, NamespaceOfBodyAndPathMustAgree) {
  const Answer refused = post(core("configmaps"), R"({"metadata":{"name":"c","namespace":"default"}})");
  EXPECT_EQ(refused.code, 400);
  EXPECT_EQ(refused.reason(), "BadRequest");
  EXPECT_EQ(refused.message(), "the namespace of the provided object does not match the namespace sent on the request");
}

TEST_P(ApiContract, ResourceVersionMustNotBeSetOnCreate) {
  const auto job = [](const std::string& name, const std::string& version) {
    Document body = *json::parse(pytorch_job(name));
    body["metadata"]["resourceVersion"] = version;
    return json::serialize(body);
  };
  const std::string versioned = R"({"metadata":{"name":"c","resourceVersion":"7"}})";
  const auto refuses = [&] {
    for (const Answer& refused : {post(core("configmaps"), versioned), post(kubeflow("pytorchjobs"), job("c", "7"))}) {
      EXPECT_EQ(refused.code, 500);
      EXPECT_EQ(refused.message(), "resourceVersion should not be set on objects to be created");
    }
  };
  refuses();
  for (const Answer& dry :
       {post(core("configmaps?dryRun=All"), versioned), post(kubeflow("pytorchjobs?dryRun=All"), job("c", "7"))}) {
    EXPECT_EQ(dry.code, 201) << dry.text;
    EXPECT_EQ(dry.version(), "7");
    EXPECT_THAT(dry.text, ::testing::Not(HasSubstr("f:resourceVersion")));
  }
  // A text that is not a version is ignored.
  for (const auto& [name, version] : {std::pair("a", "0"), std::pair("b", "abc"), std::pair("c", "-1")}) {
    const Answer made = post(kubeflow("pytorchjobs"), job(name, version));
    EXPECT_EQ(made.code, 201) << made.text;
    EXPECT_NE(made.version(), version);
  }
  EXPECT_EQ(post(core("configmaps"), config_map("c")).code, 201);
  refuses();
  EXPECT_EQ(post(core("configmaps?dryRun=All"), versioned).code, 409);
}

TEST_P(ApiContract, ResourceVersionOfWhatIsFirstApplied) {
  const std::string body = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","resourceVersion":"7"}})";
  const Answer dry = call("PATCH", core("configmaps/c?fieldManager=m&dryRun=All"), body, kApply);
  EXPECT_EQ(dry.code, 201) << dry.text;
  EXPECT_EQ(dry.version(), "7");
  const Answer made = call("PATCH", core("configmaps/c?fieldManager=m"), body, kApply);
  EXPECT_EQ(made.code, 201) << made.text;
  EXPECT_NE(made.version(), "7");
  Document job = *json::parse(pytorch_job("j"));
  job["metadata"]["resourceVersion"] = "7";
  EXPECT_EQ(call("PATCH", kubeflow("pytorchjobs/j?fieldManager=m"), json::serialize(job), kApply).code, 201);
}

TEST_P(ApiContract, ServerFieldsInTheBodyAreOverwritten) {
  const Answer made = post(kubeflow("pytorchjobs"), [] {
    auto body = *json::parse(pytorch_job("j"));
    body["metadata"]["uid"] = "mine";
    body["metadata"]["creationTimestamp"] = nullptr;
    body["metadata"]["generation"] = 7;
    body["metadata"]["deletionTimestamp"] = "2020-01-01T00:00:00Z";
    body["status"]["startTime"] = "2020-01-01T00:00:00Z";
    return json::serialize(body);
  }());
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_NE(made.body.string_at("metadata", "uid"), "mine");
  EXPECT_EQ(made.body.int_at("metadata", "generation"), 1);
  EXPECT_EQ(at(made.body, "metadata", "deletionTimestamp"), Document());
  EXPECT_EQ(at(made.body, "status"), Document());
}

TEST_P(ApiContract, StrictValidationNamesUnknownFields) {
  const Answer refused = post(core("pods") + "?fieldValidation=Strict",
                              R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"},"spec":{"contaners":[],)"
                              R"("nodeNam":"n","containers":[{"name":"c","image":"i"}]}})");
  EXPECT_EQ(refused.code, 400);
  EXPECT_EQ(refused.reason(), "BadRequest");
  EXPECT_THAT(refused.message(),
              StartsWith("Pod in version \"v1\" cannot be handled as a Pod: strict decoding error: unknown field "
                         "\"spec.contaners\", unknown field \"spec.nodeNam\""));
  EXPECT_EQ(get(core("pods/p")).code, 404);
}

TEST_P(ApiContract, StrictValidationOfJobs) {
  auto body = *json::parse(training_job("j"));
  body["spec"]["replicaSpec"] = 1;
  const Answer refused = post(tensorstack("pytorchtrainingjobs") + "?fieldValidation=Strict", json::serialize(body));
  EXPECT_EQ(refused.code, 400);
  EXPECT_EQ(refused.reason(), "BadRequest");
  EXPECT_THAT(refused.message(), HasSubstr("strict decoding error: unknown field \"spec.replicaSpec\""));
}

TEST_P(ApiContract, UnknownFieldsAreDroppedWithAWarning) {
  auto body = *json::parse(training_job("j"));
  body["spec"]["replicaSpec"] = 1;
  const Answer made = post(tensorstack("pytorchtrainingjobs"), json::serialize(body));
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(at(made.body, "spec", "replicaSpec"), Document());
  EXPECT_EQ(made.headers.get("Warning"), "299 - \"unknown field \\\"spec.replicaSpec\\\"\"");

  body["metadata"]["name"] = "quiet";
  const Answer quiet = post(tensorstack("pytorchtrainingjobs") + "?fieldValidation=Ignore", json::serialize(body));
  ASSERT_EQ(quiet.code, 201) << quiet.text;
  EXPECT_EQ(at(quiet.body, "spec", "replicaSpec"), Document());
  EXPECT_FALSE(quiet.headers.has("Warning"));
}

TEST_P(ApiContract, PodsNeedContainers) {
  const Answer refused = post(core("pods"), R"({"metadata":{"name":"p"},"spec":{}})");
  EXPECT_EQ(refused.code, 422) << refused.text;
  EXPECT_THAT(refused.causes(), ElementsAre("FieldValueRequired spec.containers"));
}

TEST_P(ApiContract, WrongTypesInBuiltInKindsAreBadRequests) {
  const Answer refused = post(core("pods"), R"({"metadata":{"name":"p"},"spec":{"containers":"no"}})");
  EXPECT_EQ(refused.code, 400) << refused.text;
  EXPECT_EQ(refused.reason(), "BadRequest");
  EXPECT_THAT(refused.message(), StartsWith("Pod in version \"v1\" cannot be handled as a Pod: "));
}

TEST_P(ApiContract, WrongTypesInJobsAreInvalidFields) {
  auto body = *json::parse(pytorch_job("j"));
  body["spec"]["runPolicy"]["backoffLimit"] = "two";
  const Answer refused = post(kubeflow("pytorchjobs"), json::serialize(body));
  EXPECT_EQ(refused.code, 422) << refused.text;
  EXPECT_EQ(refused.body.string_at("details", "group"), "kubeflow.org");
  EXPECT_EQ(refused.body.string_at("details", "kind"), "PyTorchJob");
  EXPECT_THAT(refused.causes(), ElementsAre("FieldValueTypeInvalid spec.runPolicy.backoffLimit", kRulesNotChecked));
}

TEST_P(ApiContract, BodiesOfAnotherKindAreRefused) {
  EXPECT_EQ(post(core("pods"), config_map("c")).code, 400);
  const Answer refused = post(kubeflow("pytorchjobs"), training_job("j"));
  EXPECT_EQ(refused.code, 400);
  EXPECT_EQ(refused.reason(), "BadRequest");
}

TEST_P(ApiContract, BrokenBodiesAreBadRequests) {
  const Answer broken = post(core("pods"), "{broken");
  EXPECT_EQ(broken.code, 400);
  EXPECT_EQ(broken.reason(), "BadRequest");
  const Answer text = call("POST", core("pods"), "x", "text/plain");
  EXPECT_EQ(text.code, 415);
  EXPECT_EQ(text.reason(), "UnsupportedMediaType");
  EXPECT_THAT(text.message(), StartsWith("the body of the request was in an unknown format - accepted media types "
                                         "include: application/json, application/yaml"));
}

TEST_P(ApiContract, YamlBodiesAreRead) {
  const Answer made =
      call("POST", core("configmaps"),
           "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: from-yaml\ndata:\n  a: 'yes'\n", "application/yaml");
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(made.body.string_at("data", "a"), "yes");
}

TEST_P(ApiContract, DryRunChecksAndWritesNothing) {
  const Answer tried = post(core("configmaps") + "?dryRun=All", config_map("c"));
  EXPECT_EQ(tried.code, 201) << tried.text;
  EXPECT_EQ(tried.body.string_at("metadata", "name"), "c");
  EXPECT_EQ(get(core("configmaps/c")).code, 404);
  ASSERT_EQ(post(core("configmaps"), config_map("c")).code, 201);
  EXPECT_EQ(post(core("configmaps") + "?dryRun=All", config_map("c")).code, 409);
  EXPECT_EQ(post(core("configmaps") + "?dryRun=All", R"({"metadata":{"name":"A_b"}})").code, 422);
}

TEST_P(ApiContract, SecretsFoldStringData) {
  const Answer made =
      post(core("secrets"), R"({"metadata":{"name":"s"},"data":{"a":"eA=="},"stringData":{"b":"hello"}})");
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(made.body.string_at("data", "b"), "aGVsbG8=");
  EXPECT_EQ(made.body.string_at("data", "a"), "eA==");
  EXPECT_EQ(at(made.body, "stringData"), Document());
  EXPECT_EQ(made.body.string_at("type"), "Opaque");
}

TEST_P(ApiContract, ServicesGetPortDefaults) {
  const Answer made =
      post(core("services"), R"({"metadata":{"name":"s"},"spec":{"clusterIP":"None","ports":[{"port":80}]}})");
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(at(made.body, "spec", "ports", 0, "protocol"), Document("TCP"));
  EXPECT_EQ(at(made.body, "spec", "ports", 0, "targetPort"), Document(80));
  EXPECT_EQ(made.body.string_at("spec", "type"), "ClusterIP");
  EXPECT_EQ(made.body.string_at("spec", "sessionAffinity"), "None");
}

TEST_P(ApiContract, NamespacesBeginActive) {
  const Answer made = get("/api/v1/namespaces/" + ns_);
  EXPECT_EQ(made.code, 200);
  EXPECT_EQ(made.body.string_at("status", "phase"), "Active");
  EXPECT_EQ(at(made.body, "spec", "finalizers", 0), Document("kubernetes"));
  EXPECT_EQ(made.body.string_at("metadata", "labels", "kubernetes.io/metadata.name"), ns_);
}

}  // namespace
}  // namespace muster::contract
