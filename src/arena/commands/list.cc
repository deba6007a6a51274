// arena list and arena top job: the training jobs of a namespace.
#include <fmt/core.h>

#include "arena/commands/commands.h"
#include "arena/requests/find_jobs.h"
#include "json/yaml.h"

namespace muster::arena {

namespace {

constexpr const char* kClearScreen = "\033[H\033[J";

/// What `list` and `top job` have in common.
class JobsCommand : public Command {
 public:
  void add_flags(Flags& flags) override {
    flags.add("all-namespaces", &all_namespaces_, "show all the namespaces", 'A');
    flags.add_old_name("all-namespaces", "allNamespaces");
    add_type_flag(flags, &type_);
    flags.add("output", &output_, "Output format. One of: json|yaml|wide", 'o');
    flags.set_choices("output", {"json", "yaml", "wide"});
  }

  std::optional<cli::Failure> check(const std::vector<std::string>& /*words*/) override {
    if (auto failure = check_type(type_)) return failure;
    return check_output(output_);
  }

 protected:
  std::string ns_of(Context& context) const { return all_namespaces_ ? "" : context.session.ns(); }

  Result<std::vector<Job>> jobs(Context& context, bool for_classic_list = false) const {
    TRY_ASSIGN(
        std::vector<FoundJob> found,
        find_jobs(context, {.ns = ns_of(context), .type = find_type(type_), .for_classic_list = for_classic_list}));
    std::vector<Job> out;
    for (FoundJob& one : found) out.push_back(std::move(one.job));
    return out;
  }

  Viewer viewer(Context& context) const {
    Viewer out = viewer_of(context, output_);
    out.with_namespace = all_namespaces_;
    return out;
  }

  void print(Context& context, const std::vector<Job>& all,
             std::string (*text)(std::vector<Job>, const Viewer&)) const {
    json::Array items;
    const Time now = context.session.loop().now();
    if (output_ == "json" || output_ == "yaml") {
      for (const Job& job : all) items.push_back(job_json(job, "", now));
    }
    if (output_ == "json") return context.session.out_exact(json_text(items));
    if (output_ == "yaml") return context.session.out_exact(json::to_yaml(items));
    context.session.out(text(all, viewer(context)));
  }

  bool all_namespaces_ = false;
  std::string type_;
  std::string output_;
};

class List final : public JobsCommand {
 public:
  void add_flags(Flags& flags) override {
    JobsCommand::add_flags(flags);
    flags.add("watch", &watch_, "refresh the list every two seconds until Ctrl-C", 'w');
  }

  int run(Context& context, const std::vector<std::string>& /*words*/) override {
    const bool is_table = output_ != "json" && output_ != "yaml";
    const bool is_classic = is_table && viewer(context).layout == Layout::kClassic;
    for (;;) {
      const auto all = jobs(context, is_classic);
      if (!all) return context.fail(list_failure(context, all.error(), ns_of(context)));
      if (watch_ && context.session.terminal().out_is_terminal) context.session.out_exact(kClearScreen);
      print(context, *all, [](std::vector<Job> list, const Viewer& viewer) { return list_text(list, viewer); });
      if (!watch_ || !wait_for_refresh(context)) return 0;
    }
  }

 private:
  bool watch_ = false;
};

class TopJob final : public JobsCommand {
 public:
  void add_flags(Flags& flags) override {
    JobsCommand::add_flags(flags);
    flags.add("instance", &instance_, "Display instance top info", 'i');
    flags.add("refresh", &refresh_, "Display continuously", 'r');
  }

  int run(Context& context, const std::vector<std::string>& words) override {
    for (;;) {
      const int code = words.empty() ? show_all(context) : show_one(context, words[0]);
      if (code != 0 || !refresh_ || !wait_for_refresh(context)) return code;
    }
  }

 private:
  int show_all(Context& context) const {
    const auto all = jobs(context);
    if (!all) return context.fail(list_failure(context, all.error(), ns_of(context)));
    print(context, *all, top_jobs_text);
    return 0;
  }

  int show_one(Context& context, const std::string& name) const {
    const auto found = find_job(context, name, type_, kJobNotFound);
    if (const auto* failure = std::get_if<cli::Failure>(&found)) return context.fail(*failure);
    const Job& job = std::get<FoundJob>(found).job;
    const json::Document shown = job_json(job, "", context.session.loop().now());
    if (output_ == "json") {
      context.session.out_exact(json_text(shown));
    } else if (output_ == "yaml") {
      context.session.out_exact(json::to_yaml(shown));
    } else {
      context.session.out(top_job_text(job, instance_, viewer(context)));
    }
    return 0;
  }

  std::string instance_;
  bool refresh_ = false;
};

}  // namespace

std::unique_ptr<Command> make_list() {
  return std::make_unique<List>();
}

std::unique_ptr<Command> make_top_job() {
  return std::make_unique<TopJob>();
}

}  // namespace muster::arena
