// kubeconfig: prints the kubeconfig that the engine wrote, for kubectl and other clients.
#include <fmt/core.h>

#include "base/files.h"
#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/connect/environment.h"

namespace muster::cli {

namespace {

class Kubeconfig final : public Command {
 public:
  void add_flags(Flags& flags) override { flags.add("data-dir", &data_dir_, "data folder of the engine"); }

  int run(Session& session, const std::vector<std::string>& words) override {
    if (!words.empty()) return session.fail(usage_failure(fmt::format("unexpected argument {}", quote(words[0]))));
    Environment environment = read_environment();
    if (!data_dir_.empty()) environment.data_dir = data_dir_;
    const std::string path = environment.engine_kubeconfig();
    auto text = read_file(path);
    if (!text && text.error().reason == Reason::kNotFound) {
      return session.fail({.code = kExitNotFound,
                           .what = fmt::format("there is no {}", path),
                           .why = "no engine has run on this folder yet",
                           .fix = "muster up"});
    }
    if (!text) return session.fail(text.error());
    session.out_exact(*text);
    return kExitOk;
  }

 private:
  std::string data_dir_;
};

}  // namespace

std::unique_ptr<Command> make_kubeconfig() {
  return std::make_unique<Kubeconfig>();
}

}  // namespace muster::cli
