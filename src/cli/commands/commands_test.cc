// Tests of apply, create, get, delete and wait against a fake server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/objects/three_way.h"
#include "testing/command_run.h"

namespace muster::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kPods = "/api/v1/namespaces/default/pods";
const std::string kJobs = "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs";

json::Document pod(const std::string& name, const std::string& phase) {
  json::Document out = make_object("v1", "Pod", name);
  out["status"]["phase"] = phase;
  return out;
}

json::Document job(const std::string& name, const std::string& phase) {
  json::Document out = make_object("batch.tensorstack.dev/v1beta1", "PyTorchTrainingJob", name);
  out["status"]["phase"] = phase;
  return out;
}

TEST(Apply, CreatesThenFindsUnchangedThenConfigures) {
  CommandRun cli;
  cli.input = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  a: '1'\n  b: '2'\n";
  EXPECT_EQ(cli.run(make_apply(), {"-f", "-"}), 0) << cli.err;
  EXPECT_EQ(cli.run(make_apply(), {"-f", "-"}), 0) << cli.err;
  cli.input = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  a: '3'\n";
  EXPECT_EQ(cli.run(make_apply(), {"-f", "-"}), 0) << cli.err;
  EXPECT_EQ(cli.out, "configmap/settings created\nconfigmap/settings unchanged\nconfigmap/settings configured\n");
  const json::Document* live = cli.server.find("/api/v1/namespaces/default/configmaps/settings");
  ASSERT_NE(live, nullptr);
  EXPECT_EQ(json::serialize(*live->find("data")), R"({"a":"3"})");
  EXPECT_THAT(cli.server.requests.back(), HasSubstr("fieldManager=muster-apply&fieldValidation=Strict"));
}

TEST(Apply, ChangesNothingWhenOneFileIsWrong) {
  CommandRun cli;
  cli.input = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\nkind: Pod\nmetadata: {name: b}\n";
  EXPECT_EQ(cli.run(make_apply(), {"-f", "-"}), 1);
  EXPECT_THAT(cli.err, HasSubstr("error: stdin:5:1: apiVersion is missing\n"));
  EXPECT_TRUE(cli.server.requests.empty());
}

TEST(Apply, ShowsWhatTheServerRefused) {
  CommandRun cli;
  cli.input = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers: []\n";
  cli.server.refuse("POST", kPods, 422,
                    *json::parse(R"({"kind":"Status","reason":"Invalid","code":422,"message":"Pod \"a\" is invalid",
                      "details":{"causes":[{"field":"spec.containers","message":"Required value","reason":"FieldValueRequired"}]}})"));
  EXPECT_EQ(cli.run(make_apply(), {"-f", "-"}), 1);
  EXPECT_EQ(cli.err,
            "error: stdin:6:3: spec.containers: Required value\n"
            "  6 │   containers: []\n"
            "    │   ^\n");
}

/// 20 applies at once: whoever finds nothing and comes second changes what the first has made.
TEST(Apply, AnObjectThatCameMeanwhileIsChangedInstead) {
  CommandRun cli;
  cli.input = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  a: '1'\n";
  const std::string maps = "/api/v1/namespaces/default/configmaps";
  json::Document other = make_object("v1", "ConfigMap", "settings");
  other["data"]["b"] = "2";
  cli.server.put(maps + "/settings", other);
  cli.server.refuse("GET", maps + "/settings", 404,
                    *json::parse(R"({"kind":"Status","reason":"NotFound","code":404})"));
  cli.server.refuse("PATCH", maps + "/settings", 409,
                    *json::parse(R"({"kind":"Status","reason":"Conflict","code":409})"));
  EXPECT_EQ(cli.run(make_apply(), {"-f", "-"}), 0) << cli.err;
  EXPECT_EQ(cli.out, "configmap/settings configured\n");
  EXPECT_EQ(json::serialize(*cli.server.find(maps + "/settings")->find("data")), R"({"b":"2","a":"1"})");
}

