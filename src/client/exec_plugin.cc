#include "client/exec_plugin.h"

#include <fmt/core.h>
#include <unistd.h>

#include "base/run_program.h"
#include "base/strings.h"
#include "json/document.h"

extern char** environ;

namespace muster::client {
namespace {

constexpr Duration kLeastLife = std::chrono::seconds(10);
constexpr Duration kMaxRun = std::chrono::minutes(1);

Error failed(const ExecPlugin& plugin, std::string_view what, Reason reason = Reason::kUnauthorized) {
  return Error{.reason = reason, .message = fmt::format("credential plugin {}: {}", quote(plugin.command), what)};
}

/// The parent's environment, overridden by the plugin's variables.
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

}  // namespace

Result<std::string> run_plugin(const ExecPlugin& plugin, const std::string& exec_info) {
  ProgramRun run{.words = {plugin.command}, .env = environment_of(plugin, exec_info), .limit = kMaxRun};
  run.words.insert(run.words.end(), plugin.args.begin(), plugin.args.end());
  auto end = run_program(std::move(run));
  if (end && end->succeeded()) return std::move(end->output);
  if (end) {
    return failed(plugin, end->signal == 0 ? fmt::format("failed with exit code {}", end->exit_code)
                                           : fmt::format("was ended by signal {}", end->signal));
  }
  switch (end.error().reason) {
    case Reason::kNotFound: {
      std::string what = "the program does not exist; install it or put it on the PATH";
      if (!plugin.install_hint.empty()) what += "\n" + plugin.install_hint;
      return failed(plugin, what, Reason::kNotFound);
    }
    case Reason::kTimeout:
      return failed(plugin, "did not end within a minute");
    case Reason::kRequestEntityTooLarge:
      return failed(plugin, "printed more than 1 MiB");
    default:
      return failed(plugin, end.error().message);
  }
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
      return failed(plugin, fmt::format("status.expirationTimestamp: must be an RFC 3339 time {}, got {}", kTimeRange,
                                        quote(until)));
    }
  }
  return credential;
}

Result<ExecCredential> ask_plugin(const ExecPlugin& plugin, const RunPlugin& run) {
  const bool interactive = plugin.interactive_mode != "Never" && ::isatty(STDIN_FILENO) == 1;
  if (plugin.interactive_mode == "Always" && !interactive) {
    return failed(plugin, "needs a terminal (interactiveMode: Always), but standard input is not one");
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
