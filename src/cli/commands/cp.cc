// cp: copies files and folders to and from a container, as a tar archive through exec, as kubectl does.
#include <fmt/core.h>

#include <filesystem>

#include "base/strings.h"
#include "base/visible_text.h"
#include "cli/commands/commands.h"
#include "cli/exec/exec_run.h"
#include "cli/exec/tar.h"
#include "cli/exec/tar_reader.h"
#include "cli/exec/unpack.h"
#include "client/logs/log_target.h"

namespace muster::cli {

namespace {

namespace fs = std::filesystem;

/// [[NAMESPACE/]POD:]PATH, or a job's name instead of the pod's
struct Place {
  std::string ns;
  std::string pod;  // "": on this machine
  std::string path;
};

Place parse_place(const std::string& word, const std::string& ns) {
  const std::size_t colon = word.find(':');
  const bool local = colon == std::string::npos || word.starts_with('.') || word.starts_with('/');
  if (local) return {.ns = "", .pod = "", .path = word};
  Place out{.ns = ns, .pod = word.substr(0, colon), .path = word.substr(colon + 1)};
  if (const std::size_t slash = out.pod.find('/'); slash != std::string::npos) {
    out.ns = out.pod.substr(0, slash);
    out.pod = out.pod.substr(slash + 1);
  }
  return out;
}

/// The folder and the name in it; a trailing slash is not a name.
std::pair<std::string, std::string> split_path(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const fs::path whole(path);
  const std::string folder = whole.parent_path().string();
  return {folder.empty() ? "." : folder, whole.filename().string()};
}

class Cp final : public Command {
 public:
  void add_flags(Flags& flags) override { flags.add("container", &container_, "container (default: the first)", 'c'); }

  int run(Session& session, const std::vector<std::string>& words) override {
    if (words.size() != 2) return session.fail(usage_failure("give one source and one destination", kUsage));
    const Place from = parse_place(words[0], session.ns());
    const Place to = parse_place(words[1], session.ns());
    if (from.pod.empty() == to.pod.empty()) {
      return session.fail(usage_failure("one of the two must be in a pod, and the other here", kUsage));
    }
    if (from.path.empty() || to.path.empty()) return session.fail(usage_failure("a path is missing", kUsage));
    const Place& remote = from.pod.empty() ? to : from;
    const auto found = find_running_pod(session, remote.ns, remote.pod);
    if (const auto* failure = std::get_if<Failure>(&found)) return session.fail(*failure);
    const json::Document& pod = std::get<0>(found);
    if (const std::string note = note_of_pod(pod, remote.pod); !note.empty()) session.err(note);
    if (container_.empty()) container_ = client::default_container(pod);
    request_ = {.ns = remote.ns,
                .pod = pod.string_at("metadata", "name"),
                .container = container_,
                .with_stdout = true,
                .with_stderr = true};
    return from.pod.empty() ? upload(session, from.path, to.path) : download(session, from.path, to.path);
  }

 private:
  static constexpr const char* kUsage = "muster cp FILE POD:PATH   or: muster cp POD:PATH FILE";

  ExecRun remote_run(Session& session, std::vector<std::string> command) const {
    ExecRun run;
    run.request = request_;
    run.request.command = std::move(command);
    run.on_stdout = [](std::string_view) {};
    run.on_stderr = [&session](std::string_view bytes) { session.err(visible(bytes)); };
    return run;
  }

  /// Whether the path is a folder in the container.
  std::optional<Result<bool>> is_remote_folder(Session& session, const std::string& path) const {
    const auto exit = run_exec(session, remote_run(session, {"test", "-d", path}));
    if (!exit) return std::nullopt;
    if (!*exit) return Result<bool>(exit->error());
    return Result<bool>(**exit == 0);
  }

  int upload(Session& session, const std::string& from, const std::string& to) const {
    std::error_code failed;
    if (!fs::exists(fs::symlink_status(from, failed))) {
      return session.fail(Failure{.code = kExitNotFound, .what = fmt::format("{}: no such file or folder", from)});
    }
    const auto [from_folder, base] = split_path(from);
    auto [to_folder, name] = split_path(to);
    const auto inside = is_remote_folder(session, to);
    if (!inside) return kExitInterrupted;
    if (!*inside) return session.fail(inside->error());
    if (**inside) {
      to_folder = to;
      name = base;
    }
    std::vector<std::string> words{"-cf", "-"};
    for (std::string& option : tar_rename(base, name)) words.push_back(std::move(option));
    words.insert(words.end(), {"-C", from_folder, "--", base});
    auto tar = LocalTar::start(words);
    if (!tar) return session.fail(tar.error());
    // The copy belongs to the container's user (-o): owners on this machine mean nothing there, and may not even exist.
    ExecRun run = remote_run(session, {"tar", "-xmof", "-", "-C", to_folder});
    run.request.with_stdin = true;
    run.input = tar->fd();
    return finish(session, run_exec(session, run), *tar);
  }

  int download(Session& session, const std::string& from, const std::string& to) const {
    const auto [from_folder, base] = split_path(from);
    auto [to_folder, name] = split_path(to);
    if (std::error_code failed; fs::is_directory(to, failed)) {
      to_folder = to;
      name = base;
    }
    if (base.empty() || base == "..") {
      return session.fail(usage_failure(fmt::format("{}: name a file or folder in it", from), kUsage));
    }
    const auto unpack = Unpack::open(to_folder, base, name, [&](const std::string& entry, std::string_view what) {
      session.err(fmt::format("skipped {}: {}\n", visible(entry), what));
    });
    if (!unpack) return session.fail(unpack.error());
    TarReader reader(**unpack);
    Status so_far = ok();
    ExecRun run = remote_run(session, {"tar", "-cf", "-", "-C", from_folder, "--", base});
    run.on_stdout = [&](std::string_view bytes) {
      if (so_far) so_far = reader.read(bytes);
    };
    run.check = [&so_far] { return so_far; };
    const auto remote = run_exec(session, run);
    if (!remote) return kExitInterrupted;
    if (!*remote) return session.fail(remote->error());
    if (**remote != 0) return session.fail(not_complete("in the container", **remote));
    if (const Status whole = reader.finish(); !whole) return session.fail(whole.error());
    if ((*unpack)->has_written()) return kExitOk;
    return session.fail(
        Failure{.code = kExitFailed, .what = fmt::format("{}: must be a file or a folder; nothing was copied", from)});
  }

  static int finish(Session& session, const std::optional<Result<int>>& remote, LocalTar& tar) {
    if (!remote) return kExitInterrupted;
    if (!*remote) return session.fail(remote->error());
    const int local = tar.finish();
    if (**remote != 0) return session.fail(not_complete("in the container", **remote));
    return local == 0 ? kExitOk : session.fail(not_complete("on this machine", local));
  }

  static Failure not_complete(std::string_view where, int code) {
    return {.code = kExitFailed,
            .what = fmt::format("the copy is not complete: tar {} ended with exit code {}", where, code)};
  }

  std::string container_;
  node::ExecRequest request_;
};

}  // namespace

std::unique_ptr<Command> make_cp() {
  return std::make_unique<Cp>();
}

}  // namespace muster::cli
