#include "client/exec_plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "base/fd.h"
#include "base/strings.h"
#include "json/document.h"

extern char** environ;

namespace muster::client {
namespace {

constexpr Duration kLeastLife = std::chrono::seconds(10);
constexpr std::size_t kMaxOutput = std::size_t{1024} * 1024;
constexpr auto kMaxRun = std::chrono::seconds(60);

Error failed(const ExecPlugin& plugin, std::string_view what, Reason reason = Reason::kUnauthorized) {
  return Error{.reason = reason, .message = fmt::format("credential plugin {}: {}", quote(plugin.command), what)};
}

/// The parent's variables with the plugin's over them.
std::vector<std::string> environment_of(const ExecPlugin& plugin, const std::string& info) {
  std::map<std::string, std::string> own = plugin.env;
  own["KUBERNETES_EXEC_INFO"] = info;
  std::vector<std::string> all;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view item = *at;
    if (!own.contains(std::string(item.substr(0, item.find('='))))) all.emplace_back(item);
  }
  for (const auto& [name, value] : own) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

/// All it prints until it closes its output.
Result<std::string> read_output(const ExecPlugin& plugin, int fd) {
  std::string output;
  const auto deadline = std::chrono::steady_clock::now() + kMaxRun;
  std::array<char, 4096> buffer{};
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return failed(plugin, "printed no credential within a minute");
    pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) continue;
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return output;
    output.append(buffer.data(), static_cast<std::size_t>(count));
    if (output.size() > kMaxOutput) return failed(plugin, "printed more than 1 MiB");
  }
}

}  // namespace

Result<std::string> run_plugin(const ExecPlugin& plugin, const std::string& exec_info) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failed(plugin, ::strerror(errno), Reason::kInternalError);
  Fd read_end(ends[0]);
  Fd write_end(ends[1]);
  std::vector<std::string> words = {plugin.command};
  words.insert(words.end(), plugin.args.begin(), plugin.args.end());
  std::vector<std::string> variables = environment_of(plugin, exec_info);
  std::vector<char*> argv = pointers(words);
  std::vector<char*> envp = pointers(variables);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, write_end.get(), STDOUT_FILENO);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, plugin.command.c_str(), &actions, nullptr, argv.data(), envp.data());
  ::posix_spawn_file_actions_destroy(&actions);
  write_end.reset();
  if (error == ENOENT) {
    std::string what = "there is no such program; install it or put it on the PATH";
    if (!plugin.install_hint.empty()) what += "\n" + plugin.install_hint;
    return failed(plugin, what, Reason::kNotFound);
  }
  if (error != 0) return failed(plugin, fmt::format("cannot be run: {}", ::strerror(error)));
  auto output = read_output(plugin, read_end.get());
  if (!output) ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!output) return output;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return output;
  return failed(plugin, WIFEXITED(status) ? fmt::format("failed with exit code {}", WEXITSTATUS(status))
                                          : fmt::format("was ended by signal {}", WTERMSIG(status)));
}

std::string exec_info(const ExecPlugin& plugin, bool interactive) {
  json::Object spec;
  if (!plugin.cluster_info_json.empty()) {
    if (auto cluster = json::parse(plugin.cluster_info_json)) spec.append("cluster", *std::move(cluster));
  }
  spec.append("interactive", interactive);
  return json::serialize(
      json::Object{{"kind", "ExecCredential"}, {"apiVersion", plugin.api_version}, {"spec", std::move(spec)}});
}

Result<ExecCredential> parse_exec_credential(const ExecPlugin& plugin, std::string_view text) {
  const auto document = json::parse(text);
  if (!document || !document->is_object()) return failed(plugin, "did not print an ExecCredential in JSON");
  if (document->string_at("kind") != "ExecCredential") {
    return failed(plugin, fmt::format("must print kind ExecCredential, got {}", quote(document->string_at("kind"))));
  }
  if (document->string_at("apiVersion") != plugin.api_version) {
    return failed(plugin, fmt::format("is set up for {}, but printed {}", plugin.api_version,
                                      quote(document->string_at("apiVersion"))));
  }
  ExecCredential credential;
  Credential& shown = credential.shown;
  shown.token = document->string_at("status", "token");
  shown.client_certificate_pem = document->string_at("status", "clientCertificateData");
  shown.client_key_pem = document->string_at("status", "clientKeyData");
  if (shown.client_certificate_pem.empty() != shown.client_key_pem.empty()) {
    return failed(plugin, "status.clientCertificateData and status.clientKeyData must be given together");
  }
  if (shown.token.empty() && shown.client_key_pem.empty()) {
    return failed(plugin, "printed neither status.token nor status.clientCertificateData");
  }
  if (const std::string& until = document->string_at("status", "expirationTimestamp"); !until.empty()) {
    credential.expires = parse_rfc3339(until);
    if (!credential.expires) {
      return failed(plugin, fmt::format("status.expirationTimestamp: must be RFC 3339, got {}", quote(until)));
    }
  }
  return credential;
}

Result<ExecCredential> ask_plugin(const ExecPlugin& plugin, const RunPlugin& run) {
  const bool interactive = plugin.interactive_mode != "Never" && ::isatty(STDIN_FILENO) == 1;
  if (plugin.interactive_mode == "Always" && !interactive) {
    return failed(plugin, "wants to ask somebody (interactiveMode: Always), but standard input is no terminal");
  }
  TRY_ASSIGN(const std::string text, run(plugin, exec_info(plugin, interactive)));
  return parse_exec_credential(plugin, text);
}

Result<Credential> ExecSource::get(const Clock& clock) {
  const bool good = known_ && (!known_->expires || *known_->expires > clock.now() + kLeastLife);
  if (!good) {
    TRY_ASSIGN(known_, ask_plugin(plugin_, run_));
  }
  return known_->shown;
}

Result<bool> ExecSource::renew(const Credential& refused, const Clock& clock) {
  if (known_ && known_->shown == refused) known_.reset();
  TRY_ASSIGN(const Credential now, get(clock));
  return !(now == refused);
}

}  // namespace muster::client
