#include "cli/run/folders.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "api/host_folders.h"
#include "base/find_program.h"
#include "base/strings.h"
#include "cli/run/safe_folders.h"

namespace muster::cli {

namespace {

namespace fs = std::filesystem;
using api::lies_in;

constexpr int kMostLinks = 40;          // in one path, as many as the kernel follows
constexpr int kDeepestLevel = 3;        // of the project, where links are looked for
constexpr int kMostEntries = 5000;      // that are looked at
constexpr std::size_t kMostFound = 32;  // folders that links lead to

bool may_write(const std::string& path) {
  return ::access(path.c_str(), W_OK) == 0;
}

std::string tidy(const fs::path& path) {
  std::string out = path.lexically_normal().string();
  while (out.size() > 1 && out.ends_with('/')) out.pop_back();
  return out;
}

/// Folders full of files in which a link is nothing that a user made.
bool is_of_tools(const fs::path& folder) {
  static constexpr std::array kNames = {".git", ".venv", "venv", "node_modules", "__pycache__", ".tox", "wandb"};
  std::error_code error;
  return std::ranges::find(kNames, folder.filename().string()) != kNames.end() ||
         fs::exists(folder / "pyvenv.cfg", error) || fs::exists(folder / "conda-meta", error);
}

struct LinkSearch {
  std::vector<std::string> links;
  int looked_at = 0;
};

void find_links(const fs::path& folder, int level, LinkSearch& search) {
  std::error_code error;
  std::vector<fs::path> below;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (++search.looked_at > kMostEntries) return;
    if (entry.is_symlink(error)) {
      search.links.push_back(entry.path().string());
    } else if (entry.is_directory(error) && !is_of_tools(entry.path())) {
      below.push_back(entry.path());
    }
  }
  if (level == kDeepestLevel) return;
  for (const fs::path& next : below) find_links(next, level + 1, search);
}

/// The parts of an argument that may be paths: `--data=/a,/b` has two.
std::vector<std::string> parts_of(const std::string& argument) {
  std::vector<std::string> out;
  const std::size_t equals = argument.find('=');
  const std::string value = equals == std::string::npos ? argument : argument.substr(equals + 1);
  for (const std::string& part : split(value, ',')) {
    if (!part.empty() && part[0] != '-' && part.find("://") == std::string::npos) out.push_back(part);
  }
  return out;
}

/// A job needs what it sees in these folders. Below /opt and /usr/local people keep things of their own.
bool hides_system(const std::string& target) {
  static constexpr std::array kAsAWhole = {"/opt", "/usr/local", "/run", "/var"};
  static constexpr std::array kOfKernel = {"/proc", "/dev", "/run/muster"};
  if (std::ranges::find(kAsAWhole, target) != kAsAWhole.end()) return true;
  if (target == "/dev/shm" || lies_in(target, "/opt") || lies_in(target, "/usr/local")) return false;
  return is_in_system_folder(target) ||
         std::ranges::any_of(kOfKernel, [&](const char* folder) { return lies_in(target, folder); });
}

Failure wrong_mount(const std::string& text, const std::string& problem, const std::string& fix = {}) {
  return usage_failure(fmt::format("--mount {}: {}", text, problem), fix);
}

}  // namespace

std::variant<MountedFolder, Failure> parse_mount(const std::string& text, const RunFrom& from,
                                                 const SafeFolders& safe) {
  std::vector<std::string> parts = split(text, ':');
  MountedFolder out;
  if (parts.size() > 1 && (parts.back() == "ro" || parts.back() == "rw")) {
    out.read_only = parts.back() == "ro";
    parts.pop_back();
  }
  if (parts.size() > 2 || parts[0].empty()) {
    return wrong_mount(text, "must be SOURCE[:TARGET][:ro]", "muster run --mount /data/images:/data:ro train.py");
  }
  fs::path source = parts[0];
  if (parts[0] == "~" || parts[0].starts_with("~/")) source = from.home + parts[0].substr(1);
  out.path = tidy(from.working_dir / source);
  std::error_code error;
  if (!fs::exists(out.path, error)) return wrong_mount(text, out.path + " does not exist", "mkdir -p " + out.path);
  if (!fs::is_directory(out.path, error)) {
    const std::string folder = fs::path(out.path).parent_path().string();
    return wrong_mount(text, out.path + " is not a folder", "--mount " + folder);
  }
  if (const std::string why = safe.why_never(out.path); !why.empty()) {
    return wrong_mount(text, fmt::format("no job sees {}: {}", out.path, why),
                       "mount a folder in it that holds only what the job needs");
  }
  if (parts.size() == 2) {
    if (!parts[1].starts_with('/')) return wrong_mount(text, "the target must begin with /, got " + quote(parts[1]));
    out.target = tidy(parts[1]);
    if (out.target == "/") return wrong_mount(text, "the target must be a folder below /");
    if (hides_system(out.target)) {
      return wrong_mount(text,
                         fmt::format("the target {} would hide the programs and settings of the system", out.target),
                         "choose another target, such as /data");
    }
  }
  if (!may_write(out.path)) out.read_only = true;
  return out;
}

JobFolders::JobFolders(std::string project, std::string working_dir, const SafeFolders& safe)
    : project_(std::move(project)), working_dir_(std::move(working_dir)), safe_(safe) {
  folders_.push_back({.path = project_, .target = "", .read_only = !may_write(project_)});
}

bool JobFolders::shows(const std::string& path) const {
  return std::ranges::any_of(folders_, [&](const MountedFolder& shown) { return lies_in(path, shown.place()); });
}

bool JobFolders::is_of_project(const std::string& path) const {
  return lies_in(path, project_);
}