TEST(Apply, ARaceThatIsNeverWonIsReported) {
  CommandRun cli;
  cli.input = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n";
  const std::string maps = "/api/v1/namespaces/default/configmaps";
  cli.server.put(maps + "/settings", make_object("v1", "ConfigMap", "settings"));
  for (int i = 0; i < 10; ++i) {
    cli.server.refuse("PATCH", maps + "/settings", 409,
                      *json::parse(R"({"kind":"Status","reason":"Conflict","code":409,"message":"changed"})"));
  }
  EXPECT_EQ(cli.run(make_apply(), {"-f", "-"}), 4);
  EXPECT_EQ(cli.err, "error: stdin: changed\n");
}

TEST(Apply, WhatIsWrongWithAPatchIsShownInTheManifest) {
  CommandRun cli;
  cli.input = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  a: 1\n";
  const std::string path = "/api/v1/namespaces/default/configmaps/settings";
  cli.server.put(path, make_object("v1", "ConfigMap", "settings"));
  cli.server.refuse("PATCH", path, 422, *json::parse(R"({"kind":"Status","reason":"Invalid","code":422,
    "message":" \"\" is invalid: patch: Invalid value: \"{}\": data.a: must be text",
    "details":{"causes":[{"field":"patch","message":"Invalid value: \"{}\": data.a: must be text","reason":"FieldValueInvalid"}]}})"));
  EXPECT_EQ(cli.run(make_apply(), {"-f", "-"}), 1);
  EXPECT_THAT(cli.err, HasSubstr("error: stdin:6:3: data.a: "));
  EXPECT_THAT(cli.err, HasSubstr("  6 │   a: 1\n"));
}

TEST(Apply, NeedsAFile) {
  CommandRun cli;
  EXPECT_EQ(cli.run(make_apply(), {}), 2);
  EXPECT_EQ(cli.run(make_apply(), {"job.yaml"}), 2);
  EXPECT_THAT(cli.err, HasSubstr("error: unexpected argument \"job.yaml\"\n  fix: -f job.yaml\n"));
  EXPECT_EQ(cli.run(make_apply(), {"-f", "/nonexistent/job.yaml"}), 3);
}

TEST(Create, RefusesWhatExists) {
  CommandRun cli;
  cli.input = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n";
  EXPECT_EQ(cli.run(make_create(), {"-f", "-"}), 0);
  EXPECT_EQ(cli.run(make_create(), {"-f", "-"}), 4);
  EXPECT_EQ(cli.out, "pod/a created\n");
  EXPECT_EQ(cli.err, "error: stdin: already exists\n");
}

TEST(Delete, RefusesAnOutputItDoesNotHaveBeforeItAsks) {
  CommandRun cli;
  cli.server.put(kPods + "/a", pod("a", "Running"));
  for (const char* output : {"yaml", "json", "wide", "nmae"}) {
    EXPECT_EQ(cli.run(make_delete(), {"pod", "a", "-o", output}), 2) << output;
  }
  EXPECT_THAT(cli.err, HasSubstr("error: --output: must be name, got \"yaml\"\n"));
  EXPECT_TRUE(cli.server.requests.empty());
}

TEST(Apply, HasNoWideOutput) {
  CommandRun cli;
  EXPECT_EQ(cli.run(make_apply(), {"-f", "-", "-o", "wide"}), 2);
  EXPECT_EQ(cli.run(make_create(), {"-f", "-", "-o", "jsonpath="}), 2);
  EXPECT_TRUE(cli.server.requests.empty());
}

