// Tests of the agent with a real API server, a real shim and real processes.
#include "agent/agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>

#include "agent/disk/tree_size.h"
#include "agent/document_for_tests.h"
#include "agent/pod/record.h"
#include "agent/pod/stop_pods.h"
#include "base/files.h"
#include "testing/engine.h"

namespace muster::agent {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class AgentTest : public ::testing::Test {
 protected:
  AgentTest() {
    char name[] = "/tmp/muster-agent-XXXXXX";
    folder_ = ::mkdtemp(name);
    std::filesystem::create_directory(shared());
    std::filesystem::permissions(shared(), std::filesystem::perms(0777));
    engine_ = std::make_unique<testing::Engine>(folder_);
    start_agent();
  }
  ~AgentTest() override {
    for (const json::Document& pod : engine_->list("pods", "default")) {
      (void)engine_->remove("pods", "default", pod.string_at("metadata", "name")).has_value();
    }
    EXPECT_TRUE(eventually([this] { return agent_ == nullptr || shims_gone(); })) << "a shim was left behind";
    agent_.reset();
    engine_.reset();
    std::filesystem::remove_all(folder_);
  }

  void start_agent() {
    Options options;
    options.directory = folder_ + "/data";
    options.host_paths = {shared()};
    options.node_name = "here";
    options.first_restart_delay = first_restart_delay_;
    options.disk.look = [this](const std::string&) { return look_at_disk(); };
    agent_ = std::make_unique<Agent>(engine_->loop(), engine_->rng(), engine_->client(), options);
    engine_->server().set_node(agent_.get());
    const auto started = agent_->start();
    ASSERT_TRUE(started) << started.error().message;
  }
  /// Destroys the agent, as when the server exits; its pods continue to run.
  void stop_agent() {
    engine_->server().set_node(nullptr);
    agent_.reset();
  }
  bool shims_gone() const {
    std::error_code error;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ + "/data/pods", error)) {
      if (entry.path().filename() != "shim.json") continue;
      const auto text = read_file(entry.path().string());
      const auto identity = text ? parse_identity(*text) : Result<ShimIdentity>(text.error());
      if (!identity) continue;
      // The shim of a destroyed agent is still a child of this process, and a zombie until it is waited for.
      const auto shim = linux_os::open_exactly(identity->process);
      if (shim && !linux_os::has_ended(*shim)) return false;
    }
    return true;
  }

  json::Document create_pod(const std::string& name, const std::string& script, const std::string& more_spec = "",
                            const std::string& more_metadata = "", const std::string& more_container = "") {
    json::Document pod = doc(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name + "\"" + more_metadata +
                             R"(},"spec":{"nodeName":"here","terminationGracePeriodSeconds":30,"restartPolicy":")" +
                             restart_policy_ + "\"," + more_spec + R"("containers":[{"name":"main","image":"x",)" +
                             more_container + R"("command":["sh","-c"]}]}})");
    json::Document& container = pod["spec"]["containers"].as_array()[0];
    container["command"].as_array().push_back(script);
    if (!more_spec.empty()) container["volumeMounts"] = doc(R"([{"name":"v","mountPath":"/v"}])");
    auto made = engine_->create("pods", "default", pod);
    EXPECT_TRUE(made) << made.error().message;
    return made ? *std::move(made) : json::Document();
  }
  json::Document pod(const std::string& name) {
    return engine_->get("pods", "default", name).value_or(json::Document());
  }
  std::string phase(const std::string& name) { return pod(name).string_at("status", "phase"); }
  /// Polls the condition; each request in between runs the loop.
  bool eventually(const std::function<bool()>& condition) {
    const MonoTime end = engine_->loop().mono() + std::chrono::minutes(1);
    while (engine_->loop().mono() < end) {
      if (condition()) return true;
      (void)engine_->list("namespaces", "");
    }
    return false;
  }
  bool wait_phase(const std::string& name, const std::string& wanted) {
    std::string now;
    const bool ended = eventually([&] {
      now = phase(name);
      return now == wanted || now == "Failed" || now == "Succeeded";
    });
    if (ended && now == wanted) return true;
    ADD_FAILURE() << "phase is " << phase(name) << ": " << json::serialize(pod(name));
    return false;
  }
  json::Document main_state(const std::string& name) {
    const json::Document p = pod(name);
    const json::Document* list = p.at("status", "containerStatuses");
    const json::Document* state = list != nullptr ? list->as_array()[0].find("state") : nullptr;
    return state != nullptr ? *state : json::Document(json::Object{});
  }
  std::vector<std::string> events() {
    std::vector<std::string> found;
    for (const json::Document& event : engine_->list("events", "default")) {
      found.push_back(event.string_at("reason") + ": " + event.string_at("message"));
    }
    return found;
  }
  std::string read_log(const std::string& name, bool follow = false, const std::string& uid = "",
                       const std::string& container = "main") {
    node::LogRequest request;
    request.ns = "default";
    request.pod = name;
    request.pod_uid = uid.empty() ? pod(name).string_at("metadata", "uid") : uid;
    request.container = container;
    request.follow = follow;
    std::string text;
    bool ended = false;
    auto stream = agent_->read_log(
        request, [&text](std::string_view more) { text.append(more); }, [&ended](const Status&) { ended = true; });
    if (!stream) return "error: " + stream.error().message;
    EXPECT_TRUE(engine_->run_until([&ended] { return ended; }));
    return text;
  }
  /// Returns what the log file contains now, without waiting.
  std::string read_log_so_far(const std::string& uid) const {
    const std::string text = read_file(folder_ + "/data/pods/" + uid + "/logs/main/0.0.log").value_or("");
    const auto kind = text.find(" F ");
    return kind == std::string::npos ? "" : text.substr(kind + 3);
  }
  /// A disk of 100 MiB, as far as the agent can tell.
  DiskSpace look_at_disk() const {
    constexpr std::int64_t kSize = std::int64_t{100} << 20;
    return {.bytes = kSize, .free_bytes = kSize - measure_tree(folder_ + "/data", {}).bytes - others_bytes_};
  }
  std::string disk_pressure() {
    const json::Document node = engine_->get("nodes", "", "here").value_or(json::Document());
    for (const json::Document& found : node.array_at("status", "conditions"))
      if (found.string_at("type") == "DiskPressure")
        return found.string_at("status") + " " + found.string_at("message");
    return "";
  }
  std::string host_volume() { return R"("volumes":[{"name":"v","hostPath":{"path":")" + shared() + R"("}}],)"; }
  /// A folder of the host that pods may mount and write to.
  std::string shared() const { return folder_ + "/shared"; }

  std::atomic<std::int64_t> others_bytes_ = 0;  // on the disk, of programs that are not pods
  std::string restart_policy_ = "Never";
  Duration first_restart_delay_ = Duration(0);
  std::string folder_;
  std::unique_ptr<testing::Engine> engine_;
  std::unique_ptr<Agent> agent_;
};

