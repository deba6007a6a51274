// install: applies the objects of an installation with the user's own credentials, as `kubectl apply --server-side`
// would.
#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "install/commands/cluster_objects.h"
#include "install/commands/commands.h"
#include "install/commands/installed_objects.h"
#include "install/commands/settings_flags.h"
#include "install/objects/decide.h"
#include "install/objects/installation.h"
#include "install/objects/metadata.h"

namespace muster::install {

namespace {

constexpr Duration kEstablishLimit = std::chrono::seconds(30);

bool is_crd(const json::Document& object) {
  return object.string_at("kind") == "CustomResourceDefinition";
}

bool has_condition(const json::Document& object, const std::string& type) {
  return std::ranges::any_of(object.array_at("status", "conditions"), [&](const json::Document& condition) {
    return condition.string_at("type") == type && condition.string_at("status") == "True";
  });
}

/// An object of the installation, as it is now and what happens to it.
struct Planned {
  json::Document wanted;
  std::optional<json::Document> live;
  Decision decision;
};

class Install final : public cli::Command {
 public:
  void add_flags(cli::Flags& flags) override {
    add_settings_flags(flags, settings_, replicas_);
    flags.add("adopt", &choices_.adopted, "replace these CRDs of somebody else by Muster's: NAME,…");
    flags.add("dry-run", &dry_run_, "ask the server what would change, and change nothing");
    flags.add("export", &export_, "print the objects as YAML and ask no server");
    flags.add("force-conflicts", &force_, "take over fields that somebody else has set");
    flags.add("wait", &wait_, "wait until the operator is available");
    flags.add("timeout", &timeout_, "how long to wait");
  }

  int run(cli::Session& session, const std::vector<std::string>&) override {
    if (const Status read = complete(session); !read) return session.fail(cli::usage_failure(read.error().message));
    const std::vector<json::Document> objects = installation(settings_);
    if (export_) {
      session.out_exact(export_text(objects));
      return cli::kExitOk;
    }
    if (const auto failure = refuse_engine(session, "install")) return session.fail(*failure);
    const auto plan = look(session, objects);
    if (!plan) return session.fail(plan.error());
    if (const auto failure = refusals(*plan)) return session.fail(*failure);
    for (const Planned& one : *plan) {
      if (const Status done = carry_out(session, one); !done) return session.fail(explained(one.wanted, done.error()));
    }
    if (const Status pruned = prune(session, objects); !pruned) return session.fail(pruned.error());
    if (dry_run_) return cli::kExitOk;
    if (const Status served = wait_for_crds(session, *plan); !served) return session.fail(served.error());
    return wait_ ? wait_for_operator(session) : say_what_next(session, "");
  }

 private:
  Status complete(cli::Session& session) {
    if (!session.named_ns().empty()) settings_.ns = session.named_ns();
    settings_.replicas = static_cast<int>(std::clamp<std::int64_t>(replicas_, 0, 1000));
    TRY(check_settings(settings_));
    TRY_ASSIGN(choices_.wishes, control::parse_wishes(settings_.kinds));
    return ok();
  }

  Result<std::vector<Planned>> look(cli::Session& session, const std::vector<json::Document>& objects) const {
    std::vector<Planned> plan;
    for (const json::Document& wanted : objects) {
      TRY_ASSIGN(auto live, find(session, name_of(wanted)));
      const Decision decision = decide(wanted, live ? &*live : nullptr, choices_);
      plan.push_back({.wanted = wanted, .live = std::move(live), .decision = decision});
    }
    return plan;
  }

  static std::optional<cli::Failure> refusals(const std::vector<Planned>& plan) {
    std::vector<std::string> why;
    for (const Planned& one : plan) {
      if (one.decision.step == Step::kRefuse) why.push_back(label_of(one.wanted) + " " + one.decision.why);
    }
    if (why.empty()) return std::nullopt;
    return cli::Failure{.code = cli::kExitConflict, .what = "nothing was changed", .why = join(why, "\n"), .fix = ""};
  }

