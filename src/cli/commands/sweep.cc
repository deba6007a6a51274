#include "cli/commands/sweep.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "api/muster/sweep_names.h"
#include "base/files.h"
#include "base/random.h"
#include "base/strings.h"
#include "cli/jobs/find_job.h"
#include "cli/jobs/share_secrets.h"
#include "cli/run/programs_line.h"
#include "cli/sweep/create_sweep.h"
#include "cli/sweep/follow_sweep.h"
#include "cli/sweep/sweep_file.h"
#include "jobs/verbs.h"

namespace muster::cli {

namespace {

using json::Document;

constexpr std::size_t kLongestName = 40;  // the names of pods add a number, a role and an index
constexpr const char* kUsage = "muster sweep --lr 0.1,0.01 --seed 1..3 -- train.py";

Result<std::vector<FoundJob>> jobs_of_sweep(Session& session, const std::string& name) {
  return list_jobs(session, session.ns(), {.label_selector = selector_of_sweep(name)});
}

std::optional<Failure> check_sweep_name(const std::string& name) {
  if (is_dns_label(name) && name.size() <= kLongestName) return std::nullopt;
  return usage_failure(fmt::format("--name: must be at most {} of a-z, 0-9 and '-', got {}", kLongestName, quote(name)),
                       "--name lr-search");
}

/// Changes the label of the sweep wherever the object has it: on the job and on its pods.
void relabel(Document& value, const std::string& name) {
  if (value.is_array()) {
    for (Document& item : value.as_array()) relabel(item, name);
  }
  if (!value.is_object()) return;
  for (json::Member& member : value.as_object()) {
    if (member.key == api::kSweepLabel && member.value.is_string()) {
      member.value = name;
    } else {
      relabel(member.value, name);
    }
  }
}

class Sweep final : public Command {
 public:
  explicit Sweep(RunFrom from) : from_(std::move(from)), safe_(from_, read_file("/etc/passwd").value_or("")) {}

  void add_flags(Flags& flags) override {
    run_.add_to(flags);
    flags.add("file", &file_, "read parameters and flags from a YAML file", 'f');
    flags.add("param", &params_given_,
              "the same as --NAME VALUES, for a parameter whose name is also a flag: NAME=VALUES");
    flags.add("random", &random_, "sample so many combinations instead of running all of them");
    flags.add("random-seed", &random_seed_, "number that decides which combinations are sampled (default 1)");
    flags.add("parallel", &parallel_, "how many jobs run at a time (default: CPUs / ranks; with GPUs: as many as fit)");
    flags.add("metric", &metric_, "value that the script logs and that decides which run is the best (default loss)");
    flags.add("goal", &goal_, "whether the best value is the min or the max (default min)");
    flags.set_choices("goal", {"min", "max"});
  }

  std::optional<Failure> check(const std::vector<std::string>& words) override {
    if (verb_of(words) != nullptr) return read_name(words);
    if (auto problem = read_all(words)) return problem;
    const auto runs = expand(space_);
    if (!runs) return usage_failure("sweep: " + runs.error().message);
    if (words_.empty() && run_.module.empty()) return usage_failure("name a script", kUsage);
    const std::string name = run_.name;
    run_.name.clear();
    auto prepared = prepare_run(from_, safe_, run_, words_, values_of(*runs));
    if (auto* failure = std::get_if<Failure>(&prepared)) return std::move(*failure);
    base_.emplace(std::get<0>(std::move(prepared)));
    sweep_ = {.name = name.empty() ? new_name(*base_) : name, .runs = *runs};
    return check_sweep_name(sweep_.name);
  }

  int run(Session& session, const std::vector<std::string>& words) override {
    const Verb verb = verb_of(words);
    return verb == nullptr ? create(session) : (this->*verb)(session);
  }

