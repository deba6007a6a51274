// arena cron list, get, delete, suspend and resume. `arena cron TYPE` is in submit.cc.
#include <fmt/core.h>

#include "arena/commands/commands.h"
#include "arena/output/cron_tables.h"
#include "arena/submit/cron_object.h"
#include "base/strings.h"
#include "json/yaml.h"

namespace muster::arena {

namespace {

using cli::Failure;
using json::Document;

client::ResourceName crons() {
  return {std::string(kCronGroup), std::string(kCronVersion), "crons"};
}

Failure no_cron(const std::string& name) {
  return {.what = fmt::format("crons.apps.kubedl.io {} not found", quote(name)),
          .fix = "arena cron list shows those that exist"};
}

/// Returns the failure of a request about the Cron `name`, or about all when it is "".
Failure cron_failure(const Context& context, const Error& error, const std::string& name) {
  if (error.reason != Reason::kNotFound) return context.failure_of(error);
  if (!name.empty() && error.name == name) return no_cron(name);
  // A server without the kind answers without details about an object.
  return {.what = "the server could not find the requested resource (get crons.apps.kubedl.io)",
          .why = error.message,
          .fix = "install the definition of Cron, or use the engine of this machine: muster use local"};
}

class CronList final : public Command {
 public:
  void add_flags(Flags& flags) override {
    flags.add("all-namespaces", &all_namespaces_, "show all the namespaces", 'A');
    flags.add_old_name("all-namespaces", "allNamespaces");
    flags.add("output", &output_, "Output format. One of: json|yaml|wide", 'o');
    flags.set_choices("output", {"json", "yaml", "wide"});
  }

  std::optional<Failure> check(const std::vector<std::string>& /*words*/) override { return check_output(output_); }

  int run(Context& context, const std::vector<std::string>& /*words*/) override {
    cli::Session& session = context.session;
    const auto found = session.list(crons(), all_namespaces_ ? "" : session.ns(), {});
    if (!found) return context.fail(cron_failure(context, found.error(), ""));
    const json::Array& items = found->array_at("items");
    json::Array shown;
    for (const Document& cron : items) shown.push_back(cron_json(cron));
    if (output_ == "json") {
      session.out_exact(json_text(shown));
    } else if (output_ == "yaml") {
      session.out_exact(json::to_yaml(shown));
    } else {
      session.out(cron_list_text(items, all_namespaces_));
    }
    return 0;
  }

 private:
  bool all_namespaces_ = false;
  std::string output_;
};

class CronGet final : public Command {
 public:
  void add_flags(Flags& flags) override {
    flags.add("output", &output_, "Output format. One of: json|yaml|wide", 'o');
    flags.set_choices("output", {"json", "yaml", "wide"});
  }

  std::optional<Failure> check(const std::vector<std::string>& /*words*/) override { return check_output(output_); }

  int run(Context& context, const std::vector<std::string>& words) override {
    cli::Session& session = context.session;
    if (!is_dns_subdomain(words[0])) return context.fail(no_cron(words[0]));
    const auto found = session.get({crons(), session.ns(), words[0]});
    if (!found) return context.fail(cron_failure(context, found.error(), words[0]));
    if (output_ == "json") {
      session.out_exact(json_text(cron_json(*found)));
    } else if (output_ == "yaml") {
      session.out_exact(json::to_yaml(cron_json(*found)));
    } else {
      session.out(cron_text(*found));
    }
    return 0;
  }

 private:
  std::string output_;
};

/// What a command does to each Cron that its words name, and what it prints then.
class ChangeCrons : public Command {
 public:
  void add_flags(Flags& /*flags*/) override {}

  /// Continues after a name that fails, so that the others are changed; the exit code reports it.
  int run(Context& context, const std::vector<std::string>& names) override {
    int code = 0;
    for (const std::string& name : names) {
      if (change_one(context, name) != 0) code = 1;
      if (context.session.interrupted()) return 1;
    }
    return code;
  }

 private:
  int change_one(Context& context, const std::string& name) const {
    cli::Session& session = context.session;
    if (!is_dns_subdomain(name)) return context.fail(no_cron(name));
    const auto changed = session.await([&](client::OnDocument done) {
      change(session, {crons(), session.ns(), name}, std::move(done));
    });
    if (!changed) return context.fail(cron_failure(context, changed.error(), name));
    session.out(fmt::format("cron {} {}\n", name, what_happened()));
    return 0;
  }

  virtual void change(cli::Session& session, const client::ObjectName& cron, client::OnDocument done) const = 0;
  virtual std::string_view what_happened() const = 0;
};

class CronDelete final : public ChangeCrons {
  void change(cli::Session& session, const client::ObjectName& cron, client::OnDocument done) const override {
    client::DeleteOptions options;
    options.propagation_policy = "Background";
    session.api().remove(cron, options, std::move(done));
  }
  std::string_view what_happened() const override { return "has deleted"; }
};

class CronSuspend final : public ChangeCrons {
 public:
  explicit CronSuspend(bool suspend) : suspend_(suspend) {}

 private:
  void change(cli::Session& session, const client::ObjectName& cron, client::OnDocument done) const override {
    const Document patch = json::Object{{"spec", json::Object{{"suspend", suspend_}}}};
    session.api().patch(cron, client::PatchType::kMerge, patch, {}, std::move(done));
  }
  std::string_view what_happened() const override { return suspend_ ? "suspend success" : "resume success"; }

  bool suspend_;
};

}  // namespace

std::unique_ptr<Command> make_cron_list() {
  return std::make_unique<CronList>();
}

std::unique_ptr<Command> make_cron_get() {
  return std::make_unique<CronGet>();
}

std::unique_ptr<Command> make_cron_delete() {
  return std::make_unique<CronDelete>();
}

std::unique_ptr<Command> make_cron_suspend() {
  return std::make_unique<CronSuspend>(true);
}

std::unique_ptr<Command> make_cron_resume() {
  return std::make_unique<CronSuspend>(false);
}

}  // namespace muster::arena
