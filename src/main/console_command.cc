// `muster console` prints a link that logs a browser in once, and opens it on a desktop. An engine serves its console
// itself; for a cluster, the console is served here for as long as the command runs.
#include <fmt/core.h>

#include "base/random.h"
#include "base/strings.h"
#include "cli/connect/browser.h"
#include "cli/connect/session.h"
#include "linux/tcp_port.h"
#include "main/ask_engine.h"
#include "main/commands.h"
#include "main/data_dir.h"
#include "web/console/cluster_console.h"

namespace muster {
namespace {

/// Asks what the server is. A console without a server shows nothing, so a broken one is reported soon.
Result<json::Document> version_of(cli::Session& session) {
  constexpr Duration kPatience = std::chrono::seconds(5);
  TRY_ASSIGN(const std::string text, session.get_text("/version", kPatience));
  auto version = json::parse(text);
  if (version && !version->string_at("gitVersion").empty()) return version;
  return Error{.reason = Reason::kServiceUnavailable,
               .message = "its response to GET /version is not a version of Kubernetes"};
}

/// Returns the link of the engine that the session talks to.
Result<std::string> link_of_engine(cli::Session& session) {
  TRY_ASSIGN(const json::Document link, session.await([&session](client::OnDocument done) {
    session.api().create_subresource({{"muster.dev", "v1", "console"}, "", "link"}, json::Object{}, std::move(done));
  }));
  return link.string_at("url");
}

class Console final : public cli::Command {
 public:
  void add_flags(cli::Flags& flags) override {
    flags.add("no-open", &no_open_, "print the link but do not open it");
    flags.add("data-dir", &data_dir_, "data folder of the engine");
    flags.add("port", &port_, "port of the console of a cluster; 0 selects a free one");
  }

  int run(cli::Session& session, const std::vector<std::string>&) override {
    if (port_ && (*port_ < 0 || *port_ > 65535)) {
      return session.fail(cli::usage_failure(fmt::format("--port: must be between 0 and 65535, got {}", *port_),
                                             "omit it for a free port"));
    }
    if (!data_dir_.empty()) return open_local(session);
    const auto version = version_of(session);
    if (!version) return session.fail(version.error());
    if (version->find("musterVersion") == nullptr) return serve_cluster(session);
    const auto link = link_of_engine(session);
    return link ? show(session, *link) : session.fail(link.error());
  }

 private:
  int open_local(cli::Session& session) const {
    if (!running_engine(data_dir_)) {
      return session.fail({.code = cli::kExitUnreachable,
                           .what = fmt::format("no engine runs on {}", quote(data_dir_)),
                           .why = "",
                           .fix = fmt::format("muster up --data-dir {}", data_dir_)});
    }
    const auto link = make_console_link(data_dir_);
    return link ? show(session, *link) : session.fail(link.error());
  }

  int serve_cluster(cli::Session& session) const {
    auto assets = web::parse_asset_pack(web::embedded_console());
    if (!assets) return session.fail(assets.error());
    const auto pem = net::SigningKey::make_pem();
    if (!pem) return session.fail(pem.error());
    auto key = net::SigningKey::read(*pem);
    if (!key) return session.fail(key.error());
    SystemRng rng;
    web::ClusterConsole console(*session.event_loop(), rng, session.api().transport(), *std::move(assets),
                                *std::move(key));
    if (const Status listening =
            console.listen("127.0.0.1", static_cast<int>(port_.value_or(0)), linux_os::has_all_connections);
        !listening)
      return session.fail(listening.error());
    show(session, console.make_link());
    session.err("serving the console of the cluster; Ctrl-C stops it\n");
    session.wait_until([] { return false; });
    return cli::kExitOk;
  }

  int show(cli::Session& session, const std::string& link) const {
    session.out(link + "\n");
    if (!no_open_ && session.terminal().out_is_terminal) cli::open_in_browser(link);
    return cli::kExitOk;
  }

  bool no_open_ = false;
  std::optional<std::int64_t> port_;
  std::string data_dir_;
};

}  // namespace

std::unique_ptr<cli::Command> make_console() {
  return std::make_unique<Console>();
}

}  // namespace muster