TEST_F(AgentTest, RunsAPodToItsEnd) {
  create_pod("hello", "echo hello from $HOSTNAME; hostname -I >/dev/null; getent hosts hello");
  ASSERT_TRUE(wait_phase("hello", "Succeeded"));
  const json::Document done = pod("hello");
  EXPECT_EQ(main_state("hello").string_at("terminated", "reason"), "Completed");
  const std::string address = done.string_at("status", "podIP");
  EXPECT_TRUE(address.starts_with("127."));
  const std::string log = read_log("hello");
  EXPECT_THAT(log, HasSubstr("hello from hello\n"));
  EXPECT_THAT(log, HasSubstr(address));
  EXPECT_THAT(events(), Contains("Started: Started container main"));
  EXPECT_THAT(events(), Contains(HasSubstr("Environment: image \"x\": the host's environment")));
}

TEST_F(AgentTest, RegistersItsNode) {
  ASSERT_TRUE(eventually([this] { return !engine_->list("nodes", "").empty(); }));
  const auto node = engine_->get("nodes", "", "here");
  ASSERT_TRUE(node);
  EXPECT_EQ(node->string_at("metadata", "labels", "kubernetes.io/hostname"), "here");
}

TEST_F(AgentTest, AFailureIsExact) {
  create_pod("bad", "echo oh no >&2; exit 3");
  ASSERT_TRUE(wait_phase("bad", "Failed"));
  EXPECT_EQ(main_state("bad").int_at("terminated", "exitCode"), 3);
  EXPECT_EQ(main_state("bad").string_at("terminated", "reason"), "Error");
  EXPECT_EQ(read_log("bad"), "oh no\n");
}

