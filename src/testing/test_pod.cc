#include "testing/test_pod.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "agent/paths.h"
#include "agent/shim_program.h"
#include "base/files.h"
#include "base/strings.h"
#include "linux/files.h"
#include "linux/process.h"
#include "linux/remove_tree.h"

namespace muster::agent {
namespace {

constexpr int kPatience = 60'000;  // milliseconds; only a hang takes this long
constexpr uid_t kNobody = 65534;

void wait_readable(int fd) {
  pollfd polled{.fd = fd, .events = POLLIN, .revents = 0};
  ASSERT_EQ(::poll(&polled, 1, kPatience), 1) << "nothing happened";
}

}  // namespace

TestPod::TestPod(EngineUser user) : user_(user) {
  char name[] = "/tmp/muster-pod-XXXXXX";
  root_ = ::mkdtemp(name);
  attempt_ = root_ + "/attempt";
  volume_ = root_ + "/volume";
  std::filesystem::create_directory(attempt_);
  std::filesystem::create_directory(volume_);
  if (user_ == EngineUser::kOrdinary && ::geteuid() == 0) {
    for (const std::string& path : {root_, attempt_, volume_}) {
      if (::chown(path.c_str(), kNobody, kNobody) != 0) ADD_FAILURE() << "chown " << path;
    }
  }
}

TestPod::~TestPod() {
  socket_.reset();
  if (shim_.pidfd) {
    // Killing the shim with SIGKILL kills the pod too, so no test leaves processes behind.
    if (!linux_os::has_ended(shim_.pidfd)) (void)linux_os::send_signal(shim_.pidfd, SIGKILL).has_value();
    wait_readable(shim_.pidfd.get());
    linux_os::has_ended(shim_.pidfd);
  }
  (void)linux_os::remove_tree(root_).has_value();
}

Launch TestPod::command(std::vector<std::string> args) {
  Launch launch;
  launch.hostname = "pod-0";
  launch.containers.push_back({.name = "main",
                               .is_init = false,
                               .cwd = "/",
                               .args = std::move(args),
                               .env = {{"PATH", "/usr/bin:/bin"}, {"HOME", "/root"}},
                               .mounts = {{.volume = "vol", .sub_path = "", .target = "/vol", .read_only = false}}});
  return launch;
}

Launch TestPod::shell(const std::string& script) {
  return command({"sh", "-c", script});
}

void TestPod::start(Launch launch) {
  launch.volumes.push_back({"vol", HostFolder{volume_}});
  start_with(encode_launch(launch));
  ASSERT_TRUE(socket_);
  wait_readable(socket_.get());
  char word[16] = {};
  ASSERT_EQ(::read(socket_.get(), word, sizeof word), 6);
  ASSERT_STREQ(word, "ready\n");
}

void TestPod::start_with(const std::string& launch_file) {
  ASSERT_TRUE(write_file_atomically(attempt_ + kLaunchFile, launch_file, 0600));
  auto program = install_shim(root_);
  ASSERT_TRUE(program) << program.error().message;
  if (user_ == EngineUser::kRoot || ::geteuid() != 0) {
    auto shim = start_shim(*program, attempt_);
    ASSERT_TRUE(shim) << shim.error().message;
    shim_ = std::move(shim->process);
    socket_ = std::move(shim->socket);
  } else {
    ASSERT_EQ(::chown(program->c_str(), kNobody, kNobody), 0);
    ASSERT_EQ(::chown((attempt_ + kLaunchFile).c_str(), kNobody, kNobody), 0);
    auto pair = linux_os::make_socket_pair();
    ASSERT_TRUE(pair);
    auto child =
        linux_os::spawn({.program = "/usr/bin/setpriv",
                         .args = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *program, attempt_},
                         .env = {},
                         .fds = {{pair->theirs.get(), 0}}});
    ASSERT_TRUE(child) << child.error().message;
    shim_ = std::move(*child);
    socket_ = std::move(pair->ours);
  }
}

void TestPod::go() {
  ASSERT_EQ(::write(socket_.get(), "go\n", 3), 3);
}
void TestPod::hang_up() {
  socket_.reset();
}
void TestPod::signal(int number) {
  ASSERT_TRUE(linux_os::send_signal(shim_.pidfd, number));
}
void TestPod::write_grace(const std::string& seconds) {
  ASSERT_TRUE(write_file_atomically(attempt_ + kGraceFile, seconds, 0644));
}

void TestPod::wait() {
  wait_readable(shim_.pidfd.get());
  ASSERT_TRUE(linux_os::has_ended(shim_.pidfd));
}

AttemptRecord TestPod::run(Launch launch) {
  start(std::move(launch));
  go();
  wait();
  return exit_record();
}

AttemptRecord TestPod::exit_record() const {
  const auto text = read_file(attempt_ + kExitFile);
  if (!text) {
    ADD_FAILURE() << "no exit.json";
    return {};
  }
  auto record = parse_record(*text);
  EXPECT_TRUE(record) << *text;
  return record ? *std::move(record) : AttemptRecord{};
}

bool TestPod::has_exit_record() const {
  return std::filesystem::exists(attempt_ + kExitFile);
}

std::string TestPod::log(const std::string& container) const {
  return read_file(attempt_ + "/" + container + ".log").value_or("");
}

std::string TestPod::output(const std::string& stream, const std::string& container) const {
  const std::string text = log(container);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    EXPECT_NE(end, std::string::npos) << "the log ends in the middle of a line";
    const std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    // "2026-11-15T21:30:36.000123456Z stdout F text"
    EXPECT_TRUE(parse_rfc3339(line.substr(0, 30))) << line.substr(0, 60);
    if (!stream.empty() && line.substr(31, 6) != stream) continue;
    out.append(line.substr(40));
    if (line[38] == 'F') out.push_back('\n');
  }
  return out;
}

void TestPod::make_fifo(const std::string& name) const {
  const std::string path = volume_ + "/" + name;
  ASSERT_EQ(::mkfifo(path.c_str(), 0666), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
}

std::string TestPod::read_fifo(const std::string& name) const {
  const Fd fd(::open((volume_ + "/" + name).c_str(), O_RDWR | O_CLOEXEC));
  wait_readable(fd.get());
  char buffer[256];
  const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
  return n > 0 ? std::string(trim(std::string_view(buffer, static_cast<std::size_t>(n)))) : "";
}

Fd TestPod::open_fifo(const std::string& name) const {
  return Fd(::open((volume_ + "/" + name).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
}

void TestPod::wait_for_end_of(const Fd& fifo) {
  char buffer[256];
  for (;;) {
    wait_readable(fifo.get());
    const ssize_t n = ::read(fifo.get(), buffer, sizeof buffer);
    if (n == 0 || ::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace muster::agent
