// Bodies with repeated or unknown fields, by fieldValidation, and bodies that cannot be decoded at all.
#include "contract_fixture.h"

namespace muster::contract {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

/// The texts of the Warning headers.
std::vector<std::string> warnings_of(const Answer& answer) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : answer.headers) {
    if (name != "Warning" && name != "warning") continue;
    std::string text;
    for (const char c : value.substr(7, value.size() - 8)) {  // 299 - "…"
      if (c != '\\') text += c;
    }
    texts.push_back(text);
  }
  return texts;
}

constexpr const char* kYaml = "application/yaml";

TEST_P(ApiContract, UnknownFieldsAreToldBesideWhatIsInvalid) {
  const std::string wrong = R"({"metadata":{"name":"N O"},"foo":1})";
  const Answer warned = post(core("configmaps"), wrong);
  EXPECT_EQ(warned.code, 422) << warned.text;
  EXPECT_THAT(warnings_of(warned), UnorderedElementsAre("unknown field \"foo\""));
  const Answer strict = post(core("configmaps?fieldValidation=Strict"), wrong);
  EXPECT_EQ(strict.code, 400) << strict.text;
  EXPECT_THAT(warnings_of(strict), ::testing::IsEmpty());
}

TEST_P(ApiContract, RepeatedFieldsOfANewObject) {
  const std::string body = R"({"metadata":{"name":"NAME","bar":{}},"data":{"a":"b","a":"c"},"foo":1})";
  const auto send = [&](const std::string& validation, const std::string& name) {
    std::string named = body;
    return post(core("configmaps") + "?fieldValidation=" + validation, named.replace(named.find("NAME"), 4, name));
  };
  const Answer strict = send("Strict", "strict");
  EXPECT_EQ(strict.code, 400);
  EXPECT_EQ(strict.reason(), "BadRequest");
  EXPECT_THAT(strict.message(),
              HasSubstr("ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: "));
  for (const char* text : {"unknown field \"metadata.bar\"", "duplicate field \"data.a\"", "unknown field \"foo\""}) {
    EXPECT_THAT(strict.message(), HasSubstr(text));
  }
  for (const char* validation : {"Warn", ""}) {
    const Answer warned = send(validation, std::string("warn") + std::to_string(std::string(validation).size()));
    EXPECT_EQ(warned.code, 201) << warned.text;
    EXPECT_EQ(warned.body.string_at("data", "a"), "c") << "the last one counts";
    EXPECT_THAT(warnings_of(warned), UnorderedElementsAre("unknown field \"metadata.bar\"",
                                                          "duplicate field \"data.a\"", "unknown field \"foo\""));
  }
  const Answer ignored = send("Ignore", "ignore");
  EXPECT_EQ(ignored.code, 201);
  EXPECT_THAT(warnings_of(ignored), ::testing::IsEmpty());
  const Answer unknown = send("Bad", "bad");
  EXPECT_EQ(unknown.code, 422);
  EXPECT_THAT(unknown.causes(), ::testing::ElementsAre("FieldValueNotSupported fieldValidation"));
}

/// A key without a value in YAML is null.
TEST_P(ApiContract, NullInAMapIsAnEmptyValue) {
  const std::string body = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"k":null},)"
                           R"("binaryData":{"b":null}})";
  const auto expect_empty = [](const Answer& answer, const char* map, const char* key) {
    EXPECT_EQ(at(answer.body, map, key), Document("")) << answer.text;
  };
  const Answer made = post(core("configmaps"), body);
  ASSERT_EQ(made.code, 201) << made.text;
  expect_empty(made, "data", "k");
  expect_empty(made, "binaryData", "b");
  expect_empty(call("PUT", core("configmaps/c"), body), "data", "k");
  expect_empty(patch(core("configmaps/c"), R"([{"op":"add","path":"/data/l","value":null}])", kJsonPatch), "data", "l");
  EXPECT_EQ(at(patch(core("configmaps/c"), R"({"data":{"k":null}})").body, "data", "k"), absent());
  std::string applied = body;
  applied.replace(applied.find("\"c\""), 3, "\"d\"");
  expect_empty(patch(core("configmaps/d?fieldManager=m"), applied, kApply), "data", "k");
  expect_empty(post(core("secrets"), R"({"metadata":{"name":"s"},"stringData":{"k":null}})"), "data", "k");
  const Answer selects = post(core("services"), R"({"metadata":{"name":"s"},"spec":{"clusterIP":"None",)"
                                                R"("selector":{"a":null},"ports":[{"port":1}]}})");
  EXPECT_EQ(at(selects.body, "spec", "selector", "a"), Document("")) << selects.text;
  const Answer quota = post(core("resourcequotas"), R"({"metadata":{"name":"q"},"spec":{"hard":{"pods":null}}})");
  EXPECT_EQ(at(quota.body, "spec", "hard", "pods"), Document("0")) << quota.text;
}

