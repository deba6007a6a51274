// arena version: Arena's version that this program stands in for, and what it really is.
#include <fmt/core.h>
#include <sys/utsname.h>

#include "arena/commands/commands.h"
#include "build_stamp.h"

namespace muster::arena {

namespace {

constexpr const char* kArenaVersion = "v0.15.5+muster." MUSTER_VERSION;

std::string compiler() {
#ifdef __clang__
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

/// As Go names it, which Arena prints.
std::string architecture() {
  utsname machine{};
  if (::uname(&machine) != 0) return "unknown";
  const std::string_view name = machine.machine;
  return std::string(name == "x86_64" ? "amd64" : name == "aarch64" ? "arm64" : name);
}

class Version final : public Command {
 public:
  void add_flags(Flags& flags) override {
    flags.add("short", &short_, "print just the version number");
    flags.add("verbose", &verbose_, "also print which program this is", 'v');
  }

  int run(Context& context, const std::vector<std::string>& /*words*/) override {
    context.session.out(fmt::format("arena: {}\n", kArenaVersion));
    if (short_) return 0;
    context.session.out(
        fmt::format("  BuildDate: {}\n  GitCommit: {}\n  GitTreeState: {}\n", kBuildDate, kGitCommit, kGitTreeState));
    if (*kGitTag != '\0') context.session.out(fmt::format("  GitTag: {}\n", kGitTag));
    context.session.out(
        fmt::format("  GoVersion: none\n  Compiler: {}\n  Platform: linux/{}\n", compiler(), architecture()));
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