TEST(Text, NothingThatATerminalObeysIsPrinted) {
  CommandRun cli;
  json::Document wild = pod("a", "Running");
  wild["metadata"]["labels"]["team"] = "x\x1b[1m\u202e";
  wild["status"]["conditions"] =
      json::Array{json::Object{{"type", "Cr\x1b[1mX"}, {"status", "True"}, {"reason", "\u009b1m"}}};
  cli.server.put(kPods + "/a", std::move(wild));
  json::Document event = make_object("v1", "Event", "e");
  event["reason"] = "R\x1b[1m";
  event["type"] = "Nor\u202emal";
  event["message"] = "two\nlines";
  cli.server.put("/api/v1/namespaces/default/events/e", std::move(event));
  EXPECT_EQ(cli.run(make_describe(), {"pod", "a"}), 0) << cli.err;
  for (const char* hidden : {"\x1b", "\u202e", "\u009b"}) EXPECT_EQ(cli.out.find(hidden), std::string::npos) << cli.out;
  EXPECT_THAT(cli.out, HasSubstr("Cr\\x1b[1mX"));
  EXPECT_THAT(cli.out, HasSubstr("R\\x1b[1m"));
  EXPECT_THAT(cli.out, HasSubstr("two\\nlines"));
  cli.server.refuse(
      "GET", kPods + "/b", 404,
      json::Object{{"kind", "Status"}, {"reason", "NotFound"}, {"code", 404}, {"message", "no \x1b]0;x\x07"}});
  EXPECT_EQ(cli.run(make_describe(), {"pod", "b"}), 3);
  EXPECT_EQ(cli.err, "error: no \\x1b]0;x\\x07\n");
  cli.out.clear();
  EXPECT_EQ(cli.run(make_get(), {"pod", "a", "-o", "jsonpath={.metadata.labels.team}"}), 0) << cli.err;
  EXPECT_EQ(cli.out, "x\x1b[1m\u202e") << "data for programs is exact";
}

TEST(Apply, TellsOfEveryFileThatCannotBeRead) {
  CommandRun cli;
  cli.input = "kind: Pod\nmetadata: {name: b}\n";
  EXPECT_EQ(cli.run(make_apply(), {"-f", "/nonexistent/a.yaml", "-f", "-", "-f", "/nonexistent/b.yaml"}), 3);
  for (const char* name : {"/nonexistent/a.yaml", "stdin:1:1: apiVersion is missing", "/nonexistent/b.yaml"}) {
    EXPECT_THAT(cli.err, HasSubstr(name));
  }
  EXPECT_TRUE(cli.server.requests.empty());
}

TEST(Create, MakesANamespaceFromItsName) {
  CommandRun cli;
  EXPECT_EQ(cli.run(make_create(), {"namespace", "team"}), 0) << cli.err;
  EXPECT_EQ(cli.out, "namespace/team created\n");
  EXPECT_NE(cli.server.find("/api/v1/namespaces/team"), nullptr);
  EXPECT_EQ(cli.run(make_create(), {"ns", "team"}), 4);
  EXPECT_EQ(cli.run(make_create(), {"ns"}), 2);
  EXPECT_EQ(cli.run(make_create(), {"ns", "a", "-f", "x.yaml"}), 2);
  EXPECT_EQ(cli.run(make_create(), {"deployment", "web"}), 2);
  EXPECT_THAT(cli.err, HasSubstr("muster create -f FILE   or: muster create namespace NAME"));
}

TEST(Names, ThatCannotBeAreRefusedBeforeAnybodyIsAsked) {
  CommandRun cli;
  for (const char* name : {"", "m0,m1", "a=b", "..", "a%2f"}) EXPECT_EQ(cli.run(make_get(), {"cm", name}), 2) << name;
  EXPECT_EQ(cli.run(make_delete(), {"cm", ""}), 2);
  EXPECT_EQ(cli.run(make_describe(), {"cm/a,b"}), 2);
  EXPECT_EQ(cli.run(make_get(), {""}), 2);
  EXPECT_THAT(cli.err, HasSubstr("error: a name may not be empty\n"));
  EXPECT_THAT(cli.err, HasSubstr("error: \"m0,m1\" is not a name; separate several names with spaces: m0 m1\n"));
  EXPECT_TRUE(cli.server.requests.empty());
}

TEST(Selectors, ThatTheServerRefusesAreNamedByTheirFlag) {
  const json::Document refusal =
      json::Object{{"kind", "Status"}, {"reason", "BadRequest"}, {"code", 400}, {"message", "cannot parse"}};
  CommandRun cli;
  cli.server.refuse("GET", kPods, 400, refusal);
  EXPECT_EQ(cli.run(make_get(), {"pods", "-l", "a b"}), 2);
  cli.server.refuse("GET", kPods, 400, refusal);
  EXPECT_EQ(cli.run(make_delete(), {"pods", "--field-selector", "x"}), 2);
  EXPECT_EQ(cli.err, "error: -l \"a b\": cannot parse\nerror: --field-selector \"x\": cannot parse\n");
}

