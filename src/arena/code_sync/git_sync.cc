#include "arena/code_sync/git_sync.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/strings.h"
#include "net/http.h"

namespace muster::arena {

namespace {

constexpr std::string_view kUsualSchemes = "https:http:ssh:git";
constexpr const char* kUsualSshKey = "/etc/git-secret/ssh";
constexpr const char* kUsualKnownHosts = "/etc/git-secret/known_hosts";
constexpr std::int64_t kUsualTimeout = 300;

enum class Use {
  kRead,      // by this program
  kNoMatter,  // only for a program that keeps running
  kRefused,
};
struct KnownVariable {
  std::string_view name;
  Use use;
};
/// Every variable of git-sync v3.
constexpr KnownVariable kKnown[] = {
    {"GIT_SYNC_REPO", Use::kRead},
    {"GIT_SYNC_BRANCH", Use::kRead},
    {"GIT_SYNC_REV", Use::kRead},
    {"GIT_SYNC_DEPTH", Use::kRead},
    {"GIT_SYNC_SUBMODULES", Use::kRead},
    {"GIT_SYNC_ROOT", Use::kRead},
    {"GIT_SYNC_DEST", Use::kRead},
    {"GIT_SYNC_TIMEOUT", Use::kRead},
    {"GIT_SYNC_USERNAME", Use::kRead},
    {"GIT_SYNC_PASSWORD", Use::kRead},
    {"GIT_SYNC_PASSWORD_FILE", Use::kRead},
    {"GIT_SYNC_SSH", Use::kRead},
    {"GIT_SSH_KEY_FILE", Use::kRead},
    {"GIT_KNOWN_HOSTS", Use::kRead},
    {"GIT_SSH_KNOWN_HOSTS_FILE", Use::kRead},
    {"GIT_SYNC_ONE_TIME", Use::kNoMatter},
    {"GIT_SYNC_WAIT", Use::kNoMatter},
    {"GIT_SYNC_PERIOD", Use::kNoMatter},
    {"GIT_SYNC_MAX_SYNC_FAILURES", Use::kNoMatter},
    {"GIT_SYNC_ADD_USER", Use::kNoMatter},
    {"GIT_SYNC_HTTP_BIND", Use::kNoMatter},
    {"GIT_SYNC_HTTP_METRICS", Use::kNoMatter},
    {"GIT_SYNC_HTTP_PPROF", Use::kNoMatter},
    {"GIT_SYNC_GIT_GC", Use::kNoMatter},
    {"GIT_SYNC_PERMISSIONS", Use::kRefused},
    {"GIT_SYNC_SPARSE_CHECKOUT_FILE", Use::kRefused},
    {"GIT_SYNC_HOOK_COMMAND", Use::kRefused},
    {"GIT_SYNC_EXECHOOK_COMMAND", Use::kRefused},
    {"GIT_SYNC_EXECHOOK_TIMEOUT", Use::kRefused},
    {"GIT_SYNC_EXECHOOK_BACKOFF", Use::kRefused},
    {"GIT_SYNC_WEBHOOK_URL", Use::kRefused},
    {"GIT_SYNC_WEBHOOK_METHOD", Use::kRefused},
    {"GIT_SYNC_WEBHOOK_SUCCESS_STATUS", Use::kRefused},
    {"GIT_SYNC_WEBHOOK_TIMEOUT", Use::kRefused},
    {"GIT_SYNC_WEBHOOK_BACKOFF", Use::kRefused},
    {"GIT_SYNC_ERROR_FILE", Use::kRefused},
    {"GIT_SYNC_GIT", Use::kRefused},
    {"GIT_SYNC_GIT_CONFIG", Use::kRefused},
    {"GIT_COOKIE_FILE", Use::kRefused},
    {"GIT_ASKPASS_URL", Use::kRefused},
};

using Values = std::map<std::string, std::string, std::less<>>;

Error invalid_variable(std::string message) {
  return {.reason = Reason::kInvalid, .message = std::move(message)};
}

Values values_of(const std::vector<std::string>& environment) {
  Values out;
  for (const std::string& entry : environment) {
    const std::size_t equals = entry.find('=');
    if (equals != std::string::npos) out[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return out;
}

std::string value_or(const Values& values, std::string_view name, std::string_view otherwise) {
  const auto found = values.find(name);
  return found == values.end() || found->second.empty() ? std::string(otherwise) : found->second;
}

bool is_true(const Values& values, std::string_view name, std::string_view otherwise) {
  const std::string text = to_lower(value_or(values, name, otherwise));
  return text == "true" || text == "1" || text == "t";
}

/// A misspelt variable would be ignored silently, and the wrong code would be trained.
Status check_names(const Values& values) {
  std::vector<std::string> problems;
  std::vector<std::string> names;
  for (const KnownVariable& known : kKnown) names.emplace_back(known.name);
  for (const auto& [name, value] : values) {
    const auto known = std::ranges::find(kKnown, name, &KnownVariable::name);
    if (known == std::end(kKnown) && name.starts_with("GIT_SYNC_")) {
      const auto meant = did_you_mean(name, names);
      problems.push_back(fmt::format("{}: git-sync has no such variable{}", name,
                                     meant ? fmt::format("; did you mean {}?", *meant) : ""));
    } else if (known != std::end(kKnown) && known->use == Use::kRefused && !value.empty()) {
      problems.push_back(fmt::format("{}: is not supported; remove it", name));
    }
  }
  if (problems.empty()) return ok();
  return invalid_variable(join(problems, "\n"));
}

Result<std::int64_t> number_at(const Values& values, const char* name, std::int64_t otherwise) {
  const std::string text = value_or(values, name, std::to_string(otherwise));
  const auto number = parse_int(text);
  if (number && *number >= 0) return *number;
  return invalid_variable(fmt::format("{}: must be a whole number, got {}", name, quote(text)));
}

Result<GitFetch::Submodules> submodules_at(const Values& values) {
  const std::string text = value_or(values, "GIT_SYNC_SUBMODULES", "recursive");
  if (text == "recursive") return GitFetch::Submodules::kRecursive;
  if (text == "shallow") return GitFetch::Submodules::kShallow;
  if (text == "off") return GitFetch::Submodules::kOff;
  return invalid_variable(fmt::format("GIT_SYNC_SUBMODULES: must be recursive, shallow or off, got {}", quote(text)));
}

struct Login {
  std::string user;
  std::string password;
};

/// Moves user and password out of an http or https address.
Login take_login(std::string& address) {
  const std::size_t begin = address.find("://");
  if (begin == std::string::npos || !to_lower(address).starts_with("http")) return {};
  const std::size_t from = begin + 3;
  const std::size_t end = std::min(address.find_first_of("/?#", from), address.size());
  const std::size_t at = address.rfind('@', end);
  if (at == std::string::npos || at < from) return {};
  const std::string login = address.substr(from, at - from);
  address.erase(from, at + 1 - from);
  const std::size_t colon = login.find(':');
  const auto plain = [](std::string_view text) { return net::percent_decode(text, false).value_or(std::string(text)); };
  if (colon == std::string::npos) return {.user = plain(login), .password = {}};
  return {.user = plain(std::string_view(login).substr(0, colon)),
          .password = plain(std::string_view(login).substr(colon + 1))};
}

/// git passes the text to a shell, so the paths in it must not need quotes.
Result<std::string> ssh_command(const Values& values) {
  const std::string key = value_or(values, "GIT_SSH_KEY_FILE", kUsualSshKey);
  const std::string hosts = value_or(values, "GIT_SSH_KNOWN_HOSTS_FILE", kUsualKnownHosts);
  for (const auto& [name, path] : {std::pair("GIT_SSH_KEY_FILE", key), {"GIT_SSH_KNOWN_HOSTS_FILE", hosts}}) {
    const bool plain = std::ranges::all_of(path, [](char c) {
      return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
             std::string_view("/._-").find(c) != std::string_view::npos;
    });
    if (!plain)
      return invalid_variable(fmt::format("{}: must be a path of letters, digits and /._-, got {}", name, quote(path)));
  }
  const bool checks_host = is_true(values, "GIT_KNOWN_HOSTS", "true");
  return fmt::format("ssh -q -i {} -o BatchMode=yes -o ConnectTimeout=30 -o {}", key,
                     checks_host ? "UserKnownHostsFile=" + hosts : "StrictHostKeyChecking=no");
}

Result<std::vector<std::string>> git_environment(const std::vector<std::string>& environment, const Values& values) {
  std::vector<std::string> out;
  // git passes its environment on to muster-git-askpass, which answers with the credentials there.
  const bool is_local = is_local_repository(value_or(values, "GIT_SYNC_REPO", ""));
  for (const std::string& entry : environment) {
    const std::string_view name = std::string_view(entry).substr(0, entry.find('='));
    constexpr std::array<std::string_view, 4> kOurs = {"GIT_ASKPASS", "GIT_ALLOW_PROTOCOL", kGitServerVariable,
                                                       "GIT_SYNC_REPO"};
    if (is_local && name == kGitConfigVariable) continue;
    if (std::ranges::find(kOurs, name) == kOurs.end()) out.push_back(entry);
  }
  for (const char* fixed :
       {"GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_NOSYSTEM=1", "GIT_ASKPASS=/run/muster/bin/muster-git-askpass",
        "GIT_HTTP_LOW_SPEED_LIMIT=100", "GIT_HTTP_LOW_SPEED_TIME=60", "LC_ALL=C"}) {
    out.emplace_back(fixed);
  }
  // A pod may read what it sees, so a folder needs no permission; the schemes are about other machines.
  out.push_back(fmt::format("GIT_ALLOW_PROTOCOL={}{}", value_or(values, kAllowedSchemesVariable, kUsualSchemes),
                            is_local ? ":file" : ""));
  if (is_local) out.push_back(fmt::format("{}={}", kGitConfigVariable, kGitConfigFile));
  if (is_true(values, "GIT_SYNC_SSH", "false")) {
    TRY_ASSIGN(const std::string ssh, ssh_command(values));
    out.push_back("GIT_SSH_COMMAND=" + ssh);
  }
  return out;
}

}  // namespace

Result<GitFetch> read_git_variables(const std::vector<std::string>& environment) {
  const Values values = values_of(environment);
  TRY(check_names(values));
  GitFetch out;
  out.repository = value_or(values, "GIT_SYNC_REPO", "");
  if (out.repository.empty()) return invalid_variable("GIT_SYNC_REPO: must be the address of a repository");
  const std::string project = value_or(values, "GIT_SYNC_DEST", "");
  if (project.empty() || project == "." || project == ".." || project.find('/') != std::string::npos) {
    return invalid_variable(fmt::format("GIT_SYNC_DEST: must be the name of a folder, got {}", quote(project)));
  }
  out.folder = value_or(values, "GIT_SYNC_ROOT", "/code") + "/" + project;
  const Login login = take_login(out.repository);
  out.branch = value_or(values, "GIT_SYNC_BRANCH", "");
  out.revision = value_or(values, "GIT_SYNC_REV", "HEAD");
  if (std::string problem = branch_problem(out.branch); !out.branch.empty() && !problem.empty()) {
    return invalid_variable(fmt::format("GIT_SYNC_BRANCH: {}", problem));
  }
  if (out.revision.starts_with('-')) {
    return invalid_variable(fmt::format("GIT_SYNC_REV: must be a revision, got {}", quote(out.revision)));
  }
  TRY_ASSIGN(out.depth, number_at(values, "GIT_SYNC_DEPTH", 0));
  TRY_ASSIGN(out.submodules, submodules_at(values));
  TRY_ASSIGN(const std::int64_t timeout, number_at(values, "GIT_SYNC_TIMEOUT", kUsualTimeout));
  constexpr std::int64_t kLongest = 24 * 3600;
  out.limit = std::chrono::seconds(timeout == 0 ? kLongest : std::min(timeout, kLongest));
  TRY_ASSIGN(out.variables, git_environment(environment, values));
  for (const auto& [name, value] :
       {std::pair("GIT_SYNC_USERNAME", login.user), {"GIT_SYNC_PASSWORD", login.password}}) {
    if (!value.empty() && value_or(values, name, "").empty())
      out.variables.push_back(fmt::format("{}={}", name, value));
  }
  return out;
}

bool is_local_repository(std::string_view repository) {
  return repository.starts_with('/') || to_lower(repository.substr(0, 7)) == "file://";
}

std::string branch_problem(std::string_view name) {
  const auto refuse = [name](std::string_view why) {
    return fmt::format("must be the name of a branch, got {}; a branch {}", quote(name), why);
  };
  if (name.empty() || name == "@") return refuse("has a name such as main");
  if (name.starts_with('-')) return refuse("does not start with '-'");
  const bool plain = std::ranges::all_of(name, [](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != 0x7f &&
           std::string_view("~^:?*[\\").find(c) == std::string_view::npos;
  });
  if (!plain) return refuse("has no spaces, control characters or any of ~^:?*[\\");
  if (name.find("..") != std::string_view::npos || name.find("@{") != std::string_view::npos || name.ends_with('.')) {
    return refuse("has neither '..' nor '@{' and does not end with '.'");
  }
  for (const std::string& part : split(name, '/')) {
    if (part.empty()) return refuse("has no empty part between slashes");
    if (part.starts_with('.') || part.ends_with(".lock")) {
      return refuse("has no part that starts with '.' or ends with '.lock'");
    }
  }
  return {};
}

// The first is the cause: a clone of submodules ends with lines about what could not be done therefore.
std::string reason_in(std::string_view errors) {
  constexpr std::string_view kFatal = "fatal: ";
  std::string_view before;
  while (!errors.empty()) {
    const std::size_t end = std::min(errors.find_first_of("\r\n"), errors.size());
    const std::string_view line = trim(errors.substr(0, end));
    errors.remove_prefix(std::min(end + 1, errors.size()));
    if (line.starts_with(kFatal)) {
      // ssh says before it what git does not know.
      const bool is_vague = line.find("Could not read from remote repository") != std::string_view::npos;
      const std::string_view told = is_vague && !before.empty() ? before : line.substr(kFatal.size());
      return std::string(told);
    }
    if (!line.empty()) before = line;
  }
  return {};
}

std::string git_server(std::string_view address) {
  const std::size_t begin = address.find("://");
  const std::string scheme = to_lower(address.substr(0, std::min(begin, address.size())));
  if (begin == std::string_view::npos || (scheme != "http" && scheme != "https")) return "";
  std::string_view host = address.substr(begin + 3);
  host = host.substr(0, host.find_first_of("/?#"));
  if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) host.remove_prefix(at + 1);
  return fmt::format("{}://{}", scheme, host);
}

// The question is compared as a whole: names in it that are taken apart could be made up by a submodule's address.
bool may_answer(std::string_view question, std::string_view server, std::string_view user) {
  const std::size_t scheme = server.find("://");
  if (scheme == std::string_view::npos) return false;
  const std::string_view host = server.substr(scheme + 3);
  const std::string start = std::string(server.substr(0, scheme + 3));
  const std::string asked = std::string(question.substr(0, question.find_last_not_of(" :") + 1));
  if (asked == fmt::format("Username for '{}'", server) || asked == fmt::format("Password for '{}'", server))
    return true;
  // Which of the two git writes depends on its version.
  return !user.empty() && (asked == fmt::format("Password for '{}{}@{}'", start, user, host) ||
                           asked == fmt::format("Password for '{}{}@{}'", start, net::percent_encode(user), host));
}

std::string without_passwords(std::string_view text) {
  std::string out;
  for (;;) {
    const std::size_t mark = text.find("://");
    const std::size_t begin = mark == std::string_view::npos ? text.size() : mark + 3;
    out += text.substr(0, begin);
    text.remove_prefix(begin);
    if (text.empty()) return out;
    const std::string_view authority = text.substr(0, text.find_first_of("/?# '\"\t\r\n"));
    const std::size_t at = authority.rfind('@');
    const std::size_t colon = authority.find(':');
    if (at == std::string_view::npos || colon > at) continue;
    out += fmt::format("{}:***", authority.substr(0, colon));
    text.remove_prefix(at);
  }
}

std::vector<std::vector<std::string>> git_commands(const GitFetch& fetch, const std::string& folder) {
  std::vector<std::vector<std::string>> out;
  const std::vector<std::string> depth =
      fetch.depth > 0 ? std::vector<std::string>{"--depth", std::to_string(fetch.depth)} : std::vector<std::string>{};
  std::vector<std::string> clone{"git", "-c", "credential.helper=", "clone", "--progress"};
  clone.insert(clone.end(), depth.begin(), depth.end());
  if (!fetch.branch.empty()) clone.insert(clone.end(), {"--branch", fetch.branch});
  // git ignores the depth for a folder that is given as a path.
  const bool needs_scheme = fetch.depth > 0 && fetch.repository.starts_with('/');
  clone.insert(clone.end(), {"--", (needs_scheme ? "file://" : "") + fetch.repository, folder});
  out.push_back(std::move(clone));
  if (fetch.revision != "HEAD") {
    std::vector<std::string> get{"git", "-C", folder, "-c", "credential.helper=", "fetch", "--progress"};
    get.insert(get.end(), depth.begin(), depth.end());
    get.insert(get.end(), {"origin", fetch.revision});
    out.push_back(std::move(get));
    out.push_back({"git", "-C", folder, "checkout", "--quiet", "--detach", "FETCH_HEAD"});
  }
  if (fetch.submodules != GitFetch::Submodules::kOff) {
    std::vector<std::string> update{"git", "-C", folder, "-c", "credential.helper=", "submodule", "update", "--init"};
    if (fetch.submodules == GitFetch::Submodules::kRecursive) update.emplace_back("--recursive");
    update.insert(update.end(), depth.begin(), depth.end());
    out.push_back(std::move(update));
  }
  return out;
}

}  // namespace muster::arena
