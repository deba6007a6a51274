// run: runs a script of the current folder as a job, without a manifest, and follows its output.
//
// The folder becomes a claim that is mounted at its own path, so that the script finds its files and leaves its results
// where they would be without a job. An active virtual environment is mounted in the same way.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "api/muster/names.h"
#include "base/find_program.h"
#include "base/quantity.h"
#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/connect/environment.h"
#include "cli/jobs/find_job.h"
#include "cli/logs/follow_job.h"
#include "cli/objects/object_state.h"

namespace muster::cli {

namespace {

using json::Document;

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

/// As the engine finds it, which links `python` to python3 if there is only that.
std::string machine_python() {
  const std::string python = find_program("python", kUsualPath);
  return python.empty() ? find_program("python3", kUsualPath) : python;
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
    flags.add(
        "image", &image_,
        "image that selects the environment (default: the active virtual environment, else the machine's programs)");
    flags.add("env", &env_, "environment variable of the script: NAME=VALUE", 'e');
    flags.add("port", &ports_, "publish a port of rank 0 on 127.0.0.1: [LOCAL:]REMOTE", 'p');
    flags.add("detach", &detach_, "create the job and return", 'd');
  }

  int run(Session& session, const std::vector<std::string>& words) override {
    if (words.empty()) return session.fail(usage_failure("name a script", "muster run train.py"));
    if (auto problem = check_flags()) return session.fail(*problem);
    if (auto problem = check_folder()) return session.fail(*problem);
    if (auto problem = check_python_environment(words[0])) return session.fail(*problem);
    auto command = command_of(words);
    if (auto* failure = std::get_if<Failure>(&command)) return session.fail(*failure);
    JobOfScript job = job_of(words[0], std::get<0>(std::move(command)));
    for (MountedFolder& folder : job.folders) {
      auto claim = claim_of(session, folder.path);
      if (!claim) return session.fail(claim.error());
      folder.claim = *std::move(claim);
    }
    python_ = python_text(words[0]);
    return create_and_follow(session, job_object(job));
  }