TEST(Wait, WithoutAnyTimeStillLooksOnce) {
  CommandRun cli;
  EXPECT_EQ(cli.run(make_wait(), {"pod/none", "--for=jsonpath={.a}=1", "--timeout=0s"}), 3);
  EXPECT_EQ(cli.err, "error: pod/none not found\n");
  cli.server.put(kPods + "/a", pod("a", "Running"));
  EXPECT_EQ(cli.run(make_wait(), {"pod/a", "--for=jsonpath={.status.phase}=Running", "--timeout=0s"}), 0) << cli.err;
  EXPECT_EQ(cli.run(make_wait(), {"pod/a", "--for=jsonpath={.status.phase}=Failed", "--timeout=0s"}), 124);
}

TEST(Get, PrintsATable) {
  CommandRun cli;
  cli.server.put(kPods + "/a", pod("a", "Running"));
  cli.server.put(kPods + "/b", pod("b", "Pending"));
  EXPECT_EQ(cli.run(make_get(), {"pods"}), 0) << cli.err;
  EXPECT_EQ(cli.out, "NAME   PHASE\na      Running\nb      Pending\n");
}

TEST(Get, PrintsSeveralKinds) {
  CommandRun cli;
  cli.server.put(kPods + "/a", pod("a", "Running"));
  cli.server.put(kJobs + "/j", job("j", "Running"));
  EXPECT_EQ(cli.run(make_get(), {"pods,pj", "--no-headers"}), 0) << cli.err;
  EXPECT_EQ(cli.out, "pod/a   Running\n\npytorchtrainingjob.batch.tensorstack.dev/j   Running\n");
}

TEST(Get, PrintsOneObjectInEveryForm) {
  CommandRun cli;
  cli.server.put(kPods + "/a", pod("a", "Running"));
  EXPECT_EQ(cli.run(make_get(), {"pod", "a", "-o", "name"}), 0);
  EXPECT_EQ(cli.run(make_get(), {"pod/a", "-o", "jsonpath={.status.phase}{'\\n'}"}), 0);
  EXPECT_EQ(cli.run(make_get(), {"pods", "-o", "custom-columns=N:.metadata.name,P:.status.phase"}), 0);
  EXPECT_EQ(cli.run(make_get(), {"pods", "-o", "custom-columns=N:.metadata.name", "--no-headers"}), 0);
  EXPECT_EQ(cli.out, "pod/a\nRunning\nN     P\na     Running\na\n");
}

TEST(Get, ListsAsOneYamlDocument) {
  CommandRun cli;
  cli.server.put(kPods + "/a", pod("a", "Running"));
  EXPECT_EQ(cli.run(make_get(), {"pods", "-o", "json"}), 0);
  const auto list = json::parse(cli.out);
  ASSERT_TRUE(list.has_value()) << cli.out;
  EXPECT_EQ(list->string_at("kind"), "List");
  EXPECT_EQ(list->find("items")->as_array()[0].string_at("kind"), "Pod");
}

TEST(Get, TellsWhatIsNotThere) {
  CommandRun cli;
  EXPECT_EQ(cli.run(make_get(), {"pods"}), 0);
  EXPECT_EQ(cli.run(make_get(), {"pod", "a"}), 3);
  EXPECT_EQ(cli.run(make_get(), {"pod", "a", "-o", "yaml"}), 3);
  EXPECT_EQ(cli.run(make_get(), {"pod", "a", "--ignore-not-found"}), 0);
  EXPECT_EQ(cli.out, "");
  EXPECT_EQ(cli.err,
            "No resources found in default namespace.\n"
            "error: pods \"a\" not found\n"
            "error: a not found\n");
}

