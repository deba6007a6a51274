// The tables compared with what Arena's own tutorial prints, to the letter but for trailing blanks.
#include "arena/output/tables.h"

#include <gmock/gmock.h>

#include "arena/output/aligned.h"
#include "arena/output/cron_tables.h"
#include "json/yaml.h"

namespace muster::arena {
namespace {

using namespace std::chrono_literals;

constexpr Time kNow = Time(std::chrono::seconds(1'800'000'000));

Viewer classic() {
  return {
      .layout = Layout::kClassic, .now = kNow, .local_time = [](Time) { return std::string("2026-07-29 10:00:00"); }};
}
Viewer modern() {
  Viewer out = classic();
  out.layout = Layout::kModern;
  return out;
}

Job finished(const char* type, const char* name, Duration age, std::int64_t gpus) {
  return {.type = find_type(type),
          .name = name,
          .ns = "default",
          .status = "SUCCEEDED",
          .priority = "N/A",
          .created = kNow - age,
          .started = kNow - age,
          .ended = kNow - age + 3min,
          .requested_gpus = gpus};
}

Job running() {
  Job job{.type = find_type("pytorchjob"),
          .name = "pytorch-dist",
          .ns = "default",
          .status = "RUNNING",
          .priority = "N/A",
          .created = kNow - 57s,
          .started = kNow - 57s,
          .requested_gpus = 3};
  for (const auto& [name, ip] : {std::pair("pytorch-dist-master-0", "192.168.0.33"),
                                 {"pytorch-dist-worker-0", "192.168.0.31"},
                                 {"pytorch-dist-worker-1", "192.168.0.31"}}) {
    job.instances.push_back({.name = name,
                             .phase = "Running",
                             .state = "Running",
                             .node = "node-a",
                             .node_ip = ip,
                             .created = kNow - 57s,
                             .requested_gpus = 1,
                             .holds_gpus = true});
  }
  job.instances.front().is_chief = true;
  return job;
}

std::vector<Job> tutorial_jobs() {
  return {running(), finished("pytorchjob", "pytorch-git", 46min, 1), finished("tfjob", "tf-dist", 14h, 2),
          finished("tfjob", "tf-git", 17h, 1)};
}

TEST(Tables, ListIsTheTutorials) {
  EXPECT_EQ(list_text(tutorial_jobs(), classic()),
            "NAME          STATUS     TRAINER     AGE  NODE\n"
            "pytorch-dist  RUNNING    PYTORCHJOB  57s  192.168.0.33\n"
            "pytorch-git   SUCCEEDED  PYTORCHJOB  46m  N/A\n"
            "tf-dist       SUCCEEDED  TFJOB       14h  N/A\n"
            "tf-git        SUCCEEDED  TFJOB       17h  N/A\n");
}

TEST(Tables, ListWideIsThatOfToday) {
  EXPECT_EQ(list_text(tutorial_jobs(), modern()),
            "NAME          STATUS     TRAINER     DURATION  GPU(Requested)  GPU(Allocated)  NODE\n"
            "pytorch-dist  RUNNING    PYTORCHJOB  57s       3               3               192.168.0.33\n"
            "pytorch-git   SUCCEEDED  PYTORCHJOB  3m        1               N/A             N/A\n"
            "tf-dist       SUCCEEDED  TFJOB       3m        2               N/A             N/A\n"
            "tf-git        SUCCEEDED  TFJOB       3m        1               N/A             N/A\n");
}

TEST(Tables, AnEmptyListHasAHeader) {
  EXPECT_EQ(list_text({}, classic()), "NAME  STATUS  TRAINER  AGE  NODE\n");
}

TEST(Tables, TopJobIsTheTutorials) {
  std::vector<Job> jobs = tutorial_jobs();
  std::swap(jobs[1], jobs[3]);  // jobs with as many GPUs stay in the order in which they were listed
  EXPECT_EQ(top_jobs_text(jobs, classic()),
            "NAME          GPU(Requests)  GPU(Allocated)  STATUS     TRAINER     AGE  NODE\n"
            "pytorch-dist  3              3               RUNNING    pytorchjob  57s  192.168.0.33\n"
            "tf-dist       2              0               SUCCEEDED  tfjob       14h  N/A\n"
            "tf-git        1              0               SUCCEEDED  tfjob       17h  N/A\n"
            "pytorch-git   1              0               SUCCEEDED  pytorchjob  46m  N/A\n"
            "\n"
            "\n"
            "Total Allocated GPUs of Training Job:\n"
            "3\n"
            "\n"
            "Total Requested GPUs of Training Job:\n"
            "7\n");
}

TEST(Tables, TopJobWideCountsRunningJobsOnly) {
  EXPECT_THAT(top_jobs_text(tutorial_jobs(), modern()),
              ::testing::EndsWith("\n\nTotal Allocated/Requested GPUs of Training Jobs: 3/3\n"));
}

TEST(Tables, GetIsTheTutorials) {
  EXPECT_EQ(job_text(running(), {.tensorboard = "http://192.168.0.33:30131"}, classic()),
            "STATUS: RUNNING\n"
            "NAMESPACE: default\n"
            "PRIORITY: N/A\n"
            "TRAINING DURATION: 57s\n"
            "\n"
            "NAME          STATUS   TRAINER     AGE  INSTANCE               NODE\n"
            "pytorch-dist  RUNNING  PYTORCHJOB  57s  pytorch-dist-master-0  192.168.0.33\n"
            "pytorch-dist  RUNNING  PYTORCHJOB  57s  pytorch-dist-worker-0  192.168.0.31\n"
            "pytorch-dist  RUNNING  PYTORCHJOB  57s  pytorch-dist-worker-1  192.168.0.31\n"
            "\n"
            "Your tensorboard will be available on:\n"
            "http://192.168.0.33:30131\n");
}

TEST(Tables, GetWideIsThatOfToday) {
  EXPECT_EQ(job_text(running(), {.tensorboard = "http://192.168.0.33:30131"}, modern()),
            "Name:        pytorch-dist\n"
            "Status:      RUNNING\n"
            "Namespace:   default\n"
            "Priority:    N/A\n"
            "Trainer:     PYTORCHJOB\n"
            "Duration:    57s\n"
            "CreateTime:  2026-07-29 10:00:00\n"
            "EndTime:\n"
            "\n"
            "Instances:\n"
            "  NAME                   STATUS   AGE  IS_CHIEF  GPU(Requested)  NODE\n"
            "  ----                   ------   ---  --------  --------------  ----\n"
            "  pytorch-dist-master-0  Running  57s  true      1               node-a\n"
            "  pytorch-dist-worker-0  Running  57s  false     1               node-a\n"
            "  pytorch-dist-worker-1  Running  57s  false     1               node-a\n"
            "\n"
            "Tensorboard:\n"
            "  Your tensorboard will be available on:\n"
            "  http://192.168.0.33:30131\n");
}

NodeUse node(const char* name, std::vector<std::string> roles, std::int64_t gpus, std::int64_t held) {
  NodeUse out{.name = name, .ip = "192.168.0.1", .roles = std::move(roles), .is_ready = true, .total_gpus = gpus};
  if (held > 0) out.pods.push_back({.ns = "default", .name = "p", .state = "Running", .gpus = held});
  return out;
}

TEST(Tables, TopNodeIsTheTutorials) {
  EXPECT_EQ(top_nodes_text({node("cn-huhehaote.1", {"master"}, 0, 0), node("cn-huhehaote.2", {}, 2, 2),
                            node("cn-huhehaote.3", {}, 2, 0), node("cn-huhehaote.4", {}, 2, 1)},
                           true, classic()),
            "NAME            IPADDRESS    ROLE    STATUS  GPU(Total)  GPU(Allocated)\n"
            "cn-huhehaote.1  192.168.0.1  master  ready   0           0\n"
            "cn-huhehaote.2  192.168.0.1  <none>  ready   2           2\n"
            "cn-huhehaote.3  192.168.0.1  <none>  ready   2           0\n"
            "cn-huhehaote.4  192.168.0.1  <none>  ready   2           1\n"
            "-----------------------------------------------------------------------------------------\n"
            "Allocated/Total GPUs In Cluster:\n"
            "3/6 (50%)\n");
}

TEST(Tables, ANodeWithGpusShowsItsRoles) {
  const std::vector<NodeUse> nodes{node("n", {"gpu", "master"}, 2, 0), node("m", {}, 0, 0)};
  for (const Viewer& viewer : {classic(), modern()}) {
    EXPECT_THAT(top_nodes_text(nodes, true, viewer),
                ::testing::ContainsRegex("\nn +192.168.0.1 +gpu,master +[rR]eady"));
  }
  EXPECT_EQ(nodes_json(nodes).array_at("gpuExclusiveNodes")[0].string_at("role"), "gpu,master");
}

TEST(Tables, AnInstanceHasItsOwnAge) {
  Job job = running();
  job.instances[2].created = kNow - 5s;  // replaced
  EXPECT_THAT(job_text(job, {}, classic()), ::testing::ContainsRegex(" 57s +pytorch-dist-worker-0 "));
  EXPECT_THAT(job_text(job, {}, classic()), ::testing::ContainsRegex(" 5s +pytorch-dist-worker-1 "));
  EXPECT_THAT(job_text(job, {}, modern()), ::testing::ContainsRegex("pytorch-dist-worker-1 +Running +5s "));
}

TEST(Tables, JsonHasArenasKeys) {
  const auto keys = [](const json::Document& object) {
    std::string out;
    for (const json::Member& member : object.as_object()) out += member.key + " ";
    return out;
  };
  const json::Document job = job_json(running(), "http://h:1", kNow);
  EXPECT_EQ(keys(job),
            "uuid name namespace duration status trainer tensorboard chiefName instances priority requestGPUs "
            "allocatedGPUs creationTimestamp modelName modelVersion modelSource ");
  EXPECT_EQ(keys(job.array_at("instances")[0]),
            "ip status name age node nodeIP chief requestGPUs gpuMetrics creationTimestamp ");
  EXPECT_EQ(job.string_at("duration"), "57s");
  EXPECT_THAT(json_text(job), ::testing::StartsWith("{\n    \"uuid\": \"\",\n"));
  EXPECT_THAT(json_text(job), ::testing::EndsWith("\n}"));
}

TEST(Tables, DataListShowsBoundClaimsOnly) {
  const auto claim = [](const char* name, const char* phase) {
    return json::Document(
        json::Object{{"metadata", json::Object{{"name", name}, {"creationTimestamp", format_rfc3339(kNow - 35min)}}},
                     {"spec", json::Object{{"accessModes", json::Array{"ReadWriteMany"}}}},
                     {"status", json::Object{{"phase", phase}}}});
  };
  EXPECT_EQ(data_text({claim("training-data", "Bound"), claim("waiting", "Pending")}, classic()),
            "NAME           ACCESSMODE     DESCRIPTION  OWNER  AGE\n"
            "training-data  ReadWriteMany                      35m\n");
}

TEST(Tables, WidthsCountWideCharactersTwice) {
  EXPECT_EQ(aligned({{"NAME", "X"}, {"训练", "1"}, {"a", "2"}}), "NAME  X\n训练  1\na     2\n");
}

TEST(Tables, ACellIsOneLine) {
  EXPECT_EQ(aligned({{"a\nb", "\x1b[2J"}}), "a\\nb  \\x1b[2J\n");
}

TEST(ShortDuration, CutsToWholeUnits) {
  for (const auto& [seconds, text] : {std::pair(-5, "<invalid>"),
                                      {-1, "0s"},
                                      {0, "0s"},
                                      {59, "59s"},
                                      {119, "1m"},
                                      {3599, "59m"},
                                      {86399, "23h"},
                                      {86400, "1d"},
                                      {365 * 86400, "1y"}}) {
    EXPECT_EQ(short_duration(seconds), text) << seconds;
  }
}

json::Document nightly() {
  return json::parse_yaml(R"(
metadata: {name: nightly, namespace: team, uid: u-1, creationTimestamp: "2026-01-01T00:00:00Z"}
spec:
  schedule: "0 9 * * 1-5"
  concurrencyPolicy: Forbid
  suspend: true
  historyLimit: 3
  deadline: "2026-12-31T00:00:00Z"
  template: {apiVersion: kubeflow.org/v1, kind: TFJob}
status:
  lastScheduleTime: "2026-01-02T09:00:00Z"
  history:
  - object: {apiGroup: kubeflow.org, kind: TFJob, name: nightly-1767258000}
    status: Succeeded
    created: "2026-01-01T09:00:00Z"
    finished: "2026-01-01T09:10:00Z"
  - object: {apiGroup: kubeflow.org, kind: TFJob, name: nightly-1767344400}
    status: Running
    created: "2026-01-02T09:00:00Z"
)")
      ->front()
      .value;
}

TEST(CronTables, ListHasARowPerCron) {
  json::Document other = nightly();
  other["metadata"]["name"] = "b";
  other["spec"].as_object().erase("deadline");
  other["spec"]["suspend"] = false;
  EXPECT_EQ(cron_list_text({nightly(), other}, false),
            "NAME     TYPE   SCHEDULE     SUSPEND  DEADLINE              CONCURRENCYPOLICY\n"
            "nightly  TFJob  0 9 * * 1-5  true     2026-12-31T00:00:00Z  Forbid\n"
            "b        TFJob  0 9 * * 1-5  false                          Forbid\n");
  EXPECT_EQ(cron_list_text({}, true), "NAMESPACE  NAME  TYPE  SCHEDULE  SUSPEND  DEADLINE  CONCURRENCYPOLICY\n");
}

TEST(CronTables, GetShowsTheHistory) {
  EXPECT_EQ(cron_text(nightly()),
            "Name:               nightly\n"
            "Namespace:          team\n"
            "Type:               TFJob\n"
            "Schedule:           0 9 * * 1-5\n"
            "Suspend:            true\n"
            "ConcurrencyPolicy:  Forbid\n"
            "CreationTimestamp:  2026-01-01T00:00:00Z\n"
            "LastScheduleTime:   2026-01-02T09:00:00Z\n"
            "Deadline:           2026-12-31T00:00:00Z\n"
            "\n"
            "History:\n"
            "NAME                STATUS     TYPE   CREATETIME            FINISHTIME\n"
            "----                ------     ----   ----------            ----------\n"
            "nightly-1767258000  Succeeded  TFJob  2026-01-01T09:00:00Z  2026-01-01T09:10:00Z\n"
            "nightly-1767344400  Running    TFJob  2026-01-02T09:00:00Z\n");
}

TEST(CronTables, JsonHasArenasKeys) {
  const json::Document shown = cron_json(nightly());
  EXPECT_EQ(json::serialize(shown),
            R"({"uuid":"u-1","name":"nightly","namespace":"team","type":"TFJob","schedule":"0 9 * * 1-5",)"
            R"("concurrencyPolicy":"Forbid","suspend":true,"deadline":"2026-12-31T00:00:00Z","historyLimit":3,)"
            R"("lastScheduleTime":"2026-01-02T09:00:00Z","creationTimestamp":"2026-01-01T00:00:00Z","cronHistory":[)"
            R"({"name":"nightly-1767258000","namespace":"team","group":"kubeflow.org","kind":"TFJob",)"
            R"("status":"Succeeded","createTime":"2026-01-01T09:00:00Z","finishTime":"2026-01-01T09:10:00Z"},)"
            R"({"name":"nightly-1767344400","namespace":"team","group":"kubeflow.org","kind":"TFJob",)"
            R"("status":"Running","createTime":"2026-01-02T09:00:00Z","finishTime":""}]})");
}

}  // namespace
}  // namespace muster::arena
