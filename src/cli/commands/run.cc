// run: runs a script of the current folder as a job, without a manifest, and follows its output.
//
// The folder becomes a claim that is mounted at its own path, so that the script finds its files and leaves its results
// where they would be without a job. The Python that the user would get here is mounted in the same way, read-only.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "api/muster/names.h"
#include "base/find_program.h"
#include "base/quantity.h"
#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/connect/environment.h"
#include "cli/jobs/find_job.h"
#include "cli/logs/follow_job.h"
#include "cli/objects/object_state.h"
#include "python/choose.h"
#include "python/torchrun.h"

namespace muster::cli {

namespace {

using json::Document;

constexpr const char* kOwnPrograms = "/run/muster/bin";  // in every pod; `python` if the machine has only python3

const client::ResourceName kClaims{"", "v1", "persistentvolumeclaims"};

const api::Resource& training_jobs() {
  return *api::find_kind("batch.tensorstack.dev/v1beta1", "PyTorchTrainingJob");
}

/// Returns `text` as part of an object's name: "Train_v2.py" gives "train-v2".
std::string name_from(const std::string& file) {
  std::string out;
  for (const char c : to_lower(std::filesystem::path(file).stem().string())) {
    const bool fits = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (fits) out += c;
    if (!fits && !out.empty() && out.back() != '-') out += '-';
  }
  out = out.substr(0, 40);
  while (out.ends_with('-')) out.pop_back();
  // A job's name becomes part of its services' names, which begin with a letter.
  if (out.empty() || out[0] < 'a') out = "job-" + out;
  while (out.ends_with('-')) out.pop_back();
  return out;
}

/// A folder of this machine and the claim that stands for it.
struct MountedFolder {
  std::string path;
  std::string claim;
  bool read_only = false;
};

struct JobOfScript {
  std::string name;  // "": the server adds something to `name_prefix`
  std::string name_prefix = {};
  std::int64_t ranks = 1;
  std::string image;
  std::vector<std::string> command;
  std::string working_dir;
  json::Array env;
  json::Object limits;
  json::Object requests;
  std::vector<MountedFolder> folders;
  std::vector<std::pair<int, int>> ports;  // of this machine, and those of rank 0 that they lead to
};

json::Object role_of(const std::string& type, std::int64_t replicas, json::Object pod) {
  // A user who tries out a script wants to see its first failure, not the one after three restarts.
  return {{"type", type},
          {"replicas", replicas},
          {"restartPolicy", "Never"},
          {"template", json::Object{{"spec", std::move(pod)}}}};
}

/// A port of the machine can belong to one pod only, so rank 0 is a role of its own when it has some.
json::Array roles_of(const JobOfScript& of, const json::Object& container, const json::Array& volumes) {
  const auto pod_of = [&](json::Object one) {
    return json::Object{{"containers", json::Array{Document(std::move(one))}}, {"volumes", volumes}};
  };
  if (of.ports.empty()) return {Document(role_of("worker", of.ranks, pod_of(container)))};
  json::Array ports;
  for (const auto& [on_host, in_pod] : of.ports) {
    ports.emplace_back(json::Object{{"containerPort", in_pod}, {"hostPort", on_host}});
  }
  json::Object first = container;
  first.append("ports", std::move(ports));
  if (of.ranks == 1) return {Document(role_of("worker", 1, pod_of(std::move(first))))};
  return {Document(role_of("master", 1, pod_of(std::move(first)))),
          Document(role_of("worker", of.ranks - 1, pod_of(container)))};
}

Document job_object(const JobOfScript& of) {
  json::Array mounts;
  json::Array volumes;
  for (std::size_t i = 0; i < of.folders.size(); ++i) {
    const MountedFolder& folder = of.folders[i];
    const std::string volume = fmt::format("folder-{}", i);
    volumes.emplace_back(
        json::Object{{"name", volume}, {"persistentVolumeClaim", json::Object{{"claimName", folder.claim}}}});
    mounts.emplace_back(json::Object{{"name", volume}, {"mountPath", folder.path}, {"readOnly", folder.read_only}});
  }
  json::Array command(of.command.begin(), of.command.end());
  json::Object container{{"name", "pytorch"},
                         {"image", of.image},
                         {"command", std::move(command)},
                         {"workingDir", of.working_dir},
                         {"env", of.env},
                         {"resources", json::Object{{"limits", of.limits}, {"requests", of.requests}}},
                         {"volumeMounts", std::move(mounts)}};
  const bool named = !of.name.empty();
  return json::Object{
      {"apiVersion", training_jobs().api_version()},
      {"kind", training_jobs().kind},
      {"metadata", json::Object{{named ? "name" : "generateName", named ? of.name : of.name_prefix + "-"}}},
      {"spec", json::Object{{"replicaSpecs", roles_of(of, container, volumes)}}}};
}

/// Programs that start the ranks themselves.
bool is_launcher(const std::string& program) {
  static constexpr std::array kLaunchers = {"torchrun", "accelerate", "deepspeed", "mpirun", "mpiexec", "horovodrun"};
  return std::ranges::find(kLaunchers, program) != kLaunchers.end();
}

class Run final : public Command {
 public:
  explicit Run(RunFrom from) : from_(std::move(from)) {}