TEST(Get, FindsAJobByNameWhateverItsKind) {
  const auto get = [](const std::vector<std::string>& words) {
    CommandRun cli;
    cli.server.put("/apis/kubeflow.org/v1/namespaces/default/pytorchjobs/mnist",
                   make_object("kubeflow.org/v1", "PyTorchJob", "mnist"));
    cli.run(make_get(), words);
    return cli.out + cli.err;
  };
  EXPECT_EQ(get({"jobs", "mnist", "-o=name"}), "pytorchjob.kubeflow.org/mnist\n");
  EXPECT_EQ(get({"jobs/mnist", "-o=name"}), "pytorchjob.kubeflow.org/mnist\n");
  EXPECT_EQ(get({"jobs", "other"}), "error: no job \"other\" in namespace default\n  fix: muster get jobs\n");
}

TEST(Get, SuggestsTheKindThatWasMeant) {
  CommandRun cli;
  cli.server.refuse("GET", "/api/v1", 200, *json::parse(R"({"resources":[{"name":"widgets","kind":"Widget"}]})"));
  cli.server.refuse("GET", "/apis", 200, *json::parse(R"({"groups":[]})"));
  EXPECT_EQ(cli.run(make_get(), {"posd"}), 3);
  EXPECT_EQ(cli.err, "error: the server has no resource type \"posd\"; did you mean \"pods\"?\n");
}

TEST(Get, FindsKindsOfTheServer) {
  CommandRun cli;
  cli.server.refuse(
      "GET", "/api/v1", 200,
      *json::parse(R"({"resources":[{"name":"widgets","kind":"Widget","namespaced":true,"shortNames":["wd"]}]})"));
  cli.server.refuse("GET", "/apis", 200, *json::parse(R"({"groups":[]})"));
  cli.server.put("/api/v1/namespaces/default/widgets/w", make_object("v1", "Widget", "w"));
  EXPECT_EQ(cli.run(make_get(), {"wd", "-o", "name"}), 0) << cli.err;
  EXPECT_EQ(cli.out, "widget/w\n");
}

TEST(Get, WatchesUntilInterrupted) {
  CommandRun cli;
  cli.server.put(kPods + "/a", pod("a", "Pending"));
  const int code =
      cli.run(make_get(), {"pods", "-w"},
              {[&] { cli.server.put(kPods + "/a", pod("a", "Running")); }, [&] { cli.server.break_streams(); },
               [&] { cli.server.put(kPods + "/b", pod("b", "Pending")); }});
  EXPECT_EQ(code, kExitInterrupted);
  EXPECT_THAT(cli.out, ::testing::StartsWith("NAME   PHASE\na      Pending\na      Running\n"));
  EXPECT_THAT(cli.out, ::testing::EndsWith("b      Pending\n"));
  EXPECT_EQ(cli.err, "");
}

TEST(Delete, WaitsUntilTheObjectIsGone) {
  CommandRun cli;
  cli.server.put(kPods + "/a", pod("a", "Running"));
  bool asked = false;
  const int code = cli.run(make_delete(), {"pod", "a"}, {[&] {
                             asked = true;
                             cli.server.remove(kPods + "/a");
                           }});
  EXPECT_EQ(code, 0) << cli.err;
  EXPECT_TRUE(asked);
  EXPECT_EQ(cli.out, "pod \"a\" deleted\n");
}

TEST(Delete, DoesNotWaitForAnotherObjectOfTheName) {
  CommandRun cli;
  cli.server.put(kPods + "/a", pod("a", "Running"));
  const int code = cli.run(make_delete(), {"pod", "a"}, {[&] {
                             json::Document next = pod("a", "Pending");
                             next["metadata"]["uid"] = "another";
                             cli.server.put(kPods + "/a", next);
                           }});
  EXPECT_EQ(code, 0) << cli.err;
}

TEST(Delete, SendsItsOptions) {
  CommandRun cli;
  cli.server.put(kPods + "/a", pod("a", "Running"));
  EXPECT_EQ(cli.run(make_delete(), {"pod", "a", "--wait=false", "--cascade=foreground", "--grace-period=5"}), 0);
  const auto body = json::parse(cli.server.bodies.back());
  ASSERT_TRUE(body.has_value());
  EXPECT_EQ(body->string_at("propagationPolicy"), "Foreground");
  EXPECT_EQ(body->int_at("gracePeriodSeconds"), 5);
}