TEST_F(AgentTest, AMissingClaimIsWaitedFor) {
  create_pod("waits", "echo data > /v/file",
             R"("volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"tutorial"}}],)");
  ASSERT_TRUE(eventually([this] { return !engine_->list("events", "default").empty(); }));
  EXPECT_THAT(events(), Contains("FailedMount: persistentvolumeclaim \"tutorial\" not found"));
  EXPECT_EQ(phase("waits"), "Pending");
  const auto claim =
      engine_->create("persistentvolumeclaims", "default", doc(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim",
      "metadata":{"name":"tutorial"},"spec":{"accessModes":["ReadWriteMany"],"resources":{"requests":{"storage":"1Gi"}}}})"));
  ASSERT_TRUE(claim) << claim.error().message;
  ASSERT_TRUE(wait_phase("waits", "Succeeded"));
  EXPECT_EQ(read_file(folder_ + "/data/volumes/default/tutorial/file").value_or(""), "data\n");
  EXPECT_EQ(engine_->get("persistentvolumeclaims", "default", "tutorial")->string_at("status", "phase"), "Bound");
}

TEST_F(AgentTest, AGangStartsTogetherAndItsPodsFindEachOther) {
  const std::string gang =
      R"(,"labels":{"scheduler.tensorstack.dev/group-name":"g"},"annotations":{"muster.dev/gang-size":"2"})";
  const std::string script = "getent hosts one two | wc -l";
  create_pod("one", script, "", gang);
  ASSERT_TRUE(eventually([this] { return !pod("one").string_at("status", "podIP").empty(); }));
  EXPECT_EQ(phase("one"), "Pending");
  create_pod("two", script, "", gang);
  ASSERT_TRUE(wait_phase("one", "Succeeded"));
  ASSERT_TRUE(wait_phase("two", "Succeeded"));
  EXPECT_EQ(read_log("one"), "2\n");
  EXPECT_EQ(read_log("two"), "2\n");
}

TEST_F(AgentTest, DeleteStopsThePodAndThenItIsGone) {
  create_pod("long", "trap 'echo stopped; exit 0' TERM; echo up; while :; do sleep 0.01; done");
  ASSERT_TRUE(wait_phase("long", "Running"));
  const std::string uid = pod("long").string_at("metadata", "uid");
  ASSERT_TRUE(eventually([&] { return read_log_so_far(uid) == "up\n"; }));
  ASSERT_TRUE(engine_->remove("pods", "default", "long"));
  ASSERT_TRUE(eventually([this] { return engine_->list("pods", "default").empty(); }));
  EXPECT_TRUE(shims_gone());
  EXPECT_EQ(read_log("long", false, uid), "up\nstopped\n") << "logs outlive their pod";
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/data/pods/" + uid + "/0/scratch"));
}

TEST_F(AgentTest, ARestartOfTheServerHarmsNothing) {
  ASSERT_EQ(::mkfifo((shared() + "/end").c_str(), 0666), 0);
  create_pod("survivor", "echo $$ before; read line < /v/end; echo after; exit 4", host_volume());
  ASSERT_TRUE(wait_phase("survivor", "Running"));
  stop_agent();
  start_agent();
  ASSERT_TRUE(wait_phase("survivor", "Running"));
  std::ofstream(shared() + "/end") << "end\n";
  ASSERT_TRUE(wait_phase("survivor", "Failed"));
  EXPECT_EQ(main_state("survivor").int_at("terminated", "exitCode"), 4);
  EXPECT_THAT(read_log("survivor"), HasSubstr("after\n"));
  const json::Document p = pod("survivor");
  EXPECT_EQ(p.at("status", "containerStatuses")->as_array()[0].int_at("restartCount"), 0);
}

