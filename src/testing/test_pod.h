// A pod for tests: its own folder, a shim with real processes, and ways to wait for it without sleeping.
#pragma once

#include <string>
#include <vector>

#include "agent/launch/launch_file.h"
#include "agent/pod/record.h"
#include "base/fd.h"
#include "linux/process.h"

namespace muster::agent {

/// The user that runs the engine: root, or an ordinary user with a user namespace.
enum class EngineUser { kRoot, kOrdinary };

class TestPod {
 public:
  /// `below` is appended to the path of the pod's folder, to make it long.
  explicit TestPod(EngineUser user, const std::string& below = "");
  ~TestPod();

  /// Returns one container named "main" that runs a shell script, with the folder volume() mounted at /vol.
  static Launch shell(const std::string& script);
  static Launch command(std::vector<std::string> args);

  /// Starts the shim and waits until it reports that it is ready.
  void start(Launch launch);
  /// The next start gives the shim this lock to hold.
  void give_lock(Fd lock) { lock_ = std::move(lock); }
  /// Starts the shim with arbitrary bytes as its launch description, and does not wait.
  void start_with(const std::string& description);
  /// Starts a shim of version 1, which reads a launch file, and waits until it reports that it is ready.
  void start_version_1(const std::string& script);
  void go();
  /// Closes the server's end of the socket, as the server's death would.
  void hang_up();
  void signal(int number);
  void write_grace(const std::string& seconds);
  /// Waits until the shim has exited.
  void wait();
  AttemptRecord run(Launch launch);  // start, go, wait; returns the exit record

  const std::string& folder() const { return launch_; }
  const std::string& pod_folder() const { return pod_; }
  const std::string& volume() const { return volume_; }
  AttemptRecord exit_record() const;
  bool has_exit_record() const;
  std::string log(const std::string& container = "main", int run = 0) const;
  /// Returns the text of the log without prefixes, of one stream or of both ("").
  std::string output(const std::string& stream = "", const std::string& container = "main", int run = 0) const;
  const Fd& pidfd() const { return shim_.pidfd; }

  /// Creates a named pipe in the volume.
  void make_fifo(const std::string& name) const;
  /// Opens the pipe and returns one line from it.
  std::string read_fifo(const std::string& name) const;
  /// Opens the reading end, non-blocking: it reports end of file once no process has the pipe open for writing.
  Fd open_fifo(const std::string& name) const;
  static void wait_for_end_of(const Fd& fifo);

 private:
  void spawn(const std::string& program, const Fd* description);
  void wait_until_ready();

  EngineUser user_;
  std::string root_;
  std::string pod_;
  std::string launch_;
  std::string volume_;
  linux_os::Child shim_;
  Fd socket_;
  Fd lock_;
};

}  // namespace muster::agent