void JobFolders::note(std::string text) {
  if (std::ranges::find(notes_, text) == notes_.end()) notes_.push_back(std::move(text));
}

void JobFolders::add_read_only(const std::string& folder) {
  if (!shows(folder)) folders_.push_back({.path = folder, .target = "", .read_only = true});
}

/// Follows the links of a path in the project. Returns the first path outside of it, "" when the path stays inside.
std::string JobFolders::way_out(const std::string& path) const {
  fs::path now = path;
  std::error_code error;
  for (int links = 0; links < kMostLinks; ++links) {
    fs::path walked = project_;
    fs::path next;
    const fs::path rest = now.lexically_relative(project_);
    for (auto part = rest.begin(); part != rest.end(); ++part) {
      walked /= *part;
      if (!fs::is_symlink(fs::symlink_status(walked, error))) continue;
      const fs::path target = fs::read_symlink(walked, error);
      if (error) return "";
      next = tidy(walked.parent_path() / target);
      // The link itself must lead somewhere in the job, so what lies behind it is mounted as a whole.
      if (!is_of_project(next.string())) return next.string();
      while (++part != rest.end()) next /= *part;
      break;
    }
    if (next.empty()) return "";
    now = next;
  }
  return "";
}

void JobFolders::add_arguments(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    for (const std::string& part : parts_of(argument)) {
      const std::size_t equals = argument.find('=');
      const bool is_flag = argument.starts_with('-') && equals != std::string::npos;
      add_path(part, is_flag ? argument.substr(0, equals) : part);
    }
  }
}

void JobFolders::add_path(const std::string& path, const std::string& who) {
  std::error_code error;
  const std::string whole = tidy(working_dir_ / fs::path(path));
  // Too long for a path, or with a character that no path has: not one.
  if (whole.size() > 4000 || whole.find('\n') != std::string::npos) return;
  if (is_of_project(whole)) {
    if (!fs::exists(whole, error)) return;
    const std::string outside = way_out(whole);
    if (!outside.empty()) add_existing(outside, who);
    return;
  }
  if (path.find('/') == std::string::npos && path != "..") return;  // a word
  fs::exists(whole, error) ? add_existing(whole, who) : add_missing(whole, who);
}

void JobFolders::add_existing(const std::string& path, const std::string& who) {
  std::error_code error;
  if (fs::is_directory(path, error)) return add_folder(path, path, who);
  if (!fs::is_regular_file(path, error)) return;
  const std::string folder = fs::path(path).parent_path().string();
  add_folder(folder, path, who);
  // A link to a file elsewhere, as in the cache of Hugging Face.
  const std::string real = real_path(path);
  if (!lies_in(real, real_path(folder))) add_folder(fs::path(real).parent_path().string(), path, who);
}

/// The script will make it: the folder above it is shown, where the result then stays after the job.
void JobFolders::add_missing(const std::string& path, const std::string& who) {
  std::error_code error;
  const fs::path parent = fs::path(path).parent_path();
  fs::path above = parent;
  while (above.has_relative_path() && !fs::is_directory(above, error)) above = above.parent_path();
  const std::string folder = above.string();
  if (shows(path) || !may_write(folder)) return;
  if (safe_.why_never(folder).empty() && !SafeFolders::is_in_every_pod(folder)) return add_folder(folder, path, who);
  // `/api/v1` is hardly a path; `/results` may be one.
  if ((parent != above && above == "/") || is_in_system_folder(path) || !safe_.why_never(path).empty()) return;
  const std::string first = (above / *fs::path(path).lexically_relative(above).begin()).string();
  note(fmt::format("note: {} does not exist, so the job keeps nothing there; to let it write there: mkdir {}", first,
                   first));
}

void JobFolders::add_folder(const std::string& folder, const std::string& path, const std::string& who) {
  if (shows(folder) || SafeFolders::is_in_every_pod(folder)) {
    const bool is_of_pod = !shows(folder) && !is_in_system_folder(folder) && path != folder;
    if (is_of_pod && folder != "/" && !lies_in(folder, "/proc") && !lies_in(folder, "/dev")) {
      note(fmt::format("note: the job does not see {}: it has a {} of its own; move the file into a folder of its own",
                       path, folder));
    }
    return;
  }
  if (const std::string why = safe_.why_never(folder); !why.empty()) {
    const char* fix = path == folder ? "name a folder in it" : "move it into a folder of its own";
    return note(
        fmt::format("note: the job does not see {}: {}{}; {}", path, folder == path ? "" : folder + ": ", why, fix));
  }
  const bool read_only = !may_write(folder);
  folders_.push_back({.path = folder, .target = "", .read_only = read_only});
  const bool says_itself = who == folder || who.empty();
  note(fmt::format("mount: {} ({}){}", folder, read_only ? "read-only" : "writable",
                   says_itself ? "" : ", because of " + who));
}

void JobFolders::add_links_of_project() {
  LinkSearch search;
  find_links(project_, 1, search);
  const std::size_t before = folders_.size();
  std::error_code error;
  for (const std::string& link : search.links) {
    if (folders_.size() - before == kMostFound) {
      return note(fmt::format("note: more than {} links lead out of {}; mount what is missing with --mount", kMostFound,
                              project_));
    }
    if (!fs::exists(link, error)) continue;
    const std::string outside = way_out(link);
    // Nobody asked for this one, so one that must not be followed is not worth a line.
    const bool is_folder = fs::is_directory(outside, error);
    const std::string folder = is_folder ? outside : fs::path(outside).parent_path().string();
    if (outside.empty() || !safe_.why_never(folder).empty() || SafeFolders::is_in_every_pod(folder)) continue;
    add_existing(outside, "the link " + fs::path(link).lexically_relative(project_).string());
  }
}

}  // namespace muster::cli
