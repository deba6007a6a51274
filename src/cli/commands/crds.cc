// crds: prints the CustomResourceDefinitions that a cluster needs for our kinds.
#include <fmt/core.h>

#include "base/strings.h"
#include "cli/commands/commands.h"
#include "json/yaml.h"

namespace muster::cli {

namespace {

class Crds final : public Command {
 public:
  void add_flags(Flags&) override {}

  int run(Session& session, const std::vector<std::string>& words) override {
    if (!words.empty()) return session.fail(usage_failure(fmt::format("unexpected argument {}", quote(words[0]))));
    std::string_view separator;
    for (const api::Resource& resource : api::resources()) {
      if (!resource.has_own_crd()) continue;
      session.out_exact(separator);
      session.out_exact(json::to_yaml(api::crd(resource)));
      separator = "---\n";
    }
    return kExitOk;
  }
};

}  // namespace

std::unique_ptr<Command> make_crds() {
  return std::make_unique<Crds>();
}

}  // namespace muster::cli
