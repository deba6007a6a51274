// uninstall: removes what `muster install` has made, but neither the kinds nor any job.
#include <fmt/core.h>

#include <algorithm>

#include "api/muster/names.h"
#include "api/resource.h"
#include "base/strings.h"
#include "install/commands/cluster_objects.h"
#include "install/commands/commands.h"
#include "install/commands/installed_objects.h"
#include "install/objects/decide.h"
#include "install/objects/metadata.h"
#include "install/objects/settings.h"

namespace muster::install {

namespace {

constexpr Duration kStopLimit = std::chrono::seconds(60);
constexpr const char* kPods = "app.kubernetes.io/name=muster,app.kubernetes.io/component=operator";

class Uninstall final : public cli::Command {
 public:
  void add_flags(cli::Flags& flags) override {
    flags.add("namespaces", &namespaces_, "also look for Roles in the namespaces A,B, if you may not list all");
    flags.add("crds", &crds_, "also remove Muster's kinds, and with them all their objects");
    flags.add("yes", &yes_, "remove the kinds without asking");
    flags.add("dry-run", &dry_run_, "ask the server what would be removed, and remove nothing");
  }

  int run(cli::Session& session, const std::vector<std::string>&) override {
    ns_ = session.named_ns().empty() ? Settings().ns : session.named_ns();
    if (const auto failure = refuse_engine(session, "uninstall")) return session.fail(*failure);
    const auto objects = installed_objects(session, ns_, namespaces_);
    if (!objects) return session.fail(objects.error());
    for (const json::Document& object : *objects) {
      if (const std::string keeper = keeper_of(object); !keeper.empty()) {
        return session.fail({.code = cli::kExitConflict,
                             .what = fmt::format("{} was installed by {}", label_of(object), keeper),
                             .fix = "helm uninstall it"});
      }
    }
    if (crds_ && !dry_run_) {
      if (const Status sure = ask(session); !sure) return session.fail(sure.error());
    }
    for (const json::Document& object : *objects) {
      if (const Status gone = remove_one(session, object); !gone) return session.fail(gone.error());
    }
    if (const Status gone = remove_namespace(session); !gone) return session.fail(gone.error());
    return end_with_kinds(session);
  }

 private:
  Status remove_one(cli::Session& session, const json::Document& object) const {
    TRY(remove(session, name_of(object), dry_run_));
    say_removed(session, label_of(object), object.string_at("metadata", "namespace"));
    if (object.string_at("kind") != "Deployment" || dry_run_) return ok();
    return wait_for_end(session);
  }

  void say_removed(cli::Session& session, const std::string& label, const std::string& ns) const {
    const std::string where = ns.empty() || ns == ns_ ? "" : " in " + ns;
    session.out(fmt::format("{}{} removed{}\n", label, where, dry_run_ ? " (server dry run)" : ""));
  }

  /// The operator gives up its Lease when it ends, for which it needs its rights.
  Status wait_for_end(cli::Session& session) const {
    const MonoTime deadline = session.loop().mono() + kStopLimit;
    client::ListOptions options;
    options.label_selector = kPods;
    for (;;) {
      const auto pods = session.list({"", "v1", "pods"}, ns_, options);
      if (!pods) return pods.error();
      if (pods->array_at("items").empty() || session.loop().mono() >= deadline || !rest(session)) return ok();
    }
  }

  /// Other things in the namespace would be removed with it.
  Status remove_namespace(cli::Session& session) const {
    const client::ObjectName name{.resource = {"", "v1", "namespaces"}, .ns = "", .name = ns_};
    TRY_ASSIGN(const auto live, find(session, name));
    if (!live || !is_ours(*live)) return ok();
    TRY_ASSIGN(const std::string other, other_content(session));
    if (!other.empty()) {
      session.out(fmt::format("namespace/{} stays: it has {}\n", ns_, other));
      return ok();
    }
    TRY(remove(session, name, dry_run_));
    say_removed(session, "namespace/" + ns_, "");
    return ok();
  }

  Result<std::string> other_content(cli::Session& session) const {
    std::vector<client::ResourceName> kinds = {{"", "v1", "pods"}, {"", "v1", "persistentvolumeclaims"}};
    TRY_ASSIGN(const json::Array crds, our_crds(session));
    for (const api::Resource& kind : api::resources()) {
      const bool goes = crds_ && std::ranges::any_of(crds, [&](const json::Document& crd) {
                          return crd.string_at("metadata", "name") == kind.qualified_name();
                        });
      if (kind.has_own_crd() && kind.scope == api::Scope::kNamespaced && !goes) kinds.emplace_back(kind);
    }
    for (const client::ResourceName& kind : kinds) {
      TRY_ASSIGN(const std::int64_t count, count_of(session, kind, ns_));
      if (count > 0 && !(dry_run_ && kind.plural == "pods")) return fmt::format("{} {}", count, kind.plural);
    }
    return std::string();
  }