  void add_flags(Flags& flags) override {
    flags.end_at_first_word();
    flags.add("ranks", &ranks_, "number of processes (default 1)");
    flags.add("gpus", &gpus_, "GPUs of each rank (default 0)");
    flags.add("cpu", &cpu_, "CPU request of each rank, such as 2 or 500m");
    flags.add("memory", &memory_, "memory request of each rank, such as 4Gi");
    flags.add("name", &name_, "name of the job (default: the script's name and five random letters)");
    flags.add("module", &module_, "run a module instead of a script, as python -m does", 'm');
    flags.end_after("module");
    flags.add("python", &named_python_,
              "interpreter or folder of an environment (default: the active environment, then the project's .venv, "
              "then PATH)");
    flags.add("image", &image_, "image that selects the environment (default: none, the Python of this machine)");
    flags.add("env", &env_, "environment variable of the script: NAME=VALUE", 'e');
    flags.add("port", &ports_, "publish a port of rank 0 on 127.0.0.1: [LOCAL:]REMOTE", 'p');
    flags.add("detach", &detach_, "create the job and return", 'd');
  }

  int run(Session& session, const std::vector<std::string>& words) override {
    if (words.empty() && module_.empty()) return session.fail(usage_failure("name a script", "muster run train.py"));
    if (auto problem = check_flags()) return session.fail(*problem);
    if (auto problem = check_folder()) return session.fail(*problem);
    if (auto problem = read_command(words)) return session.fail(*problem);
    if (auto problem = find_python()) return session.fail(*problem);
    if (auto problem = find_program_of_command()) return session.fail(*problem);
    JobOfScript job = job_of_command();
    if (auto made = name_claims(session, job.folders); !made) return session.fail(made.error());
    return create_and_follow(session, job_object(job));
  }

 private:
  std::optional<Failure> check_flags() const {
    if (ranks_ && *ranks_ < 1) return usage_failure(fmt::format("--ranks: must be 1 or more, got {}", *ranks_));
    if (gpus_ && *gpus_ < 0) return usage_failure(fmt::format("--gpus: must be 0 or more, got {}", *gpus_));
    if (!named_python_.empty() && !image_.empty()) {
      return usage_failure("--python and --image: name one, because an image has a Python of its own");
    }
    for (const auto& [flag, text] : {std::pair{"cpu", &cpu_}, {"memory", &memory_}}) {
      if (text->empty() || Quantity::parse(*text)) continue;
      return usage_failure(fmt::format("--{}: must be a quantity such as 2 or 4Gi, got {}", flag, quote(*text)));
    }
    for (const std::string& pair : env_) {
      if (pair.find('=') == std::string::npos || pair[0] == '=') {
        return usage_failure(fmt::format("--env: must be NAME=VALUE, got {}", quote(pair)));
      }
    }
    for (const std::string& pair : ports_) {
      if (!parse_ports(pair)) {
        return usage_failure(fmt::format("--port: must be PORT or LOCAL:REMOTE, from 1 to 65535, got {}", quote(pair)));
      }
    }
    return std::nullopt;
  }

  static std::optional<std::pair<int, int>> parse_ports(const std::string& text) {
    const std::size_t colon = text.find(':');
    const auto remote = parse_int(colon == std::string::npos ? text : text.substr(colon + 1));
    const auto local = parse_int(text.substr(0, colon));
    const auto fits = [](const auto& port) { return port && *port >= 1 && *port <= 65535; };
    if (!fits(local) || !fits(remote)) return std::nullopt;
    return std::pair(static_cast<int>(*local), static_cast<int>(*remote));
  }