TEST_F(AgentTest, AnEndWhileTheServerWasDownIsToldExactly) {
  ASSERT_EQ(::mkfifo((shared() + "/end").c_str(), 0666), 0);
  create_pod("quiet", "read line < /v/end; kill -SEGV $$$$", host_volume());
  ASSERT_TRUE(wait_phase("quiet", "Running"));
  stop_agent();
  std::ofstream(shared() + "/end") << "end\n";
  ASSERT_TRUE(eventually([this] { return shims_gone(); }));
  EXPECT_EQ(phase("quiet"), "Running");
  start_agent();
  ASSERT_TRUE(wait_phase("quiet", "Failed"));
  EXPECT_EQ(main_state("quiet").int_at("terminated", "signal"), SIGSEGV);
}

TEST_F(AgentTest, APodDeletedWhileTheServerWasDownIsKilledWhenItComesBack) {
  create_pod("orphan", "sleep 1000");
  ASSERT_TRUE(wait_phase("orphan", "Running"));
  stop_agent();
  client::DeleteOptions now;
  now.grace_period_seconds = 0;
  bool gone = false;
  engine_->client().remove({{"", "v1", "pods"}, "default", "orphan"}, now,
                           [&gone](Result<json::Document> r) { gone = r.has_value(); });
  ASSERT_TRUE(engine_->run_until([&gone] { return gone; }));
  EXPECT_FALSE(shims_gone());
  start_agent();
  ASSERT_TRUE(eventually([this] { return shims_gone(); }));
}

TEST_F(AgentTest, WhatDownStoppedRunsAgainWhateverItsRestartPolicy) {
  create_pod("stopped", "trap 'echo saved; exit 0' TERM; echo up; while :; do sleep 0.01; done");
  ASSERT_TRUE(wait_phase("stopped", "Running"));
  const std::string uid = pod("stopped").string_at("metadata", "uid");
  ASSERT_TRUE(eventually([&] { return read_log_so_far(uid) == "up\n"; }));
  stop_agent();
  std::size_t waited_for = 0;
  const auto ended = stop_pods(folder_ + "/data", [&](std::size_t count) { waited_for = count; });
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_EQ(*ended, 1U);
  EXPECT_EQ(waited_for, 1U);
  EXPECT_TRUE(shims_gone());
  EXPECT_EQ(stop_pods(folder_ + "/data", [](std::size_t) { FAIL(); }).value_or(9), 0U) << "none is left";
  start_agent();
  const auto restarts = [this] {
    const json::Document p = pod("stopped");
    const json::Array& statuses = p.array_at("status", "containerStatuses");
    return statuses.empty() ? 0 : statuses[0].int_at("restartCount");
  };
  ASSERT_TRUE(eventually([&] { return restarts() == 1 && main_state("stopped").find("running") != nullptr; }));
  EXPECT_EQ(phase("stopped"), "Running");
  EXPECT_EQ(pod("stopped").string_at("metadata", "uid"), uid);
  EXPECT_THAT(read_file(folder_ + "/data/pods/" + uid + "/logs/main/0.0.log").value_or(""), HasSubstr("saved"));
}

TEST_F(AgentTest, FollowsALogToItsEnd) {
  ASSERT_EQ(::mkfifo((shared() + "/end").c_str(), 0666), 0);
  create_pod("talks", "echo one; read line < /v/end; echo two", host_volume());
  ASSERT_TRUE(wait_phase("talks", "Running"));
  node::LogRequest request;
  request.ns = "default";
  request.pod = "talks";
  request.pod_uid = pod("talks").string_at("metadata", "uid");
  request.container = "main";
  request.follow = true;
  std::string text;
  bool ended = false;
  auto stream = agent_->read_log(
      request, [&text](std::string_view more) { text.append(more); }, [&ended](const Status&) { ended = true; });
  ASSERT_TRUE(stream) << stream.error().message;
  ASSERT_TRUE(engine_->run_until([&text] { return text == "one\n"; }));
  EXPECT_FALSE(ended);
  std::ofstream(shared() + "/end") << "end\n";
  ASSERT_TRUE(engine_->run_until([&ended] { return ended; }));
  EXPECT_EQ(text, "one\ntwo\n");
}

