#include "client/kubeconfig.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/files.h"
#include "base/strings.h"
#include "json/document.h"
#include "json/yaml.h"

namespace muster::client {
namespace {

/// A named entry of `clusters`, `users` or `contexts`.
struct Entry {
  const json::Document* value = nullptr;  // the value of cluster:, user: or context:
  std::string path;                       // "clusters[0].cluster"
};

struct Url {
  bool tls = true;
  std::string host;
  int port = 0;
};

class Reader {
 public:
  Reader(const std::string& file, const ReadFile& read_file) : file_(file), read_file_(read_file) {}

  Result<Target> read(std::string_view text, const std::string& wanted_context);

 private:
  std::string where(std::string path) const;
  void problem(const std::string& path, const std::string& what) { problems_.push_back(where(path) + ": " + what); }

  Entry find(const std::string& list, const std::string& kind, const std::string& name, const std::string& asked_at);
  void read_cluster(const Entry& cluster, net::Endpoint& endpoint);
  void read_user(const Entry& user, Target& target);
  void read_exec(const Entry& user, Target& target);
  void read_server(const std::string& text, const std::string& path, net::Endpoint& endpoint);
  /// The string under a key, or "" when there is none.
  std::string text_of(const Entry& entry, const std::string& key);
  /// The content of `key`-data (base64) or of the file that `key` names; "" when neither is set.
  std::string read_pem(const Entry& entry, const std::string& key);
  std::string read_named_file(const Entry& entry, const std::string& key);
  std::string resolve_path(const std::string& path) const;

