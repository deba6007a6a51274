#include "cli/run/prepare.h"

#include <fmt/core.h>

#include <filesystem>

#include "base/find_program.h"
#include "cli/run/own_home.h"

namespace muster::cli {

namespace {

using json::Document;

class Preparation {
 public:
  Preparation(const RunFrom& from, const SafeFolders& safe, const RunFlags& flags,
              const std::vector<std::string>& more_words)
      : from_(from), safe_(safe), flags_(flags), more_words_(more_words) {}

  /// Looks at everything that can be wrong before anything is created.
  std::variant<PreparedRun, Failure> run(const std::vector<std::string>& words) const {
    if (auto problem = flags_.check()) return *std::move(problem);
    if (auto problem = check_folder(words)) return *std::move(problem);
    PreparedRun out;
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
    out.notify = flags_.notify;
    add_variables(out);
    if (auto problem = add_folders(project, words, out)) return *std::move(problem);
    return out;
  }

 private:
  /// The whole folder is what the job can read and write, so it should hold the project and nothing else.
  std::optional<Failure> check_folder(const std::vector<std::string>& words) const {
    const std::string why = safe_.why_never(from_.working_dir);
    if (why.empty()) return std::nullopt;
    const std::string folder = folder_of_script(words);
    return usage_failure(
        fmt::format("{}: {}, and a job can read and change the whole folder that it runs in", from_.working_dir, why),
        folder.empty() ? "put the script into a folder of its own and run it from there"
                       : "run it from its own folder: cd " + folder);
  }

  /// The folder of the first file that the words name, if a job may run in it; else "".
  std::string folder_of_script(const std::vector<std::string>& words) const {
    std::error_code error;
    for (const std::string& word : words) {
      const std::filesystem::path file = word;
      const std::string folder = (from_.working_dir / file).lexically_normal().parent_path().string();
      if (!file.has_parent_path() || !std::filesystem::is_regular_file(from_.working_dir / file, error)) continue;
      if (safe_.why_never(folder).empty() && !SafeFolders::is_in_every_pod(folder)) return file.parent_path().string();
    }
    return "";
  }

  void add_variables(PreparedRun& to) const {
    // Otherwise Python keeps lines back until a block is full, and the log is empty for minutes.
    to.job.set_variable("PYTHONUNBUFFERED", "1");
    add_shell_variables(to.job, from_);
    if (to.command.launcher.empty()) add_local_ranks(to.job, from_);
  }

  /// The flags have the last word about variables.
  std::optional<Failure> add_given_variables(PreparedRun& to) const {
    std::vector<Variable> given;
    if (auto problem = read_variables(flags_.env, "env", from_, given)) return problem;
    // In a value that is typed, $(RANK) is replaced as in a manifest.
    for (const Variable& one : given) to.job.set_variable(one.name, one.is_of_shell ? as_it_is(one.value) : one.value);
    return read_variables(flags_.secrets, "secret", from_, to.secrets);
  }

  std::optional<Failure> add_folders(const std::string& project, const std::vector<std::string>& words,
                                     PreparedRun& to) const {
    to.folders.emplace(project, from_.working_dir, safe_);
    JobFolders& folders = *to.folders;
    for (const std::string& text : flags_.mounts) {
      auto mount = parse_mount(text, from_, safe_);
      if (auto* failure = std::get_if<Failure>(&mount)) return std::move(*failure);
      folders.add_mount(std::get<0>(std::move(mount)));
    }
    if (flags_.home) add_own_home(to.job, folders);
    add_programs(to.programs, from_, to.job, folders);
    if (auto problem = add_given_variables(to)) return problem;
    if (!flags_.no_auto_mount) {
      folders.add_arguments(words);
      folders.add_arguments(more_words_);
      for (const auto& [name, path] : path_variables(from_)) folders.add_path(path, name);
      folders.add_links_of_project();
    }
    if (const std::string& script = to.command.script;
        !script.empty() && !folders.shows(script) && !is_in_system_folder(script)) {
      return usage_failure(fmt::format("{} is outside of {}, and the job does not see its folder", script, project),
                           fmt::format("cd {}", std::string(script, 0, script.rfind('/'))));
    }
    to.job.folders = folders.folders();
    // An image may have a home of its own.
    if (flags_.image.empty() && !flags_.home) to.job.folders.push_back(kept_home());
    return std::nullopt;
  }

  void add_own_home(JobOfScript& to, JobFolders& folders) const {
    OwnHome own = own_home(from_.home, from_.data_dir);
    for (MountedFolder& folder : own.folders) {
      if (!folders.shows(folder.path)) folders.add_mount(std::move(folder));
    }
    folders.note(std::move(own.note));
    to.set_variable("HOME", from_.home);
  }

  const RunFrom& from_;
  const SafeFolders& safe_;
  const RunFlags& flags_;
  const std::vector<std::string>& more_words_;
};

}  // namespace

std::variant<PreparedRun, Failure> prepare_run(const RunFrom& from, const SafeFolders& safe, const RunFlags& flags,
                                               const std::vector<std::string>& words,
                                               const std::vector<std::string>& more_words) {
  return Preparation(from, safe, flags, more_words).run(words);
}

Result<Document> create_run(Session& session, PreparedRun& prepared) {
  RunObjects objects(session);
  const auto create_all = [&]() -> Result<Document> {
    TRY(objects.name_claims(prepared.job.folders));
    TRY(objects.keep_secrets(prepared.secrets, prepared.job));
    TRY(objects.keep_notify(prepared.notify, prepared.job));
    const Document object = job_object(prepared.job);
    return session.await(
        [&](client::OnDocument done) { session.api().create(run_kind(), session.ns(), object, {}, std::move(done)); });
  };
  Result<Document> made = create_all();
  if (!made) {
    objects.take_back();
    return made;
  }
  if (const auto given = objects.give_secrets_to(*made); !given) {
    session.err(
        fmt::format("warning: a Secret of this job stays when the job is deleted: {}\n", given.error().message));
  }
  return made;
}

}  // namespace muster::cli
