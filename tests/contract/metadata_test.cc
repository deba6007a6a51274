// Rules about metadata that hold for every kind, on a built-in kind and on a custom one.
#include "contract_fixture.h"

namespace muster::contract {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class MetadataContract : public ApiContract {
 protected:
  /// Both kinds, with their paths and with an object that has this metadata.
  struct Kind {
    std::string path;
    std::string whole;
    std::string with(const std::string& metadata) const {
      Document object = *json::parse(whole);
      object["metadata"] = *json::parse(metadata);
      return json::serialize(object);
    }
  };
  std::vector<Kind> kinds() {
    return {{core("configmaps"), config_map("x")}, {kubeflow("pytorchjobs"), pytorch_job("x")}};
  }
};

TEST_P(MetadataContract, NameAndPrefixMayBothBeGiven) {
  for (const Kind& kind : kinds()) {
    const Answer made = post(kind.path, kind.with(R"({"name":"both","generateName":"p-"})"));
    EXPECT_EQ(made.code, 201) << made.text;
    EXPECT_EQ(made.body.string_at("metadata", "name"), "both");
    EXPECT_EQ(made.body.string_at("metadata", "generateName"), "p-");
  }
}

TEST_P(MetadataContract, ABadPrefixIsNamedToo) {
  for (const Kind& kind : kinds()) {
    const Answer answer = post(kind.path, kind.with(R"({"generateName":"Upper-"})"));
    EXPECT_EQ(answer.code, 422);
    const auto causes = answer.causes();
    ASSERT_GE(causes.size(), 2U) << answer.text;
    EXPECT_EQ(causes[0], "FieldValueInvalid metadata.generateName");
    EXPECT_EQ(causes[1], "FieldValueInvalid metadata.name");
    const Answer too_long = post(kind.path, kind.with(R"({"generateName":")" + std::string(300, 'g') + R"("})"));
    EXPECT_EQ(too_long.code, 422);
    EXPECT_EQ(too_long.causes().front(), "FieldValueInvalid metadata.generateName");
  }
}

TEST_P(MetadataContract, WhatIsWrongWithAKeyIsSaid) {
  const std::string rule = " must consist of alphanumeric characters";
  const std::pair<std::string, std::string> cases[] = {
      {"_a", "name part" + rule},
      {"a/b/c", "a qualified name" + rule},
      {"/a", "prefix part must be non-empty"},
      {"a/", "name part must be non-empty"},
      {"A.b/c", "prefix part a lowercase RFC 1123 subdomain must consist of"},
      {std::string(64, 'k'), "name part must be no more than 63 characters"}};
  for (const auto& [key, problem] : cases) {
    for (const Kind& kind : kinds()) {
      const Answer refused = post(kind.path, kind.with(R"({"name":"v","labels":{")" + key + R"(":"v"}})"));
      EXPECT_EQ(refused.code, 422);
      EXPECT_THAT(at(refused.body, "details", "causes", 0, "message").as_string(), HasSubstr(": " + problem)) << key;
    }
    const Answer selected = get(core("configmaps?labelSelector=") + net::percent_encode(key));
    EXPECT_EQ(selected.code, 400);
    EXPECT_THAT(selected.message(), HasSubstr(": " + problem)) << key;
  }
  const std::string value(64, 'v');
  EXPECT_THAT(get(core("configmaps?labelSelector=a%3D") + value).message(),
              HasSubstr("must be no more than 63 characters"));
}

TEST_P(MetadataContract, NullIsAnEmptyLabel) {
  for (const Kind& kind : kinds()) {
    const Answer made = post(kind.path, kind.with(R"({"name":"n","labels":{"a":null},"annotations":{"b":null}})"));
    ASSERT_EQ(made.code, 201) << made.text;
    EXPECT_EQ(at(made.body, "metadata", "labels", "a"), Document(""));
    EXPECT_EQ(at(made.body, "metadata", "annotations", "b"), Document(""));
  }
}

TEST_P(MetadataContract, LabelsAndAnnotationsHaveLimits) {
  for (const Kind& kind : kinds()) {
    const auto annotated = [&](const char* name, std::size_t bytes) {
      return post(kind.path, kind.with(std::string(R"({"name":")") + name + R"(","annotations":{"a":")" +
                                       std::string(bytes - 1, 'x') + R"("}})"));
    };
    EXPECT_EQ(annotated("whole", 256 * 1024).code, 201);
    const Answer more = annotated("more", 256 * 1024 + 1);
    EXPECT_EQ(more.code, 422);
    EXPECT_EQ(more.causes().front(), "FieldValueTooLong metadata.annotations");
    const Answer value = post(kind.path, kind.with(R"({"name":"v","labels":{"a":")" + std::string(64, 'v') + R"("}})"));
    EXPECT_EQ(value.code, 422);
    EXPECT_THAT(value.message(), HasSubstr("must be no more than 63 characters"));
    EXPECT_EQ(post(kind.path, kind.with(R"({"name":"upper","annotations":{"UP.example.com/Thing":"x"}})")).code, 201);
  }
}

