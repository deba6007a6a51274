// check: looks at a cluster before or after the installation, and prints one line per check with its fix.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "control/runtime/foreign_controllers.h"
#include "install/commands/cluster_objects.h"
#include "install/commands/commands.h"
#include "install/commands/settings_flags.h"
#include "install/objects/findings.h"
#include "install/objects/installation.h"
#include "install/objects/roles.h"

namespace muster::install {

namespace {

using cli::Check;

/// A question about a right.
struct Question {
  std::string group;
  std::string resource;  // "pods" or "pods/log"
  std::string verb;
  std::string ns = {};
  std::string name = {};

  auto operator<=>(const Question&) const = default;

  std::string text() const { return fmt::format("{} {}{}", verb, resource, ns.empty() ? "" : " in " + ns); }
};

std::vector<Question> questions_of(const std::vector<Rule>& rules, const std::string& ns) {
  std::vector<Question> questions;
  for (const Rule& rule : rules) {
    for (const std::string& resource : rule.resources) {
      for (const std::string& verb : rule.verbs) {
        const std::string name = rule.names.empty() ? "" : rule.names.front();
        questions.push_back({.group = rule.group, .resource = resource, .verb = verb, .ns = ns, .name = name});
      }
    }
  }
  return questions;
}

/// What server-side apply needs.
std::vector<Question> questions_of(const std::vector<json::Document>& objects) {
  std::set<Question> questions;
  for (const json::Document& object : objects) {
    const client::ObjectName name = name_of(object);
    for (const char* verb : {"get", "create", "patch"}) {
      questions.insert({.group = name.resource.group, .resource = name.resource.plural, .verb = verb, .ns = name.ns});
    }
  }
  return {questions.begin(), questions.end()};
}

/// `user` is "" for oneself.
json::Document review_of(const Question& question, const std::string& user) {
  const auto slash = question.resource.find('/');
  json::Object attributes = {
      {"group", question.group}, {"resource", question.resource.substr(0, slash)}, {"verb", question.verb}};
  if (slash != std::string::npos) attributes.set("subresource", question.resource.substr(slash + 1));
  if (!question.ns.empty()) attributes.set("namespace", question.ns);
  if (!question.name.empty()) attributes.set("name", question.name);
  json::Object spec = {{"resourceAttributes", std::move(attributes)}};
  if (!user.empty()) spec.set("user", user);
  return json::Object{{"apiVersion", "authorization.k8s.io/v1"},
                      {"kind", user.empty() ? "SelfSubjectAccessReview" : "SubjectAccessReview"},
                      {"spec", std::move(spec)}};
}

Result<Answers> ask(cli::Session& session, const std::vector<Question>& questions, const std::string& user) {
  Answers answers;
  const client::ResourceName reviews{"authorization.k8s.io", "v1",
                                     user.empty() ? "selfsubjectaccessreviews" : "subjectaccessreviews"};
  for (const Question& question : questions) {
    const auto answer = session.await([&](client::OnDocument done) {
      session.api().create(reviews, "", review_of(question, user), {}, std::move(done));
    });
    if (!answer && answer.error().reason == Reason::kForbidden) return Answers{.is_known = false};
    if (!answer) return answer.error();
    if (!answer->bool_at("status", "allowed")) answers.denied.push_back(question.text());
  }
  return answers;
}

class CheckCluster final : public cli::Command {
 public:
  void add_flags(cli::Flags& flags) override {
    flags.add("pre", &before_, "before the installation: can it be installed here?");
    flags.add("namespaces", &settings_.namespaces, "with --pre: as for muster install");
    flags.add("kinds", &settings_.kinds, "with --pre: as for muster install");
    flags.add("output", &output_, "json: for programs", 'o');
    flags.set_choices("output", {"json"});
    flags.add("wait", &wait_, "look again until all is well");
    flags.add("timeout", &timeout_, "how long to wait with --wait");
  }

  int run(cli::Session& session, const std::vector<std::string>&) override {
    if (!session.named_ns().empty()) settings_.ns = session.named_ns();
    if (!output_.empty() && output_ != "json") {
      return session.fail(cli::usage_failure(fmt::format("-o: must be json, got {}", quote(output_))));
    }
    if (const Status right = check_settings(settings_); !right) {
      return session.fail(cli::usage_failure(right.error().message));
    }
    if (const auto failure = refuse_engine(session, "check")) return session.fail(*failure);
    const MonoTime deadline = session.loop().mono() + timeout_;
    for (;;) {
      const auto checks = look(session);
      if (!checks) return session.fail(checks.error());
      const bool again = wait_ && cli::has_bad(*checks) && session.loop().mono() < deadline;
      if (again && rest(session)) continue;
      if (output_ == "json") {
        session.out_exact(json::serialize_pretty(cli::checks_document(*checks)) + "\n");
      } else {
        session.out(cli::report_of(*checks));
      }
      return cli::has_bad(*checks) ? cli::kExitFailed : cli::kExitOk;
    }
  }

 private:
  Stage stage() const { return before_ ? Stage::kBefore : Stage::kAfter; }