  /// The whole folder is what the job can read and write, so it should hold the project and nothing else.
  std::optional<Failure> check_folder() const {
    if (from_.working_dir != from_.home && from_.working_dir != "/") return std::nullopt;
    return usage_failure(fmt::format("{} is {}: the job could read and change all of it", from_.working_dir,
                                     from_.working_dir == "/" ? "the whole machine" : "your home folder"),
                         "put the script into a folder of its own and run it from there");
  }

  /// Finds out what the words mean: a file below this folder, a module or a program.
  std::optional<Failure> read_command(const std::vector<std::string>& words) {
    runs_python_ = !module_.empty();
    start_ = from_.working_dir;
    if (!module_.empty()) {
      prefix_ = name_from(module_.substr(module_.rfind('.') + 1));
      command_ = {"python", "-m", module_};
      command_.insert(command_.end(), words.begin(), words.end());
      return std::nullopt;
    }
    prefix_ = name_from(std::filesystem::path(words[0]).stem().string());
    const std::filesystem::path script = words[0];
    const std::filesystem::path whole = (from_.working_dir / script).lexically_normal();
    if (std::filesystem::is_regular_file(whole)) return read_script(words, whole);
    const bool looks_like_a_file =
        script.has_parent_path() || script.extension() == ".py" || script.extension() == ".sh";
    if (std::filesystem::is_directory(whole)) return usage_failure(words[0] + " is a folder", "muster run train.py");
    if (looks_like_a_file) {
      return Failure{.code = kExitUsage,
                     .what = fmt::format("{}: no such file in {}", words[0], from_.working_dir),
                     .why = "",
                     .fix = "run it from the folder of the script"};
    }
    if (is_launcher(words[0]) && ranks_.value_or(1) > 1) {
      return usage_failure(fmt::format("--ranks: {} starts its processes itself, got {}", words[0], *ranks_),
                           "leave out --ranks and tell " + words[0] + " how many");
    }
    command_ = words;
    runs_python_ = words[0] == "python" || words[0] == "python3";
    return std::nullopt;
  }

  std::optional<Failure> read_script(const std::vector<std::string>& words, const std::filesystem::path& whole) {
    const std::string inside = whole.lexically_relative(from_.working_dir).string();
    if (inside.starts_with("..")) {
      return usage_failure(
          fmt::format("{} is outside of {}, the only folder that the job sees", words[0], from_.working_dir),
          fmt::format("cd {}", whole.parent_path().string()));
    }
    start_ = whole.parent_path().string();
    runs_python_ = whole.extension() == ".py";
    if (runs_python_) {
      command_ = {"python", inside};
    } else if (whole.extension() == ".sh") {
      command_ = {"sh", inside};
    } else if (is_executable(whole.string())) {
      command_ = {"./" + inside};
    } else {
      return usage_failure(
          fmt::format("{} is not a program: it is not executable, and its name does not end in .py or .sh", words[0]),
          "chmod +x " + words[0]);
    }
    command_.insert(command_.end(), words.begin() + 1, words.end());
    return std::nullopt;
  }

  /// A shell script or torchrun needs the Python as well; what needs none does without.
  std::optional<Failure> find_python() {
    if (!image_.empty()) {
      if (runs_python_) python_text_ = fmt::format("that of image {}", quote(image_));
      return std::nullopt;
    }
    python::Search search = python_search(from_, start_);
    search.named = named_python_;
    auto found = python::choose_python(search);
    if (found) {
      python_ = *std::move(found);
      if (runs_python_) {
        python_text_ = python::describe(*python_);
        command_[0] = python_->interpreter.program;
      }
      return std::nullopt;
    }
    if (!runs_python_ && named_python_.empty()) return std::nullopt;
    return usage_failure(found.error().message);
  }

  /// The folders of the job's PATH before those that every pod has.
  std::vector<std::string> program_folders() const {
    std::vector<std::string> out;
    if (!python_) return out;
    const python::Interpreter& python = python_->interpreter;
    out.push_back(std::filesystem::path(python.program).parent_path().string());
    if (!python.user_base.empty()) out.push_back(python.user_base + "/bin");
    std::erase_if(out, is_in_system_folder);
    return out;
  }

  /// A program that only the user's PATH has is shown to the job with its folder.
  std::optional<Failure> find_program_of_command() {
    const std::string& program = command_[0];
    if (!image_.empty() || program.find('/') != std::string::npos) return std::nullopt;
    const std::string folders = join(program_folders(), ":");
    if (!find_program(program, folders).empty() || !find_program(program, kUsualPath).empty()) return std::nullopt;
    const std::string found = find_program(program, from_.path);
    if (found.empty()) {
      return usage_failure(
          fmt::format("{}: there is no such file in {} and no such program in PATH", program, from_.working_dir));
    }
    program_folder_ = std::filesystem::path(found).parent_path().string();
    return std::nullopt;
  }

