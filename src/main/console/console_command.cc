// `muster console` prints a link that logs a browser in once, and opens it on a desktop.
#include <fmt/core.h>

#include "base/strings.h"
#include "cli/connect/browser.h"
#include "main/ask_engine.h"
#include "main/commands.h"
#include "main/data_dir.h"

namespace muster {
namespace {

class Console final : public cli::Command {
 public:
  void add_flags(cli::Flags& flags) override {
    flags.add_bool("no-open", &no_open_, "only print the link");
    flags.add_string("data-dir", &data_dir_, "folder that holds everything the engine keeps");
  }

  int run(cli::Session& session, const std::vector<std::string>&) override {
    if (!running_engine(data_dir_)) {
      return session.fail({.code = cli::kExitUnreachable,
                           .what = fmt::format("no engine runs on {}", quote(data_dir_)),
                           .why = "",
                           .fix = "muster up"});
    }
    const auto link = make_console_link(data_dir_);
    if (!link) return session.fail(link.error());
    session.out(*link + "\n");
    if (!no_open_ && session.terminal().out_is_terminal) cli::open_in_browser(*link);
    return cli::kExitOk;
  }

 private:
  bool no_open_ = false;
  std::string data_dir_ = default_data_dir();
};

}  // namespace

std::unique_ptr<cli::Command> make_console() {
  return std::make_unique<Console>();
}

}  // namespace muster
