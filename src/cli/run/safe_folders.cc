#include "cli/run/safe_folders.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "api/host_folders.h"
#include "base/find_program.h"
#include "base/strings.h"

namespace muster::cli {

namespace {

namespace fs = std::filesystem;
using api::lies_in;

constexpr std::array kSecretFolders = {".ssh",           ".gnupg",          ".aws",
                                       ".kube",          ".azure",          ".docker",
                                       ".config/gcloud", ".password-store", ".local/share/keyrings"};

constexpr std::array kServiceFolders = {"/boot",    "/var",     "/var/backups", "/var/cache",
                                        "/var/lib", "/var/log", "/var/mail"};

std::string without_last_slash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

/// The homes of root and of people in the text of /etc/passwd. Those of services, such as /var/www, may hold data.
std::vector<std::string> homes_of(const std::string& passwd) {
  constexpr std::int64_t kFirstPerson = 1000;
  constexpr std::int64_t kNobody = 65534;
  std::vector<std::string> out;
  for (const std::string& line : split(passwd, '\n')) {
    const auto fields = split(line, ':');
    if (fields.size() < 7) continue;
    const auto uid = parse_int(fields[2]);
    const bool is_person = uid && (*uid == 0 || (*uid >= kFirstPerson && *uid != kNobody));
    if (is_person && fields[5].size() > 1) out.push_back(without_last_slash(fields[5]));
  }
  return out;
}

}  // namespace

std::string real_path(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  return error ? path : real.string();
}

SafeFolders::SafeFolders(const RunFrom& from, const std::string& passwd)
    : home_(without_last_slash(from.home)), data_dir_(without_last_slash(from.data_dir)), homes_(homes_of(passwd)) {
  if (home_.empty() || home_ == "/") return;
  for (const char* folder : kSecretFolders) {
    std::error_code error;
    const std::string path = home_ + "/" + folder;
    if (!fs::exists(path, error)) continue;
    secrets_.push_back(path);
    if (const std::string real = real_path(path); real != path) secrets_.push_back(real);
  }
}

std::string SafeFolders::why_never(const std::string& folder) const {
  const std::string tidy = without_last_slash(folder);
  const std::string real = real_path(tidy);
  std::string why = why_never_exactly(tidy);
  if (why.empty()) why = why_never_exactly(real);
  return why.empty() ? why_not_of_engine(real) : why;
}

/// The engine's folder may have another name, by a bind mount, and the machine may have other engines.
std::string SafeFolders::why_not_of_engine(const std::string& folder) const {
  std::error_code error;
  for (fs::path at = folder; at.has_relative_path(); at = at.parent_path()) {
    if (!data_dir_.empty() && fs::equivalent(at, data_dir_, error)) return "it is the engine's";
    if (fs::exists(at / "store" / "muster.db", error)) return fmt::format("{} is the folder of an engine", at.string());
  }
  return "";
}

std::string SafeFolders::why_never_exactly(const std::string& folder) const {
  if (folder == "/") return "it is the whole machine";
  for (const char* kernels : {"/proc", "/dev", "/sys"}) {
    if (lies_in(folder, kernels)) return "it belongs to the kernel";
  }
  if (std::ranges::find(kServiceFolders, folder) != kServiceFolders.end() || lies_in(folder, "/var/spool")) {
    return "it belongs to the services of the machine";
  }
  if (!data_dir_.empty() && lies_in(folder, data_dir_)) return "it is the engine's";
  for (const std::string& secret : secrets_) {
    if (lies_in(folder, secret)) return fmt::format("{} holds credentials", secret);
  }
  if (folder == home_) return "it is your home folder";
  if (std::ranges::find(homes_, folder) != homes_.end()) return "it is the home folder of a user";
  const auto holds = [&folder](const std::string& path) { return path.size() > 1 && lies_in(path, folder); };
  if (holds(home_) || std::ranges::any_of(homes_, holds)) return "home folders lie in it";
  for (const std::string& secret : secrets_) {
    if (holds(secret)) return fmt::format("{}, which holds credentials, lies in it", secret);
  }
  if (holds(data_dir_)) return fmt::format("the engine's folder {} lies in it", data_dir_);
  return "";
}

bool SafeFolders::is_in_every_pod(const std::string& path) {
  static constexpr std::array kOwn = {"/proc", "/dev", "/run", "/boot"};
  static constexpr std::array kOwnAsAWhole = {"/", "/tmp", "/var", "/var/tmp"};
  return is_in_system_folder(path) ||
         std::ranges::any_of(kOwn, [&](const char* folder) { return lies_in(path, folder); }) ||
         std::ranges::find(kOwnAsAWhole, path) != kOwnAsAWhole.end();
}

std::string project_of(const std::string& working_dir, const SafeFolders& safe) {
  std::error_code error;
  for (fs::path folder = working_dir; folder.has_relative_path(); folder = folder.parent_path()) {
    if (!safe.why_never(folder.string()).empty()) break;
    if (fs::exists(folder / ".git", error)) return folder.string();  // a file in a worktree or submodule
  }
  return working_dir;
}

}  // namespace muster::cli