 private:
  using Verb = int (Sweep::*)(Session&);
  /// Null: the words are a script and its arguments.
  Verb verb_of(const std::vector<std::string>& words) const {
    static const std::map<std::string, Verb> kVerbs = {
        {"show", &Sweep::show}, {"stop", &Sweep::stop}, {"rerun", &Sweep::rerun}, {"ls", &Sweep::list}};
    if (words.empty() || !params_given_.empty() || !file_.empty()) return nullptr;
    const auto found = kVerbs.find(words[0]);
    return found == kVerbs.end() ? nullptr : found->second;
  }

  // ---- create ----

  int create(Session& session) {
    if (auto problem = choose_parallel(session, base_->shape, sweep_)) return session.fail(*problem);
    if (auto problem = check_is_new(session, sweep_.name)) return session.fail(*problem);
    tell(session, *base_, sweep_);
    if (auto problem = create_sweep(session, *base_, sweep_)) return session.fail(*problem);
    if (run_.detach) {
      session.out(fmt::format("muster sweep show {}\n", sweep_.name));
      return kExitOk;
    }
    return follow_sweep(session, sweep_.name, goal());
  }

  std::optional<Failure> read_all(const std::vector<std::string>& words) {
    words_ = words;
    if (auto problem = read_sweep_file()) return problem;
    if (auto problem = read_parameters()) return problem;
    if (auto problem = check_own_flags()) return problem;
    space_.random_seed = random_seed_.value_or(space_.random_seed);
    if (random_) space_.random = random_;
    return std::nullopt;
  }

  /// Flags have the last word.
  std::optional<Failure> read_sweep_file() {
    if (file_.empty()) return std::nullopt;
    const std::string path = file_.starts_with('/') ? file_ : from_.working_dir + "/" + file_;
    const auto text = read_file(path);
    if (!text) return usage_failure("--file: " + text.error().message);
    auto read = parse_sweep_file(*text, file_);
    if (!read) return usage_failure(read.error().message);
    space_ = std::move(read->space);
    if (run_.name.empty()) run_.name = read->name;
    if (words_.empty()) words_ = read->command;
    if (!parallel_) parallel_ = read->parallel;
    if (metric_.empty()) metric_ = read->metric;
    if (goal_.empty()) goal_ = read->goal;
    return std::nullopt;
  }

  std::optional<Failure> read_parameters() {
    for (const std::string& given : params_given_) {
      // A flag that is a list is split at its commas; an item without a name continues the one before.
      const std::size_t equals = given.find('=');
      if (equals != std::string::npos && equals > 0) {
        parameters_.emplace_back(given.substr(0, equals), given.substr(equals + 1));
      } else if (!parameters_.empty() && equals == std::string::npos) {
        parameters_.back().second += "," + given;
      } else {
        return usage_failure(fmt::format("--param: must be NAME=VALUES, got {}", quote(given)), "--param name=a,b");
      }
    }
    for (const auto& [name, values] : parameters_) {
      auto parameter = parse_parameter(name, values, "--" + name);
      if (!parameter) return usage_failure(parameter.error().message);
      std::erase_if(space_.parameters, [&, &name = name](const Parameter& of_file) {
        return of_file.name == name && !was_given_.contains(name);
      });
      was_given_.insert(name);
      space_.parameters.push_back(*std::move(parameter));
    }
    return std::nullopt;
  }

  std::optional<Failure> check_own_flags() const {
    if (!goal_.empty() && goal_ != "min" && goal_ != "max") {
      return usage_failure(fmt::format("--goal: must be min or max, got {}", quote(goal_)));
    }
    if (parallel_ && *parallel_ < 1) {
      return usage_failure(fmt::format("--parallel: must be 1 or more, got {}", *parallel_));
    }
    if (run_.stdin_ || run_.tty) return usage_failure("-it: a sweep has no input; try it with muster run");
    if (!run_.ports.empty()) return usage_failure("--port: the jobs of a sweep cannot share a port of this machine");
    if (run_.replace) return usage_failure("--replace: a sweep replaces no other one", "muster sweep rerun NAME");
    return std::nullopt;
  }

