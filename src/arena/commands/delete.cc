// arena delete and arena prune: remove training jobs.
#include <fmt/core.h>

#include "arena/commands/commands.h"
#include "arena/output/aligned.h"
#include "arena/requests/delete_job.h"

namespace muster::arena {

namespace {

class Delete final : public Command {
 public:
  void add_flags(Flags& flags) override { add_type_flag(flags, &type_); }

  std::optional<cli::Failure> check(const std::vector<std::string>& /*words*/) override { return check_type(type_); }

  /// Continues after a name that fails, so that the others are deleted; the exit code reports it.
  int run(Context& context, const std::vector<std::string>& names) override {
    int code = 0;
    for (const std::string& name : names) {
      if (delete_one(context, name) != 0) code = 1;
      if (context.session.interrupted()) return 1;
    }
    return code;
  }

 private:
  int delete_one(Context& context, const std::string& name) const {
    const std::string missing = fmt::format("The training job '{}' does not exist,skip to delete it", name);
    const auto found = find_job(context, name, type_, missing);
    if (const auto* failure = std::get_if<cli::Failure>(&found)) {
      if (failure->what != missing) return context.fail(*failure);
      context.log.info(missing);
      return 1;
    }
    if (const Status deleted = delete_job(context, std::get<FoundJob>(found)); !deleted) {
      return context.fail(deleted.error());
    }
    context.log.info(fmt::format("The Job {} has been deleted successfully", name));
    return 0;
  }

  std::string type_;
};

class Prune final : public Command {
 public:
  void add_flags(Flags& flags) override {
    flags.add("since", &since_, "Clean jobs that ended longer ago than a relative duration like 5s, 2m, or 3h", 's');
    flags.add("all-namespaces", &all_namespaces_, "show all the namespaces", 'A');
    flags.add_old_name("all-namespaces", "allNamespaces");
    flags.add("include-pending", &include_pending_, "also delete waiting jobs, as Arena does, by their creation time");
  }

  std::optional<cli::Failure> check(const std::vector<std::string>& /*words*/) override {
    if (since_ > Duration(0)) return std::nullopt;
    return cli::Failure{.what =
                            "you need to specify the relative duration live time of the job that need to be "
                            "cleaned by --since. Like --since 10h"};
  }

  int run(Context& context, const std::vector<std::string>& /*words*/) override {
    const std::string ns = all_namespaces_ ? "" : context.session.ns();
    const auto found = find_jobs(context, {.ns = ns});
    if (!found) return context.fail(list_failure(context, found.error(), ns));
    const Time now = context.session.loop().now();
    bool any = false;
    for (const FoundJob& one : *found) {
      const auto age = age_of(one.job, now);
      if (!age || *age < since_) continue;
      any = true;
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*age).count();
      context.session.out(
          fmt::format("Delete {} {} with Age {}\n", one.job.type->name, one.job.name, short_duration(seconds)));
      if (const Status deleted = delete_job(context, one); !deleted) return context.fail(deleted.error());
    }
    if (!any) context.session.out("No job need to be deleted\n");
    return 0;
  }

 private:
  /// Returns how long ago a finished job ended; absent for jobs that are kept.
  std::optional<Duration> age_of(const Job& job, Time now) const {
    if (job.is_finished()) return now - job.ended.value_or(job.created);
    if (include_pending_ && job.status != "RUNNING") return now - job.created;
    return std::nullopt;
  }

  Duration since_{0};
  bool all_namespaces_ = false;
  bool include_pending_ = false;
};

}  // namespace

std::unique_ptr<Command> make_delete() {
  return std::make_unique<Delete>();
}

std::unique_ptr<Command> make_prune() {
  return std::make_unique<Prune>();
}

}  // namespace muster::arena