TEST_F(AgentTest, ExecRunsACommandInTheContainer) {
  create_pod("busy", "sleep 1000");
  ASSERT_TRUE(wait_phase("busy", "Running"));
  node::ExecRequest request;
  request.ns = "default";
  request.pod = "busy";
  request.pod_uid = pod("busy").string_at("metadata", "uid");
  request.container = "main";
  request.command = {"sh", "-c", "cat; echo from $HOSTNAME >&2; exit 3"};
  request.with_stdin = request.with_stdout = request.with_stderr = true;
  std::string out;
  std::string err;
  std::optional<Result<int>> code;
  auto session = agent_->exec(request, {.on_stdout = [&out](std::string_view bytes) { out.append(bytes); },
                                        .on_stderr = [&err](std::string_view bytes) { err.append(bytes); },
                                        .on_exit = [&code](Result<int> how) { code = std::move(how); }});
  ASSERT_TRUE(session) << session.error().message;
  const std::string much(300'000, 'x');
  (*session)->write_stdin(much);
  (*session)->close_stdin();
  ASSERT_TRUE(engine_->run_until([&code] { return code.has_value(); }));
  EXPECT_EQ(out, much);
  EXPECT_EQ(err, "from busy\n");
  ASSERT_TRUE(*code) << code->error().message;
  EXPECT_EQ(**code, 3);
}

TEST_F(AgentTest, ExecInATerminalHasItsSizeAndDiesWithItsClient) {
  create_pod("busy", "sleep 1000");
  ASSERT_TRUE(wait_phase("busy", "Running"));
  node::ExecRequest request;
  request.pod_uid = pod("busy").string_at("metadata", "uid");
  request.container = "main";
  request.command = {"sh", "-c",
                     "until test \"$(stty size)\" = '33 111'; do sleep 0.01; done; echo ready; exec sleep 1000"};
  request.with_stdin = request.with_stdout = request.tty = true;
  std::string out;
  auto session = agent_->exec(request, {.on_stdout = [&out](std::string_view bytes) { out.append(bytes); },
                                        .on_stderr = [](std::string_view) {},
                                        .on_exit = [](const Result<int>&) {}});
  ASSERT_TRUE(session) << session.error().message;
  (*session)->resize({.rows = 33, .columns = 111});
  ASSERT_TRUE(engine_->run_until([&out] { return out.find("ready") != std::string::npos; }));
  session->reset();
  request.command = {"pgrep", "-cx", "sleep"};
  request.tty = false;
  const auto sleeps = [&] {
    std::string count;
    bool done = false;
    auto looked = agent_->exec(request, {.on_stdout = [&count](std::string_view bytes) { count.append(bytes); },
                                         .on_stderr = [](std::string_view) {},
                                         .on_exit = [&done](const Result<int>&) { done = true; }});
    EXPECT_TRUE(looked && engine_->run_until([&done] { return done; }));
    return count;
  };
  EXPECT_TRUE(eventually([&] { return sleeps() == "1\n"; })) << "only the container's own is left";
}

TEST_F(AgentTest, AttachSeesTheOutputAndWritesTheInput) {
  json::Document p = doc(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"talk"},"spec":{"nodeName":"here","restartPolicy":"Never",
      "containers":[{"name":"main","image":"x","stdin":true,"stdinOnce":true,"command":["cat"]}]}})");
  ASSERT_TRUE(engine_->create("pods", "default", p));
  ASSERT_TRUE(wait_phase("talk", "Running"));
  node::ExecRequest request;
  request.pod_uid = pod("talk").string_at("metadata", "uid");
  request.container = "main";
  request.with_stdin = request.with_stdout = true;
  std::string out;
  bool ended = false;
  auto session = agent_->attach(request, {.on_stdout = [&out](std::string_view bytes) { out.append(bytes); },
                                          .on_stderr = [](std::string_view) {},
                                          .on_exit = [&ended](const Result<int>&) { ended = true; }});
  ASSERT_TRUE(session) << session.error().message;
  (*session)->write_stdin("hello\n");
  (*session)->close_stdin();
  ASSERT_TRUE(engine_->run_until([&ended] { return ended; }));
  EXPECT_EQ(out, "hello\n");
  ASSERT_TRUE(wait_phase("talk", "Succeeded"));
}

