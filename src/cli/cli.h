// The command line of the program: finds the command in the table, reads its flags, connects to a server and runs it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/commands/command_table.h"

namespace muster::cli {

/// Returns the exit code: 0 ok, 1 job failed or generic, 2 usage, 3 not found, 4 conflict or exists, 5 cannot schedule,
/// 6 cannot reach the server, 7 forbidden, 124 time-out, 130 interrupted.
int run(CommandTable table, const std::vector<std::string>& args, const ShowPage& show_page = {});

struct SessionRun {
  Server need = Server::kNeeded;
  ConnectOptions connect;
  Session::ErrorText error_text = cli::error_text;
  std::function<void(const Choice&)> on_chosen = {};  // receives the server that was chosen
  ShowPage show_page = {};
};
/// Chooses a server, connects to it and calls `body`. Returns its exit code, or that of the failure to connect.
int run_in_session(const SessionRun& how, const std::function<int(Session&)>& body);

}  // namespace muster::cli
