// Tests of the shim with real processes, as root and as an ordinary user. They wait on pipes and pidfds, never sleep.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "agent/disk/paths.h"
#include "agent/launch/gpu_locks.h"
#include "agent/pod/recover.h"
#include "base/files.h"
#include "base/strings.h"
#include "linux/files.h"
#include "shim/format.h"
#include "testing/either_user.h"

namespace muster::agent {
namespace {

using ::testing::ElementsAre;

class Shim : public EitherUserTest {
 protected:
  std::string run_shell(const std::string& script) {
    record_ = pod_->run(TestPod::shell(script));
    return pod_->output();
  }
  const ContainerRecord& main_record() const {
    const ContainerRecord* found = record_.find("main");
    EXPECT_NE(found, nullptr);
    static const ContainerRecord none;
    return found == nullptr ? none : *found;
  }

  AttemptRecord record_;
};

TEST_AS_EITHER_USER(Shim);

// ---- locks ----

TEST_P(Shim, APodHoldsItsLockUntilItHasEndedAndItsProgramsNeverHaveIt) {
  const GpuLocks locks(std::filesystem::path(pod_->volume()).parent_path());
  auto lock = locks.take("GPU-a");
  ASSERT_TRUE(lock) << lock.error().message;
  pod_->give_lock(*std::move(lock));
  pod_->make_fifo("said");
  pod_->make_fifo("go");
  pod_->start(TestPod::shell("ls -l /proc/self/fd | grep -c lock >/vol/said; read line </vol/go"));
  EXPECT_FALSE(locks.take("GPU-a")) << "also before it runs";
  pod_->go();
  EXPECT_EQ(pod_->read_fifo("said"), "0");
  EXPECT_FALSE(locks.take("GPU-a"));
  std::ofstream(pod_->volume() + "/go") << "\n";
  pod_->wait();
  EXPECT_TRUE(locks.take("GPU-a"));
}

// ---- the launch protocol ----

TEST_P(Shim, RunsNothingWhenTheServerDiesBeforeGo) {
  pod_->start(TestPod::shell("touch /vol/ran"));
  EXPECT_EQ(examine_launch(pod_->folder()).presence, Presence::kRunning);
  pod_->hang_up();
  pod_->wait();
  EXPECT_FALSE(pod_->exit_record().ran);
  EXPECT_FALSE(std::filesystem::exists(pod_->volume() + "/ran"));
  EXPECT_EQ(examine_launch(pod_->folder()).presence, Presence::kNeverRan);
}

TEST_P(Shim, RunsNothingWhenStoppedBeforeGo) {
  pod_->start(TestPod::shell("touch /vol/ran"));
  pod_->signal(SIGTERM);
  pod_->wait();
  EXPECT_FALSE(pod_->exit_record().ran);
  EXPECT_FALSE(std::filesystem::exists(pod_->volume() + "/ran"));
}

TEST_P(Shim, RefusesALaunchDescriptionWithoutContainers) {
  Launch empty = TestPod::shell("true");
  empty.containers.clear();
  pod_->start_with(encode_launch(empty));
  pod_->wait();
  record_ = pod_->exit_record();
  EXPECT_FALSE(record_.ran);
  EXPECT_THAT(record_.notices, ElementsAre("launch: no container"));
}

TEST_P(Shim, RefusesALaunchDescriptionThatIsCutOff) {
  const std::string whole = encode_launch(TestPod::shell("true"));
  pod_->start_with(whole.substr(0, whole.size() - 3));
  pod_->wait();
  EXPECT_THAT(pod_->exit_record().notices, ElementsAre("launch: it is cut off"));
}

TEST_P(Shim, SecretsInTheLaunchDescriptionAreNotOnTheDisk) {
  pod_->make_fifo("up");
  pod_->make_fifo("end");
  Launch launch = TestPod::shell("test $TOKEN = canary && echo same > /vol/up; read line < /vol/end");
  launch.containers[0].env.emplace_back("TOKEN", "canary");
  launch.volumes.push_back({"secret", FileFolder{{"key", 0400, "canary"}}});
  launch.containers[0].mounts.push_back({.volume = "secret", .sub_path = "", .target = "/secret", .read_only = true});
  pod_->start(launch);
  const auto files_with_secret = [this] {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(pod_->pod_folder())) {
      if (!entry.is_regular_file()) continue;
      if (read_file(entry.path()).value_or("").find("canary") != std::string::npos) found.push_back(entry.path());
    }
    return found;
  };
  EXPECT_THAT(files_with_secret(), ElementsAre());
  pod_->go();
  EXPECT_EQ(pod_->read_fifo("up"), "same");
  EXPECT_THAT(files_with_secret(), ElementsAre());
}

TEST_P(Shim, IsAdoptedWhileItRunsAndFinishedAfterwards) {
  pod_->make_fifo("up");
  pod_->make_fifo("end");
  pod_->start(TestPod::shell("echo up > /vol/up; read line < /vol/end; exit 5"));
  pod_->go();
  EXPECT_EQ(pod_->read_fifo("up"), "up");
  pod_->hang_up();  // as when the server dies
  auto found = examine_launch(pod_->folder());
  EXPECT_EQ(found.presence, Presence::kRunning);
  ASSERT_TRUE(found.pidfd);
  std::ofstream(pod_->volume() + "/end") << "end\n";
  pod_->wait();
  found = examine_launch(pod_->folder());
  EXPECT_EQ(found.presence, Presence::kEnded);
  EXPECT_EQ(found.end->find("main")->code, 5) << "the exit while the server was down is exact";
}

TEST_P(Shim, KilledShimTakesThePodWithItAndIsSeenAsLost) {
  pod_->make_fifo("up");
  pod_->make_fifo("hold");
  const Fd hold = pod_->open_fifo("hold");
  pod_->start(TestPod::shell("exec 9>/vol/hold; setsid sleep 1000 & echo up > /vol/up; sleep 1000"));
  pod_->go();
  pod_->read_fifo("up");
  pod_->signal(SIGKILL);
  pod_->wait();
  TestPod::wait_for_end_of(hold);
  EXPECT_FALSE(pod_->has_exit_record());
  EXPECT_EQ(examine_launch(pod_->folder()).presence, Presence::kLostShim);
}

TEST_P(Shim, HoldsTheLockAloneForAsLongAsItLives) {
  pod_->make_fifo("up");
  pod_->start(TestPod::shell("ls -l /proc/self/fd >&2; echo up > /vol/up; sleep 1000"));
  EXPECT_TRUE(linux_os::is_locked(pod_->folder() + kLockFile));
  pod_->go();
  pod_->read_fifo("up");
  EXPECT_TRUE(linux_os::is_locked(pod_->folder() + kLockFile));
  pod_->signal(SIGKILL);
  pod_->wait();
  EXPECT_FALSE(linux_os::is_locked(pod_->folder() + kLockFile));
}

// ---- exit status ----

TEST_P(Shim, ExitCodeIsExact) {
  run_shell("exit 7");
  EXPECT_TRUE(record_.ran);
  EXPECT_EQ(main_record().state, RunState::kTerminated);
  EXPECT_EQ(main_record().code, 7);
  EXPECT_EQ(main_record().signal, 0);
  EXPECT_EQ(main_record().message, "");
  ASSERT_TRUE(main_record().started && main_record().finished);
  EXPECT_LE(*main_record().started, *main_record().finished);
}

TEST_P(Shim, SignalIsExactAndTheCodeIs128More) {
  run_shell("kill -SEGV $$");
  EXPECT_EQ(main_record().signal, SIGSEGV);
  EXPECT_EQ(main_record().code, 128 + SIGSEGV);
}

TEST_P(Shim, SaysWhyAProgramCannotBeStarted) {
  record_ = pod_->run(TestPod::command({"pythn", "train.py"}));
  EXPECT_EQ(main_record().message, "exec \"pythn\": ENOENT (no such file or directory)");
  EXPECT_EQ(main_record().code, 127);
  EXPECT_FALSE(main_record().started);
}

TEST_P(Shim, SaysThatAProgramIsNotExecutable) {
  record_ = pod_->run(TestPod::command({"/etc/passwd"}));
  EXPECT_EQ(main_record().message, "exec \"/etc/passwd\": EACCES (permission denied)");
  EXPECT_EQ(main_record().code, 126);
}

TEST_P(Shim, TellsAMissingInterpreterFromAMissingFile) {
  const std::string script = pod_->volume() + "/run.sh";
  std::ofstream(script) << "#!/opt/nothing/python\n";
  std::filesystem::permissions(script, std::filesystem::perms(0755));
  record_ = pod_->run(TestPod::command({"/vol/run.sh"}));
  EXPECT_EQ(main_record().message,
            "exec \"/vol/run.sh\": the file is there, the interpreter in its first line is not: ENOENT (no such file "
            "or directory)");
}

TEST_P(Shim, SaysThatAVolumeIsMissing) {
  Launch launch = TestPod::shell("true");
  launch.volumes.push_back({"data", HostFolder{"/nowhere/at/all"}});
  launch.containers[0].mounts.push_back({.volume = "data", .sub_path = "", .target = "/data", .read_only = false});
  record_ = pod_->run(launch);
  EXPECT_EQ(main_record().message, "volume \"data\": open \"/nowhere/at/all\": ENOENT (no such file or directory)");
  EXPECT_EQ(main_record().code, 128);
}

// ---- stopping ----

TEST_P(Shim, SigtermLetsThePodEndByItself) {
  pod_->make_fifo("up");
  pod_->start(TestPod::shell("trap 'echo bye; exit 3' TERM; echo up > /vol/up; while :; do sleep 0.01; done"));
  pod_->go();
  pod_->read_fifo("up");
  pod_->signal(SIGTERM);
  pod_->wait();
  record_ = pod_->exit_record();
  EXPECT_EQ(main_record().code, 3);
  EXPECT_EQ(pod_->output("stdout"), "bye\n");
}

TEST_P(Shim, KillsWhatIgnoresSigtermWhenTheGraceIsOver) {
  pod_->make_fifo("up");
  pod_->write_grace("0");
  pod_->start(TestPod::shell("trap '' TERM; echo up > /vol/up; while :; do sleep 1000; done"));
  pod_->go();
  pod_->read_fifo("up");
  pod_->signal(SIGTERM);
  pod_->wait();
  record_ = pod_->exit_record();
  EXPECT_EQ(main_record().signal, SIGKILL);
  EXPECT_EQ(main_record().code, 137);
}

TEST_P(Shim, KillLeavesNoneOfTheTreeBehind) {
  pod_->make_fifo("up");
  pod_->make_fifo("hold");
  const Fd hold = pod_->open_fifo("hold");
  pod_->start(
      TestPod::shell("exec 9>/vol/hold\n"
                     "setsid sleep 1000 &\n"                           // another session
                     "nohup sleep 1000 >/dev/null 2>&1 &\n"            // ignores SIGHUP
                     "(setsid sh -c '(sleep 1000 &) ; exit 0' &)\n"    // double fork
                     "sh -c 'trap \"\" TERM INT HUP; sleep 1000' &\n"  // ignores SIGTERM
                     "sh -c 'kill -STOP $$; sleep 1000' &\n"           // stopped
                     "echo up > /vol/up; wait"));
  pod_->go();
  pod_->read_fifo("up");
  pod_->signal(SIGUSR1);
  pod_->wait();
  // No wait is needed: when the shim is gone, so are all processes of the pod.
  char byte;
  EXPECT_EQ(::read(hold.get(), &byte, 1), 0) << "a process of the pod is still alive";
  record_ = pod_->exit_record();
  EXPECT_EQ(main_record().signal, SIGKILL);
}

TEST_P(Shim, TheEndOfTheContainersIsTheEndOfTheirChildren) {
  pod_->make_fifo("hold");
  const Fd hold = pod_->open_fifo("hold");
  run_shell("exec 9>/vol/hold; setsid sleep 1000 & exit 0");
  EXPECT_EQ(main_record().code, 0);
  char byte;
  EXPECT_EQ(::read(hold.get(), &byte, 1), 0);
}

TEST_P(Shim, ReapsOrphans) {
  // The script ends only when no zombie is left.
  const std::string out = run_shell(
      "(sh -c 'exit 3' &) ; (sh -c 'exit 4' &)\n"
      "while grep -q '^State:.Z' /proc/[0-9]*/status 2>/dev/null; do :; done; echo none left");
  EXPECT_EQ(out, "none left\n");
}

// ---- several containers ----

TEST_P(Shim, InitContainersRunOneAfterTheOtherThenAllTheRest) {
  Launch launch = TestPod::shell("cat /vol/order; echo main >> /vol/order");
  LaunchContainer first = launch.containers[0];
  first.name = "first";
  first.is_init = true;
  first.args = {"sh", "-c", "echo first >> /vol/order"};
  LaunchContainer second = first;
  second.name = "second";
  second.args = {"sh", "-c", "cat /vol/order; echo second >> /vol/order"};
  launch.containers.insert(launch.containers.begin(), {first, second});
  record_ = pod_->run(launch);
  EXPECT_EQ(pod_->output("", "second"), "first\n");
  EXPECT_EQ(pod_->output(), "first\nsecond\n");
  EXPECT_LE(*record_.find("first")->finished, *record_.find("second")->started);
  EXPECT_LE(*record_.find("second")->finished, *main_record().started);
}

TEST_P(Shim, AFailedInitContainerKeepsTheOthersFromStarting) {
  Launch launch = TestPod::shell("touch /vol/ran");
  LaunchContainer first = launch.containers[0];
  first.name = "first";
  first.is_init = true;
  first.args = {"sh", "-c", "exit 9"};
  launch.containers.insert(launch.containers.begin(), first);
  record_ = pod_->run(launch);
  EXPECT_EQ(record_.find("first")->code, 9);
  EXPECT_EQ(main_record().state, RunState::kWaiting);
  EXPECT_FALSE(std::filesystem::exists(pod_->volume() + "/ran"));
}

TEST_P(Shim, ContainersOfAPodRunTogetherAndShareMemoryVolumes) {
  Launch launch = TestPod::shell("echo hello > /mem/pipe");
  launch.volumes.push_back({"mem", MemoryFolder{1 << 20}});
  launch.containers[0].mounts.push_back({.volume = "mem", .sub_path = "", .target = "/mem", .read_only = false});
  LaunchContainer other = launch.containers[0];
  launch.containers[0].args = {"sh", "-c", "mkfifo /mem/pipe 2>/dev/null; echo hello > /mem/pipe"};
  other.name = "other";
  other.args = {
      "sh", "-c",
      "mkfifo /mem/pipe 2>/dev/null; read line < /mem/pipe; echo got $line; df -k /mem | tail -1 | awk '{print $2}'"};
  launch.containers.push_back(other);
  record_ = pod_->run(launch);
  EXPECT_EQ(pod_->output("", "other"), "got hello\n1024\n");
}

TEST_P(Shim, LeavesWhenItsFolderWasRemoved) {
  pod_->make_fifo("up");
  pod_->make_fifo("end");
  pod_->start(pod_->shell("echo up > /vol/up; read line < /vol/end"));
  pod_->go();
  EXPECT_EQ(pod_->read_fifo("up"), "up");
  // The shim may write a record while the folder is being removed.
  for (std::error_code error; std::filesystem::exists(pod_->folder());)
    std::filesystem::remove_all(pod_->folder(), error);
  const Fd end(::open((pod_->volume() + "/end").c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_EQ(::write(end.get(), "x\n", 2), 2);
  pod_->wait();
}

}  // namespace
}  // namespace muster::agent