TEST_P(ApiContract, TheTypeOfAnObjectIsText) {
  for (const char* type : {R"("apiVersion":1,"kind":"ConfigMap")", R"("apiVersion":"v1","kind":7)",
                           R"("apiVersion":{},"kind":"ConfigMap")"}) {
    EXPECT_EQ(post(core("configmaps"), "{" + std::string(type) + R"(,"metadata":{"name":"c"}})").code, 400) << type;
  }
  ASSERT_EQ(post(core("configmaps"), R"({"apiVersion":null,"kind":null,"metadata":{"name":"c"}})").code, 201);
  EXPECT_EQ(patch(core("configmaps/c"), R"({"apiVersion":5})").code, 422);
  EXPECT_EQ(patch(core("configmaps/c"), R"({"kind":"Secret"})").code, 422);
  for (const char* other : {R"({"kind":"Secret"})", R"({"apiVersion":"v2"})"}) {
    const Answer kept = patch(core("configmaps/c"), other, kStrategic);
    EXPECT_EQ(kept.code, 200) << kept.text;
    EXPECT_EQ(kept.body.string_at("kind"), "ConfigMap");
    EXPECT_EQ(kept.body.string_at("apiVersion"), "v1");
  }
}

TEST_P(ApiContract, AFieldGivenThreeTimesIsReportedOnce) {
  std::string job = pytorch_job("j");
  job.replace(job.find("\"spec\":{"), 8, R"("spec":{"runPolicy":{"suspend":true,"suspend":true,"suspend":true},)");
  const Answer refused = post(kubeflow("pytorchjobs?fieldValidation=Strict"), job);
  EXPECT_EQ(refused.code, 400);
  EXPECT_THAT(refused.message(),
              ::testing::EndsWith(R"(strict decoding error: duplicate field "spec.runPolicy.suspend")"));
}

TEST_P(ApiContract, UnknownMembersAreDropped) {
  const Answer made =
      post(core("configmaps"), R"({"metadata":{"name":"c","bogus":{"a":1},"labels":{"a":"b"}},"data":{}})");
  ASSERT_EQ(made.code, 201) << made.text;
  EXPECT_THAT(made.text, ::testing::Not(HasSubstr("bogus")));
  const Answer pod =
      post(core("pods"), R"({"metadata":{"name":"p","bogus":1},"spec":{"bogus":1,)"
                         R"("volumes":[{"name":"v","bogus":1,"emptyDir":{"bogus":1}}],"containers":[{"name":"c",)"
                         R"("image":"i","bogus":1,"resources":{"bogus":1},"ports":[{"containerPort":1,"bogus":1}],)"
                         R"("env":[{"name":"E","bogus":1}]}]}})");
  ASSERT_EQ(pod.code, 201) << pod.text;
  EXPECT_THAT(pod.text, ::testing::Not(HasSubstr("bogus")));
  const Answer patched = patch(core("pods/p"), R"({"metadata":{"bogus":2}})");
  EXPECT_EQ(patched.code, 200) << patched.text;
  EXPECT_THAT(patched.text, ::testing::Not(HasSubstr("bogus")));
  // The metadata of custom resources is also Kubernetes' own type.
  std::string job = pytorch_job("j");
  job.replace(job.find("\"metadata\":{"), 12, R"("metadata":{"bogus":1,)");
  const Answer made_job = post(kubeflow("pytorchjobs"), job);
  ASSERT_EQ(made_job.code, 201) << made_job.text;
  EXPECT_EQ(made_job.body.at("metadata", "bogus"), nullptr);
  EXPECT_THAT(made_job.text, ::testing::Not(HasSubstr("f:bogus")));
}