TEST_P(MetadataContract, OwnersAreChecked) {
  const std::string owner = R"({"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":"u"})";
  for (const Kind& kind : kinds()) {
    const auto owned = [&](const std::string& name, const std::string& owners) {
      return post(kind.path, kind.with(R"({"name":")" + name + R"(","ownerReferences":[)" + owners + "]}"));
    };
    const std::string cause = "FieldValueInvalid metadata.ownerReferences";
    const auto empty = owned("empty", "{}").causes();
    ASSERT_GE(empty.size(), 4U);
    EXPECT_THAT(std::vector(empty.begin(), empty.begin() + 4),
                ElementsAre(cause + ".apiVersion", cause + ".kind", cause + ".name", cause + ".uid"));
    EXPECT_EQ(owned("version", R"({"apiVersion":"a/b/c","kind":"K","name":"o","uid":"u"})").causes().front(),
              cause + ".apiVersion");
    EXPECT_EQ(owned("event", R"({"apiVersion":"v1","kind":"Event","name":"o","uid":"u"})").causes().front(), cause);
    const Answer two = owned("two", R"({"apiVersion":"v1","kind":"K","name":"a","uid":"a","controller":true},)"
                                    R"({"apiVersion":"v1","kind":"K","name":"b","uid":"b","controller":true})");
    EXPECT_EQ(two.code, 422);
    EXPECT_EQ(two.causes().front(), cause);
    EXPECT_THAT(two.message(), HasSubstr("Only one reference can have Controller set to true"));
    const Answer twice = owned("twice", owner + "," + owner);
    EXPECT_EQ(twice.code, 201) << twice.text;
    EXPECT_EQ(at(twice.body, "metadata", "ownerReferences").as_array().size(), 1U);
    EXPECT_THAT(std::string(twice.headers.get("Warning")),
                HasSubstr(".metadata.ownerReferences contains duplicate entries; API server dedups owner references in "
                          "1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate "
                          "UID(s) observed: u"));
  }
}

TEST_P(MetadataContract, FinalizersAreChecked) {
  for (const Kind& kind : kinds()) {
    const std::string cause = "FieldValueInvalid metadata.finalizers";
    EXPECT_EQ(post(kind.path, kind.with(R"({"name":"f","finalizers":["not valid"]})")).causes().front(), cause);
    EXPECT_EQ(
        post(kind.path, kind.with(R"({"name":"f","finalizers":["orphan","foregroundDeletion"]})")).causes().front(),
        cause);
  }
  EXPECT_THAT(post(core("configmaps"), R"({"metadata":{"name":"f","finalizers":["a/b","plain"]}})").causes(),
              ElementsAre("FieldValueInvalid metadata.finalizers[1]"));
  const Kind job = kinds()[1];
  EXPECT_EQ(post(job.path, job.with(R"({"name":"plain","finalizers":["plain"]})")).code, 201);
  EXPECT_EQ(patch(job.path + "/plain", R"({"metadata":{"finalizers":null}})").code, 200);
}

