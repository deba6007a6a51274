// arena version: Arena's version that this program stands in for, and what it really is.
#include <fmt/core.h>

#include "arena/commands/commands.h"

namespace muster::arena {

namespace {

constexpr const char* kArenaVersion = "v0.15.5+muster." MUSTER_VERSION;

class Version final : public Command {
 public:
  void add_flags(Flags& flags) override {
    flags.add("short", &short_, "print just the version number");
    flags.add("verbose", &verbose_, "also print which program this is", 'v');
  }

  int run(Context& context, const std::vector<std::string>& /*words*/) override {
    context.session.out(fmt::format("arena: {}\n", kArenaVersion));
    if (short_) return 0;
    context.session.out("  GitTreeState: clean\n  Compiler: g++\n  Platform: linux\n");
    if (verbose_) context.session.out("  Program: muster " MUSTER_VERSION "; objects are created without charts\n");
    return 0;
  }

 private:
  bool short_ = false;
  bool verbose_ = false;
};

}  // namespace

std::unique_ptr<Command> make_version() {
  return std::make_unique<Version>();
}

}  // namespace muster::arena