  Result<std::vector<Check>> look(cli::Session& session) {
    TRY_ASSIGN(const std::string text, session.get_text("/version"));
    TRY_ASSIGN(const json::Document version, json::parse(text));
    std::vector<Check> checks = {server_finding(version)};
    const client::ObjectName name{.resource = {"apps", "v1", "deployments"}, .ns = settings_.ns, .name = kName};
    std::optional<json::Document> deployment;
    if (!before_) {
      TRY_ASSIGN(deployment, find(session, name));
      if (deployment) read_settings(*deployment, settings_);
    }
    TRY(add_kinds(session, checks));
    TRY(add_others(session, checks));
    TRY(add_queues(session, checks));
    if (before_) {
      TRY_ASSIGN(const Answers answers, ask(session, questions_of(installation(settings_)), ""));
      checks.push_back(installer_finding(answers));
      return checks;
    }
    const auto causes = deployment ? causes_of_operator(session, *deployment) : std::vector<std::string>{};
    checks.push_back(deployment_finding(deployment, causes, settings_));
    if (!deployment) return checks;
    checks.push_back(version_finding(*deployment));
    TRY(add_lease(session, checks));
    TRY(add_rights(session, checks));
    return checks;
  }

  Status add_kinds(cli::Session& session, std::vector<Check>& checks) const {
    const auto crds = session.list({"apiextensions.k8s.io", "v1", "customresourcedefinitions"}, "", {});
    if (!crds && crds.error().reason == Reason::kForbidden) {
      checks.push_back({"kinds", cli::Health::kAbsent, "unknown: you may not list customresourcedefinitions", ""});
      return ok();
    }
    if (!crds) return crds.error();
    TRY_ASSIGN(const control::Wishes wishes, control::parse_wishes(settings_.kinds));
    for (Check& one : kind_findings(crds->array_at("items"), wishes, stage())) checks.push_back(std::move(one));
    return ok();
  }

  Status add_others(cli::Session& session, std::vector<Check>& checks) const {
    TRY_ASSIGN(const control::Wishes wishes, control::parse_wishes(settings_.kinds));
    std::set<std::string> kinds;
    for (const api::Resource* kind : control::operated_kinds()) {
      const auto wish = wishes.find(kind->qualified_name());
      if (wish == wishes.end() || wish->second == control::Wish::kAuto) kinds.insert(kind->qualified_name());
    }
    control::ForeignControllers others(session.loop(), session.api(), kinds, settings_.namespaces,
                                       [](const std::string&) {});
    auto looked = std::make_shared<bool>(false);
    others.start([looked] { *looked = true; });
    session.wait_until([&] { return *looked; });
    std::map<std::string, std::string> operators;
    for (const std::string& kind : kinds) operators[kind] = others.operator_of(kind);
    checks.push_back(others_finding(operators));
    return ok();
  }

  static Status add_queues(cli::Session& session, std::vector<Check>& checks) {
    TRY_ASSIGN(const std::string text, session.get_text("/apis"));
    TRY_ASSIGN(const json::Document served, json::parse(text));
    std::vector<std::string> groups;
    std::vector<std::string> queues;
    for (const json::Document& group : served.array_at("groups")) {
      groups.push_back(group.string_at("name"));
      if (groups.back() != "kueue.x-k8s.io") continue;
      client::ListOptions options;
      options.field_selector = "metadata.name=default";
      const auto found =
          session.list({groups.back(), group.string_at("preferredVersion", "version"), "localqueues"}, "", options);
      if (!found) continue;  // a right that only this line needs
      for (const json::Document& queue : found->array_at("items")) {
        queues.push_back(queue.string_at("metadata", "namespace"));
      }
    }
    checks.push_back(queues_finding(groups, queues));
    return ok();
  }

  Status add_lease(cli::Session& session, std::vector<Check>& checks) const {
    const client::ObjectName name{
        .resource = {"coordination.k8s.io", "v1", "leases"}, .ns = settings_.ns, .name = kName};
    TRY_ASSIGN(const auto lease, find(session, name));
    checks.push_back(lease_finding(lease, session.loop().now(), settings_));
    return ok();
  }

  Status add_rights(cli::Session& session, std::vector<Check>& checks) const {
    const std::string user = fmt::format("system:serviceaccount:{}:{}", settings_.ns, kName);
    TRY_ASSIGN(const Rights rights, rights_of_operator(settings_));
    std::vector<Question> questions = questions_of(rights.cluster, "");
    std::vector<Question> about_secrets;
    const std::vector<std::string> everywhere = {""};
    for (const std::string& ns : settings_.namespaces.empty() ? everywhere : settings_.namespaces) {
      std::ranges::copy(questions_of(rights.jobs, ns), std::back_inserter(questions));
      std::ranges::copy(questions_of(rights.secrets, ns), std::back_inserter(about_secrets));
    }
    std::ranges::copy(questions_of(rights.lease, settings_.ns), std::back_inserter(questions));
    TRY_ASSIGN(const Answers answers, ask(session, questions, user));
    Answers secrets;
    if (answers.is_known) {
      TRY_ASSIGN(secrets, ask(session, about_secrets, user));
    }
    for (Check& one : operator_rights_findings(answers, secrets)) checks.push_back(std::move(one));
    return ok();
  }

  Settings settings_;
  std::string output_;
  bool before_ = false;
  bool wait_ = false;
  Duration timeout_ = std::chrono::minutes(2);
};

}  // namespace

std::unique_ptr<cli::Command> make_check() {
  return std::make_unique<CheckCluster>();
}

}  // namespace muster::install