TEST(Delete, GivesUpAfterTheTimeout) {
  CommandRun cli;
  cli.server.put(kPods + "/a", pod("a", "Running"));
  EXPECT_EQ(cli.run(make_delete(), {"pod", "a", "--timeout=20s"}), kExitTimedOut);
  EXPECT_THAT(cli.err, HasSubstr("error: timed out waiting for pod \"a\" to be deleted\n"));
}

TEST(Delete, TakesAllOfSeveralKinds) {
  CommandRun cli;
  cli.server.put(kPods + "/a", pod("a", "Running"));
  cli.server.put(kJobs + "/j", job("j", "Running"));
  EXPECT_EQ(cli.run(make_delete(), {"pj,pods", "--all", "--wait=false"}), 0) << cli.err;
  EXPECT_EQ(cli.out, "pytorchtrainingjob.batch.tensorstack.dev \"j\" deleted\npod \"a\" deleted\n");
}

TEST(Delete, WantsAName) {
  CommandRun cli;
  EXPECT_EQ(cli.run(make_delete(), {"pods"}), 2);
  EXPECT_EQ(cli.run(make_delete(), {"pod", "a"}), 3);
  EXPECT_EQ(cli.run(make_delete(), {"pod", "a", "--ignore-not-found"}), 0);
  EXPECT_EQ(cli.run(make_delete(), {"pod", "a", "--cascade=sometimes"}), 2);
  EXPECT_EQ(cli.err,
            "error: no name after \"pods\"\n  fix: give a name, -l SELECTOR or --all\n"
            "error: a not found\n"
            "error: --cascade: must be background, foreground or orphan, got \"sometimes\"\n");
}

TEST(Wait, TellsHowAJobEnded) {
  CommandRun cli;
  cli.server.put(kJobs + "/j", job("j", "Running"));
  EXPECT_EQ(cli.run(make_wait(), {"pj/j"}, {[&] { cli.server.put(kJobs + "/j", job("j", "Succeeded")); }}), 0)
      << cli.err;
  EXPECT_EQ(cli.out, "pytorchtrainingjob.batch.tensorstack.dev/j succeeded\n");
  json::Document failed = job("j", "Failed");
  failed["status"]["conditions"] =
      *json::parse(R"([{"type":"Failed","status":"True","message":"worker-0: exit code 3"}])");
  cli.server.put(kJobs + "/j", failed);
  EXPECT_EQ(cli.run(make_wait(), {"pj/j"}), 1);
  EXPECT_EQ(cli.err,
            "waiting for pj/j: Running\n"
            "error: pytorchtrainingjob.batch.tensorstack.dev/j failed\n"
            "  why: worker-0: exit code 3\n"
            "  fix: muster logs pj/j\n");
}

TEST(Wait, HasATimeoutOfItsOwn) {
  CommandRun cli;
  cli.server.put(kJobs + "/j", job("j", "Running"));
  EXPECT_EQ(cli.run(make_wait(), {"pj/j", "--timeout=20s"}), kExitTimedOut);
  EXPECT_THAT(cli.err, HasSubstr("error: timed out waiting for the end on "));
  EXPECT_THAT(cli.err, HasSubstr("  why: it is Running\n"));
}

TEST(Wait, ForAConditionADeletionAndWhatIsMissing) {
  CommandRun cli;
  cli.server.put(kPods + "/a", pod("a", "Pending"));
  EXPECT_EQ(cli.run(make_wait(), {"--for=jsonpath={.status.phase}=Running", "pod/a"},
                    {[&] { cli.server.put(kPods + "/a", pod("a", "Running")); }}),
            0);
  EXPECT_EQ(cli.run(make_wait(), {"--for=delete", "pod/a"}, {[&] { cli.server.remove(kPods + "/a"); }}), 0);
  EXPECT_EQ(cli.run(make_wait(), {"--for=condition=Ready", "pod/a"}), 3);
  EXPECT_EQ(cli.out, "pod/a condition met\npod/a deleted\n");
  EXPECT_EQ(cli.err, "waiting for pod/a: Pending\nwaiting for pod/a: Running\nerror: pod/a not found\n");
}

