// version: prints the version of this program, and of the server if one responds.
#include <fmt/core.h>

#include "base/strings.h"
#include "cli/commands/commands.h"
#include "json/yaml.h"

namespace muster::cli {

namespace {

class Version final : public Command {
 public:
  void add_flags(Flags& flags) override {
    flags.add("client", &client_only_, "print only the version of muster itself");
    flags.add("output", &output_, "output format: yaml or json", 'o');
    flags.set_choices("output", {"yaml", "json"});
  }

  int run(Session& session, const std::vector<std::string>& words) override {
    if (!words.empty()) return session.fail(usage_failure(fmt::format("unexpected argument {}", quote(words[0]))));
    if (!output_.empty() && output_ != "yaml" && output_ != "json") {
      return session.fail(usage_failure(fmt::format("--output: must be yaml or json, got {}", quote(output_))));
    }
    json::Document all = json::Object{{"clientVersion", json::Object{{"gitVersion", "v" MUSTER_VERSION}}}};
    std::optional<Error> failure;
    if (!client_only_) {
      auto text = session.get_text("/version");
      auto parsed = text ? json::parse(*text) : Result<json::Document>(text.error());
      if (parsed) {
        all["serverVersion"] = *std::move(parsed);
      } else {
        failure = parsed.error();
      }
    }
    session.out(output_ == "yaml"   ? json::to_yaml(all)
                : output_ == "json" ? json::serialize_pretty(all) + "\n"
                                    : lines(all));
    return failure ? session.fail(*failure) : kExitOk;
  }

 private:
  static std::string lines(const json::Document& all) {
    std::string out = fmt::format("muster {}\n", all.string_at("clientVersion", "gitVersion"));
    const std::string& server = all.string_at("serverVersion", "gitVersion");
    const std::string& engine = all.string_at("serverVersion", "musterVersion");
    if (!server.empty()) {
      out += fmt::format("server {}{}\n", server, engine.empty() ? "" : fmt::format(" (muster {})", engine));
    }
    return out;
  }

  bool client_only_ = false;
  std::string output_;
};

}  // namespace

std::unique_ptr<Command> make_version() {
  return std::make_unique<Version>();
}

}  // namespace muster::cli
