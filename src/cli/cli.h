// The commands that talk to an API server. Those that run the engine itself (serve, up, down, status) are in main/.
#pragma once

#include <string>
#include <vector>

#include "cli/completion.h"
#include "net/event_loop.h"

namespace muster::cli {

/// True when `word` is one of ours; `run` returns the exit code of design: 0 ok, 1 job failed or generic, 2 usage,
/// 3 not found, 4 conflict or exists, 5 cannot schedule, 6 cannot reach the server, 7 forbidden, 124 time-out, 130
/// interrupted.
bool knows(const std::string& word);
int run(const std::vector<std::string>& args);
/// One line per command, for `muster help`.
std::string command_list();
std::vector<std::string> command_names();
/// Prints what could stand where the last of `words` is being typed. `others` are the commands that run() does not
/// know.
int complete(std::vector<std::string> words, std::vector<Completable> others);

}  // namespace muster::cli