TEST_F(AgentTest, AContainerRestartsAloneAndKeepsItsVolumes) {
  json::Document p = doc(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"two"},"spec":{"nodeName":"here",
      "restartPolicy":"OnFailure","volumes":[{"name":"v","emptyDir":{}},{"name":"m","emptyDir":{"medium":"Memory"}}],
      "initContainers":[{"name":"first","image":"x","command":["sh","-c","echo first >> /v/first"],
                         "volumeMounts":[{"name":"v","mountPath":"/v"}]}],
      "containers":[
        {"name":"main","image":"x","command":["sh","-c","echo run >> /v/runs; echo run >> /m/runs; test $(wc -l < /m/runs) = 3 && cp /v/runs /v/first /m/ && touch /v/done"],
         "volumeMounts":[{"name":"v","mountPath":"/v"},{"name":"m","mountPath":"/m"}]},
        {"name":"side","image":"x","command":["sh","-c","echo $$$$; until test -e /v/done; do sleep 0.01; done; cat /v/runs /v/first"],
         "volumeMounts":[{"name":"v","mountPath":"/v"}]}]}})");
  ASSERT_TRUE(engine_->create("pods", "default", p));
  ASSERT_TRUE(wait_phase("two", "Succeeded"));
  const json::Document done = pod("two");
  const json::Array& statuses = done.array_at("status", "containerStatuses");
  EXPECT_EQ(statuses[0].int_at("restartCount"), 2);
  EXPECT_EQ(statuses[1].int_at("restartCount"), 0);
  EXPECT_EQ(done.array_at("status", "initContainerStatuses")[0].int_at("restartCount"), 0);
  EXPECT_THAT(read_log("two", false, "", "side"), ::testing::EndsWith("run\nrun\nrun\nfirst\n"));
}

TEST_F(AgentTest, TheDeadlineEndsAPod) {
  create_pod("late", "sleep 1000", R"("activeDeadlineSeconds":1,"volumes":[{"name":"v","emptyDir":{}}],)");
  ASSERT_TRUE(wait_phase("late", "Failed"));
  EXPECT_EQ(pod("late").string_at("status", "reason"), "DeadlineExceeded");
}

TEST_F(AgentTest, APodThatWritesMoreThanItsLimitsIsEvicted) {
  create_pod("big", "head -c 3000000 /dev/zero > /v/file; sleep 1000",
             R"("volumes":[{"name":"v","emptyDir":{"sizeLimit":"1Mi"}}],)");
  create_pod("own", "head -c 3000000 /dev/zero > file; sleep 1000", "", "",
             R"("resources":{"limits":{"ephemeral-storage":"1Mi"}},)");
  for (const auto& [name, why] :
       {std::pair("big", "Usage of EmptyDir volume \"v\" exceeds the limit \"1Mi\": it holds 30"),
        {"own", "Container main exceeded its local ephemeral storage limit \"1Mi\": it holds 30"}}) {
    ASSERT_TRUE(wait_phase(name, "Failed"));
    EXPECT_EQ(pod(name).string_at("status", "reason"), "Evicted");
    EXPECT_THAT(pod(name).string_at("status", "message"), HasSubstr(why));
  }
}

TEST_F(AgentTest, APodThatFillsTheDiskIsEvictedAndTheOthersKeepRunning) {
  create_pod("calm", "head -c 5000000 /dev/zero > file; sleep 1000");
  ASSERT_TRUE(wait_phase("calm", "Running"));
  create_pod("greedy", "head -c 95000000 /dev/zero > /v/file; sleep 1000",
             R"("volumes":[{"name":"v","emptyDir":{}}],)");
  ASSERT_TRUE(wait_phase("greedy", "Failed"));
  EXPECT_EQ(pod("greedy").string_at("status", "reason"), "Evicted");
  EXPECT_THAT(pod("greedy").string_at("status", "message"),
              AllOf(HasSubstr("The node was low on resource: ephemeral-storage. Threshold quantity: 10Mi, available: "),
                    HasSubstr("Volume v was using 92776Ki.")));
  EXPECT_TRUE(eventually([this] { return disk_pressure().starts_with("False"); }));
  EXPECT_EQ(phase("calm"), "Running");
  EXPECT_FALSE(
      std::filesystem::exists(folder_ + "/data/pods/" + pod("greedy").string_at("metadata", "uid") + "/volumes"));
}

