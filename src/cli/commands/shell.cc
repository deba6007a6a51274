// shell: a command in a pod that is made for it, with claims mounted, and that is removed afterwards.
//
// The pod's own program waits for the end of its input, to which this command is attached. When this command is gone,
// however it ended, so is the program and with it the pod; the annotation has the engine remove the object as well.
#include <fmt/core.h>

#include "base/random.h"
#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/exec/exec_run.h"
#include "client/live_list.h"
#include "client/remote_exec.h"

namespace muster::cli {

namespace {

using namespace std::chrono_literals;
using json::Document;

constexpr const char* kContainer = "shell";
constexpr Duration kRemovalLimit = 10s;

struct ClaimMount {
  std::string claim;
  std::string path;
};

Result<ClaimMount> parse_claim(const std::string& text) {
  const auto colon = text.find(':');
  ClaimMount mount{.claim = text.substr(0, colon),
                   .path = colon == std::string::npos ? "/mnt/" + text : text.substr(colon + 1)};
  if (is_dns_subdomain(mount.claim) && mount.path.starts_with('/')) return mount;
  return Error{.reason = Reason::kBadRequest,
               .message = fmt::format("--claim: must be NAME or NAME:/PATH, got {}", quote(text))};
}

Document shell_pod(const std::string& image, const std::vector<ClaimMount>& mounts) {
  json::Array volumes;
  json::Array targets;
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    const std::string name = fmt::format("claim-{}", i);
    volumes.emplace_back(
        json::Object{{"name", name}, {"persistentVolumeClaim", json::Object{{"claimName", mounts[i].claim}}}});
    targets.emplace_back(json::Object{{"name", name}, {"mountPath", mounts[i].path}});
  }
  json::Object container{{"name", kContainer}, {"image", image},    {"command", json::Array{"cat"}},
                         {"stdin", true},      {"stdinOnce", true}, {"volumeMounts", std::move(targets)}};
  if (!mounts.empty()) container.append("workingDir", mounts.front().path);
  return json::Object{
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata", json::Object{{"generateName", "shell-"},
                                {"annotations", json::Object{{"muster.dev/remove-when-ended", "true"}}}}},
      {"spec", json::Object{{"restartPolicy", "Never"},
                            {"terminationGracePeriodSeconds", 0},
                            {"containers", json::Array{Document(std::move(container))}},
                            {"volumes", std::move(volumes)}}}};
}

/// Why the pod does not run yet, or "".
std::string waiting_reason(const Document& pod) {
  for (const Document& status : pod.array_at("status", "containerStatuses")) {
    const std::string& message = status.string_at("state", "waiting", "message");
    return message.empty() ? "" : message;
  }
  for (const Document& condition : pod.array_at("status", "conditions")) {
    if (condition.string_at("status") == "False" && !condition.string_at("message").empty())
      return condition.string_at("message");
  }
  return "";
}

class Shell final : public Command {
 public:
  explicit Shell(Console console) : console_(std::move(console)) {}

  void add_flags(Flags& flags) override {
    flags.add("claim", &claims_, "mount this claim: NAME[:PATH] (default path: /mnt/NAME)");
    flags.add("image", &image_, "image that selects the environment");
    flags.add("quiet", &quiet_, "print only the output of the program", 'q');
  }

  int run(Session& session, const std::vector<std::string>& words) override {
    std::vector<ClaimMount> mounts;
    for (const std::string& claim : claims_) {
      auto mount = parse_claim(claim);
      if (!mount) return session.fail(mount.error());
      mounts.push_back(*std::move(mount));
    }
    // The pod would wait for a claim that is only misspelt.
    for (const ClaimMount& mount : mounts) {
      const auto claim = session.get({{"", "v1", "persistentvolumeclaims"}, session.ns(), mount.claim});
      if (claim) continue;
      Failure failure = failure_of(claim.error());
      if (claim.error().reason == Reason::kNotFound) failure.fix = "muster volume ls";
      return session.fail(failure);
    }
    const auto made = session.await([&](client::OnDocument done) {
      session.api().create({"", "v1", "pods"}, session.ns(), shell_pod(image_, mounts), {}, std::move(done));
    });
    if (!made) return session.fail(made.error());
    const client::ObjectName pod{{"", "v1", "pods"}, session.ns(), made->string_at("metadata", "name")};
    const int code = run_in(session, pod, words);
    remove(session, pod, made->string_at("metadata", "uid"));
    return code;
  }

