// The commands, one file each. A command declares its flags, then runs with a connected session.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/connect/connect.h"
#include "cli/connect/session.h"
#include "cli/flags/flags.h"
#include "cli/run/run_from.h"
#include "cli/terminal/console.h"
#include "cli/terminal/print_error.h"

namespace muster::cli {

class Command {
 public:
  virtual ~Command() = default;
  virtual void add_flags(Flags& flags) = 0;
  /// Looks at what needs no server, before one is looked for or started. Called once, before run().
  virtual std::optional<Failure> check(const std::vector<std::string>& /*words*/) { return std::nullopt; }
  /// `words` are the arguments that are not flags. Returns the exit code.
  virtual int run(Session& session, const std::vector<std::string>& words) = 0;
};

std::unique_ptr<Command> make_apply();
std::unique_ptr<Command> make_create();
std::unique_ptr<Command> make_get();
std::unique_ptr<Command> make_describe();
std::unique_ptr<Command> make_logs();
std::unique_ptr<Command> make_exec();
std::unique_ptr<Command> make_exec(Console console);
std::unique_ptr<Command> make_attach();
std::unique_ptr<Command> make_attach(Console console);
std::unique_ptr<Command> make_cp();
std::unique_ptr<Command> make_port_forward();
std::unique_ptr<Command> make_top();
std::unique_ptr<Command> make_shell();
std::unique_ptr<Command> make_shell(Console console);
std::unique_ptr<Command> make_delete();
std::unique_ptr<Command> make_wait();
std::unique_ptr<Command> make_version();
std::unique_ptr<Command> make_use();
std::unique_ptr<Command> make_use(Environment environment, ConnectPorts ports);
std::unique_ptr<Command> make_kubeconfig();
std::unique_ptr<Command> make_crds();
std::unique_ptr<Command> make_patch();
std::unique_ptr<Command> make_label();
std::unique_ptr<Command> make_annotate();
/// Opens a file in the user's editor and returns when the editor has exited.
using EditFile = std::function<Status(const std::string& path)>;
std::unique_ptr<Command> make_edit();
std::unique_ptr<Command> make_edit(EditFile edit_file);
std::unique_ptr<Command> make_explain();
/// Opens a page in the user's browser, if there is one.
using OpenPage = std::function<void(const std::string& url)>;
std::unique_ptr<Command> make_tensorboard();
std::unique_ptr<Command> make_tensorboard(OpenPage open);
std::unique_ptr<Command> make_notebook();
std::unique_ptr<Command> make_notebook(OpenPage open);
std::unique_ptr<Command> make_pause();
std::unique_ptr<Command> make_resume();
std::unique_ptr<Command> make_stop();
std::unique_ptr<Command> make_rerun();
std::unique_ptr<Command> make_compare();
std::unique_ptr<Command> make_scale();
std::unique_ptr<Command> make_run();
std::unique_ptr<Command> make_run(RunFrom from);
std::unique_ptr<Command> make_volume();
std::unique_ptr<Command> make_volume(RunFrom from);
std::unique_ptr<Command> make_completion();
struct Completing;
std::unique_ptr<Command> make_complete(Completing at);

}  // namespace muster::cli
