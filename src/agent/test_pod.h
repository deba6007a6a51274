// A pod for tests: a folder of its own, a shim with real processes, and ways to wait for it without sleeping.
#pragma once

#include <string>
#include <vector>

#include "agent/launch_file.h"
#include "agent/record.h"
#include "base/fd.h"
#include "linux/process.h"

namespace muster::agent {

/// Who the engine is: root, or an ordinary user with a user namespace.
enum class EngineUser { kRoot, kOrdinary };

class TestPod {
 public:
  explicit TestPod(EngineUser user);
  ~TestPod();

  /// One container named "main" that runs a shell script, with the folder volume() at /vol.
  static Launch shell(const std::string& script);
  static Launch command(std::vector<std::string> args);

  /// Starts the shim and waits until it says that it is ready.
  void start(Launch launch);
  /// Starts the shim with any bytes as its launch file, and does not wait.
  void start_with(const std::string& launch_file);
  void go();
  /// Closes the server's end of the socket, as its death would.
  void hang_up();
  void signal(int number);
  void write_grace(const std::string& seconds);
  /// Until the shim is gone.
  void wait();
  AttemptRecord run(Launch launch);  // start, go, wait, exit record

  const std::string& folder() const { return attempt_; }
  const std::string& volume() const { return volume_; }
  AttemptRecord exit_record() const;
  bool has_exit_record() const;
  std::string log(const std::string& container = "main") const;
  /// The log's texts put together again, of one stream ("" for both).
  std::string output(const std::string& stream = "", const std::string& container = "main") const;
  const Fd& pidfd() const { return shim_.pidfd; }

  /// A named pipe in the volume.
  void make_fifo(const std::string& name) const;
  /// One line from it; opens it each time.
  std::string read_fifo(const std::string& name) const;
  /// Its reading end, non-blocking: end of file once no process has it open for writing any more.
  Fd open_fifo(const std::string& name) const;
  static void wait_for_end_of(const Fd& fifo);

 private:
  EngineUser user_;
  std::string root_;
  std::string attempt_;
  std::string volume_;
  linux_os::Child shim_;
  Fd socket_;
};

}  // namespace muster::agent