  static std::vector<std::string> values_of(const std::vector<RunValues>& runs) {
    std::set<std::string> all;
    for (const RunValues& run : runs) {
      for (const auto& [name, value] : run) all.insert(value);
    }
    return {all.begin(), all.end()};
  }

  static std::string new_name(const PreparedRun& base) {
    SystemRng rng;
    return base.command.prefix.substr(0, kLongestName - 6) + "-" + make_name_suffix(rng);
  }

  std::optional<Failure> choose_parallel(Session& session, const RunShape& shape, SweepToCreate& sweep) const {
    if (is_own_engine(session)) {
      sweep.parallel = parallel_ ? *parallel_ : usual_parallel(session, shape);
      return std::nullopt;
    }
    if (!parallel_) return std::nullopt;
    return usage_failure("--parallel: this server is a Kubernetes cluster, whose own scheduler starts the jobs",
                         "leave it out; the quotas and queues of the cluster decide");
  }

  static std::optional<Failure> check_is_new(Session& session, const std::string& name) {
    const auto found = jobs_of_sweep(session, name);
    if (!found) return failure_of(found.error());
    if (found->empty()) return std::nullopt;
    return Failure{.code = kExitConflict,
                   .what = fmt::format("--name: there is a sweep {} already", quote(name)),
                   .fix = fmt::format("muster sweep show {0}, or: muster sweep --name {0}-2 …", name)};
  }

  void tell(Session& session, const PreparedRun& base, const SweepToCreate& sweep) const {
    const std::size_t count = sweep.runs.size();
    std::string text = fmt::format("sweep {}: {} run{}", sweep.name, count, count == 1 ? "" : "s");
    if (sweep.parallel > 0 && static_cast<std::size_t>(sweep.parallel) < count) {
      text += fmt::format(", {} at a time", sweep.parallel);
    }
    run_.detach ? session.out(text + "\n") : session.err(text + "\n");
    session.err(programs_line(session, base, "muster sweep"));
    for (const std::string& note : base.folders->notes()) session.err(note + "\n");
  }

  SweepMetric goal() const {
    return {.name = metric_.empty() ? "loss" : metric_, .goal = goal_ == "max" ? Goal::kMax : Goal::kMin};
  }

  // ---- show, stop, rerun, ls ----

  /// Reads `show NAME --metric accuracy`: the flags after the first word were left alone.
  std::optional<Failure> read_name(const std::vector<std::string>& words) {
    if (words[0] == "ls") {
      if (words.size() == 1) return std::nullopt;
      return usage_failure("ls takes no name", "muster sweep show " + words[1]);
    }
    Flags flags;
    flags.add("metric", &metric_, "");
    flags.add("goal", &goal_, "");
    flags.add("name", &run_.name, "");
    const auto rest = flags.parse({words.begin() + 1, words.end()});
    if (!rest) return usage_failure(rest.error().message);
    if (auto problem = check_own_flags()) return problem;
    if (rest->size() == 1) name_ = rest->front();
    if (rest->size() == 1) return std::nullopt;
    return usage_failure("name one sweep", fmt::format("muster sweep {} NAME; muster sweep ls lists them", words[0]));
  }

  int show(Session& session) { return show_sweep(session, name_, goal()); }