 private:
  int run_in(Session& session, const client::ObjectName& pod, const std::vector<std::string>& words) {
    if (const auto failed = wait_until_running(session, pod)) return *failed;
    SystemRng rng;
    node::ExecSink ignored{
        .on_stdout = [](std::string_view) {}, .on_stderr = [](std::string_view) {}, .on_exit = [](Result<int>) {}};
    const auto hold = client::open_exec(session.api(), rng,
                                        {.ns = pod.ns, .pod = pod.name, .container = kContainer, .with_stdin = true},
                                        std::move(ignored));
    const bool tty = session.terminal().in_is_terminal;
    ExecRun run;
    run.request = {.ns = pod.ns,
                   .pod = pod.name,
                   .container = kContainer,
                   .command = words,
                   .with_stdin = true,
                   .with_stdout = true,
                   .with_stderr = !tty,
                   .tty = tty};
    if (words.empty()) run.request.command = {"sh", "-c", "command -v bash >/dev/null && exec bash; exec sh"};
    run.input = console_.input;
    run.console = &console_;
    run.on_stdout = [&](std::string_view bytes) { session.out_exact(bytes); };
    run.on_stderr = [&](std::string_view bytes) { session.terminal().err(bytes); };
    const auto exit = run_exec_on_terminal(session, run);
    if (!exit) return kExitInterrupted;
    return *exit ? **exit : session.fail(exit->error());
  }

  /// Returns the exit code when it never will.
  std::optional<int> wait_until_running(Session& session, const client::ObjectName& pod) const {
    std::string phase;
    std::string reason;
    std::optional<Error> failure;
    const auto look = [&](const Document& now) {
      phase = now.string_at("status", "phase");
      const std::string why = phase == "Pending" ? waiting_reason(now) : "";
      if (!why.empty() && why != reason && !quiet_) session.err(fmt::format("waiting: {}\n", why));
      reason = why.empty() ? now.string_at("status", "message") : why;
    };
    client::LiveSink sink;
    sink.on_list = [&](const Document& list) {
      for (const Document& item : list.array_at("items")) look(item);
    };
    sink.on_event = [&](const std::string& type, const Document& now) {
      look(now);
      if (type == "DELETED") phase = "Deleted";
    };
    sink.on_failed = [&](const Error& error) { failure = error; };
    client::LiveList live(session.loop(), session.api(),
                          {.resource = pod.resource, .ns = pod.ns, .field_selector = "metadata.name=" + pod.name},
                          std::move(sink));
    live.start();
    const auto done = [&] { return failure.has_value() || (!phase.empty() && phase != "Pending"); };
    if (session.wait_until(done) == Session::Waited::kInterrupted) return kExitInterrupted;
    if (failure) return session.fail(*failure);
    if (phase == "Running") return std::nullopt;
    return session.fail({.code = kExitFailed,
                         .what = fmt::format("pod {} did not start (phase {}): {}", pod.name, phase,
                                             reason.empty() ? "no reason given" : reason)});
  }

  void remove(Session& session, const client::ObjectName& pod, const std::string& uid) const {
    client::DeleteOptions options;
    options.grace_period_seconds = 0;
    options.precondition_uid = uid;
    const auto removed = session.await_last(
        [&](client::OnDocument done) { session.api().remove(pod, options, std::move(done)); }, kRemovalLimit);
    if (removed || removed.error().reason == Reason::kNotFound || quiet_) return;
    session.err(fmt::format("warning: pod {} is not removed: {}\n", pod.name, removed.error().message));
  }

  Console console_;
  std::vector<std::string> claims_;
  std::string image_ = "host";
  bool quiet_ = false;
};

}  // namespace

std::unique_ptr<Command> make_shell() {
  return make_shell(real_console());
}

std::unique_ptr<Command> make_shell(Console console) {
  return std::make_unique<Shell>(std::move(console));
}

}  // namespace muster::cli