  const std::string& file_;
  const ReadFile& read_file_;
  json::YamlDocument yaml_;
  std::vector<std::string> problems_;
};

/// "FILE:LINE" of a path, or of its nearest parent that the file has.
std::string Reader::where(std::string path) const {
  while (true) {
    if (const auto mark = yaml_.marks.find(path); mark != yaml_.marks.end()) {
      return fmt::format("{}:{}", file_, mark->second.line);
    }
    const std::size_t cut = path.find_last_of(".[");
    if (cut == std::string::npos) return file_;
    path.resize(cut);
  }
}

std::string Reader::resolve_path(const std::string& path) const {
  const std::size_t slash = file_.rfind('/');
  return path.starts_with('/') || slash == std::string::npos ? path : file_.substr(0, slash + 1) + path;
}

Entry Reader::find(const std::string& list, const std::string& kind, const std::string& name,
                   const std::string& asked_at) {
  const json::Document* items = yaml_.value.find(list);
  std::vector<std::string> names;
  if (items != nullptr && items->is_array()) {
    for (std::size_t i = 0; i < items->as_array().size(); ++i) {
      const json::Document& item = items->as_array()[i];
      const std::string path = fmt::format("{}[{}]", list, i);
      names.push_back(item.string_at("name"));
      if (names.back() != name) continue;
      const json::Document* value = item.find(kind);
      if (value != nullptr && value->is_object()) return Entry{.value = value, .path = path + "." + kind};
      problem(path, fmt::format("{} {} has no {}: section", kind, quote(name), kind));
      return {};
    }
  }
  std::string what = fmt::format("there is no {} {}", kind, quote(name));
  if (const auto near = did_you_mean(name, names)) {
    what += fmt::format("; did you mean {}?", quote(*near));
  } else if (names.empty()) {
    what += fmt::format("; the file has none under {}:", list);
  } else {
    what += "; there is " + join(names, ", ");
  }
  problem(asked_at, what);
  return {};
}

std::string Reader::text_of(const Entry& entry, const std::string& key) {
  const json::Document* value = entry.value->find(key);
  if (value == nullptr || value->is_null()) return {};
  if (value->is_string()) return value->as_string();
  problem(entry.path + "." + key,
          fmt::format("{}: must be a string, got {}; put it in quotes", key, json::kind_name(value->kind())));
  return {};
}

std::string Reader::read_named_file(const Entry& entry, const std::string& key) {
  const std::string path = resolve_path(text_of(entry, key));
  auto content = read_file_(path);
  if (content.has_value()) return *std::move(content);
  problem(entry.path + "." + key, fmt::format("{}: {}", key, content.error().message));
  return {};
}

std::string Reader::read_pem(const Entry& entry, const std::string& key) {
  const std::string inline_key = key + "-data";
  if (const std::string encoded = text_of(entry, inline_key); !encoded.empty()) {
    if (auto decoded = base64_decode(encoded)) return *std::move(decoded);
    problem(entry.path + "." + inline_key,
            fmt::format("{}: is not base64; encode the PEM file with base64 -w0", inline_key));
    return {};
  }
  return text_of(entry, key).empty() ? std::string() : read_named_file(entry, key);
}

/// Parses scheme://host[:port], with brackets around IPv6; nullopt for anything else.
std::optional<Url> parse_url(std::string_view text) {
  Url url;
  if (text.starts_with("https://")) {
    text.remove_prefix(8);
  } else if (text.starts_with("http://")) {
    text.remove_prefix(7);
    url.tls = false;
  } else {
    return std::nullopt;
  }
  while (text.ends_with('/')) text.remove_suffix(1);
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    url.host = text.substr(1, close - 1);
    port = text.substr(close + 1);
  } else {
    const std::size_t colon = text.find(':');
    url.host = text.substr(0, colon);
    port = colon == std::string_view::npos ? std::string_view() : text.substr(colon);
  }
  if (url.host.empty() || text.find_first_of("/?#@ ") != std::string_view::npos) return std::nullopt;
  url.port = url.tls ? 443 : 80;
  if (!port.empty()) {
    const auto number = port.starts_with(':') ? parse_int(port.substr(1)) : std::nullopt;
    if (!number || *number < 1 || *number > 65535) return std::nullopt;
    url.port = static_cast<int>(*number);
  }
  return url;
}

void Reader::read_server(const std::string& text, const std::string& path, net::Endpoint& endpoint) {
  const auto url = parse_url(text);
  if (!url) {
    problem(path, fmt::format("server: must be https://HOST:PORT without a path, got {}", quote(text)));
    return;
  }
  endpoint.host = url->host;
  endpoint.port = url->port;
  endpoint.tls = url->tls;
}

void Reader::read_cluster(const Entry& cluster, net::Endpoint& endpoint) {
  if (cluster.value == nullptr) return;
  read_server(text_of(cluster, "server"), cluster.path + ".server", endpoint);
  endpoint.ca_pem = read_pem(cluster, "certificate-authority");
  endpoint.server_name = text_of(cluster, "tls-server-name");
  endpoint.insecure_skip_verify = cluster.value->bool_at("insecure-skip-tls-verify");
  if (endpoint.insecure_skip_verify && !endpoint.ca_pem.empty()) {
    problem(cluster.path + ".insecure-skip-tls-verify",
            "insecure-skip-tls-verify: cannot be set together with a certificate authority; remove one of them");
  }
  if (cluster.value->find("proxy-url") != nullptr) {
    problem(cluster.path + ".proxy-url", "proxy-url: proxies are not supported; reach the server directly");
  }
}

void Reader::read_user(const Entry& user, Target& target) {
  if (user.value == nullptr) return;
  static constexpr std::array<std::string_view, 4> kUnsupported = {"auth-provider", "username", "password", "as"};
  for (const std::string_view key : kUnsupported) {
    if (user.value->find(key) == nullptr) continue;
    problem(user.path + "." + std::string(key),
            fmt::format("{}: not supported; use token, tokenFile, exec or a client certificate", key));
  }
  target.token = text_of(user, "token");
  if (const std::string file = text_of(user, "tokenFile"); !file.empty()) {
    target.token = trim(read_named_file(user, "tokenFile"));
    target.token_file = resolve_path(file);
  }
  target.endpoint.client_certificate_pem = read_pem(user, "client-certificate");
  target.endpoint.client_key_pem = read_pem(user, "client-key");
  if (target.endpoint.client_certificate_pem.empty() != target.endpoint.client_key_pem.empty()) {
    problem(user.path, "client-certificate and client-key must be given together");
  }
  read_exec(user, target);
}

void Reader::read_exec(const Entry& user, Target& target) {
  const json::Document* section = user.value->find("exec");
  if (section == nullptr || section->is_null()) return;
  const Entry entry{.value = section, .path = user.path + ".exec"};
  if (!section->is_object()) return problem(entry.path, "exec: must be an object with apiVersion and command");
  ExecPlugin plugin;
  plugin.api_version = text_of(entry, "apiVersion");
  if (plugin.api_version != "client.authentication.k8s.io/v1" &&
      plugin.api_version != "client.authentication.k8s.io/v1beta1") {
    problem(entry.path, fmt::format("exec.apiVersion: must be client.authentication.k8s.io/v1 or v1beta1, got {}",
                                    quote(plugin.api_version)));
  }
  plugin.command = text_of(entry, "command");
  if (plugin.command.empty()) problem(entry.path, "exec.command: must name a program");
  // A path is relative to the kubeconfig's directory; a bare name is looked up in PATH.
  if (plugin.command.find('/') != std::string::npos) plugin.command = resolve_path(plugin.command);
  plugin.install_hint = text_of(entry, "installHint");
  plugin.interactive_mode = text_of(entry, "interactiveMode");
  if (plugin.interactive_mode.empty()) plugin.interactive_mode = "IfAvailable";
  if (const json::Document* args = section->find("args"); args != nullptr && args->is_array()) {
    for (const json::Document& arg : args->as_array()) {
      if (!arg.is_string()) problem(entry.path + ".args", "exec.args: must be strings; put numbers in quotes");
      if (arg.is_string()) plugin.args.push_back(arg.as_string());
    }
  }
  if (const json::Document* env = section->find("env"); env != nullptr && env->is_array()) {
    for (const json::Document& variable : env->as_array()) {
      if (!variable.string_at("name").empty()) plugin.env[variable.string_at("name")] = variable.string_at("value");
    }
  }
  if (section->bool_at("provideClusterInfo")) {
    const net::Endpoint& endpoint = target.endpoint;
    json::Object cluster;
    cluster.append("server", fmt::format("{}://{}:{}", endpoint.tls ? "https" : "http", endpoint.host, endpoint.port));
    if (!endpoint.ca_pem.empty()) cluster.append("certificate-authority-data", base64_encode(endpoint.ca_pem));
    plugin.cluster_info_json = json::serialize(cluster);
  }
  target.exec = std::move(plugin);
}

Result<Target> Reader::read(std::string_view text, const std::string& wanted_context) {
  auto documents = json::parse_yaml(text);
  if (!documents.has_value()) return in_context(file_, std::move(documents).error());
  if (documents->size() != 1 || !documents->front().value.is_object()) {
    return Error{.reason = Reason::kInvalid, .message = file_ + ": is not a kubeconfig; it must be one YAML object"};
  }
  yaml_ = std::move(documents->front());

  Target target;
  target.context = wanted_context.empty() ? yaml_.value.string_at("current-context") : wanted_context;
  if (target.context.empty()) {
    return Error{.reason = Reason::kInvalid, .message = file_ + ": has no current-context; choose one with --context"};
  }
  const Entry context = find("contexts", "context", target.context, "current-context");
  if (context.value != nullptr) {
    const std::string cluster = text_of(context, "cluster");
    const std::string user = text_of(context, "user");
    if (const std::string ns = text_of(context, "namespace"); !ns.empty()) target.ns = ns;
    read_cluster(find("clusters", "cluster", cluster, context.path + ".cluster"), target.endpoint);
    if (!user.empty()) read_user(find("users", "user", user, context.path + ".user"), target);
  }
  if (problems_.empty()) return target;
  return Error{.reason = Reason::kInvalid, .message = join(problems_, "\n")};
}

}  // namespace

