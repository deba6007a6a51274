// CommandRun: runs a command against a FakeServer on virtual time and captures its output. For tests only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands/commands.h"
#include "testing/fake_server.h"

namespace muster::cli {

class CommandRun {
 public:
  CommandRun();
  ~CommandRun();
  /// Returns the exit code. When the loop is idle and the command still waits, runs the next of `steps`; when no step
  /// and no timer is left, it interrupts the command.
  int run(std::unique_ptr<Command> command, const std::vector<std::string>& args,
          std::vector<std::function<void()>> steps = {});

  FakeServer& server;
  std::string out;
  std::string err;
  std::string input;  // stdin
  bool terminal = false;
  std::vector<std::string> shown_pages;  // the paths of the pages that were shown through the API
  std::size_t width = 0;                 // of the terminal

 private:
  struct World;  // the loop on virtual time, the server and the client
  explicit CommandRun(std::unique_ptr<World> world);
  std::unique_ptr<World> world_;
};

}  // namespace muster::cli