json::Document waiting_worker(const std::string& owner, const std::string& why) {
  json::Document out = pod("j-worker-0", "Pending");
  out["metadata"]["labels"] = json::Object{{"tensorstack.dev/owner-name", owner}};
  out["metadata"]["ownerReferences"] = json::Array{json::Object{{"uid", "uid-" + owner}, {"controller", true}}};
  out["status"]["conditions"] =
      json::Array{json::Object{{"type", "PodScheduled"}, {"status", "False"}, {"message", why}}};
  return out;
}

json::Document pending_job(const std::string& name) {
  json::Document out = job(name, "Pending");
  out["status"]["conditions"] =
      json::Array{json::Object{{"type", "Initialized"}, {"status", "True"}, {"message", "the job is initialised"}}};
  return out;
}

TEST(Describe, LeadsWithTheCause) {
  CommandRun cli;
  cli.server.put(kJobs + "/j", pending_job("j"));
  EXPECT_EQ(cli.run(make_describe(), {"pj", "j"}), 0) << cli.err;
  EXPECT_THAT(cli.out, Not(HasSubstr("Message:")));
  cli.out.clear();
  cli.server.put(kPods + "/j-worker-0", waiting_worker("j", "needs 4 nvidia.com/gpu, there is none"));
  EXPECT_EQ(cli.run(make_describe(), {"pj", "j"}), 0) << cli.err;
  EXPECT_THAT(cli.out, HasSubstr("Phase:        Pending\nMessage:      needs 4 nvidia.com/gpu, there is none\n"));
}

TEST(Describe, ShowsNoConditionThatIsNotForPeople) {
  CommandRun cli;
  json::Document kept = pending_job("j");
  kept["status"]["conditions"].as_array().push_back(json::Object{{"type", "MusterState"}, {"status", "True"}});
  cli.server.put(kJobs + "/j", kept);
  EXPECT_EQ(cli.run(make_describe(), {"pj", "j"}), 0) << cli.err;
  EXPECT_THAT(cli.out, HasSubstr("Initialized"));
  EXPECT_THAT(cli.out, Not(HasSubstr("MusterState")));
}

TEST(Describe, TellsTheCauseOnceAndShowsTheLastLinesAsLines) {
  CommandRun cli;
  const std::string cause = "replica worker-0 ended with exit code 1: ValueError: bad shape";
  json::Document failed = job("j", "Failed");
  const json::Object condition{{"type", "Failed"}, {"status", "True"}, {"reason", "Failed"}, {"message", cause}};
  failed["status"]["conditions"] = json::Array{condition};
  cli.server.put(kJobs + "/j", failed);
  for (const std::string name : {"j-worker-0", "j-worker-1"}) {
    json::Document worker = waiting_worker("j", "");
    worker["metadata"]["name"] = name;
    worker["status"] =
        *json::parse(R"({"phase":"Failed","containerStatuses":[{"name":"c","state":{"terminated":{"exitCode":1,
          "message":"Traceback:\n  line 3\nValueError: bad shape\n"}}}]})");
    cli.server.put(kPods + "/" + name, worker);
  }
  json::Document event = make_object("v1", "Event", "e");
  event["message"] = cause;
  cli.server.put("/api/v1/namespaces/default/events/e", event);
  EXPECT_EQ(cli.run(make_describe(), {"pj", "j"}), 0) << cli.err;
  EXPECT_THAT(cli.out, HasSubstr("Phase:        Failed\nMessage:      " + cause + "\nLabels:"));
  EXPECT_EQ(cli.out.find(cause), cli.out.rfind(cause)) << cli.out;
  EXPECT_THAT(cli.out, HasSubstr("(as above)\nReplicas:"));
  EXPECT_THAT(cli.out, HasSubstr("Last lines of worker-0, worker-1:\n"
                                 "  Traceback:\n"
                                 "    line 3\n"
                                 "  ValueError: bad shape\n"));
  EXPECT_EQ(cli.out.find("\\n"), std::string::npos) << cli.out;
}