 private:
  std::optional<Failure> check_flags() const {
    if (ranks_ && *ranks_ < 1) return usage_failure(fmt::format("--ranks: must be 1 or more, got {}", *ranks_));
    if (gpus_ && *gpus_ < 0) return usage_failure(fmt::format("--gpus: must be 0 or more, got {}", *gpus_));
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

  bool uses_environment() const { return image_.empty() && !from_.python_environment.empty(); }
  static bool needs_python(const std::filesystem::path& script) {
    return script.extension() == ".py" || script == "python";
  }

  std::optional<Failure> check_python_environment(const std::string& script) const {
    const std::string& folder = from_.python_environment;
    if (!needs_python(script) || !uses_environment() || is_executable(folder + "/bin/python")) return std::nullopt;
    return usage_failure(fmt::format("the active virtual environment {} has no bin/python", folder),
                         fmt::format("python3 -m venv {}   or: deactivate, or --image NAME", folder));
  }

  /// Says which Python runs the script; "" for other programs.
  std::string python_text(const std::string& script) const {
    if (!needs_python(script)) return "";
    if (!image_.empty()) return fmt::format("that of image {}", quote(image_));
    if (uses_environment()) return from_.python_environment + "/bin/python (active virtual environment)";
    if (from_.machine_python.empty()) return "this machine has none, and no virtual environment is active";
    return from_.machine_python + " (the machine's own; no virtual environment is active)";
  }

  std::variant<std::vector<std::string>, Failure> command_of(const std::vector<std::string>& words) const {
    const std::filesystem::path script = words[0];
    const std::filesystem::path whole = (from_.working_dir / script).lexically_normal();
    const bool exists = std::filesystem::is_regular_file(whole);
    const bool looks_like_a_file = script.has_parent_path() || script.has_extension();
    if (!exists && !looks_like_a_file) return words;  // a program, such as `python -m package`
    if (!exists) {
      return Failure{.code = kExitUsage,
                     .what = fmt::format("{}: no such file in {}", words[0], from_.working_dir),
                     .why = "",
                     .fix = "run it from the folder of the script"};
    }
    const std::string inside = whole.lexically_relative(from_.working_dir).string();
    if (inside.starts_with("..")) {
      return usage_failure(
          fmt::format("{} is outside of {}, the only folder that the job sees", words[0], from_.working_dir),
          fmt::format("cd {}", whole.parent_path().string()));
    }
    std::vector<std::string> out;
    if (script.extension() == ".py") out = {"python", inside};
    if (script.extension() == ".sh") out = {"sh", inside};
    if (out.empty()) out = {"./" + inside};
    out.insert(out.end(), words.begin() + 1, words.end());
    return out;
  }

  JobOfScript job_of(const std::string& script, std::vector<std::string> command) const {
    JobOfScript out{.name = name_,
                    .name_prefix = name_from(script),
                    .ranks = ranks_.value_or(1),
                    .image = image_.empty() ? "host" : image_,
                    .command = std::move(command),
                    .working_dir = from_.working_dir};
    out.folders.push_back({.path = from_.working_dir, .claim = ""});
    // Otherwise Python keeps lines back until a block is full, and the log is empty for minutes.
    out.env.emplace_back(json::Object{{"name", "PYTHONUNBUFFERED"}, {"value", "1"}});
    if (uses_environment()) add_python_environment(out);
    for (const std::string& pair : env_) {
      const std::size_t equals = pair.find('=');
      out.env.emplace_back(json::Object{{"name", pair.substr(0, equals)}, {"value", pair.substr(equals + 1)}});
    }
    for (const std::string& pair : ports_) out.ports.push_back(*parse_ports(pair));
    if (gpus_.value_or(0) > 0) out.limits.append("nvidia.com/gpu", std::to_string(*gpus_));
    if (!cpu_.empty()) out.requests.append("cpu", cpu_);
    if (!memory_.empty()) out.requests.append("memory", memory_);
    return out;
  }

  void add_python_environment(JobOfScript& to) const {
    const std::string& folder = from_.python_environment;
    if (!lies_in(folder, from_.working_dir)) to.folders.push_back({.path = folder, .claim = "", .read_only = true});
    to.env.emplace_back(json::Object{{"name", "VIRTUAL_ENV"}, {"value", folder}});
    if (to.command[0] == "python") to.command[0] = folder + "/bin/python";
  }

  static bool lies_in(const std::string& path, const std::string& folder) {
    return path == folder || path.starts_with(folder + "/");
  }

  /// Returns the claim for the folder, which is made when there is none.
  static Result<std::string> claim_of(Session& session, const std::string& folder) {
    TRY_ASSIGN(const Document claims, session.list(kClaims, session.ns(), {}));
    for (const Document& claim : claims.array_at("items")) {
      const bool is_leaving = claim.at("metadata", "deletionTimestamp") != nullptr;
      if (!is_leaving && claim.string_at("metadata", "annotations", api::kPathAnnotation) == folder) {
        return claim.string_at("metadata", "name");
      }
    }
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
    if (!python_.empty()) session.err(fmt::format("python: {}\n", python_));
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

  /// A module is missing from a Python, so it helps to say from which.
  void explain_missing_module(Session& session, const Selected& job) const {
    const auto object = session.get(job.object());
    if (python_.empty() || !object || object_message(*object).find("No module named") == std::string::npos) return;
    session.err(fmt::format("note: python was {}; install the module there, or activate an environment that has it\n",
                            python_));
  }

  RunFrom from_;
  std::string python_;
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
          .machine_python = machine_python()};
}

std::unique_ptr<Command> make_run() {
  return make_run(run_from_here());
}

std::unique_ptr<Command> make_run(RunFrom from) {
  return std::make_unique<Run>(std::move(from));
}

}  // namespace muster::cli
