#include "json/jsonpath.h"

#include <gtest/gtest.h>

namespace muster::json {
namespace {

const char* const kJob = R"({
  "metadata": {"name": "mnist", "labels": {"app.kubernetes.io/name": "train", "tier": "a"}},
  "spec": {"replicaSpecs": [{"type": "master", "replicas": 1}, {"type": "worker", "replicas": 4}]},
  "status": {"phase": "Running", "restarts": 0, "ready": true, "loss": 0.5, "conditions": [
    {"type": "Initialized", "status": "True", "age": 3},
    {"type": "Running", "status": "True", "age": 1},
    {"type": "Failed", "status": "False"}]}
})";

Document job() {
  return *parse(kJob);
}

// The selected values as JSON texts joined by " | ".
std::string select(std::string_view path) {
  auto parsed = JsonPath::parse(path);
  if (!parsed) return parsed.error().message;
  const Document root = job();
  std::string out;
  for (const Document* found : parsed->find(root)) {
    if (!out.empty()) out += " | ";
    out += serialize(*found);
  }
  return out;
}

std::string render(std::string_view text) {
  auto parsed = JsonPathTemplate::parse(text);
  return parsed ? parsed->render(job()) : parsed.error().message;
}

TEST(JsonPath, WalksFields) {
  EXPECT_EQ(select(".status.phase"), "\"Running\"");
  EXPECT_EQ(select("status.phase"), "\"Running\"");
  EXPECT_EQ(select("$.status.phase"), "\"Running\"");
  EXPECT_EQ(select("{.status.phase}"), "\"Running\"");
  EXPECT_EQ(select("['status']['phase']"), "\"Running\"");
}

TEST(JsonPath, SelectsNothingForAbsentMembers) {
  EXPECT_EQ(select(".status.nothing.below"), "");
  EXPECT_EQ(select(".metadata.name.below"), "");
  EXPECT_EQ(select(".status.conditions[7]"), "");
  EXPECT_EQ(select(".status.conditions[-4]"), "");
  EXPECT_EQ(select(".metadata[0]"), "");
}

TEST(JsonPath, TakesNamesWithDots) {
  EXPECT_EQ(select(R"(.metadata.labels.app\.kubernetes\.io/name)"), "\"train\"");
  EXPECT_EQ(select(".metadata.labels['app.kubernetes.io/name']"), "\"train\"");
  EXPECT_EQ(select(R"(.metadata.labels["app.kubernetes.io/name","tier"])"), R"("train" | "a")");
}

TEST(JsonPath, IndexesAndSlices) {
  EXPECT_EQ(select(".status.conditions[0].type"), R"("Initialized")");
  EXPECT_EQ(select(".status.conditions[-1].type"), R"("Failed")");
  EXPECT_EQ(select(".status.conditions[-1:].type"), R"("Failed")");
  EXPECT_EQ(select(".status.conditions[:2].type"), R"("Initialized" | "Running")");
  EXPECT_EQ(select(".status.conditions[0:3:2].type"), R"("Initialized" | "Failed")");
  EXPECT_EQ(select(".status.conditions[0,2].type"), R"("Initialized" | "Failed")");
  EXPECT_EQ(select(".status.conditions[*].status"), R"("True" | "True" | "False")");
  EXPECT_EQ(select(".spec.replicaSpecs.*.replicas"), "1 | 4");
  EXPECT_EQ(select(".status.conditions[1:9223372036854775807:9223372036854775807].type"), R"("Running")");
}

TEST(JsonPath, Filters) {
  EXPECT_EQ(select(R"(.status.conditions[?(@.type=="Running")].status)"), R"("True")");
  EXPECT_EQ(select(".status.conditions[?(@.type == 'Failed')].status"), R"("False")");
  EXPECT_EQ(select(R"(.status.conditions[?(@.type!="Running")].type)"), R"("Initialized" | "Failed")");
  EXPECT_EQ(select(".status.conditions[?(@.age)].type"), R"("Initialized" | "Running")");
  EXPECT_EQ(select(".status.conditions[?(@.age>1)].type"), R"("Initialized")");
  EXPECT_EQ(select(".status.conditions[?(@.age<=1.5)].type"), R"("Running")");
  EXPECT_EQ(select(".spec.replicaSpecs[?(@.replicas==$.spec.replicaSpecs[1].replicas)].type"), R"("worker")");
}

