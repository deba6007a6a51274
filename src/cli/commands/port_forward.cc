// port-forward: passes connections to ports of this machine on to ports of a pod.
#include <fmt/core.h>

#include <algorithm>

#include "base/random.h"
#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/exec/exec_run.h"
#include "client/local_port.h"
#include "client/remote_port.h"

namespace muster::cli {
namespace {

const client::ResourceName kForwardedPods{"", "v1", "pods"};
const client::ResourceName kForwardedServices{"", "v1", "services"};

/// One [LOCAL:]REMOTE of the command line.
struct PortPair {
  int local = 0;       // 0: any free one
  std::string remote;  // a number or the name of a port
};

std::optional<int> port_number(const std::string& text, int least) {
  const auto number = parse_int(text);
  if (!number || *number < least || *number > 65535) return std::nullopt;
  return static_cast<int>(*number);
}

std::variant<PortPair, Failure> parse_pair(const std::string& word) {
  const std::size_t colon = word.find(':');
  const std::string remote = colon == std::string::npos ? word : word.substr(colon + 1);
  const std::string local = colon == std::string::npos ? word : word.substr(0, colon);
  const bool is_name = !remote.empty() && remote.find_first_not_of("0123456789") != std::string::npos;
  auto wrong = [&] {
    return usage_failure(
        fmt::format("port {}: must be REMOTE or LOCAL:REMOTE, with numbers from 1 to 65535", quote(word)),
        "muster port-forward mnist 8080:80");
  };
  if (!is_name && !port_number(remote, 1)) return wrong();
  // A name says nothing about the port here.
  if (local.empty() || (colon == std::string::npos && is_name)) return PortPair{.local = 0, .remote = remote};
  const auto number = port_number(local, 0);
  if (!number) return wrong();
  return PortPair{.local = *number, .remote = remote};
}

/// The number of a container's port with this name.
std::optional<int> named_port(const json::Document& pod, const std::string& name) {
  for (const json::Document& container : pod.array_at("spec", "containers")) {
    for (const json::Document& port : container.array_at("ports")) {
      if (port.string_at("name") == name) return static_cast<int>(port.int_at("containerPort"));
    }
  }
  return std::nullopt;
}

Result<int> port_of_pod(const json::Document& pod, const std::string& port) {
  if (const auto number = port_number(port, 1)) return *number;
  if (const auto number = named_port(pod, port)) return *number;
  return Error{.reason = Reason::kBadRequest,
               .message = fmt::format("pod {} has no port with the name {}; use the number of a port",
                                      pod.string_at("metadata", "name"), quote(port))};
}

/// A Service's own port leads to another one of its pods.
Result<int> port_of_service(const json::Document& service, const json::Document& pod, const std::string& port) {
  std::vector<std::string> known;
  for (const json::Document& one : service.array_at("spec", "ports")) {
    const std::string number = std::to_string(one.int_at("port"));
    known.push_back(number);
    if (port != number && port != one.string_at("name")) continue;
    if (service.string_at("spec", "clusterIP") == "None" && port == number) return port_of_pod(pod, port);
    const json::Document* target = one.find("targetPort");
    if (target == nullptr) return port_of_pod(pod, number);
    return port_of_pod(pod, target->is_string() ? target->as_string() : std::to_string(target->as_int()));
  }
  return Error{.reason = Reason::kBadRequest,
               .message = fmt::format("service {} has no port {}; it has {}", service.string_at("metadata", "name"),
                                      quote(port), known.empty() ? "none" : join(known, ", "))};
}

class PortForward final : public Command {
 public:
  void add_flags(Flags& flags) override {
    flags.add("address", &addresses_, "addresses of this machine to listen at (default 127.0.0.1)");
  }

  int run(Session& session, const std::vector<std::string>& words) override {
    if (words.size() < 2) {
      return session.fail(usage_failure("name a pod, a job or a Service, and ports", "muster port-forward mnist 6006"));
    }
    std::vector<PortPair> pairs;
    for (std::size_t i = 1; i < words.size(); ++i) {
      auto pair = parse_pair(words[i]);
      if (const auto* failure = std::get_if<Failure>(&pair)) return session.fail(*failure);
      pairs.push_back(std::get<PortPair>(std::move(pair)));
    }
    json::Document service;
    const bool is_service = words[0].starts_with("svc/") || words[0].starts_with("service/");
    if (is_service) {
      auto found = session.get({kForwardedServices, session.ns(), words[0].substr(words[0].find('/') + 1)});
      if (!found) return session.fail(found.error());
      service = *std::move(found);
    }
    const auto found =
        is_service ? pod_of_service(session, service) : find_running_pod(session, session.ns(), words[0]);
    if (const auto* failure = std::get_if<Failure>(&found)) return session.fail(*failure);
    const json::Document& pod = std::get<json::Document>(found);
    if (const std::string& phase = pod.string_at("status", "phase"); phase != "Running") {
      return session.fail(
          {.code = kExitConflict,
           .what = fmt::format("pod {} is not running: it is {}", pod.string_at("metadata", "name"), phase),
           .fix = "muster wait pod/" + pod.string_at("metadata", "name") + " --for=condition=Ready"});
    }
    session.err(note_of_pod(pod, words[0]));
    std::vector<std::pair<int, int>> ports;
    for (const PortPair& pair : pairs) {
      const auto remote = is_service ? port_of_service(service, pod, pair.remote) : port_of_pod(pod, pair.remote);
      if (!remote) return session.fail(remote.error());
      ports.emplace_back(pair.local, *remote);
    }
    return forward(session, pod, ports);
  }