  JobOfScript job_of_command() const {
    JobOfScript out{.name = name_,
                    .name_prefix = prefix_,
                    .ranks = ranks_.value_or(1),
                    .image = image_.empty() ? "host" : image_,
                    .command = command_,
                    .working_dir = from_.working_dir};
    out.folders.push_back({.path = from_.working_dir, .claim = ""});
    // Otherwise Python keeps lines back until a block is full, and the log is empty for minutes.
    add_variable(out, "PYTHONUNBUFFERED", "1");
    add_local_ranks(out);
    add_programs(out);
    for (const std::string& pair : env_) {
      const std::size_t equals = pair.find('=');
      add_variable(out, pair.substr(0, equals), pair.substr(equals + 1));
    }
    for (const std::string& pair : ports_) out.ports.push_back(*parse_ports(pair));
    if (gpus_.value_or(0) > 0) out.limits.append("nvidia.com/gpu", std::to_string(*gpus_));
    if (!cpu_.empty()) out.requests.append("cpu", cpu_);
    if (!memory_.empty()) out.requests.append("memory", memory_);
    return out;
  }

  /// What torchrun tells a process besides its rank. All ranks are on one machine; ranks with GPUs of their own number
  /// them from 0, each like the only rank of a machine.
  void add_local_ranks(JobOfScript& to) const {
    const bool has_own_gpus = gpus_.value_or(0) > 0;
    const char* node = has_own_gpus ? "$(RANK)" : "0";
    add_variable(to, "LOCAL_RANK", has_own_gpus ? "0" : "$(RANK)");
    add_variable(to, "LOCAL_WORLD_SIZE", has_own_gpus ? "1" : "$(WORLD_SIZE)");
    add_variable(to, "GROUP_RANK", node);
    add_variable(to, "NODE_RANK", node);
    // Every rank would otherwise start a thread for each processor.
    if (ranks_.value_or(1) > 1) add_variable(to, "OMP_NUM_THREADS", "1");
  }

  /// A later one replaces an earlier one, so that --env has the last word.
  static void add_variable(JobOfScript& to, const std::string& name, const std::string& value) {
    std::erase_if(to.env, [&](const Document& entry) { return entry.string_at("name") == name; });
    to.env.emplace_back(json::Object{{"name", name}, {"value", value}});
  }

  /// Shows the Python and the program to the job, where they lie on this machine.
  void add_programs(JobOfScript& to) const {
    std::vector<std::string> path = program_folders();
    if (!program_folder_.empty()) path.push_back(program_folder_);
    std::vector<std::string> needed = path;
    if (python_) {
      const python::Interpreter& python = python_->interpreter;
      needed.insert(needed.end(), python.folders.begin(), python.folders.end());
      const bool is_conda = std::filesystem::exists(python.environment + "/conda-meta");
      if (!python.environment.empty()) add_variable(to, is_conda ? "CONDA_PREFIX" : "VIRTUAL_ENV", python.environment);
      if (!python.user_base.empty()) add_variable(to, "PYTHONUSERBASE", python.user_base);
    }
    if (!path.empty())
      add_variable(to, "PATH",
                   fmt::format("{}:{}:{}:{}", join(path, ":"), python::kLauncherFolder, kUsualPath, kOwnPrograms));
    std::ranges::sort(needed);
    for (const std::string& folder : needed) {
      if (is_in_system_folder(folder) || !std::filesystem::is_directory(folder)) continue;
      const bool is_shown =
          std::ranges::any_of(to.folders, [&](const MountedFolder& shown) { return lies_in(folder, shown.path); });
      if (!is_shown) to.folders.push_back({.path = folder, .claim = "", .read_only = true});
    }
  }

  static bool lies_in(const std::string& path, const std::string& folder) {
    return path == folder || path.starts_with(folder + "/");
  }

  /// Finds the claims of the folders, and makes those that do not exist.
  static Status name_claims(Session& session, std::vector<MountedFolder>& folders) {
    TRY_ASSIGN(const Document claims, session.list(kClaims, session.ns(), {}));
    for (MountedFolder& folder : folders) {
      for (const Document& claim : claims.array_at("items")) {
        const bool is_leaving = claim.at("metadata", "deletionTimestamp") != nullptr;
        if (is_leaving || claim.string_at("metadata", "annotations", api::kPathAnnotation) != folder.path) continue;
        folder.claim = claim.string_at("metadata", "name");
      }
      if (!folder.claim.empty()) continue;
      TRY_ASSIGN(folder.claim, make_claim(session, folder.path));
    }
    return ok();
  }

