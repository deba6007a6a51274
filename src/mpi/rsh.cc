// muster-rsh HOST COMMAND…: runs a command in the pod that the host name stands for, as ssh would on that host. MPI
// starts its daemons with it. It enters the worker by pods/exec, with the service account of the launcher.
#include <fmt/core.h>
#include <unistd.h>

#include <optional>

#include "base/files.h"
#include "base/strings.h"
#include "client/remote_exec.h"
#include "mpi/pod_api.h"
#include "mpi/program.h"

namespace muster::mpi {
namespace {

constexpr const char* kHostPods = "/etc/mpi/pods";
constexpr int kFailed = 255;  // as with ssh: the error is not the command's

void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

Result<HostPod> pod_of(const std::string& host) {
  TRY_ASSIGN(const std::string lines, read_file(kHostPods));
  if (auto found = find_host(lines, host)) return *std::move(found);
  return Error{
      .reason = Reason::kNotFound,
      .message = fmt::format("{}: no host {}; the job's hosts are in /etc/mpi/hostfile", kHostPods, quote(host))};
}

Result<int> run_in(PodApi& api, const HostPod& host, const std::string& command) {
  std::optional<Result<int>> exit;
  node::ExecSink sink;
  sink.on_stdout = [](std::string_view bytes) { write_all(STDOUT_FILENO, bytes); };
  sink.on_stderr = [](std::string_view bytes) { write_all(STDERR_FILENO, bytes); };
  sink.on_exit = [&exit](Result<int> code) { exit = std::move(code); };
  node::ExecRequest request;
  request.ns = api.ns();
  request.pod = host.pod;
  request.container = host.container;
  request.command = {"/bin/sh", "-c", command};  // it is text for the shell of the other side, as with ssh
  request.with_stdout = true;
  request.with_stderr = true;
  const auto session = client::open_exec(api.client(), api.rng(), request, std::move(sink));
  api.loop().run_until([&exit] { return exit.has_value(); });
  return *std::move(exit);
}

Result<int> run_on(const std::string& host, const std::string& command, const Invocation& invocation) {
  TRY_ASSIGN(const HostPod pod, pod_of(host));
  TRY_ASSIGN(const auto api, PodApi::open(invocation));
  return run_in(*api, pod, command);
}

}  // namespace

int rsh_main(const Invocation& invocation) {
  std::vector<std::string> words = invocation.args;
  // Options of ssh and rsh such as -x have no meaning here.
  while (!words.empty() && words[0].starts_with('-')) words.erase(words.begin());
  if (words.size() < 2) {
    fmt::print(stderr, "muster-rsh: no host or no command given; usage: muster-rsh HOST COMMAND…\n");
    return 2;
  }
  const std::string host = words[0];
  words.erase(words.begin());
  const auto code = run_on(host, join(words, " "), invocation);
  if (code) return *code;
  fmt::print(stderr, "muster-rsh: {}: {}\n", host, code.error().message);
  return kFailed;
}

}  // namespace muster::mpi