TEST_P(ApiContract, RepeatedKeysOfYaml) {
  const std::string body = "metadata: {name: twice}\ndata:\n  a: b\n  a: c\n";
  const Answer strict = call("POST", core("configmaps?fieldValidation=Strict"), body, kYaml);
  EXPECT_EQ(strict.code, 400);
  EXPECT_THAT(strict.message(), HasSubstr("line 4: key \"a\" already set in map"));
  const Answer warned = call("POST", core("configmaps"), body, kYaml);
  EXPECT_EQ(warned.code, 201) << warned.text;
  EXPECT_EQ(warned.body.string_at("data", "a"), "c");
  EXPECT_THAT(warnings_of(warned), UnorderedElementsAre("line 4: key \"a\" already set in map"));
  EXPECT_THAT(warnings_of(call("PUT", core("configmaps/twice?fieldValidation=Ignore"), body, kYaml)),
              ::testing::IsEmpty());
}

TEST_P(ApiContract, RepeatedFieldsOfJobs) {
  std::string body = pytorch_job("twice");
  body.replace(body.find("\"spec\":{"), 8, R"("spec":{"runPolicy":{},"runPolicy":{"backoffLimit":3},)");
  const Answer strict = post(kubeflow("pytorchjobs?fieldValidation=Strict"), body);
  EXPECT_EQ(strict.code, 400);
  EXPECT_THAT(strict.message(), HasSubstr("strict decoding error: duplicate field \"spec.runPolicy\""));
  const Answer warned = post(kubeflow("pytorchjobs"), body);
  EXPECT_EQ(warned.code, 201) << warned.text;
  EXPECT_EQ(warned.body.int_at("spec", "runPolicy", "backoffLimit"), 3);
  EXPECT_THAT(warnings_of(warned), UnorderedElementsAre("duplicate field \"spec.runPolicy\""));
}

TEST_P(ApiContract, RepeatedFieldsOfUpdatesAndPatches) {
  ASSERT_EQ(post(core("configmaps"), config_map("a")).code, 201);
  const std::string labels = R"({"metadata":{"name":"a","labels":{"x":"1","x":"2"}}})";
  const std::string steps = R"([{"op":"add","op":"add","path":"/data","value":{},"foo":1}])";
  struct Row {
    const char* method;
    const char* type;
    std::string body;
    int code;
    std::vector<std::string> texts;
  };
  const std::vector<Row> rows = {
      {"PUT", kJson, labels, 400, {"duplicate field \"metadata.labels.x\""}},
      {"PATCH", kMerge, labels, 422, {"duplicate field \"metadata.labels.x\""}},
      {"PATCH", kStrategic, labels, 422, {"duplicate field \"metadata.labels.x\""}},
      {"PATCH",
       kJsonPatch,
       steps,
       422,
       {"json patch duplicate field \"[0].op\"", "json patch unknown field \"[0].foo\""}},
      {"PATCH",
       kApply,
       "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: {x: '1'}\n  labels: {x: '2'}\n",
       400,
       {"line 6: key \"labels\" already set in map"}},
  };
  for (const Row& row : rows) {
    const std::string target = core("configmaps/a?fieldManager=m&fieldValidation=");
    const Answer strict = call(row.method, target + "Strict", row.body, row.type);
    EXPECT_EQ(strict.code, row.code) << row.type << " " << strict.text;
    for (const std::string& text : row.texts) EXPECT_THAT(strict.message(), HasSubstr(text));
    const Answer warned = call(row.method, target + "Warn", row.body, row.type);
    EXPECT_EQ(warned.code, 200) << row.type << " " << warned.text;
    EXPECT_THAT(warnings_of(warned), ::testing::UnorderedElementsAreArray(row.texts)) << row.type;
    EXPECT_THAT(warnings_of(call(row.method, target + "Ignore", row.body, row.type)), ::testing::IsEmpty());
  }
}

TEST_P(ApiContract, RepeatedFieldsOfAScale) {
  ASSERT_EQ(post(kubeflow("pytorchjobs"), pytorch_job("s")).code, 201);
  const std::string target = kubeflow("pytorchjobs/s/scale?fieldValidation=");
  const std::string body = R"({"spec":{"replicas":2,"foo":1,"replicas":3}})";
  EXPECT_EQ(patch(target + "Strict", body).code, 422);
  const Answer warned = patch(target + "Warn", body);
  EXPECT_EQ(warned.code, 200) << warned.text;
  EXPECT_EQ(warned.body.int_at("spec", "replicas"), 3);
  EXPECT_THAT(warnings_of(warned),
              UnorderedElementsAre("duplicate field \"spec.replicas\"", "unknown field \"spec.foo\""));
}