namespace {

/// Whoever can change the file chooses the program that a credential plugin is.
Status check_safe_to_run(const std::string& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return errno_error("stat " + quote(path), errno);
  if ((file.st_mode & 022) != 0) {
    return Error{.reason = Reason::kForbidden,
                 .message = fmt::format("{}: names a credential plugin, which is not run because others may write the "
                                        "file, its mode is {:04o}; run `chmod go-w {}`",
                                        path, file.st_mode & 07777, path)};
  }
  if (file.st_uid != 0 && file.st_uid != ::geteuid()) {
    return Error{.reason = Reason::kForbidden,
                 .message = fmt::format("{}: names a credential plugin, which is not run because the file belongs to "
                                        "user {}, and you are user {}; copy the file and use the copy",
                                        path, file.st_uid, ::geteuid())};
  }
  return ok();
}

}  // namespace

Result<Target> load_kubeconfig(const std::string& path, const std::string& context) {
  TRY_ASSIGN(const std::string text, read_file(path));
  TRY_ASSIGN(Target target, parse_kubeconfig(text, path, context, read_file));
  if (!target.exec) return target;
  // As in kubectl, a token or certificate in the file itself takes precedence.
  if (!target.token.empty() || !target.endpoint.client_key_pem.empty()) return target;
  TRY(check_safe_to_run(path));
  TRY_ASSIGN(target.issued, ask_plugin(*target.exec, run_plugin));
  target.token = target.issued->shown.token;
  target.endpoint.client_certificate_pem = target.issued->shown.client_certificate_pem;
  target.endpoint.client_key_pem = target.issued->shown.client_key_pem;
  return target;
}

