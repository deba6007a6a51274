// Tests of restarts, stops, logs and connections through the shim's control channel, with real processes.
#include "agent/shim/shim_channel.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "agent/disk/paths.h"
#include "agent/logs/log_files.h"
#include "agent/logs/log_reader.h"
#include "agent/pod/recover.h"
#include "base/files.h"
#include "testing/shim_pod.h"

namespace muster::agent {
namespace {

using ::testing::HasSubstr;

class ShimControl : public ShimChannelTest {
 protected:
  static LaunchContainer another(const Launch& launch, const std::string& name, const std::string& script) {
    LaunchContainer container = launch.containers[0];
    container.name = name;
    container.args = {"sh", "-c", script};
    return container;
  }

  /// Follows a log to its end.
  std::string follow(
      int run, const std::function<void()>& meanwhile = [] {}) {
    node::LogRequest request;
    request.pod = "p";
    request.container = "main";
    request.follow = true;
    std::string text;
    bool ended = false;
    auto stream = open_log_stream(
        loop_, pod_->pod_folder(), run, request, [&](std::string_view more) { text += more; },
        [&](const Status& how) {
          EXPECT_TRUE(how);
          ended = true;
        },
        std::make_shared<RemovedLogs>());
    EXPECT_TRUE(stream) << stream.error().message;
    if (!stream) return "";
    meanwhile();
    loop_.run_until([&] { return ended; });
    return text;
  }
};

TEST_AS_EITHER_USER(ShimControl);

// ---- restarts ----

TEST_P(ShimControl, AContainerRestartsInsideTheShimWithALogAndAResultPerRun) {
  TestChannel& channel = begin(shell("echo run $(cat /vol/count); exit $(cat /vol/count)"));
  // The first run fails: the file is missing.
  channel.wait_for_run(0, RunState::kTerminated);
  const pid_t init = channel.state->init_pid;
  std::ofstream(pod_->volume() + "/count") << "7";
  EXPECT_EQ(channel.start(1), "");
  channel.wait_for_run(1, RunState::kTerminated);
  EXPECT_EQ(channel.find()->code, 7);
  EXPECT_EQ(channel.state->init_pid, init);
  ASSERT_TRUE(channel.find()->last);
  EXPECT_EQ(channel.find()->last->run, 0);
  EXPECT_NE(channel.find()->last->code, 7);
  EXPECT_LE(*channel.find()->last->finished, *channel.find()->started);
  EXPECT_EQ(pod_->output("stdout", "main", 1), "run 7\n");
  EXPECT_THAT(pod_->output("", "main", 0), HasSubstr("No such file"));
  EXPECT_EQ(channel.stop(30), "");
  pod_->wait();
  EXPECT_EQ(pod_->exit_record().find("main")->run, 1);
}

TEST_P(ShimControl, TheSameRunIsNotStartedTwice) {
  TestChannel& channel = begin(shell("echo x >> /vol/starts"));
  channel.wait_for_run(0, RunState::kTerminated);
  EXPECT_EQ(channel.start(0), "");
  EXPECT_EQ(channel.start(1), "");
  EXPECT_EQ(channel.start(1), "");
  channel.wait_for_run(1, RunState::kTerminated);
  EXPECT_EQ(channel.start(0), "a later run was started");
  EXPECT_EQ(channel.stop(30), "");
  pod_->wait();
  EXPECT_EQ(read_file(pod_->volume() + "/starts").value_or(""), "x\nx\n");
}

TEST_P(ShimControl, ARunningContainerIsNotStartedAgain) {
  pod_->make_fifo("end");
  TestChannel& channel = begin(shell("read line < /vol/end"));
  channel.wait_for_run(0, RunState::kRunning);
  EXPECT_GT(channel.find()->pid, 0);
  EXPECT_EQ(channel.start(1), "it is running");
  EXPECT_EQ(channel.start(1, "other"), "there is no such container");
}

TEST_P(ShimControl, OneContainerRestartsWhileTheOtherGoesOnAndMemoryVolumesStay) {
  pod_->make_fifo("end");
  Launch launch = shell(
      "cat /mem/kept; echo $$ >> /mem/kept; cat /dev/shm/kept; echo s >> /dev/shm/kept; ls /tmp /root; touch /tmp/own");
  launch.volumes.push_back({"mem", MemoryFolder{1 << 20}});
  launch.containers[0].mounts.push_back({.volume = "mem", .sub_path = "", .target = "/mem", .read_only = false});
  launch.containers.push_back(another(launch, "other", "read line < /vol/end"));
  TestChannel& channel = begin(launch);
  channel.wait_for_run(0, RunState::kTerminated);
  channel.wait_for_run(0, RunState::kRunning, "other");
  const pid_t other = channel.find("other")->pid;
  EXPECT_EQ(channel.start(1), "");
  channel.wait_for_run(1, RunState::kTerminated);
  EXPECT_THAT(pod_->output("stdout", "main", 1), ::testing::MatchesRegex("[0-9]+\ns\n/root:\n\n/tmp:\n"))
      << "its own folders are new";
  EXPECT_EQ(channel.find("other")->pid, other);
  EXPECT_EQ(channel.find("other")->run, 0);
}

TEST_P(ShimControl, WhatARunLeftBehindIsGoneBeforeTheNextOne) {
  pod_->make_fifo("hold");
  const Fd hold = pod_->open_fifo("hold");
  TestChannel& channel = begin(shell("exec 9>/vol/hold; setsid sleep 1000 & (setsid sh -c 'sleep 1000 &'); exit 3"));
  channel.wait_for_run(0, RunState::kTerminated);
  EXPECT_EQ(channel.find()->code, 3);
  char byte;
  EXPECT_EQ(::read(hold.get(), &byte, 1), 0) << "a process of the run is still alive";
  EXPECT_FALSE(channel.closed);
}

TEST_P(ShimControl, WhatAContainerLeftBehindIsGoneAlthoughAnotherRuns) {
  pod_->make_fifo("hold");
  const Fd hold = pod_->open_fifo("hold");
  Launch launch = shell("exec 9>/vol/hold; setsid sleep 1000 & (while :; do sleep 0.01 & wait; done) & exit 3");
  launch.containers.push_back(another(launch, "other", "exec sleep 1000"));
  TestChannel& channel = begin(launch);
  channel.wait_for_run(0, RunState::kTerminated);
  char byte;
  EXPECT_EQ(::read(hold.get(), &byte, 1), 0) << "a process of the run is still alive";
  channel.wait_for_run(0, RunState::kRunning, "other");
}

TEST_P(ShimControl, AContainerThatLeavesAForkLoopEnds) {
  pod_->make_fifo("hold");
  const Fd hold = pod_->open_fifo("hold");
  TestChannel& channel =
      begin(shell("exec 9>/vol/hold; f() { sleep 0.001; f & }; for i in 1 2 3 4; do f & done; exit 3"));
  channel.wait_for_run(0, RunState::kTerminated);
  char byte;
  EXPECT_EQ(::read(hold.get(), &byte, 1), 0) << "a process of the run is still alive";
}

TEST_P(ShimControl, AnInitContainerThatFailedRunsAgainAndTheSequenceGoesOn) {
  Launch launch = shell("echo main");
  launch.containers.insert(launch.containers.begin(), another(launch, "first", "test -e /vol/ready"));
  launch.containers[0].is_init = true;
  TestChannel& channel = begin(launch);
  channel.wait_for_run(0, RunState::kTerminated, "first");
  EXPECT_EQ(channel.find()->state, RunState::kWaiting);
  EXPECT_EQ(channel.start(0, "main"), "it waits for the init containers");
  std::ofstream(pod_->volume() + "/ready") << "";
  EXPECT_EQ(channel.start(1, "first"), "");
  channel.wait_for_run(0, RunState::kTerminated, "main");
  EXPECT_EQ(channel.start(2, "first"), "an init container does not run again");
  EXPECT_EQ(channel.start(1, "main"), "");
  channel.wait_for_run(1, RunState::kTerminated, "main");
  EXPECT_EQ(channel.find("first")->run, 1);
}

TEST_P(ShimControl, OnFailureLeavesOnceAllHaveSucceeded) {
  TestChannel& channel = begin(shell("test -e /vol/ready", RestartPolicy::kOnFailure));
  channel.wait_for_run(0, RunState::kTerminated);
  EXPECT_FALSE(pod_->has_exit_record());
  std::ofstream(pod_->volume() + "/ready") << "";
  EXPECT_EQ(channel.start(1), "");
  pod_->wait();
  EXPECT_EQ(pod_->exit_record().find("main")->code, 0);
  EXPECT_EQ(pod_->exit_record().find("main")->run, 1);
}

TEST_P(ShimControl, OneContainerEndsAndRunsAgainWhileAnotherKeepsRunning) {
  pod_->make_fifo("up");
  Launch launch =
      shell("trap 'exit 0' TERM; echo up > /vol/up; while :; do sleep 0.01; done", RestartPolicy::kOnFailure);
  launch.containers.push_back(another(launch, "other", "exec sleep 1000"));
  TestChannel& channel = begin(launch);
  channel.wait_for_run(0, RunState::kRunning, "other");
  pod_->read_fifo("up");
  EXPECT_EQ(channel.kill_container(0, 60), "");
  channel.wait_for_run(0, RunState::kTerminated);
  EXPECT_EQ(channel.find()->code, 0);
  EXPECT_TRUE(channel.find()->killed);
  EXPECT_EQ(channel.find("other")->state, RunState::kRunning);
  EXPECT_EQ(channel.start(1), "");
  channel.wait_for_run(1, RunState::kRunning);
  pod_->read_fifo("up");
  EXPECT_FALSE(channel.find()->killed);
  EXPECT_EQ(channel.kill_container(0, 0), "") << "that run is over";
  EXPECT_EQ(channel.kill_container(0, 0, "nobody"), "there is no such container");
  EXPECT_EQ(channel.stop(60), "");
  pod_->wait();
  EXPECT_EQ(pod_->exit_record().find("main")->run, 1);
  EXPECT_EQ(pod_->exit_record().find("main")->code, 0) << "it was not killed";
}

TEST_P(ShimControl, AContainerThatIgnoresItsEndIsKilledWithItsChildren) {
  pod_->make_fifo("hold");
  const Fd hold = pod_->open_fifo("hold");
  pod_->make_fifo("up");
  TestChannel& channel = begin(
      shell("exec 9>/vol/hold; trap '' TERM; setsid sleep 1000 & echo up > /vol/up; while :; do sleep 0.01; done"));
  channel.wait_for_run(0, RunState::kRunning);
  pod_->read_fifo("up");
  EXPECT_EQ(channel.kill_container(0, 1000), "");
  EXPECT_EQ(channel.kill_container(0, 0), "") << "a shorter grace period counts";
  channel.wait_for_run(0, RunState::kTerminated);
  EXPECT_EQ(channel.find()->signal, SIGKILL);
  char byte;
  EXPECT_EQ(::read(hold.get(), &byte, 1), 0) << "a process of the run is still alive";
  EXPECT_FALSE(channel.closed);
}

TEST_P(ShimControl, AContainerThatUsesTooMuchMemoryEndsAsThoughItHadAControlGroup) {
  pod_->make_fifo("up");
  TestChannel& channel = begin(shell("trap '' TERM; echo up > /vol/up; while :; do sleep 0.01; done"));
  channel.wait_for_run(0, RunState::kRunning);
  pod_->read_fifo("up");
  EXPECT_EQ(channel.kill_for_memory(0, "used 2Mi of 1Mi"), "");
  EXPECT_EQ(channel.kill_for_memory(0, "used 3Mi of 1Mi"), "") << "it is on its way";
  channel.wait_for_run(0, RunState::kTerminated);
  EXPECT_EQ(channel.find()->code, 137);
  EXPECT_TRUE(channel.find()->oom);
  EXPECT_EQ(channel.find()->termination, "used 2Mi of 1Mi");
  EXPECT_EQ(channel.start(1), "");
  channel.wait_for_run(1, RunState::kRunning);
  pod_->read_fifo("up");
  EXPECT_FALSE(channel.find()->oom);
  EXPECT_EQ(channel.kill_container(1, 0), "");
  channel.wait_for_run(1, RunState::kTerminated);
  EXPECT_FALSE(channel.find()->oom) << "this end has another reason";
  EXPECT_TRUE(channel.find()->last->oom);
}

TEST_P(ShimControl, AContainerThatIsToEndIsToldOnce) {
  for (const char* name : {"up", "told"}) pod_->make_fifo(name);
  TestChannel& channel =
      begin(shell("trap 'echo told; echo told > /vol/told' TERM; echo up > /vol/up; "
                  "while [ ! -e /vol/end ]; do sleep 0.01; done"));
  channel.wait_for_run(0, RunState::kRunning);
  pod_->read_fifo("up");
  EXPECT_EQ(channel.kill_container(0, 1000), "");
  pod_->read_fifo("told");
  EXPECT_EQ(channel.kill_container(0, 1000), "");
  EXPECT_EQ(channel.stop(1000), "");
  std::ofstream(pod_->volume() + "/end") << "";
  pod_->wait();
  EXPECT_EQ(pod_->output(), "told\n");
}

TEST_P(ShimControl, ALaunchBeginsWithTheRunThatItIsTold) {
  Launch launch = shell("echo again", RestartPolicy::kNever);
  launch.containers[0].run = 4;
  EXPECT_EQ(pod_->run(launch).find("main")->run, 4);
  EXPECT_EQ(pod_->output("", "main", 4), "again\n");
}

TEST_P(ShimControl, TheTerminationMessageIsOfThisRunAndItsEnd) {
  Launch launch =
      shell("echo \"diese Woche: gr\xc3\xbc\xc3\x9f \\\"$(cat /vol/n)\\\"\" > /dev/termination-log; exit 1");
  launch.containers[0].termination_path = "/dev/termination-log";
  TestChannel& channel = begin(launch);
  channel.wait_for_run(0, RunState::kTerminated);
  std::ofstream(pod_->volume() + "/n") << "2";
  EXPECT_EQ(channel.find()->termination, "diese Woche: gr\xc3\xbc\xc3\x9f \"\"\n");
  EXPECT_EQ(channel.start(1), "");
  channel.wait_for_run(1, RunState::kTerminated);
  EXPECT_EQ(channel.find()->termination, "diese Woche: gr\xc3\xbc\xc3\x9f \"2\"\n");
  EXPECT_EQ(channel.find()->last->termination, "diese Woche: gr\xc3\xbc\xc3\x9f \"\"\n");
}

TEST_P(ShimControl, ALongTerminationMessageIsCutAtItsBeginning) {
  Launch launch =
      shell("head -c 100000 /dev/zero | tr '\\0' x > /msg/here; echo end >> /msg/here", RestartPolicy::kNever);
  launch.containers[0].termination_path = "/msg/here";
  const std::string message = pod_->run(launch).find("main")->termination;
  EXPECT_EQ(message.size(), 4096u);
  EXPECT_TRUE(message.ends_with("xxxend\n"));
}

// ---- stopping ----

TEST_P(ShimControl, AStopIsShortenedByASecondOne) {
  pod_->make_fifo("up");
  TestChannel& channel =
      begin(shell("trap 'echo term > /vol/up' TERM; echo up > /vol/up; while :; do sleep 0.01; done"));
  EXPECT_EQ(pod_->read_fifo("up"), "up");
  EXPECT_EQ(channel.stop(1000), "");
  EXPECT_EQ(pod_->read_fifo("up"), "term");
  EXPECT_EQ(channel.start(1), "the pod is stopping");
  EXPECT_EQ(channel.stop(2000), "");
  EXPECT_EQ(channel.stop(0), "");
  pod_->wait();
  EXPECT_EQ(pod_->exit_record().find("main")->signal, SIGKILL);
}

TEST_P(ShimControl, APodThatWaitsForARestartStopsAtOnce) {
  TestChannel& channel = begin(shell("exit 1"));
  channel.wait_for_run(0, RunState::kTerminated);
  EXPECT_EQ(channel.stop(1000), "");
  pod_->wait();
  channel.wait_until_closed();
  EXPECT_EQ(pod_->exit_record().find("main")->code, 1);
}

// ---- connections ----

TEST_P(ShimControl, TwoConnectionsSeeTheSameAndARestartedServerReconnects) {
  TestChannel& first = begin(shell("exit 2"));
  TestChannel& second = connect();
  first.wait_for_run(0, RunState::kTerminated);
  second.wait_for_run(0, RunState::kTerminated);
  first.disconnect();
  EXPECT_EQ(second.start(1), "");
  second.wait_for_run(1, RunState::kTerminated);
  TestChannel& third = connect();
  third.wait_for_run(1, RunState::kTerminated);
  EXPECT_EQ(third.find()->last->code, 2);
}

TEST_P(ShimControl, AFolderMayBeLongerThanASocketsAddress) {
  make_pod("/" + std::string(100, 'a') + "/" + std::string(100, 'b'));
  ASSERT_GT(pod_->folder().size(), 200u);
  TestChannel& channel = begin(shell("echo here"));
  channel.wait_for_run(0, RunState::kTerminated);
  EXPECT_EQ(pod_->output(), "here\n");
}

TEST_P(ShimControl, StatisticsNameTheProcessesAsSeenFromOutside) {
  TestChannel& channel = begin(shell("exec sleep 1000"));
  channel.wait_for_run(0, RunState::kRunning);
  std::optional<Result<ShimStatistics>> statistics;
  channel->statistics([&](Result<ShimStatistics> got) { statistics = std::move(got); });
  channel.wait_for([&] { return statistics.has_value(); });
  ASSERT_TRUE(*statistics);
  EXPECT_EQ((*statistics)->init, channel.state->init_pid);
  const pid_t pid = (*statistics)->containers["main"];
  EXPECT_EQ(pid, channel.find()->pid);
  EXPECT_THAT(read_file("/proc/" + std::to_string(pid) + "/status").value_or(""),
              HasSubstr("NSpid:\t" + std::to_string(pid) + "\t2\n"));
}

TEST_P(ShimControl, RequestsFailWhenTheShimIsGone) {
  TestChannel& channel = begin(shell("exec sleep 1000"));
  channel.wait_for_run(0, RunState::kRunning);
  pod_->signal(SIGKILL);
  pod_->wait();
  channel.wait_until_closed();
  EXPECT_EQ(channel.start(1), "the connection to the pod's shim has ended");
  const auto late = ShimChannel::connect(loop_, pod_->folder(), {});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().reason, Reason::kServiceUnavailable);
}

TEST_P(ShimControl, NeitherShimNorInitIsDumpable) {
  if (GetParam() == EngineUser::kRoot) GTEST_SKIP() << "root's files in /proc are root's anyway";
  TestChannel& channel = begin(shell("exec sleep 1000"));
  channel.wait_for_run(0, RunState::kRunning);
  const auto owner = [](pid_t pid) {
    struct stat what {};
    return ::stat(("/proc/" + std::to_string(pid) + "/mem").c_str(), &what) == 0 ? what.st_uid : uid_t(-1);
  };
  const auto identity = parse_identity(read_file(pod_->folder() + kShimFile).value_or(""));
  ASSERT_TRUE(identity);
  EXPECT_EQ(owner(identity->process.pid), 0u);
  EXPECT_EQ(owner(channel.state->init_pid), 0u);
}

// ---- logs ----

TEST_P(ShimControl, ALogIsRotatedBySizeAndTheOldestSegmentsAreRemoved) {
  Launch launch = shell("seq 1 20000", RestartPolicy::kNever);
  launch.log = {.segment_bytes = 100'000, .segments = 3};
  pod_->run(launch);
  const LogFiles files(pod_->pod_folder(), "main", 0);
  ASSERT_EQ(files.segments().size(), 3u);
  EXPECT_GT(files.segments().front(), 0);
  for (const int segment : files.segments()) EXPECT_LE(std::filesystem::file_size(files.path(segment)), 100'000u);
  const std::string kept = pod_->output();
  const int first = std::stoi(kept);
  std::string expected;
  for (int i = first; i <= 20000; ++i) expected += std::to_string(i) + "\n";
  EXPECT_EQ(kept, expected);
}

TEST_P(ShimControl, AFollowerCrossesRotationsWithoutLoss) {
  pod_->make_fifo("go");
  Launch launch = shell("echo 0; read line < /vol/go; seq 1 50000; exit 1");
  launch.log = {.segment_bytes = 70'000, .segments = 1000};
  TestChannel& channel = begin(launch);
  channel.wait_for_run(0, RunState::kRunning);
  const std::string text = follow(0, [this] { std::ofstream(pod_->volume() + "/go") << "go\n"; });
  std::string expected;
  for (int i = 0; i <= 50000; ++i) expected += std::to_string(i) + "\n";
  EXPECT_TRUE(text == expected) << text.size() << " bytes of " << expected.size();
  EXPECT_GT(LogFiles(pod_->pod_folder(), "main", 0).segments().size(), 10u);
  // The log of an ended run ends, although its shim keeps running.
  EXPECT_EQ(channel.start(1), "");
  EXPECT_TRUE(follow(0) == expected);
}

// ---- a shim of the previous version ----

TEST_P(ShimControl, AShimOfVersion1IsAdoptedReadAndStopped) {
  pod_->make_fifo("up");
  pod_->start_version_1("trap 'echo bye; exit 3' TERM; echo hello; echo up > /vol/up; while :; do sleep 0.01; done");
  pod_->go();
  EXPECT_EQ(pod_->read_fifo("up"), "up");
  const Recovered found = examine_launch(pod_->folder());
  EXPECT_EQ(found.presence, Presence::kRunning);
  const auto identity = parse_identity(read_file(pod_->folder() + kShimFile).value_or(""));
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->version, 1);
  const auto channel = ShimChannel::connect(loop_, pod_->folder(), {});
  ASSERT_FALSE(channel);
  EXPECT_EQ(channel.error().reason, Reason::kNotFound);
  EXPECT_EQ(follow(0, [this] { pod_->signal(SIGTERM); }), "hello\nbye\n");
  pod_->wait();
  EXPECT_EQ(pod_->exit_record().find("main")->code, 3);
}

}  // namespace
}  // namespace muster::agent