  /// What the cluster does not serve has no objects.
  static Result<std::int64_t> count_of(cli::Session& session, const client::ResourceName& kind, const std::string& ns) {
    const auto list = session.list(kind, ns, {});
    if (list) return static_cast<std::int64_t>(list->array_at("items").size());
    if (list.error().reason == Reason::kNotFound) return std::int64_t{0};
    return list.error();
  }

  // ---- the kinds ----

  static Result<json::Array> our_crds(cli::Session& session) {
    client::ListOptions options;
    options.label_selector = fmt::format("{}={}", api::kManagedByLabel, api::kManagedByMuster);
    const auto list = session.list({"apiextensions.k8s.io", "v1", "customresourcedefinitions"}, "", options);
    if (list) return list->array_at("items");
    if (list.error().reason == Reason::kForbidden) return json::Array{};
    return list.error();
  }

  static Result<std::int64_t> objects_of(cli::Session& session, const json::Document& crd) {
    for (const json::Document& version : crd.array_at("spec", "versions")) {
      if (!version.bool_at("served")) continue;
      return count_of(
          session,
          {crd.string_at("spec", "group"), version.string_at("name"), crd.string_at("spec", "names", "plural")}, "");
    }
    return std::int64_t{0};
  }

  static Result<std::string> described(cli::Session& session, const json::Array& crds) {
    std::int64_t objects = 0;
    for (const json::Document& crd : crds) {
      const auto count = objects_of(session, crd);
      if (count) objects += *count;
    }
    return fmt::format("{} kinds with {} object{}", crds.size(), objects, objects == 1 ? "" : "s");
  }

  Status ask(cli::Session& session) const {
    if (yes_) return ok();
    TRY_ASSIGN(const json::Array crds, our_crds(session));
    TRY_ASSIGN(const std::string what, described(session, crds));
    if (!session.terminal().in_is_terminal) {
      return Error{.reason = Reason::kBadRequest,
                   .message = fmt::format("--crds removes {}; add --yes to do so", what)};
    }
    session.err(fmt::format("This removes {}, and the pods of running jobs.\nType yes to continue: ", what));
    TRY_ASSIGN(const std::string answer, session.terminal().read_line());
    if (trim(answer) == "yes") return ok();
    return Error{.reason = Reason::kConflict, .message = "nothing was removed"};
  }

  static client::ObjectName name_of_crd(const json::Document& crd) {
    return {.resource = {"apiextensions.k8s.io", "v1", "customresourcedefinitions"},
            .ns = "",
            .name = crd.string_at("metadata", "name")};
  }

  /// The server first deletes all objects of the kind, whose finalizers may take long.
  static Status wait_until_gone(cli::Session& session, const client::ObjectName& object) {
    const MonoTime deadline = session.loop().mono() + kStopLimit;
    for (;;) {
      TRY_ASSIGN(const auto live, find(session, object));
      if (!live || !rest(session)) return ok();
      if (session.loop().mono() < deadline) continue;
      return Error{.reason = Reason::kTimeout,
                   .message = fmt::format("{} is still being deleted after {}; look for objects with finalizers",
                                          object.name, human_duration(kStopLimit))};
    }
  }

  int end_with_kinds(cli::Session& session) const {
    const auto crds = our_crds(session);
    if (!crds) return session.fail(crds.error());
    if (!crds_ && !crds->empty()) {
      const auto what = described(session, *crds);
      if (!what) return session.fail(what.error());
      session.out(
          fmt::format("{} stay; running pods keep running, and nobody restarts them.\n"
                      "To remove the kinds and their objects: muster uninstall --crds\n",
                      *what));
    }
    if (!crds_) return cli::kExitOk;
    for (const json::Document& crd : *crds) {
      const client::ObjectName object = name_of_crd(crd);
      if (const Status gone = remove(session, object, dry_run_); !gone) return session.fail(gone.error());
      say_removed(session, "customresourcedefinition/" + object.name, "");
    }
    if (dry_run_) return cli::kExitOk;
    for (const json::Document& crd : *crds) {
      const Status gone = wait_until_gone(session, name_of_crd(crd));
      if (!gone) return session.fail(gone.error());
    }
    return cli::kExitOk;
  }

  std::string ns_;
  std::vector<std::string> namespaces_;
  bool crds_ = false;
  bool yes_ = false;
  bool dry_run_ = false;
};

}  // namespace

std::unique_ptr<cli::Command> make_uninstall() {
  return std::make_unique<Uninstall>();
}

}  // namespace muster::install