std::unique_ptr<CredentialSource> credentials_of(const Target& target, const Clock& clock) {
  if (target.issued) return std::make_unique<ExecSource>(*target.exec, run_plugin, target.issued);
  Credential known{.token = target.token,
                   .client_certificate_pem = target.endpoint.client_certificate_pem,
                   .client_key_pem = target.endpoint.client_key_pem};
  if (target.token_file.empty()) return std::make_unique<FixedCredential>(std::move(known));
  return std::make_unique<TokenFile>(target.token_file, std::move(known), read_file, clock);
}

Result<Target> in_cluster_target(const ReadVariable& variable, const ReadFile& read_file) {
  const std::string folder = "/var/run/secrets/kubernetes.io/serviceaccount/";
  Target target;
  target.context = "in-cluster";
  target.endpoint.host = variable("KUBERNETES_SERVICE_HOST");
  const std::string port = variable("KUBERNETES_SERVICE_PORT");
  if (target.endpoint.host.empty() || port.empty()) {
    return Error{
        .reason = Reason::kNotFound,
        .message = "KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT: not set; this is not a pod of a cluster"};
  }
  const auto number = parse_int(port);
  if (!number || *number < 1 || *number > 65535) {
    return Error{.reason = Reason::kInvalid,
                 .message = fmt::format("KUBERNETES_SERVICE_PORT: must be a port, got {}", quote(port))};
  }
  target.endpoint.port = static_cast<int>(*number);
  target.token_file = folder + "token";
  TRY_ASSIGN(const std::string token, read_file(target.token_file));
  target.token = trim(token);
  TRY_ASSIGN(target.endpoint.ca_pem, read_file(folder + "ca.crt"));
  if (const auto ns = read_file(folder + "namespace"); ns && !trim(*ns).empty()) target.ns = trim(*ns);
  return target;
}

Result<Target> parse_kubeconfig(std::string_view text, const std::string& path, const std::string& context,
                                const ReadFile& read_file) {
  return Reader(path, read_file).read(text, context);
}

// The token is quoted, because one of hex digits may look like a number.
std::string make_kubeconfig(const std::string& server, const std::string& ca_pem, const std::string& token,
                            const std::string& ns) {
  return fmt::format(R"(apiVersion: v1
kind: Config
clusters:
- name: muster
  cluster:
    server: {}
    certificate-authority-data: {}
users:
- name: muster
  user:
    token: {}
contexts:
- name: muster
  context:
    cluster: muster
    user: muster
    namespace: {}
current-context: muster
)",
                     quote(server), base64_encode(ca_pem), quote(token), quote(ns));
}

}  // namespace muster::client
