// compare: shows side by side what jobs were started with and what came out.
#include "jobs/compare.h"

#include <fmt/core.h>

#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/jobs/curve_problems.h"
#include "cli/jobs/find_job.h"
#include "cli/output/table.h"

namespace muster::cli {

namespace {

using json::Document;

constexpr const char* kCompareUsage = "muster compare JOB JOB…";

class Compare final : public Command {
 public:
  void add_flags(Flags& flags) override {
    flags.add("all", &all_, "include what is the same for all of them");
    flags.add("output", &output_, "json", 'o');
    flags.set_choices("output", {"json"});
  }

  int run(Session& session, const std::vector<std::string>& words) override {
    if (!output_.empty() && output_ != "json") {
      return session.fail(usage_failure(fmt::format("--output: must be json, got {}", quote(output_))));
    }
    auto found = find_jobs(session, words, kCompareUsage);
    if (auto* failure = std::get_if<Failure>(&found)) return session.fail(*failure);
    const std::vector<FoundJob>& jobs = std::get<0>(found);
    if (jobs.size() < 2) return session.fail(usage_failure("name two or more jobs", kCompareUsage));
    std::vector<std::vector<jobs::Trait>> traits;
    for (const FoundJob& one : jobs) traits.push_back(traits_of_job(session, one));
    if (session.interrupted()) return kExitInterrupted;
    std::vector<jobs::ComparedTrait> lines = jobs::compare(traits);
    if (!all_) std::erase_if(lines, [](const jobs::ComparedTrait& one) { return !one.differs(); });
    output_ == "json" ? print_json(session, jobs, lines) : print_table(session, jobs, lines);
    return kExitOk;
  }

 private:
  static std::vector<jobs::Trait> traits_of_job(Session& session, const FoundJob& found) {
    std::vector<jobs::Trait> traits = jobs::traits_of(found.object, session.loop().now());
    const client::ResourceName& kind = found.job.kind.resource;
    const std::string path =
        client::path_of({{"muster.dev", "v1", "jobs"}, found.job.ns, kind.plural + "." + kind.group, found.job.name});
    // Not every job logs, and not every server knows what they log.
    const auto text = session.get_text(path + "/scalars");
    const auto scalars = text ? json::parse(*text) : Result<Document>(text.error());
    if (!scalars) return traits;
    session.err(curve_problems(found.job.name, *scalars));
    for (jobs::Trait& one : jobs::metric_traits(*scalars)) traits.push_back(std::move(one));
    return traits;
  }

  static void print_table(Session& session, const std::vector<FoundJob>& jobs,
                          const std::vector<jobs::ComparedTrait>& lines) {
    if (lines.empty()) return session.err("the jobs do not differ; --all shows what they have in common\n");
    std::vector<std::vector<std::string>> rows{{""}};
    for (const FoundJob& one : jobs) rows.front().push_back(one.job.name);
    for (const jobs::ComparedTrait& line : lines) {
      rows.push_back({line.name});
      for (const std::string& value : line.values) rows.back().push_back(value.empty() ? "-" : value);
    }
    session.out(Columns({.width = session.terminal().width, .whole = 1}).lines(rows));
  }

  static void print_json(Session& session, const std::vector<FoundJob>& jobs,
                         const std::vector<jobs::ComparedTrait>& lines) {
    json::Array names;
    for (const FoundJob& one : jobs) names.emplace_back(one.job.name);
    json::Array items;
    for (const jobs::ComparedTrait& line : lines) {
      items.emplace_back(json::Object{{"name", line.name},
                                      {"differs", line.differs()},
                                      {"values", json::Array(line.values.begin(), line.values.end())}});
    }
    session.out(json::serialize(json::Object{{"jobs", std::move(names)}, {"items", std::move(items)}}) + "\n");
  }

  bool all_ = false;
  std::string output_;
};

}  // namespace

std::unique_ptr<Command> make_compare() {
  return std::make_unique<Compare>();
}

}  // namespace muster::cli