TEST_F(AgentTest, NoPodIsEvictedAndNoneStartsWhileOtherFilesFillTheDisk) {
  create_pod("calm", "sleep 1000");
  ASSERT_TRUE(wait_phase("calm", "Running"));
  others_bytes_ = std::int64_t{95} << 20;
  EXPECT_TRUE(eventually([this] { return disk_pressure().ends_with("none of them is ended; delete other files"); }))
      << disk_pressure();
  EXPECT_THAT(disk_pressure(),
              HasSubstr("free, less than the reserve of 10Mi; no pod starts. The pods that run hold "));
  create_pod("next", "true");
  EXPECT_TRUE(eventually([this] { return main_state("next").string_at("waiting", "reason") == "DiskPressure"; }));
  others_bytes_ = 0;
  EXPECT_TRUE(wait_phase("next", "Succeeded"));
  EXPECT_EQ(phase("calm"), "Running");
}

TEST_F(AgentTest, AClaimInUseIsDeletedOnceItsPodHasEndedAndItsFolderIsKeptAside) {
  const auto claim =
      engine_->create("persistentvolumeclaims", "default", doc(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim",
      "metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteMany"],"resources":{"requests":{"storage":"1Gi"}}}})"));
  ASSERT_TRUE(claim) << claim.error().message;
  create_pod("user", "echo kept > /v/file; sleep 1000",
             R"("volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}],)");
  ASSERT_TRUE(wait_phase("user", "Running"));
  const std::string folder = folder_ + "/data/volumes/default/data";
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(folder + "/file"); }));
  ASSERT_TRUE(engine_->remove("persistentvolumeclaims", "default", "data"));
  EXPECT_TRUE(engine_->get("persistentvolumeclaims", "default", "data")) << "it is protected while it is used";
  ASSERT_TRUE(engine_->remove("pods", "default", "user"));
  ASSERT_TRUE(eventually([this] { return !engine_->get("persistentvolumeclaims", "default", "data"); }));
  EXPECT_FALSE(std::filesystem::exists(folder));
  const std::string aside =
      folder_ + "/data/deleted-volumes/default/data." + claim->string_at("metadata", "uid") + "/file";
  EXPECT_EQ(read_file(aside).value_or(""), "kept\n");
}

TEST_F(AgentTest, OnFailureIsStartedAgainUntilItSucceeds) {
  restart_policy_ = "OnFailure";
  create_pod("again", "echo try >> /v/tries; echo try; test $(wc -l < /v/tries) = 3", host_volume());
  ASSERT_TRUE(wait_phase("again", "Succeeded"));
  EXPECT_EQ(read_file(shared() + "/tries").value_or(""), "try\ntry\ntry\n");
  const json::Document p = pod("again");
  const json::Document& status = p.at("status", "containerStatuses")->as_array()[0];
  EXPECT_EQ(status.int_at("restartCount"), 2);
  EXPECT_EQ(status.int_at("lastState", "terminated", "exitCode"), 1);
  EXPECT_EQ(read_log("again"), "try\n") << "each attempt has a log of its own";
}

TEST_F(AgentTest, ABackOffIsNeitherLostNorRepeatedByARestart) {
  stop_agent();
  first_restart_delay_ = std::chrono::hours(1);
  start_agent();
  restart_policy_ = "OnFailure";
  create_pod("slow", "exit 1");
  const auto reason = [this] { return main_state("slow").string_at("waiting", "reason"); };
  ASSERT_TRUE(eventually([&] { return reason() == "CrashLoopBackOff"; }));
  stop_agent();
  start_agent();
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(folder_ + "/data/pods"); }));
  EXPECT_EQ(reason(), "CrashLoopBackOff");
  stop_agent();
  first_restart_delay_ = Duration(0);  // the back-off is now over
  restart_policy_ = "Never";
  start_agent();
  ASSERT_TRUE(eventually([&] {
    return std::filesystem::exists(folder_ + "/data/pods/" + pod("slow").string_at("metadata", "uid") +
                                   "/logs/main/2.0.log");
  }));
}