TEST(Describe, EventsOfOneSecondAreInTheOrderOfTheirWrites) {
  CommandRun cli;
  cli.server.put(kJobs + "/j", job("j", "Running"));
  const auto put = [&](const std::string& name, const std::string& reason) {
    json::Document event = make_object("v1", "Event", name);
    event["reason"] = reason;
    event["lastTimestamp"] = "2026-01-01T00:00:00Z";
    cli.server.put("/api/v1/namespaces/default/events/" + name, event);
  };
  put("z", "Started");
  put("a", "Ended");
  EXPECT_EQ(cli.run(make_describe(), {"pj", "j"}), 0) << cli.err;
  EXPECT_LT(cli.out.find("Started"), cli.out.find("Ended"));
}

TEST(Describe, FitsOntoTheTerminal) {
  CommandRun cli;
  cli.terminal = true;
  cli.width = 60;
  cli.server.put(kJobs + "/j", pending_job("j"));
  cli.server.put(kPods + "/j-worker-0",
                 waiting_worker("j", "needs 4 nvidia.com/gpu, there are 2 in all, held by default/another-job"));
  EXPECT_EQ(cli.run(make_describe(), {"pj", "j"}), 0) << cli.err;
  EXPECT_THAT(cli.out, HasSubstr("Message:      needs 4 nvidia.com/gpu, there are 2 in all,\n"
                                 "              held by default/another-job\n"));
  EXPECT_THAT(cli.out, HasSubstr("the job is\n"));  // the last column continues below
}

TEST(Wait, SaysWhatItWaitsForAndWhenThatChanges) {
  CommandRun cli;
  cli.server.put(kJobs + "/j", pending_job("j"));
  const int code = cli.run(make_wait(), {"pj/j"},
                           {[&] { cli.server.put(kPods + "/j-worker-0", waiting_worker("j", "needs 4 GPUs")); },
                            [&] { cli.server.put(kJobs + "/j", job("j", "Running")); },
                            [&] { cli.server.put(kJobs + "/j", job("j", "Succeeded")); }});
  EXPECT_EQ(code, 0);
  EXPECT_EQ(cli.err,
            "waiting for pj/j: Pending\n"
            "waiting for pj/j: Pending, needs 4 GPUs\n"
            "waiting for pj/j: Running\n");
}

TEST(Logs, SayWhatTheyWaitForUntilTheJobRuns) {
  CommandRun cli;
  cli.server.put(kJobs + "/j", pending_job("j"));
  cli.server.put(kPods + "/j-worker-0", waiting_worker("j", "needs 4 GPUs"));
  const int code = cli.run(make_logs(), {"-f", "pj/j"},
                           {[&] { cli.server.put(kJobs + "/j", job("j", "Running")); },
                            [&] { cli.server.put(kJobs + "/j", job("j", "Succeeded")); }});
  EXPECT_EQ(code, 0);
  EXPECT_EQ(cli.err,
            "waiting for pj/j: Pending, needs 4 GPUs\n"
            "Succeeded\n"
            "next: muster logs j, muster describe j, muster rerun j\n");
}

TEST(Describe, ShowsReplicasAndEvents) {
  CommandRun cli;
  cli.server.put(kJobs + "/j", job("j", "Running"));
  json::Document worker = pod("j-worker-0", "Running");
  worker["metadata"]["labels"] = json::Object{{"tensorstack.dev/owner-name", "j"}};
  worker["metadata"]["ownerReferences"] = json::Array{json::Object{{"uid", "uid-j"}, {"controller", true}}};
  cli.server.put(kPods + "/j-worker-0", worker);
  json::Document event = make_object("v1", "Event", "e");
  event["reason"] = "Created";
  event["message"] = "2 pods";
  event["lastTimestamp"] = "2026-01-01T00:00:00Z";
  cli.server.put("/api/v1/namespaces/default/events/e", event);
  EXPECT_EQ(cli.run(make_describe(), {"pj", "j"}), 0) << cli.err;
  EXPECT_THAT(cli.out, HasSubstr("Name:         j\n"));
  EXPECT_THAT(cli.out, HasSubstr("Phase:        Running\n"));
  EXPECT_THAT(cli.out, HasSubstr("  worker-0   j-worker-0   Running"));
  EXPECT_THAT(cli.out, HasSubstr("Created"));
  EXPECT_THAT(cli.out, HasSubstr("2 pods"));
}

}  // namespace
}  // namespace muster::cli