TEST_P(MetadataContract, OnlyADeleteDeletes) {
  for (const Kind& kind : kinds()) {
    ASSERT_EQ(post(kind.path, kind.with(R"({"name":"a"})")).code, 201);
    const Answer time = patch(kind.path + "/a", R"({"metadata":{"deletionTimestamp":"2040-01-01T00:00:00Z"}})");
    EXPECT_EQ(time.code, 422);
    EXPECT_EQ(time.causes().front(), "FieldValueInvalid metadata.deletionTimestamp");
    EXPECT_THAT(
        time.message(),
        HasSubstr("metadata.deletionTimestamp: Invalid value: 2040-01-01 00:00:00 +0000 UTC: field is immutable"));
    const Answer grace = patch(kind.path + "/a", R"({"metadata":{"deletionGracePeriodSeconds":3}})");
    EXPECT_EQ(grace.code, 422);
    EXPECT_THAT(grace.message(),
                HasSubstr("metadata.deletionGracePeriodSeconds: Invalid value: 3: field is immutable"));
    const Answer other = patch(kind.path + "/a", R"({"metadata":{"creationTimestamp":"2000-01-01T00:00:00Z",
                                                   "generation":99,"selfLink":"/x"}})");
    EXPECT_EQ(other.code, 200) << "these are the server's, and what is sent does not matter";
    EXPECT_THAT(other.body.string_at("metadata", "creationTimestamp"), ::testing::Not(HasSubstr("2000")));
    EXPECT_NE(other.body.int_at("metadata", "generation"), 99);
    EXPECT_EQ(other.body.string_at("metadata", "selfLink"), "");
  }
}

TEST_P(MetadataContract, ADeletedObjectIsStillInTheWay) {
  for (const Kind& kind : kinds()) {
    ASSERT_EQ(post(kind.path, kind.with(R"({"name":"held","finalizers":["example.com/x"]})")).code, 201);
    ASSERT_EQ(remove(kind.path + "/held").code, 200);
    const Answer again = post(kind.path, kind.with(R"({"name":"held"})"));
    EXPECT_EQ(again.code, 409);
    EXPECT_EQ(again.reason(), "AlreadyExists");
    EXPECT_THAT(again.message(), ::testing::StartsWith("object is being deleted: "));
    EXPECT_EQ(patch(kind.path + "/held", R"({"metadata":{"deletionTimestamp":null}})")
                  .body.string_at("metadata", "deletionTimestamp")
                  .empty(),
              false);
    EXPECT_EQ(patch(kind.path + "/held", R"({"metadata":{"finalizers":null}})").code, 200);
  }
}

TEST_P(MetadataContract, VersionZeroIsNone) {
  ASSERT_EQ(post(core("configmaps"), config_map("a")).code, 201);
  EXPECT_EQ(call("PUT", core("configmaps/a"), R"({"metadata":{"name":"a","resourceVersion":"0"}})").code, 200);
  const Kind job = kinds()[1];
  ASSERT_EQ(post(job.path, pytorch_job("a")).code, 201);
  const Answer answer = call("PUT", job.path + "/a", job.with(R"({"name":"a","resourceVersion":"0"})"));
  EXPECT_EQ(answer.code, 422);
  EXPECT_THAT(answer.causes(), ElementsAre("FieldValueInvalid metadata.resourceVersion"));
}

INSTANTIATE_TEST_SUITE_P(Contract, MetadataContract,
                         ::testing::Values(Where::kInProcess, Where::kOverHttps, Where::kKubernetes),
                         [](const auto& tested) { return where_name(tested.param); });

}  // namespace
}  // namespace muster::contract
