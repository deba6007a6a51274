// Tests of commands in running containers, attachments, standard input, terminals and users, with real processes.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "linux/process.h"
#include "testing/shim_pod.h"

namespace muster::agent {
namespace {

using ::testing::HasSubstr;

struct Pipe {
  Pipe() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    read = Fd(ends[0]);
    write = Fd(ends[1]);
  }
  Fd read;
  Fd write;
};

/// Reads to the end of the stream; a terminal ends with an error.
std::string read_all(const Fd& from) {
  std::string text;
  char buffer[4096];
  for (;;) {
    pollfd polled{.fd = from.get(), .events = POLLIN, .revents = 0};
    if (::poll(&polled, 1, 60'000) != 1) {
      ADD_FAILURE() << "nothing happened";
      return text;
    }
    const ssize_t n = ::read(from.get(), buffer, sizeof buffer);
    if (n <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
  }
}

/// Reads until the text contains `wanted`.
std::string read_until(const Fd& from, const std::string& wanted) {
  std::string text;
  char buffer[4096];
  while (text.find(wanted) == std::string::npos) {
    pollfd polled{.fd = from.get(), .events = POLLIN, .revents = 0};
    const ssize_t n = ::poll(&polled, 1, 60'000) == 1 ? ::read(from.get(), buffer, sizeof buffer) : -1;
    if (n <= 0) {
      ADD_FAILURE() << "no " << wanted << " in " << text;
      return text;
    }
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text;
}

void write_text(const Fd& to, std::string_view text) {
  EXPECT_EQ(::write(to.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

class ShimExec : public ShimChannelTest {
 protected:
  struct Command {
    std::uint64_t id = 0;
    std::optional<Result<Fd>> started;
    std::optional<Result<ExecEnd>> ended;
    Pipe in, out, err;
  };
  /// Starts a pod whose only container sleeps.
  TestChannel& begin_idle(const std::function<void(LaunchContainer&)>& change = [](LaunchContainer&) {}) {
    Launch launch = shell("exec sleep 1000");
    change(launch.containers[0]);
    TestChannel& channel = begin(launch);
    channel.wait_for_run(0, RunState::kRunning);
    return channel;
  }
  std::unique_ptr<Command> begin_exec(TestChannel& channel, const ExecRequest& request) {
    auto command = std::make_unique<Command>();
    Command* c = command.get();
    ExecStreams streams;
    if (!request.tty) streams = {std::move(c->in.read), std::move(c->out.write), std::move(c->err.write)};
    c->id = channel->exec(request, std::move(streams),
                          {.on_started = [c](Result<Fd> started) { c->started = std::move(started); },
                           .on_ended = [c](Result<ExecEnd> ended) { c->ended = std::move(ended); }});
    channel.wait_for([c] { return c->started.has_value(); });
    return command;
  }
  static ExecRequest script(const std::string& text) { return {.container = "main", .args = {"sh", "-c", text}}; }
  ExecEnd end_of(TestChannel& channel, Command& command) {
    channel.wait_for([&] { return command.ended.has_value(); });
    EXPECT_TRUE(*command.ended);
    return *command.ended ? **command.ended : ExecEnd{};
  }

  struct Attached {
    std::optional<Result<Fd>> started;
    std::optional<Status> ended;
    Pipe out, err;
  };
  /// A test detaches by dropping it, after which the channel may still call.
  std::shared_ptr<Attached> attach(TestChannel& channel) {
    auto attached = std::make_shared<Attached>();
    const std::weak_ptr<Attached> weak = attached;
    channel->attach("main", std::move(attached->out.write), std::move(attached->err.write),
                    {.on_started =
                         [weak](Result<Fd> input) {
                           if (const auto a = weak.lock()) a->started = std::move(input);
                         },
                     .on_ended =
                         [weak](Status how) {
                           if (const auto a = weak.lock()) a->ended = std::move(how);
                         }});
    channel.wait_for([&attached] { return attached->started.has_value(); });
    return attached;
  }
};

TEST_AS_EITHER_USER(ShimExec);

// ---- exec ----

TEST_P(ShimExec, ACommandRunsInTheContainerWithItsStreamsAndExitCode) {
  TestChannel& channel = begin_idle([](LaunchContainer& main) { main.env.emplace_back("MINE", "container"); });
  ExecRequest request =
      script("read line; echo got $line $MINE $MORE; pwd; hostname; echo oops >&2; touch /root/x; exit 5");
  request.env = {{"MORE", "added"}, {"PATH", "/bin:/usr/bin"}};
  request.cwd = "/vol";
  const auto command = begin_exec(channel, request);
  ASSERT_TRUE(*command->started);
  write_text(command->in.write, "word\n");
  EXPECT_EQ(read_all(command->out.read), "got word container added\n/vol\npod-0\n");
  EXPECT_EQ(read_all(command->err.read), "oops\n");
  EXPECT_EQ(end_of(channel, *command).code, 5);
  EXPECT_EQ(pod_->output(), "") << "its output is not the container's";
  EXPECT_TRUE(std::filesystem::exists(pod_->folder() + "/scratch/main/root/x")) << "it sees the container's files";
}

TEST_P(ShimExec, ACommandHasNoMoreRightsThanItsContainer) {
  TestChannel& channel = begin_idle();
  const auto command = begin_exec(
      channel,
      script("mount -o remount,rw /usr 2>/dev/null && echo remounted; grep -E 'NoNewPrivs|CapBnd' "
             "/proc/self/status > /tmp/own; grep -E 'NoNewPrivs|CapBnd' /proc/2/status | diff - /tmp/own && echo same; "
             "ls /proc/1/root 2>/dev/null; exec ls /proc/self/fd"));
  EXPECT_EQ(read_all(command->out.read), "same\n0\n1\n2\n3\n");
  EXPECT_EQ(end_of(channel, *command).code, 0);
}

TEST_P(ShimExec, ACommandThatCannotBeStartedSaysWhy) {
  TestChannel& channel = begin_idle();
  const auto command = begin_exec(channel, {.container = "main", .args = {"pythn"}});
  ASSERT_FALSE(*command->started);
  EXPECT_EQ(command->started->error().message, "exec \"pythn\": ENOENT (no such file or directory)");
  const auto lost = begin_exec(channel, {.container = "other", .args = {"true"}});
  EXPECT_EQ(lost->started->error().message, "there is no such container");
  const auto nowhere = begin_exec(channel, {.container = "main", .args = {"true"}, .cwd = "/nowhere"});
  EXPECT_EQ(nowhere->started->error().message, "working directory \"/nowhere\": ENOENT (no such file or directory)");
}

TEST_P(ShimExec, ACommandInAnEndedContainerIsRefused) {
  TestChannel& channel = begin(shell("exit 1"));
  channel.wait_for_run(0, RunState::kTerminated);
  const auto command = begin_exec(channel, script("true"));
  ASSERT_FALSE(*command->started);
  EXPECT_EQ(command->started->error().message, "the container is not running");
}

TEST_P(ShimExec, ATooLongCommandIsRefused) {
  TestChannel& channel = begin_idle();
  const auto command = begin_exec(channel, script(std::string(100'000, 'x')));
  ASSERT_FALSE(*command->started);
  EXPECT_EQ(command->started->error().reason, Reason::kRequestEntityTooLarge);
}

TEST_P(ShimExec, ASignalEndsACommandAndIsExact) {
  TestChannel& channel = begin_idle();
  const auto command = begin_exec(channel, script("kill -SEGV $$"));
  const ExecEnd end = end_of(channel, *command);
  EXPECT_EQ(end.signal, SIGSEGV);
  EXPECT_EQ(end.code, 128 + SIGSEGV);
}

TEST_P(ShimExec, ACommandIsKilledOnRequestWithItsProcessGroup) {
  TestChannel& channel = begin_idle();
  const auto command = begin_exec(channel, script("sleep 1000 & echo up; wait"));
  EXPECT_EQ(read_until(command->out.read, "up"), "up\n");
  channel->kill_exec(command->id);
  EXPECT_EQ(end_of(channel, *command).signal, SIGKILL);
  EXPECT_EQ(read_all(command->out.read), "");
}

TEST_P(ShimExec, TheEndOfTheConnectionKillsItsCommands) {
  TestChannel& channel = begin_idle();
  TestChannel& other = connect();
  const auto kept = begin_exec(other, script("echo up; read line; exit 4"));
  const auto command = begin_exec(channel, script("echo up; sleep 1000"));
  EXPECT_EQ(read_until(command->out.read, "up"), "up\n");
  channel.disconnect();
  EXPECT_EQ(read_all(command->out.read), "");
  write_text(kept->in.write, "end\n");
  EXPECT_EQ(end_of(other, *kept).code, 4);
}

TEST_P(ShimExec, TheEndOfTheContainerEndsItsCommands) {
  pod_->make_fifo("end");
  TestChannel& channel = begin(shell("read line < /vol/end"));
  channel.wait_for_run(0, RunState::kRunning);
  const auto command = begin_exec(channel, script("echo up; sleep 1000"));
  EXPECT_EQ(read_until(command->out.read, "up"), "up\n");
  std::ofstream(pod_->volume() + "/end") << "end\n";
  EXPECT_EQ(end_of(channel, *command).signal, SIGKILL);
}

TEST_P(ShimExec, ACommandWithATerminal) {
  TestChannel& channel = begin_idle();
  ExecRequest request = script("tty; stty size; read line; echo \"[$line]\"; exit 6");
  request.tty = true;
  const auto command = begin_exec(channel, request);
  ASSERT_TRUE(*command->started);
  const Fd terminal = std::move(**command->started);
  ASSERT_TRUE(terminal);
  EXPECT_THAT(read_until(terminal, "0 0\r\n"), HasSubstr("/dev/pts/0\r\n"));
  const winsize size{.ws_row = 33, .ws_col = 99, .ws_xpixel = 0, .ws_ypixel = 0};
  EXPECT_EQ(::ioctl(terminal.get(), TIOCSWINSZ, &size), 0);
  write_text(terminal, "hello\n");
  EXPECT_THAT(read_all(terminal), HasSubstr("[hello]\r\n"));
  EXPECT_EQ(end_of(channel, *command).code, 6);
}

// ---- attach ----

TEST_P(ShimExec, AnAttachmentReceivesOutputAndGivesInput) {
  Launch launch = shell("while read line; do echo out $line; echo err $line >&2; done; echo bye");
  launch.containers[0].standard_input = StandardInput::kOnce;
  TestChannel& channel = begin(launch);
  channel.wait_for_run(0, RunState::kRunning);
  const auto attached = attach(channel);
  ASSERT_TRUE(*attached->started);
  Fd input = std::move(**attached->started);
  ASSERT_TRUE(input);
  const auto watcher = attach(channel);
  ASSERT_TRUE(*watcher->started);
  EXPECT_FALSE(**watcher->started) << "the input was given away";
  write_text(input, "a\n");
  EXPECT_EQ(read_until(attached->out.read, "\n"), "out a\n");
  EXPECT_EQ(read_until(attached->err.read, "\n"), "err a\n");
  input.reset();
  EXPECT_EQ(read_all(attached->out.read), "bye\n");
  EXPECT_EQ(read_all(watcher->out.read), "out a\nbye\n");
  channel.wait_for([&] { return attached->ended.has_value() && watcher->ended.has_value(); });
  EXPECT_TRUE(*attached->ended);
  channel.wait_for_run(0, RunState::kTerminated);
  EXPECT_EQ(pod_->output("stdout"), "out a\nbye\n");
}

TEST_P(ShimExec, TheFirstAttachmentToAProgramThatIsTypedIntoReceivesWhatItWroteBefore) {
  pod_->make_fifo("wrote");
  Launch launch = shell("echo early; echo wrong >&2; echo yes > /vol/wrote; read line; echo got $line");
  launch.containers[0].standard_input = StandardInput::kOnce;
  TestChannel& channel = begin(launch);
  channel.wait_for_run(0, RunState::kRunning);
  EXPECT_EQ(read_file(pod_->volume() + "/wrote").value_or(""), "yes\n");
  const auto attached = attach(channel);
  const auto watcher = attach(channel);
  write_text(**attached->started, "x\n");
  EXPECT_EQ(read_all(attached->out.read), "early\ngot x\n");
  EXPECT_EQ(read_all(attached->err.read), "wrong\n");
  EXPECT_EQ(read_all(watcher->out.read), "got x\n") << "only the first";
}

TEST_P(ShimExec, MuchEarlyOutputWaitsForTheFirstAttachment) {
  pod_->make_fifo("wrote");
  // More than is kept, and less than is kept and fits into the pipe.
  Launch launch = shell("seq 1 200000; echo yes > /vol/wrote; seq 200001 600000");
  launch.containers[0].standard_input = StandardInput::kOnce;
  TestChannel& channel = begin(launch);
  channel.wait_for_run(0, RunState::kRunning);
  EXPECT_EQ(read_file(pod_->volume() + "/wrote").value_or(""), "yes\n");
  const auto attached = attach(channel);
  const std::string text = read_all(attached->out.read);
  EXPECT_TRUE(text.starts_with("1\n2\n"));
  EXPECT_EQ(text.size(), 4'088'895u);
}

TEST_P(ShimExec, InputStaysOpenForTheNextAttachmentUnlessOnce) {
  Launch launch = shell("while read line; do echo $line; done");
  launch.containers[0].standard_input = StandardInput::kAlways;
  TestChannel& channel = begin(launch);
  channel.wait_for_run(0, RunState::kRunning);
  for (const char* word : {"first\n", "second\n"}) {
    const auto attached = attach(channel);
    write_text(**attached->started, word);
    EXPECT_EQ(read_until(attached->out.read, "\n"), word);
  }
}

TEST_P(ShimExec, ALotOfOutputReachesAReaderThatKeepsUp) {
  pod_->make_fifo("go");
  TestChannel& channel = begin(shell("read line < /vol/go; seq 1 300000; exit 1"));
  channel.wait_for_run(0, RunState::kRunning);
  const auto attached = attach(channel);
  std::ofstream(pod_->volume() + "/go") << "go\n";
  const std::string text = read_all(attached->out.read);
  EXPECT_TRUE(text.ends_with("299999\n300000\n"));
  EXPECT_EQ(text.size(), 1'988'895u);
  channel.wait_for([&] { return attached->ended.has_value(); });
  EXPECT_TRUE(*attached->ended);
}

TEST_P(ShimExec, AReaderThatDoesNotReadIsDetachedAndTheContainerGoesOn) {
  pod_->make_fifo("go");
  TestChannel& channel = begin(shell("read line < /vol/go; seq 1 300000; exit 1"));
  channel.wait_for_run(0, RunState::kRunning);
  const auto attached = attach(channel);
  std::ofstream(pod_->volume() + "/go") << "go\n";
  channel.wait_for([&] { return attached->ended.has_value(); });
  ASSERT_FALSE(*attached->ended);
  EXPECT_EQ(attached->ended->error().message, "the reader is too slow");
  channel.wait_for_run(0, RunState::kTerminated);
  EXPECT_TRUE(pod_->output("stdout").ends_with("299999\n300000\n"));
}

TEST_P(ShimExec, AContainerMayHaveATerminal) {
  Launch launch = shell("tty; stty size; while read line; do stty size; echo \"[$line]\"; done");
  launch.containers[0].tty = true;
  launch.containers[0].standard_input = StandardInput::kAlways;
  TestChannel& channel = begin(launch);
  channel.wait_for_run(0, RunState::kRunning);
  const auto attached = attach(channel);
  const std::string resized =
      channel.answer_of([](ShimChannel& c, ShimChannel::Done done) { c.resize("main", 12, 34, std::move(done)); });
  EXPECT_EQ(resized, "");
  write_text(**attached->started, "hello\n");
  EXPECT_THAT(read_until(attached->out.read, "[hello]"), HasSubstr("12 34\r\n"));
  write_text(**attached->started, "\4");  // end of file
  channel.wait_for_run(0, RunState::kTerminated);
  EXPECT_THAT(pod_->output("stdout"), HasSubstr("/dev/pts/0\r\n"));
  EXPECT_THAT(pod_->output("stdout"), HasSubstr("[hello]\r\n"));
}

// ---- users ----

TEST_P(ShimExec, AContainerRunsAsTheGivenUser) {
  Launch launch = shell(
      "id -u; id -g; echo mine > /dev/stdout; touch own /root/home; stat -c '%u %g' own; grep CapEff /proc/self/status",
      RestartPolicy::kNever);
  launch.containers[0].cwd = "/not-on-the-host";
  launch.containers[0].user = LaunchUser{.uid = 1000, .gid = 1001};
  pod_->run(launch);
  EXPECT_EQ(pod_->output(), "1000\n1001\nmine\n1000 1001\nCapEff:\t0000000000000000\n");
}

TEST_P(ShimExec, ACommandRunsAsTheContainersUserOrAnother) {
  TestChannel& channel = begin_idle([](LaunchContainer& main) { main.user = LaunchUser{.uid = 1000, .gid = 1001}; });
  const auto command = begin_exec(channel, script("id -u; id -g; kill -0 2 && echo reaches"));
  EXPECT_EQ(read_all(command->out.read), "1000\n1001\nreaches\n");
  ExecRequest as_other = script("id -u");
  as_other.user = LaunchUser{.uid = 7, .gid = 7};
  const auto other = begin_exec(channel, as_other);
  EXPECT_EQ(read_all(other->out.read), "7\n");
}

TEST_P(ShimExec, SupplementaryGroupsAreSetWhereTheEngineMay) {
  if (GetParam() != EngineUser::kRoot) GTEST_SKIP() << "an ordinary user has one group in a user namespace";
  Launch launch = shell("id -G", RestartPolicy::kNever);
  launch.containers[0].user = LaunchUser{.uid = 1000, .gid = 1001, .groups = {2000, 3000}};
  pod_->run(launch);
  EXPECT_EQ(pod_->output(), "1001 2000 3000\n");
}

TEST_P(ShimExec, AReadOnlyRootLeavesOnlyVolumesWritable) {
  Launch launch = shell("for d in /root /tmp /var/tmp /run /vol /dev/shm; do touch $d/x 2>/dev/null && echo $d; done",
                        RestartPolicy::kNever);
  launch.containers[0].read_only_root = true;
  pod_->run(launch);
  EXPECT_EQ(pod_->output(), "/vol\n/dev/shm\n");
}

}  // namespace
}  // namespace muster::agent
