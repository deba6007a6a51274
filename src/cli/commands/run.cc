// run: runs a script of the current folder as a job, without a manifest, and follows its output.
//
// The project becomes a claim that is mounted at its own path, so that the script finds its files and leaves its
// results where they would be without a job. What else the script names, and the Python that the user would get here,
// are mounted in the same way. cli/run has the decisions; this file asks and tells.
#include <fmt/core.h>

#include <optional>

#include "base/files.h"
#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/jobs/find_job.h"
#include "cli/logs/follow_job.h"
#include "cli/objects/object_state.h"
#include "cli/objects/wait_until_gone.h"
#include "cli/run/flags.h"
#include "cli/run/folders.h"
#include "cli/run/hints.h"
#include "cli/run/job.h"
#include "cli/run/objects.h"
#include "cli/run/programs.h"
#include "cli/run/safe_folders.h"
#include "cli/run/variables.h"
#include "cli/run/words.h"

namespace muster::cli {

namespace {

using json::Document;

constexpr const char* kGpus = "nvidia.com/gpu";
const client::ResourceName kNodes{"", "v1", "nodes"};

/// What the flags and words came to.
struct Prepared {
  RunCommand command = {};
  RunShape shape = {};
  RunPrograms programs = {};
  std::optional<JobFolders> folders = {};
  JobOfScript job = {};
  std::vector<Variable> secrets = {};
};

class Run final : public Command {
 public:
  explicit Run(RunFrom from) : from_(std::move(from)), safe_(from_, read_file("/etc/passwd").value_or("")) {}

  void add_flags(Flags& flags) override { flags_.add_to(flags); }

  int run(Session& session, const std::vector<std::string>& words) override {
    if (words.empty() && flags_.module.empty()) {
      return session.fail(usage_failure("name a script", "muster run train.py"));
    }
    auto prepared = prepare(words);
    if (const auto* failure = std::get_if<Failure>(&prepared)) return session.fail(*failure);
    return create_and_follow(session, std::get<0>(prepared));
  }

 private:
  /// Looks at everything that can be wrong before anything is created.
  std::variant<Prepared, Failure> prepare(const std::vector<std::string>& words) const {
    if (auto problem = flags_.check()) return *std::move(problem);
    if (auto problem = check_folder()) return *std::move(problem);
    Prepared out;
    const std::string project = project_of(from_.working_dir, safe_);
    auto command = read_run_words(words, flags_.module, from_, project);
    if (auto* failure = std::get_if<Failure>(&command)) return std::move(*failure);
    out.command = std::get<0>(std::move(command));
    auto shape = shape_of(flags_, out.command);
    if (auto* failure = std::get_if<Failure>(&shape)) return std::move(*failure);
    out.shape = std::get<0>(shape);
    auto programs = find_run_programs(out.command, flags_.python, flags_.image, from_);
    if (auto* failure = std::get_if<Failure>(&programs)) return std::move(*failure);
    out.programs = std::get<0>(std::move(programs));
    out.job.name_prefix = out.command.prefix;
    out.job.command = out.command.words;
    out.job.working_dir = from_.working_dir;
    describe_job(flags_, out.shape, out.job);
    if (auto problem = add_variables(out)) return *std::move(problem);
    if (auto problem = add_folders(project, words, out)) return *std::move(problem);
    return out;
  }

  /// The whole folder is what the job can read and write, so it should hold the project and nothing else.
  std::optional<Failure> check_folder() const {
    const std::string why = safe_.why_never(from_.working_dir);
    if (why.empty()) return std::nullopt;
    return usage_failure(
        fmt::format("{}: {}, and a job can read and change the whole folder that it runs in", from_.working_dir, why),
        "put the script into a folder of its own and run it from there");
  }

  std::optional<Failure> add_variables(Prepared& to) const {
    // Otherwise Python keeps lines back until a block is full, and the log is empty for minutes.
    to.job.set_variable("PYTHONUNBUFFERED", "1");
    add_shell_variables(to.job, from_);
    if (to.command.launcher.empty()) add_local_ranks(to.job, from_);
    return std::nullopt;
  }

  /// The flags have the last word about variables.
  std::optional<Failure> add_given_variables(Prepared& to) const {
    std::vector<Variable> given;
    if (auto problem = read_variables(flags_.env, "env", from_, given)) return problem;
    for (const Variable& variable : given) to.job.set_variable(variable.name, variable.value);
    return read_variables(flags_.secrets, "secret", from_, to.secrets);
  }

  std::optional<Failure> add_folders(const std::string& project, const std::vector<std::string>& words,
                                     Prepared& to) const {
    to.folders.emplace(project, from_.working_dir, safe_);
    JobFolders& folders = *to.folders;
    for (const std::string& text : flags_.mounts) {
      auto mount = parse_mount(text, from_, safe_);
      if (auto* failure = std::get_if<Failure>(&mount)) return std::move(*failure);
      folders.add_mount(std::get<0>(std::move(mount)));
    }
    add_programs(to.programs, from_, to.job, folders);
    if (auto problem = add_given_variables(to)) return problem;
    if (!flags_.no_auto_mount) {
      folders.add_arguments(words);
      for (const auto& [name, path] : path_variables(from_)) folders.add_path(path, name);
      folders.add_links_of_project();
    }
    if (const std::string& script = to.command.script; !script.empty() && !folders.shows(script)) {
      return usage_failure(fmt::format("{} is outside of {}, and the job does not see its folder", script, project),
                           fmt::format("cd {}", std::string(script, 0, script.rfind('/'))));
    }
    to.job.folders = folders.folders();
    add_home(to.job);
    return std::nullopt;
  }