 private:
  static std::variant<json::Document, Failure> pod_of_service(Session& session, const json::Document& service) {
    const std::string& name = service.string_at("metadata", "name");
    const json::Document* selector = service.at("spec", "selector");
    client::ListOptions options;
    if (selector != nullptr && selector->is_object()) {
      for (const json::Member& label : selector->as_object()) {
        options.label_selector +=
            (options.label_selector.empty() ? "" : ",") + label.key + "=" + label.value.as_string();
      }
    }
    if (options.label_selector.empty()) {
      return Failure{.code = kExitConflict,
                     .what = fmt::format("service {} selects no pods: it has no selector", name)};
    }
    const auto pods = session.list(kForwardedPods, session.ns(), options);
    if (!pods) return failure_of(pods.error());
    for (const json::Document& pod : pods->array_at("items")) {
      const bool is_leaving = pod.at("metadata", "deletionTimestamp") != nullptr;
      if (!is_leaving && pod.string_at("status", "phase") == "Running") return pod;
    }
    return Failure{.code = kExitConflict, .what = fmt::format("no pod of service {} is running", name)};
  }

  int forward(Session& session, const json::Document& pod, const std::vector<std::pair<int, int>>& ports) {
    const std::string name = pod.string_at("metadata", "name");
    bool has_failed = false;
    SystemRng rng;
    std::vector<std::unique_ptr<client::LocalPort>> listening;
    for (const auto& [local, remote] : ports) {
      for (const std::string& address : addresses_.empty() ? std::vector<std::string>{"127.0.0.1"} : addresses_) {
        auto connect = [&session, &rng, to = node::PortRequest{.ns = session.ns(), .pod = name, .port = remote}](
                           node::PortSink sink) -> Result<std::unique_ptr<node::PortSession>> {
          return client::open_port(session.loop(), session.api(), rng, to, std::move(sink));
        };
        // The numbers are known once it listens, and nothing is called before the loop runs.
        auto shown = std::make_shared<int>(local);
        client::LocalPort::Events events;
        events.on_connection = [&session, shown] { session.out(fmt::format("Handling connection for {}\n", *shown)); };
        events.on_failure = [&session, &has_failed, shown, remote = remote](const Error& why) {
          session.err(fmt::format("error: forwarding {} -> {}: {}\n", *shown, remote, why.message));
          has_failed = true;
        };
        auto port = client::LocalPort::listen(session.loop(), address == "localhost" ? "127.0.0.1" : address, local,
                                              std::move(connect), std::move(events));
        if (!port) {
          return session.fail({.code = exit_code(port.error().reason),
                               .what = port.error().message,
                               .fix = local == 0 ? "" : fmt::format("muster port-forward {} :{}", name, remote)});
        }
        *shown = (*port)->port();
        session.out(fmt::format("Forwarding from {}:{} -> {}\n", address, *shown, remote));
        listening.push_back(*std::move(port));
      }
    }
    while (true) {
      if (session.wait_until([&] { return has_failed; }) == Session::Waited::kInterrupted) return kExitInterrupted;
      has_failed = false;
      const auto now = session.get({kForwardedPods, session.ns(), name});
      if (session.interrupted()) return kExitInterrupted;
      // An unreachable server may come back.
      if (!now && now.error().reason != Reason::kNotFound) continue;
      const bool is_same = now && now->string_at("metadata", "uid") == pod.string_at("metadata", "uid");
      if (is_same && now->string_at("status", "phase") == "Running") continue;
      return session.fail({.code = kExitConflict,
                           .what = fmt::format("pod {} has ended", name),
                           .fix = "start port-forward again when its replacement runs"});
    }
  }

  std::vector<std::string> addresses_;
};

}  // namespace

std::unique_ptr<Command> make_port_forward() {
  return std::make_unique<PortForward>();
}

}  // namespace muster::cli
