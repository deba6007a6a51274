// operator: the controllers of all job kinds, in the foreground, against a Kubernetes cluster. One of several operators
// acts, and the others stand by.
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "api/muster/names.h"
#include "base/log.h"
#include "base/random.h"
#include "base/strings.h"
#include "cli/connect/session.h"
#include "client/backoff.h"
#include "client/leader_elector.h"
#include "client/request_meter.h"
#include "client/server_watch.h"
#include "client/write_gate.h"
#include "control/runtime/controllers.h"
#include "main/commands.h"
#include "main/operator_kinds.h"
#include "main/operator_metrics.h"
#include "main/operator_options.h"
#include "main/operator_probes.h"
#include "net/http_server.h"

namespace muster {
namespace {

constexpr const char* kLeaseName = "muster-operator";
constexpr client::Backoff kKindsBackoff{.first = std::chrono::milliseconds(500), .longest = std::chrono::seconds(30)};
constexpr Duration kLongestLastWrites = std::chrono::seconds(1);

/// Names this process among the candidates: a host may run several, and a pod's name may come again.
std::string make_identity(Rng& rng) {
  char host[256] = "";
  if (::gethostname(host, sizeof host - 1) != 0 || host[0] == '\0') return "muster_" + make_uuid(rng);
  return fmt::format("{}_{}", host, make_uuid(rng));
}

/// One operator from its start to its end. It waits for whatever is absent: the API server, the Lease, the kinds.
class OperatorRun {
 public:
  OperatorRun(cli::Session& session, const OperatorOptions& options)
      : session_(session),
        options_(options),
        meter_(session.api().transport()),
        gate_(session.loop(), meter_, [this] { return !elector_ || elector_->leads(); }),
        reader_(meter_, ""),
        api_(gate_, ""),
        server_(session.loop(), rng_, meter_) {
    reader_.act_as(api::kFieldManager);
    api_.act_as(api::kFieldManager);
    api_.on_warning([this](const std::string& text) { note_warning(text); });
  }

  int run() {
    if (const Status listening = listen(); !listening) return session_.fail(listening.error());
    server_.start();
    if (!wait([this] { return server_.version().has_value(); })) return stop();
    if (server_.version()->find("musterVersion") != nullptr) return refuse_engine();
    if (!wait_to_lead() || !find_kinds()) return stop();
    controllers_.emplace(session_.loop(), rng_, api_, *kinds_);
    controllers_->start();
    if (!wait([this] { return controllers_->is_synced(); })) return stop();
    fmt::print("ready\n");
    std::fflush(stdout);
    wait([] { return false; });
    return stop();
  }

 private:
  /// Returns false when the process has to stop.
  bool wait(const std::function<bool()>& done, std::optional<MonoTime> deadline = std::nullopt) {
    return session_.wait_until(done, deadline) != cli::Session::Waited::kInterrupted;
  }
  bool pause(Duration time) {
    return wait([] { return false; }, session_.loop().mono() + time);
  }

  Status listen() {
    const auto address = options_.address();
    if (!address) return ok();
    const OperatorPages pages{.state = [this] { return state(); }, .metrics = [this] { return metrics(); }};
    http_.emplace(*session_.event_loop(), net::ServerTls{},
                  [pages](const net::Request& request, const std::shared_ptr<net::Exchange>& exchange) {
                    exchange->respond(answer_operator(pages, request));
                  });
    TRY_ASSIGN(const int port, http_->listen_plain(address->host, address->port));
    LOG_INFO("serving /healthz, /readyz and /metrics", {"host", address->host}, {"port", port});
    return ok();
  }

  /// An engine runs its own controllers; two sets of them would fight over every job.
  int refuse_engine() {
    return session_.fail({.code = cli::kExitUsage,
                          .what = "this server is Muster's own engine, which runs these controllers itself",
                          .why = "",
                          .fix = "name a cluster: muster operator --kubeconfig FILE, or --context NAME"});
  }

  bool wait_to_lead() {
    if (!options_.elects(session_.is_in_pod())) return true;
    std::string ns = options_.lease_namespace;
    if (ns.empty()) ns = session_.is_in_pod() ? session_.ns() : "default";
    elector_.emplace(session_.loop(), rng_, meter_,
                     client::LeaderElector::Options{.ns = ns,
                                                    .lease = kLeaseName,
                                                    .identity = make_identity(rng_),
                                                    .manager = api::kFieldManager,
                                                    .times = options_.times},
                     client::LeaderElector::Events{.on_elected = [] {}, .on_lost = end_at_once});
    elector_->start();
    return wait([this] { return elector_->leads(); });
  }