  int stop(Session& session) {
    auto found = jobs_of_sweep(session, name_);
    if (!found) return session.fail(found.error());
    if (found->empty()) return session.fail(no_such_sweep(session, name_));
    // Those that wait come first, or they would start as the running ones end.
    std::ranges::stable_sort(*found, {},
                             [](const FoundJob& one) { return jobs::state_of(one.object) != jobs::State::kPending; });
    std::size_t stopped = 0;
    for (const FoundJob& one : *found) {
      if (jobs::has_ended(jobs::state_of(one.object))) continue;
      const jobs::VerbResult result = jobs::plan_verb(jobs::Verb::kStop, one.object);
      const auto* plan = std::get_if<jobs::VerbPlan>(&result);
      if (plan == nullptr || !plan->patch) continue;
      const auto patched = session.await([&](client::OnDocument done) {
        session.api().patch(one.job.object(), client::PatchType::kMerge, plan->patch->body, {}, std::move(done));
      });
      // One that was deleted meanwhile is over as well.
      if (!patched && patched.error().reason != Reason::kNotFound) return session.fail(patched.error());
      ++stopped;
    }
    session.out(fmt::format("sweep {}: {} of {} runs stopped, {} had ended\n", name_, stopped, found->size(),
                            found->size() - stopped));
    return kExitOk;
  }

  int rerun(Session& session) {
    auto found = jobs_of_sweep(session, name_);
    if (!found) return session.fail(found.error());
    if (found->empty()) return session.fail(no_such_sweep(session, name_));
    std::string name = run_.name.empty() ? jobs::next_name(name_) : run_.name;
    if (auto problem = check_sweep_name(name)) return session.fail(*problem);
    for (auto problem = check_is_new(session, name); problem; problem = check_is_new(session, name)) {
      if (!run_.name.empty() || problem->code != kExitConflict) return session.fail(*problem);
      name = jobs::next_name(name);
    }
    std::ranges::stable_sort(*found, {}, [](const FoundJob& one) { return run_of_job(one.object).number; });
    for (std::size_t i = 0; i < found->size(); ++i) {
      const FoundJob& one = (*found)[i];
      Document copy = jobs::fresh_copy(one.object, name_of_run(name, i + 1, found->size()));
      relabel(copy, name);
      copy["metadata"]["annotations"][api::kSweepRunAnnotation] = fmt::format("{}/{}", i + 1, found->size());
      const auto made = session.await([&](client::OnDocument done) {
        session.api().create(one.job.kind.resource, one.job.ns, copy, {}, std::move(done));
      });
      if (!made) return session.fail(made.error());
      share_secrets(session, one.job.ns, one.object, *made);
    }
    session.out(fmt::format("sweep {}: {} runs created; muster sweep show {}\n", name, found->size(), name));
    return kExitOk;
  }

  int list(Session& session) {
    const auto found = list_jobs(session, session.ns(), {.label_selector = api::kSweepLabel});
    if (!found) return session.fail(found.error());
    std::map<std::string, std::vector<SweepRun>> sweeps;
    for (const FoundJob& one : *found) {
      sweeps[one.object.string_at("metadata", "labels", api::kSweepLabel)].push_back(run_of_job(one.object));
    }
    if (sweeps.empty()) session.err(fmt::format("no sweeps in namespace {}\n", session.ns()));
    for (const auto& [name, runs] : sweeps) session.out(fmt::format("{}   {}\n", name, sweep_counts(runs)));
    return kExitOk;
  }

  RunFrom from_;
  SafeFolders safe_;
  RunFlags run_;
  // Flags of its own
  std::string file_;
  std::vector<std::string> params_given_;
  std::optional<std::int64_t> random_;
  std::optional<std::int64_t> random_seed_;
  std::optional<std::int64_t> parallel_;
  std::string metric_;
  std::string goal_;
  std::vector<std::pair<std::string, std::string>> parameters_;  // names and values as they are written
  // What they come to
  SweepSpace space_;
  std::set<std::string> was_given_;  // names of parameters that flags have
  std::vector<std::string> words_;
  std::optional<PreparedRun> base_;
  SweepToCreate sweep_;
  std::string name_;  // of an existing one
};

}  // namespace

std::unique_ptr<Command> make_sweep() {
  return make_sweep(run_from_here());
}

std::unique_ptr<Command> make_sweep(RunFrom from) {
  return std::make_unique<Sweep>(std::move(from));
}

}  // namespace muster::cli