  Status carry_out(cli::Session& session, const Planned& one) {
    const std::string label = label_of(one.wanted);
    if (one.decision.step == Step::kLeave) {
      session.out(fmt::format("{} left alone: {}\n", label, one.decision.why));
      return ok();
    }
    const bool replaces = one.live && is_crd(one.wanted) && !is_ours(*one.live);
    const auto stored = apply(session, one.wanted, {.dry_run = dry_run_, .force = force_ || replaces});
    const char* hint = dry_run_ ? " (server dry run)" : "";
    if (!stored && dry_run_ && lacks_namespace(one, stored.error())) {
      session.out(fmt::format("{} created (not checked: the namespace does not exist yet)\n", label));
      return ok();
    }
    if (!stored) return stored.error();
    if (!one.live) {
      session.out(fmt::format("{} created{}\n", label, hint));
      return ok();
    }
    const std::vector<std::string> fields = changed_fields(*one.live, *stored);
    session.out(fmt::format("{} {}{}\n", label, fields.empty() ? "unchanged" : "changed", hint));
    for (const std::string& field : fields) session.out("  " + field + "\n");
    return ok();
  }

  /// Removes what earlier settings have brought, such as the budget of a second replica.
  Status prune(cli::Session& session, const std::vector<json::Document>& wanted) const {
    TRY_ASSIGN(const auto installed, installed_objects(session, settings_.ns, settings_.namespaces));
    for (const json::Document& object : installed) {
      const client::ObjectName name = name_of(object);
      const bool is_role = name.resource.group == "rbac.authorization.k8s.io";
      const bool stays = std::ranges::any_of(
          wanted, [&](const json::Document& one) { return client::path_of(name_of(one)) == client::path_of(name); });
      if (stays || (is_role && !settings_.rbac)) continue;
      TRY(remove(session, name, dry_run_));
      session.out(fmt::format("{} removed{}\n", label_of(object), dry_run_ ? " (server dry run)" : ""));
    }
    return ok();
  }

  static bool lacks_namespace(const Planned& one, const Error& error) {
    return error.reason == Reason::kNotFound && !one.wanted.string_at("metadata", "namespace").empty();
  }

  static cli::Failure explained(const json::Document& wanted, const Error& error) {
    cli::Failure failure = cli::failure_of(error);
    failure.what = label_of(wanted) + ": " + failure.what;
    if (error.reason == Reason::kConflict) {
      failure.fix = "remove the other manager's change, or take the field over with --force-conflicts";
    } else if (error.reason == Reason::kForbidden) {
      failure.fix = "muster check --pre lists the rights that are missing; a cluster administrator has them";
    }
    return failure;
  }

  /// A kind that is not served yet would be missing when the operator looks for it.
  Status wait_for_crds(cli::Session& session, const std::vector<Planned>& plan) const {
    const MonoTime deadline = session.loop().mono() + kEstablishLimit;
    for (const Planned& one : plan) {
      if (!is_crd(one.wanted) || one.decision.step != Step::kApply) continue;
      for (;;) {
        TRY_ASSIGN(const auto found, find(session, name_of(one.wanted)));
        if (found && has_condition(*found, "Established")) break;
        if (session.loop().mono() >= deadline) {
          return Error{.reason = Reason::kTimeout,
                       .message = fmt::format("{} is not served after {}", label_of(one.wanted),
                                              human_duration(kEstablishLimit))};
        }
        if (!rest(session)) return ok();
      }
    }
    return ok();
  }

  int wait_for_operator(cli::Session& session) {
    session.err("waiting for the operator\n");
    const client::ObjectName name{.resource = {"apps", "v1", "deployments"}, .ns = settings_.ns, .name = kName};
    const MonoTime deadline = session.loop().mono() + timeout_;
    for (;;) {
      const auto deployment = session.get(name);
      if (!deployment) return session.fail(deployment.error());
      if (is_available(*deployment)) return say_what_next(session, " and its operator runs");
      if (session.loop().mono() >= deadline) {
        return session.fail({.code = cli::kExitTimedOut,
                             .what = fmt::format("the operator is not available after {}", human_duration(timeout_)),
                             .why = join(causes_of_operator(session, *deployment), "\n"),
                             .fix = fmt::format("muster check -n {}", settings_.ns)});
      }
      if (!rest(session)) return cli::kExitInterrupted;
    }
  }

  int say_what_next(cli::Session& session, const char* also) const {
    const std::string where = settings_.ns == Settings().ns ? "" : " -n " + settings_.ns;
    session.out(fmt::format("Muster {} is installed in {}{}. To check it: muster check{}\n", version(), settings_.ns,
                            also, where));
    return cli::kExitOk;
  }

  Settings settings_;
  Choices choices_;
  std::int64_t replicas_ = 1;
  bool dry_run_ = false;
  bool export_ = false;
  bool force_ = false;
  bool wait_ = true;
  Duration timeout_ = std::chrono::minutes(5);
};

}  // namespace

std::unique_ptr<cli::Command> make_install() {
  return std::make_unique<Install>();
}

}  // namespace muster::install