TEST(JsonPath, ComparesOnlyWhatIsComparable) {
  EXPECT_EQ(select(R"(.status.conditions[?(@.age=="3")].type)"), "");
  EXPECT_EQ(select(R"(.status.conditions[?(@.age<"3")].type)"), "");
}

TEST(JsonPath, Descends) {
  EXPECT_EQ(select("..replicas"), "1 | 4");
  EXPECT_EQ(select("..conditions[0].type"), R"("Initialized")");
  // Each value is selected once, no matter how many ways lead to it.
  EXPECT_EQ(select("..*..*..replicas"), select("..replicas"));
}

TEST(JsonPath, NamesTheColumnOfAFault) {
  EXPECT_EQ(select(".a[0"), R"(jsonpath ".a[0": column 3: this [ is not closed)");
  EXPECT_EQ(select(".a['b]"), R"(jsonpath ".a['b]": column 4: this quote is not closed)");
  EXPECT_EQ(select(".a b"), R"(jsonpath ".a b": column 3: a path cannot continue with this)");
  EXPECT_EQ(select(".a[x]"),
            R"(jsonpath ".a[x]": column 4: an index, a range, '*', a quoted name or ?(…) is expected in [ ])");
  EXPECT_EQ(select(".a[0:1:0]"), R"(jsonpath ".a[0:1:0]": column 8: the step must be 1 or more)");
  EXPECT_EQ(select(".a[?(@.b 1)]"),
            R"(jsonpath ".a[?(@.b 1)]": column 10: a filter is ?(@.field op value), with op one of == != < <= > >=)");
  EXPECT_EQ(select(".a[?(@.b==c)]"),
            R"(jsonpath ".a[?(@.b==c)]": column 11: expected @.field, a number, true, false or a quoted text)");
}

TEST(JsonPath, RefusesFiltersNestedWithoutEnd) {
  std::string path = ".a";
  for (int i = 0; i < 1000; ++i) path += "[?(@.a";
  EXPECT_NE(select(path).find("filters are nested too deep"), std::string::npos);
}

TEST(JsonPathTemplate, MixesTextAndPaths) {
  EXPECT_EQ(render("{.metadata.name}"), "mnist");
  EXPECT_EQ(render(".metadata.name"), "mnist");
  EXPECT_EQ(render("job={.metadata.name}{\"\\n\"}"), "job=mnist\n");
  EXPECT_EQ(render("{.status.conditions[*].type}"), "Initialized Running Failed");
  EXPECT_EQ(render("{.status.restarts} {.status.ready} {.status.loss} {.status.none}"), "0 true 0.5 ");
  EXPECT_EQ(render("{.metadata.labels}"), R"({"app.kubernetes.io/name":"train","tier":"a"})");
}

TEST(JsonPathTemplate, Ranges) {
  EXPECT_EQ(render("{range .spec.replicaSpecs[*]}{.type}={.replicas}{'\\n'}{end}"), "master=1\nworker=4\n");
  EXPECT_EQ(render("{range .spec.replicaSpecs[*]}{$.metadata.name}-{@.type} {end}"), "mnist-master mnist-worker ");
}

TEST(JsonPathTemplate, KeepsBracesInQuotes) {
  EXPECT_EQ(render("{'}'}"), "}");
  EXPECT_EQ(render(R"({.status.conditions[?(@.type=="}")].type})"), "");
}

TEST(JsonPathTemplate, ReportsWhatIsNotClosed) {
  EXPECT_EQ(render("{.a"), R"(jsonpath "{.a": column 1: this { is not closed)");
  EXPECT_EQ(render("{range .a[*]}x"), R"(jsonpath "{range .a[*]}x": column 15: {range …} without {end})");
  EXPECT_EQ(render("{end}"), R"(jsonpath "{end}": column 1: {end} without {range …})");
  EXPECT_EQ(render("{}"), R"(jsonpath "{}": column 1: these braces are empty)");
}

}  // namespace
}  // namespace muster::json