  static Result<std::string> make_claim(Session& session, const std::string& folder) {
    const Document claim = json::Object{
        {"apiVersion", "v1"},
        {"kind", "PersistentVolumeClaim"},
        {"metadata", json::Object{{"generateName", name_from(folder) + "-"},
                                  {"annotations", json::Object{{api::kPathAnnotation, folder}}}}},
        {"spec", json::Object{{"accessModes", json::Array{"ReadWriteMany"}},
                              {"resources", json::Object{{"requests", json::Object{{"storage", "1Gi"}}}}}}}};
    TRY_ASSIGN(const Document made, session.await([&](client::OnDocument done) {
      session.api().create(kClaims, session.ns(), claim, {}, std::move(done));
    }));
    return made.string_at("metadata", "name");
  }

  int create_and_follow(Session& session, const Document& object) const {
    const auto made = session.await([&](client::OnDocument done) {
      session.api().create(training_jobs(), session.ns(), object, {}, std::move(done));
    });
    if (!made) return session.fail(made.error());
    const Selected job{kind_of(training_jobs()), session.ns(), made->string_at("metadata", "name")};
    const std::string created = job.label() + " created\n";
    detach_ ? session.out(created) : session.err(created);
    if (!python_text_.empty()) session.err(fmt::format("python: {}\n", python_text_));
    for (const std::string& pair : ports_)
      session.err(fmt::format("port: http://127.0.0.1:{}\n", parse_ports(pair)->first));
    if (detach_) return kExitOk;
    client::FollowOptions options;
    if (ranks_.value_or(1) > 1) options.prefix = prefix_of(session);
    const int code = follow_job(session, job, *made, std::move(options));
    if (code == kExitFailed) explain_missing_module(session, job);
    if (code == kExitInterrupted) {
      session.err(
          fmt::format("the job keeps running; muster logs -f {0} follows it, muster stop {0} ends it\n", job.name));
    }
    return code;
  }

  /// A module is missing from a Python, so it helps to say from which, and which other one has it.
  void explain_missing_module(Session& session, const Selected& job) const {
    static constexpr std::string_view kMissing = "No module named '";
    const auto object = session.get(job.object());
    const std::string message = object ? object_message(*object) : "";
    const std::size_t at = message.find(kMissing);
    if (python_text_.empty() || at == std::string::npos) return;
    session.err(fmt::format("note: python was {}; install the module there, or activate an environment that has it\n",
                            python_text_));
    const std::string module =
        message.substr(at + kMissing.size(), message.find_first_of(".'", at + kMissing.size()) - at - kMissing.size());
    const auto own = python::choose_python({.path = kUsualPath});
    if (!own || !python_ || own->interpreter.program == python_->interpreter.program) return;
    if (!python::has_module(own->interpreter, module)) return;
    session.err(
        fmt::format("note: {} has it: muster run --python {}\n", own->interpreter.program, own->interpreter.program));
  }

  RunFrom from_;
  // What the words mean.
  std::vector<std::string> command_;
  std::string prefix_;        // of the job's name
  std::string start_;         // the folder of the script
  bool runs_python_ = false;  // and not another program
  std::optional<python::Choice> python_;
  std::string python_text_;     // how the user is told of it; "": not at all
  std::string program_folder_;  // of a program that only the user's PATH has
  // Flags
  std::string module_;
  std::string named_python_;
  std::optional<std::int64_t> ranks_;
  std::optional<std::int64_t> gpus_;
  std::string cpu_;
  std::string memory_;
  std::string name_;
  std::string image_;
  std::vector<std::string> env_;
  std::vector<std::string> ports_;
  bool detach_ = false;
};

}  // namespace

RunFrom run_from_here() {
  const Environment environment = read_environment();
  return {.working_dir = std::filesystem::current_path().string(),
          .home = environment.home,
          .python_environment = environment.python_environment,
          .path = environment.path};
}

python::Search python_search(const RunFrom& from, const std::string& folder) {
  return {.active = from.python_environment, .start = folder, .home = from.home, .path = from.path};
}

std::unique_ptr<Command> make_run() {
  return make_run(run_from_here());
}

std::unique_ptr<Command> make_run(RunFrom from) {
  return std::make_unique<Run>(std::move(from));
}

}  // namespace muster::cli