  /// Whatever this process still does, it would do next to the new leader.
  [[noreturn]] static void end_at_once(const std::string& why) {
    LOG_ERROR("not the leader any more; ending", {"why", why});
    std::_Exit(cli::kExitFailed);
  }

  /// Reads which kinds the cluster has until there is one to run.
  bool find_kinds() {
    for (int failures = 1;; ++failures) {
      auto found = search_kinds();
      if (session_.interrupted()) return false;
      if (found && found->choices.runs_any()) {
        for (const std::string& note : found->notes) LOG_WARN("about the kinds", {"note", note});
        kinds_ = std::move(found->choices);
        kinds_problem_.clear();
        return true;
      }
      note_kinds_problem(found ? join(found->notes, "; ") : found.error().message);
      const std::optional<Duration> asked = found ? std::nullopt : found.error().retry_after;
      if (!pause(kKindsBackoff.wait(failures, asked, rng_))) return false;
    }
  }

  Result<FoundKinds> search_kinds() {
    TRY_ASSIGN(const control::Wishes wishes, control::parse_wishes(options_.kinds));
    return read_kinds(session_, reader_, wishes, options_.namespaces);
  }

  void note_kinds_problem(const std::string& problem) {
    if (problem == kinds_problem_) return;
    kinds_problem_ = problem;
    LOG_WARN("there is no kind to run; trying again", {"why", problem});
  }

  void note_warning(const std::string& text) {
    if (text == last_warning_) return;
    last_warning_ = text;
    LOG_WARN("the API server warns", {"warning", text});
  }

  OperatorState state() const {
    return {.server_problem = server_.problem(),
            .elects = elector_.has_value() || options_.elects(session_.is_in_pod()),
            .leads = elector_ && elector_->leads(),
            .lease_problem = elector_ ? elector_->problem() : "not tried yet",
            .holder = elector_ ? elector_->holder() : "",
            .kinds_problem = kinds_problem_,
            .has_kinds = kinds_.has_value(),
            .is_synced = controllers_ && controllers_->is_synced()};
  }

  std::string metrics() const {
    std::string out;
    append_operator_metrics(out, {.leads = !elector_ || elector_->leads()}, meter_.counts());
    if (controllers_) controllers_->append_metrics(out);
    return out;
  }

  /// Hands over: the last writes end, the Lease is released, and another operator may act.
  int stop() {
    session_.end_interrupt();
    LOG_INFO("stopping; jobs keep running");
    gate_.close();
    controllers_.reset();
    const MonoTime longest = session_.loop().mono() + kLongestLastWrites;
    wait([this] { return gate_.is_idle(); }, longest);
    if (elector_) {
      auto released = std::make_shared<bool>(false);
      elector_->stop([released] { *released = true; });
      wait([released] { return *released; });
    }
    session_.end_interrupt();
    return cli::kExitOk;
  }

  cli::Session& session_;
  const OperatorOptions& options_;
  SystemRng rng_;
  client::RequestMeter meter_;
  std::optional<client::LeaderElector> elector_;  // without one, this operator always leads
  client::WriteGate gate_;
  client::ApiClient reader_;
  client::ApiClient api_;  // of the controllers: it writes only while this operator leads
  client::ServerWatch server_;
  std::optional<control::KindChoices> kinds_;
  std::string kinds_problem_;
  std::string last_warning_;
  std::optional<control::Controllers> controllers_;
  std::optional<net::HttpServer> http_;  // last: its pages read the others
};

class Operator final : public cli::Command {
 public:
  void add_flags(cli::Flags& flags) override { options_.add_flags(flags); }

  std::optional<cli::Failure> check(const std::vector<std::string>&) override {
    const Status checked = options_.check();
    if (checked) return std::nullopt;
    return cli::usage_failure(checked.error().message, "muster operator --help lists the flags");
  }

  int run(cli::Session& session, const std::vector<std::string>&) override {
    set_log_format(options_.log_format == "json" ? LogFormat::kJson : LogFormat::kLogfmt);
    OperatorRun run(session, options_);
    return run.run();
  }

 private:
  OperatorOptions options_;
};

}  // namespace

std::unique_ptr<cli::Command> make_operator() {
  return std::make_unique<Operator>();
}

}  // namespace muster