  /// An image may have a home of its own.
  void add_home(JobOfScript& to) const {
    if (flags_.image.empty()) to.folders.push_back(kept_home());
  }

  int create_and_follow(Session& session, Prepared& prepared) const {
    if (flags_.replace) {
      if (const int code = delete_old(session); code != kExitOk) return code;
    }
    const auto made = create(session, prepared);
    if (!made) return session.fail(failure_to_create(made.error()));
    const Selected job{kind_of(run_kind()), session.ns(), made->string_at("metadata", "name")};
    tell(session, job, prepared);
    if (flags_.detach) return kExitOk;
    const int code = wait_for_end(session, job, *made, prepared);
    if (code == kExitFailed) add_hints(session, job, prepared);
    if (code == kExitInterrupted) {
      session.err(
          fmt::format("the job keeps running; muster logs -f {0} follows it, muster stop {0} ends it\n", job.name));
    }
    return code;
  }

  Result<Document> create(Session& session, Prepared& prepared) const {
    RunObjects objects(session);
    const auto create_all = [&]() -> Result<Document> {
      TRY(objects.name_claims(prepared.job.folders));
      TRY(objects.keep_secrets(prepared.secrets, prepared.job));
      const Document object = job_object(prepared.job);
      return session.await([&](client::OnDocument done) {
        session.api().create(run_kind(), session.ns(), object, {}, std::move(done));
      });
    };
    Result<Document> made = create_all();
    if (!made) {
      objects.take_back();
      return made;
    }
    if (const auto given = objects.give_secret_to(*made); !given) {
      session.err(
          fmt::format("warning: the Secret of this job stays when the job is deleted: {}\n", given.error().message));
    }
    return made;
  }

  Failure failure_to_create(const Error& error) const {
    if (error.reason != Reason::kAlreadyExists || flags_.name.empty()) return failure_of(error);
    return {.code = exit_code(error.reason),
            .what = fmt::format("--name: there is a job {} already", quote(flags_.name)),
            .fix = fmt::format("--replace deletes it first, or: muster run --name {}-2 …", flags_.name)};
  }

  /// Waits until the old job is gone, so that its pods do not hold what the new ones need.
  int delete_old(Session& session) const {
    const Selected old{kind_of(run_kind()), session.ns(), flags_.name};
    client::DeleteOptions options;
    options.propagation_policy = "Foreground";
    const auto reply =
        session.await([&](client::OnDocument done) { session.api().remove(old.object(), options, std::move(done)); });
    if (!reply) return reply.error().reason == Reason::kNotFound ? kExitOk : session.fail(reply.error());
    session.err(fmt::format("{} deleted\n", old.label()));
    return wait_until_gone(session, old, deleted_uid(*reply), std::nullopt);
  }

  void tell(Session& session, const Selected& job, const Prepared& prepared) const {
    const std::string created = job.label() + " created\n";
    flags_.detach ? session.out(created) : session.err(created);
    if (!prepared.programs.text.empty()) {
      session.err(fmt::format("python: {}{}\n", prepared.programs.text, gpus_text(session, prepared)));
    }
    for (const std::string& note : prepared.folders->notes()) session.err(note + "\n");
    for (const auto& [local, remote] : prepared.job.ports)
      session.err(fmt::format("port: http://127.0.0.1:{}\n", local));
  }

  /// A script that finds no GPU computes on the processors without a word, so GPUs that it could have are mentioned.
  static std::string gpus_text(Session& session, const Prepared& prepared) {
    const std::int64_t gpus = prepared.shape.gpus_per_rank * prepared.shape.ranks;
    if (gpus > 0) return fmt::format(", {} GPU{}", gpus, gpus == 1 ? "" : "s");
    const auto nodes = session.list(kNodes, "", {});
    if (!nodes) return "";  // only the owner may see them
    std::int64_t there = 0;
    for (const Document& node : nodes->array_at("items")) {
      there += parse_int(node.string_at("status", "allocatable", kGpus)).value_or(0);
    }
    return there == 0 ? "" : fmt::format(", no GPU (this machine has {}: muster run --gpus N)", there);
  }

  int wait_for_end(Session& session, const Selected& job, const Document& object, const Prepared& prepared) const {
    if (flags_.wait) return make_wait()->run(session, {job.short_label()});
    client::FollowOptions options;
    if (prepared.shape.ranks > 1) options.prefix = prefix_of(session);
    return follow_job(session, job, object, std::move(options));
  }

  void add_hints(Session& session, const Selected& job, const Prepared& prepared) const {
    const auto object = session.get(job.object());
    if (!object) return;
    for (const std::string& hint :
         hints_about(object_message(*object), prepared.programs, *prepared.folders, safe_, from_.working_dir)) {
      session.err(hint + "\n");
    }
  }

  RunFrom from_;
  SafeFolders safe_;
  RunFlags flags_;
};

}  // namespace

std::unique_ptr<Command> make_run() {
  return make_run(run_from_here());
}

std::unique_ptr<Command> make_run(RunFrom from) {
  return std::make_unique<Run>(std::move(from));
}

}  // namespace muster::cli