TEST_F(AgentTest, ACommandThatDoesNotExistIsSaidOnThePod) {
  json::Document p = doc(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"typo"},"spec":{"nodeName":"here","restartPolicy":"Never",
      "containers":[{"name":"main","image":"x","command":["pythn","train.py"]}]}})");
  ASSERT_TRUE(engine_->create("pods", "default", p));
  ASSERT_TRUE(wait_phase("typo", "Failed"));
  EXPECT_EQ(main_state("typo").string_at("terminated", "reason"), "ContainerCannotRun");
  EXPECT_EQ(main_state("typo").string_at("terminated", "message"),
            "exec \"pythn\": ENOENT (no such file or directory)");
}

TEST_F(AgentTest, AKilledShimIsALostPod) {
  create_pod("lost", "sleep 1000");
  ASSERT_TRUE(wait_phase("lost", "Running"));
  const std::string uid = pod("lost").string_at("metadata", "uid");
  const auto text = read_file(folder_ + "/data/pods/" + uid + "/0/shim.json");
  ASSERT_TRUE(text);
  const auto shim = linux_os::open_exactly(parse_identity(*text)->process);
  ASSERT_TRUE(shim);
  ASSERT_TRUE(linux_os::send_signal(*shim, SIGKILL));
  ASSERT_TRUE(wait_phase("lost", "Failed"));
  EXPECT_EQ(pod("lost").string_at("status", "reason"), "LostShim");
}

// ---- probes and hooks ----

TEST_F(AgentTest, ReadinessFollowsItsProbe) {
  create_pod("p", "exec sleep 1000", host_volume(), "",
             R"("readinessProbe":{"exec":{"command":["test","-e","/v/ready"]},"periodSeconds":1},)");
  ASSERT_TRUE(wait_phase("p", "Running"));
  const auto is_ready = [this] { return pod("p").array_at("status", "containerStatuses").at(0).bool_at("ready"); };
  EXPECT_TRUE(eventually([this] {
    return std::ranges::any_of(
        events(), [](const std::string& event) { return event.starts_with("Unhealthy: Readiness probe failed"); });
  }));
  EXPECT_FALSE(is_ready());
  std::ofstream(shared() + "/ready") << "";
  EXPECT_TRUE(eventually(is_ready));
  stop_agent();
  start_agent();
  EXPECT_TRUE(is_ready()) << "a new agent keeps what was known";
}

TEST_F(AgentTest, AContainerThatFailsItsLivenessProbeRestarts) {
  restart_policy_ = "Always";
  create_pod("p", "echo began >> /v/runs; trap 'exit 0' TERM; while :; do sleep 0.1; done", host_volume(), "",
             R"("livenessProbe":{"tcpSocket":{"port":1},"periodSeconds":1,"failureThreshold":1},)");
  EXPECT_TRUE(eventually([this] { return read_file(shared() + "/runs").value_or("") == "began\nbegan\n"; }));
  EXPECT_TRUE(eventually(
      [this] { return pod("p").array_at("status", "containerStatuses").at(0).int_at("restartCount") >= 1; }));
  EXPECT_THAT(events(), Contains("Killing: Container main failed liveness probe, will be restarted"));
  EXPECT_THAT(events(), Contains(HasSubstr("Unhealthy: Liveness probe failed: dial tcp ")));
}

TEST_F(AgentTest, HooksRunAfterTheStartAndBeforeTheEnd) {
  create_pod("p", "trap 'echo term >> /v/order; exit 0' TERM; while :; do sleep 0.1; done", host_volume(), "",
             R"("lifecycle":{"postStart":{"exec":{"command":["sh","-c","echo begun >> /v/order"]}},
                             "preStop":{"exec":{"command":["sh","-c","sleep 0.3; echo stop >> /v/order"]}}},)");
  ASSERT_TRUE(wait_phase("p", "Running"));
  const auto order = [this] { return read_file(shared() + "/order").value_or(""); };
  EXPECT_TRUE(eventually([&] { return order() == "begun\n"; }));
  ASSERT_TRUE(engine_->remove("pods", "default", "p").has_value());
  EXPECT_TRUE(eventually([this] { return pod("p").is_null(); }));
  EXPECT_EQ(order(), "begun\nstop\nterm\n");
}

}  // namespace
}  // namespace muster::agent
