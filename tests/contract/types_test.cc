// Built-in kinds are decoded into types: amounts, times and bytes get their canonical text, and unknown members and
// wrong types are found at every depth. Custom kinds keep what was sent.
#include <fmt/core.h>

#include "contract_fixture.h"

namespace muster::contract {
namespace {

using ::testing::HasSubstr;

TEST_P(ApiContract, AmountsOfBuiltinKindsHaveOneText) {
  const std::vector<std::array<const char*, 3>> rows = {
      {"cpu", R"("1000m")", "1"},
      {"cpu", R"("0.5")", "500m"},
      {"cpu", R"(".5")", "500m"},
      {"cpu", R"("00.50")", "500m"},
      {"cpu", "0.5", "500m"},
      {"cpu", "1", "1"},
      {"cpu", R"("1500m")", "1500m"},
      {"cpu", R"("100u")", "1m"},
      {"cpu", R"("1n")", "1m"},
      {"cpu", R"(" 1")", "1"},
      {"cpu", R"("1 ")", "1"},
      {"cpu", R"("-0")", "0"},
      {"memory", R"("1.5Gi")", "1536Mi"},
      {"memory", R"("1000Ki")", "1000Ki"},
      {"memory", R"("1024Ki")", "1Mi"},
      {"memory", R"("0.5Ki")", "512"},
      {"memory", R"("0.1Gi")", "107374182400m"},
      {"memory", R"("1.25Mi")", "1280Ki"},
      {"memory", R"("128974848000m")", "128974848"},
      {"memory", R"("9Ei")", "9223372036854775807"},
      {"memory", R"("1e3")", "1e3"},
      {"memory", R"("1000k")", "1M"},
  };
  for (const auto& [resource, given, stored] : rows) {
    const Answer made = post(core("pods?dryRun=All"),
                             pod_with("", fmt::format(R"(,"resources":{{"requests":{{"{}":{}}}}})", resource, given)));
    ASSERT_EQ(made.code, 201) << given << made.text;
    EXPECT_EQ(at(made.body, "spec", "containers", 0, "resources", "requests", resource).as_string(), stored) << given;
  }
  EXPECT_EQ(
      at(post(core("pods?dryRun=All"), pod_with(R"(,"volumes":[{"name":"v","emptyDir":{"sizeLimit":"1.5Gi"}}])")).body,
         "spec", "volumes", 0, "emptyDir", "sizeLimit")
          .as_string(),
      "1536Mi");
  EXPECT_EQ(post(core("persistentvolumeclaims?dryRun=All"),
                 R"({"metadata":{"name":"c"},"spec":{"accessModes":["ReadWriteOnce"],)"
                 R"("resources":{"requests":{"storage":"1024Mi"}}}})")
                .body.string_at("spec", "resources", "requests", "storage"),
            "1Gi");
  EXPECT_EQ(post(core("resourcequotas?dryRun=All"), R"({"metadata":{"name":"q"},"spec":{"hard":{"pods":4}}})")
                .body.string_at("spec", "hard", "pods"),
            "4");
  EXPECT_EQ(post("/api/v1/nodes?dryRun=All", R"({"metadata":{"name":"n"},"status":{"capacity":{"cpu":"1000m"}}})")
                .body.string_at("status", "capacity", "cpu"),
            "1");
}

TEST_P(ApiContract, AmountsOfCustomKindsAreKeptAsWritten) {
  Document job = *json::parse(pytorch_job("kept"));
  Document& master = *job["spec"]["pytorchReplicaSpecs"].find("Master");
  master["template"]["spec"]["containers"].as_array()[0]["resources"] = *json::parse(R"({"limits":{"cpu":"1000m"}})");
  const Answer made = post(kubeflow("pytorchjobs"), json::serialize(job));
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_EQ(at(made.body, "spec", "pytorchReplicaSpecs", "Master", "template"), at(master, "template"));
}

TEST_P(ApiContract, AmountsThatCannotBeRead) {
  for (const char* given : {R"("1Ki1")", R"("1e")", R"("1K")", R"("0x10")", R"("1_0")", R"("")", "true", "{}", "[]"}) {
    const Answer refused =
        post(core("pods?dryRun=All"), pod_with("", fmt::format(R"(,"resources":{{"requests":{{"cpu":{}}}}})", given)));
    EXPECT_EQ(refused.code, 400) << given << refused.text;
    EXPECT_EQ(refused.reason(), "BadRequest");
    EXPECT_THAT(refused.message(), HasSubstr("Pod in version \"v1\" cannot be handled as a Pod: "));
  }
}

TEST_P(ApiContract, TimesOfBuiltinKindsHaveOneText) {
  const auto event = [&](const char* key, const char* time) {
    return post(core("events?dryRun=All"),
                fmt::format(R"({{"metadata":{{"name":"e"}},"involvedObject":{{"namespace":"{}"}},"{}":"{}"}})", ns_,
                            key, time));
  };
  EXPECT_EQ(event("firstTimestamp", "2030-01-01T08:00:00+08:00").body.string_at("firstTimestamp"),
            "2030-01-01T00:00:00Z");
  EXPECT_EQ(event("lastTimestamp", "2030-01-01T00:00:00.5Z").body.string_at("lastTimestamp"), "2030-01-01T00:00:00Z");
  EXPECT_EQ(event("lastTimestamp", "yesterday").code, 400);
  EXPECT_EQ(event("eventTime", "2030-01-01T00:00:00Z").code, 400);
  const auto lease = [&](const char* time) {
    return post("/apis/coordination.k8s.io/v1/namespaces/" + ns_ + "/leases?dryRun=All",
                fmt::format(R"({{"metadata":{{"name":"l"}},"spec":{{"renewTime":"{}"}}}})", time));
  };
  EXPECT_EQ(lease("2030-01-01T08:00:00.500000+08:00").body.string_at("spec", "renewTime"),
            "2030-01-01T00:00:00.500000Z");
  for (const char* time : {"x", "2030-01-01T00:00:00Z", "2030-01-01T00:00:00.5Z", "2030-01-01T00:00:00.1234567Z"}) {
    EXPECT_EQ(lease(time).code, 400) << time;
  }
}

TEST_P(ApiContract, BytesAreReadAsGoDoes) {
  for (const char* given : {"YQ==", R"(YQ==\n)", "YR=="}) {
    const Answer made =
        post(core("secrets?dryRun=All"), fmt::format(R"({{"metadata":{{"name":"s"}},"data":{{"a":"{}"}}}})", given));
    ASSERT_EQ(made.code, 201) << given << made.text;
    EXPECT_EQ(made.body.string_at("data", "a"), "YQ==");
  }
  for (const char* given : {"YQ", "%%", "YQ= ="}) {
    EXPECT_EQ(
        post(core("secrets?dryRun=All"), fmt::format(R"({{"metadata":{{"name":"s"}},"data":{{"a":"{}"}}}})", given))
            .code,
        400)
        << given;
  }
}

struct Part {
  const char* spec;
  const char* container;
  const char* path;  // of the unknown member
};

TEST_P(ApiContract, UnknownMembersOfPodsAtEveryDepth) {
  const std::vector<Part> parts = {
      {R"("securityContext":{"runAsUsr":1})", "", "spec.securityContext.runAsUsr"},
      {R"("tolerations":[{"kee":"a","operator":"Exists"}])", "", "spec.tolerations[0].kee"},
      {R"("affinity":{"foo":{}})", "", "spec.affinity.foo"},
      {R"("dnsConfig":{"ns":[]})", "", "spec.dnsConfig.ns"},
      {R"("volumes":[{"name":"v","configMap":{"name":"x","nam":"x"}}])", "", "spec.volumes[0].configMap.nam"},
      {"", R"("securityContext":{"priviledged":true})", "spec.containers[0].securityContext.priviledged"},
      {"", R"("envFrom":[{"configMap":{"name":"x"},"configMapRef":{"name":"x"}}])",
       "spec.containers[0].envFrom[0].configMap"},
      {"", R"("env":[{"name":"A","valueFrom":{"secretKeyReff":{},"fieldRef":{"fieldPath":"metadata.name"}}}])",
       "spec.containers[0].env[0].valueFrom.secretKeyReff"},
      {"", R"("lifecycle":{"preStop":{"exc":{},"exec":{"command":["a"]}}})",
       "spec.containers[0].lifecycle.preStop.exc"},
      {"", R"("livenessProbe":{"foo":1,"exec":{"command":["a"]}})", "spec.containers[0].livenessProbe.foo"},
  };
  for (const Part& part : parts) {
    const std::string spec = *part.spec == '\0' ? "" : fmt::format(",{}", part.spec);
    const std::string container = *part.container == '\0' ? "" : fmt::format(",{}", part.container);
    const std::string body = pod_with(spec, container);
    const std::string told = fmt::format("unknown field \"{}\"", part.path);
    const Answer strict = post(core("pods?dryRun=All&fieldValidation=Strict"), body);
    EXPECT_EQ(strict.code, 400) << part.path << strict.text;
    EXPECT_THAT(strict.message(), HasSubstr("strict decoding error: " + told));
    const Answer warned = post(core("pods?dryRun=All"), body);
    EXPECT_EQ(warned.code, 201) << part.path << warned.text;
    EXPECT_THAT(std::string(warned.headers.get("Warning")), HasSubstr(part.path));
    const std::string name = std::string(part.path).substr(std::string_view(part.path).rfind('.') + 1);
    EXPECT_EQ(json::serialize(at(warned.body, "spec")).find("\"" + name + "\""), std::string::npos) << warned.text;
    EXPECT_EQ(post(core("pods?dryRun=All&fieldValidation=Ignore"), body).code, 201);
  }
}

TEST_P(ApiContract, WrongTypesInPodsAtEveryDepth) {
  const std::vector<std::array<const char*, 2>> parts = {
      {R"(,"securityContext":{"runAsUser":"x"})", ""},
      {R"(,"tolerations":"x")", ""},
      {R"(,"nodeSelector":{"a":1})", ""},
      {R"(,"hostNetwork":"true")", ""},
      {R"(,"activeDeadlineSeconds":"5")", ""},
      {R"(,"activeDeadlineSeconds":5.5)", ""},
      {R"(,"overhead":{"cpu":"x"})", ""},
      {R"(,"imagePullSecrets":{"name":"x"})", ""},
      {R"(,"volumes":[{"name":"v","secret":{"secretName":"a","defaultMode":"0644"}}])", ""},
      {R"(,"volumes":{"name":"v"})", ""},
      {"", R"(,"securityContext":{"privileged":"yes"})"},
      {"", R"(,"imagePullPolicy":3)"},
      {"", R"(,"envFrom":"x")"},
      {"", R"(,"env":[{"name":"A","value":1}])"},
      {"", R"(,"tty":"x")"},
      {"", R"(,"workingDir":1)"},
      {"", R"(,"command":"a")"},
      {"", R"(,"command":[1])"},
      {"", R"(,"livenessProbe":{"httpGet":{"port":1.5}})"},
      {"", R"(,"livenessProbe":[])"},
  };
  for (const auto& [spec, container] : parts) {
    for (const char* validation : {"Strict", "Ignore"}) {
      const Answer refused = post(core("pods?dryRun=All&fieldValidation=") + validation, pod_with(spec, container));
      EXPECT_EQ(refused.code, 400) << spec << container << refused.text;
      EXPECT_EQ(refused.reason(), "BadRequest");
    }
  }
}

TEST_P(ApiContract, UnknownMembersAndWrongTypesOfOtherBuiltinKinds) {
  const auto strict = [&](const std::string& target, const std::string& body) {
    return post(target + "?dryRun=All&fieldValidation=Strict", body).code;
  };
  EXPECT_EQ(strict(core("persistentvolumeclaims"), R"({"metadata":{"name":"c"},"spec":{"selector":{"foo":1}}})"), 400);
  EXPECT_EQ(strict(core("services"), R"({"metadata":{"name":"s"},"spec":{"ports":{"port":80}}})"), 400);
  EXPECT_EQ(strict(core("resourcequotas"), R"({"metadata":{"name":"q"},"spec":{"scopeSelector":{"foo":1}}})"), 400);
  EXPECT_EQ(strict("/api/v1/nodes", R"({"metadata":{"name":"n"},"spec":{"taints":{"key":"a"}}})"), 400);
  EXPECT_EQ(strict("/api/v1/persistentvolumes", R"({"metadata":{"name":"v"},"spec":{"nfs":{"sever":"a"}}})"), 400);
  const auto deployment = [&](const std::string& container) {
    return strict("/apis/apps/v1/namespaces/" + ns_ + "/deployments",
                  R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":)"
                  R"({"labels":{"a":"b"}},"spec":{"containers":[{"name":"a","image":"i",)" +
                      container + "}]}}}}");
  };
  EXPECT_EQ(deployment(R"("tty":true)"), 201);
  EXPECT_EQ(deployment(R"("tty":"x")"), 400);
  EXPECT_EQ(deployment(R"("livenessProbe":{"foo":1,"exec":{"command":["a"]}})"), 400);
  EXPECT_EQ(deployment(R"("resources":{"limits":{"cpu":"1K"}})"), 400);
}

TEST_P(ApiContract, AmountsInUpdatesAndPatches) {
  ASSERT_EQ(post(core("resourcequotas"), R"({"metadata":{"name":"q"},"spec":{"hard":{"cpu":"1000m"}}})").code, 201);
  for (const char* type : {kMerge, kStrategic}) {
    const Answer changed = patch(core("resourcequotas/q"), R"({"spec":{"hard":{"cpu":"2000m","pods":4}}})", type);
    EXPECT_EQ(changed.body.string_at("spec", "hard", "cpu"), "2") << changed.text;
    EXPECT_EQ(changed.body.string_at("spec", "hard", "pods"), "4") << changed.text;
    const Answer refused = patch(core("resourcequotas/q"), R"({"spec":{"hard":{"cpu":"1K"}}})", type);
    EXPECT_THAT(refused.code, ::testing::AnyOf(400, 422)) << refused.text;
  }
  ASSERT_EQ(post(core("pods"), pod_with("", R"(,"resources":{"limits":{"cpu":"1000m"}})")).code, 201);
  const Answer same = patch(
      core("pods/p"), R"({"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"1000m"}}}]}})", kStrategic);
  EXPECT_EQ(same.code, 200) << "the same amount in another text is not a change: " << same.text;
}

}  // namespace
}  // namespace muster::contract