TEST_P(ApiContract, MetadataOfTheWrongTypeCannotBeDecoded) {
  for (const char* metadata : {R"({"name":5})", R"({"name":"a","labels":["x"]})", R"({"name":"a","labels":{"x":1}})",
                               R"({"name":"a","finalizers":"x"})", R"({"name":"a","creationTimestamp":"yesterday"})",
                               R"({"name":"a","ownerReferences":{}})", R"({"name":"a","generation":"1"})"}) {
    const std::string map = std::string(R"({"metadata":)") + metadata + "}";
    std::string job = pytorch_job("a");
    Document changed = *json::parse(job);
    changed["metadata"] = *json::parse(metadata);
    for (const Answer& answer :
         {post(core("configmaps"), map), post(kubeflow("pytorchjobs"), json::serialize(changed))}) {
      EXPECT_EQ(answer.code, 400) << metadata << " " << answer.text;
      EXPECT_EQ(answer.reason(), "BadRequest");
      EXPECT_THAT(answer.message(), HasSubstr(" cannot be handled as a "));
    }
  }
}

TEST_P(ApiContract, ABodyIsLookedAtBeforeTheObjectItReplaces) {
  EXPECT_EQ(call("PUT", core("configmaps/none"), "{}").code, 400);
  EXPECT_EQ(call("PUT", core("configmaps/none"), "[]").code, 400);
  EXPECT_EQ(
      call("PUT", core("configmaps/none"), R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"none"}})").code,
      400);
  EXPECT_EQ(call("PUT", core("configmaps/none"), R"({"metadata":{"name":"other"}})").code, 400);
}

TEST_P(ApiContract, ABodyIsDecodedBeforeTheObjectItReplacesIsLookedFor) {
  const auto put_job = [&](const std::string& target, const Document& metadata, const Document& spec) {
    Document job = *json::parse(pytorch_job("none"));
    job["metadata"] = metadata;
    job["spec"] = spec;
    return put(kubeflow("pytorchjobs/none") + target, job);
  };
  const std::string deployment = "/apis/apps/v1/namespaces/" + ns_ + "/deployments/none";
  const Document named = json::Object{{"name", "none"}};
  const Document odd = json::Object{{"name", "none"}, {"labels", 4}};
  for (const Answer& answer :
       {call("PUT", core("configmaps/none"), R"({"metadata":{"name":"none"},"data":5})"),
        call("PUT", core("configmaps/none"), R"({"metadata":{"name":"none","labels":4}})"),
        call("PUT", core("configmaps/none"), R"({"metadata":{"name":"other"},"data":5})"),
        call("PUT", core("configmaps/none?fieldValidation=Strict"), R"({"metadata":{"name":"none"},"foo":1})"),
        call("PUT", deployment, R"({"metadata":{"name":"none"},"spec":{"replicas":"x"}})"),
        call("PUT", deployment + "/status", R"({"metadata":{"name":"none"},"status":"x"})"),
        call("PUT", deployment + "/scale", R"({"metadata":{"name":"none"},"spec":{"replicas":"x"}})"),
        call("PUT", deployment + "/scale?fieldValidation=Strict", R"({"metadata":{"name":"none"},"foo":1})"),
        put_job("", odd, json::Object()), put_job("/status", odd, json::Object()),
        put_job("?fieldValidation=Strict", named, json::Object{{"foo", 1}})}) {
    EXPECT_EQ(answer.code, 400) << answer.text;
    EXPECT_EQ(answer.reason(), "BadRequest");
    EXPECT_THAT(answer.message(), HasSubstr(" cannot be handled as a "));
  }
  // Only the metadata of a custom resource is decoded; rules check the rest.
  EXPECT_EQ(put_job("", named, 5).code, 404);
  EXPECT_EQ(call("PUT", deployment, R"({"metadata":{"name":"none"},"spec":{"replicas":-1}})").code, 404);
  EXPECT_EQ(call("PUT", deployment + "/scale", R"({"metadata":{"name":"other"},"spec":{"replicas":1}})").code, 400);
  const Answer warned = call("PUT", core("configmaps/none"), R"({"metadata":{"name":"none"},"foo":1})");
  EXPECT_EQ(warned.code, 404);
  EXPECT_THAT(warnings_of(warned), UnorderedElementsAre("unknown field \"foo\""));
  EXPECT_THAT(warnings_of(call("PUT", core("configmaps/none"), R"({"metadata":{"name":"other"},"foo":1})")),
              UnorderedElementsAre("unknown field \"foo\""));
}

}  // namespace
}  // namespace muster::contract
