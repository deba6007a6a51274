// CommandRun: a command run against a FakeServer on virtual time, with what it printed. For tests.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/fake_server.h"

namespace muster::cli {

/// A command run against a FakeServer, with what it printed.
class CommandRun {
 public:
  CommandRun();
  ~CommandRun();
  /// The exit code. When nothing is left to do and the command still waits, each of `steps` in turn is done to the
  /// world, then it is interrupted.
  int run(std::unique_ptr<Command> command, const std::vector<std::string>& args,
          std::vector<std::function<void()>> steps = {});

  FakeServer& server;
  std::string out;
  std::string err;
  std::string input;  // stdin
  bool terminal = false;
  std::size_t width = 0;  // of the terminal

 private:
  struct World;  // the loop on virtual time, the server, the client
  explicit CommandRun(std::unique_ptr<World> world);
  std::unique_ptr<World> world_;
};

}  // namespace muster::cli
