// The configuration of the agent.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/disk/disk_space.h"
#include "base/fd.h"
#include "base/quantity.h"
#include "base/result.h"
#include "base/time.h"
#include "json/document.h"
#include "linux/nvml.h"

namespace muster::agent {

/// The environment that replaces a container image; the first one whose pattern matches is used.
struct Environment {
  /// A folder of the host, visible read-only at `path`.
  struct Mount {
    std::string path;
    std::string from;
  };
  std::string image;                       // pattern with `*`
  std::string venv;                        // a Python virtual environment; its bin comes first in PATH
  std::map<std::string, std::string> env;  // applied unless the container sets them itself
  std::string rootfs = {};                 // a folder that replaces the host's system folders
  bool writable = false;                   // containers may change it; the changes vanish with them
  std::string working_dir = {};            // applied unless the container has its own
  std::vector<std::string> command = {};   // applied unless the container has its own
  std::vector<Mount> mounts = {};
  std::string home = {};  // the folder behind $HOME, kept across pods; "": every container has an empty one
};

/// How the containers of a pod use the API.
struct ApiAccess {
  std::string host;
  int port = 0;
  std::string ca_pem;
  std::string token;      // of the pod's service account
  bool automount = true;  // what the service account says; the pod's own word counts more
};

/// The engine's own program, which every container finds as /run/muster/bin/muster.
struct OwnProgram {
  std::string path;                // "": containers do not have it
  std::vector<std::string> names;  // under which it behaves as another program; links next to it
};

/// What is kept of logs. Whatever goes over a limit is removed, the oldest first.
struct LogRetention {
  /// Of one run of a container; its earlier runs together get as much again.
  std::int64_t max_bytes_per_container = std::int64_t{50} << 20;
  // Of pods that are deleted, and of the earlier runs of containers.
  Duration keep_for = std::chrono::hours(7 * 24);
  // Of pods that are deleted.
  std::int64_t keep_bytes = std::int64_t{1} << 30;
  std::size_t keep_pods = 500;
};

/// How long metrics are kept, and what is read from them.
struct MetricsOptions {
  Duration history = std::chrono::hours(24);          // of a pod, at the coarse step
  Duration keep_ended = std::chrono::hours(7 * 24);   // after the pod ended
  std::int64_t max_bytes = std::int64_t{256} << 20;   // of all files together, oldest removed first
  Duration stalled_after = std::chrono::minutes(10);  // without activity; 0: never
};

/// How much of the data directory's disk pods leave free.
struct DiskOptions {
  std::optional<Quantity> reserve = {};  // as in reserve_of
  std::function<Result<DiskSpace>(const std::string& path)> look = look_at_space;
};

/// Which pods have a network of their job (agent/network/networks.h).
struct NetworkPolicy {
  bool own_networks = false;
  // An address inside at which pasta serves the resolver of a machine that has it on loopback.
  std::string resolver = {};
  std::string pasta = {};  // the program that connects them with the outside; "": nothing does
  std::vector<std::pair<std::string, int>> allowed = {};  // addresses and ports of the machine that they reach
  std::string missing = {};  // what the machine lacks for networks of jobs; "": nothing, or they are not wanted
  // Why the port of a Service is taken from pods in every other network of the namespace; "": it is not.
  std::string takes_ports = {};
};

/// Serves the API inside the networks of jobs.
struct NetworkDoors {
  std::function<void(const std::string& network, Fd listening)> on_open;
  std::function<void(const std::string& network)> on_closed;
};

struct Options {
  std::string directory;  // DIR: DIR/pods, DIR/volumes, DIR/shim
  std::string node_name;
  std::vector<Environment> environments;
  bool refuse_unmapped = false;      // reject images without a matching pattern instead of using the host's environment
  std::vector<std::string> visible;  // folders of the host that pods see, read-only, besides the system's
  std::map<std::string, Quantity> resources;            // declared extended resources
  std::shared_ptr<linux_os::GpuDriver> gpus = nullptr;  // null: this machine has none that can be used
  std::int64_t processes_per_container = 0;             // and threads; 0 chooses by the number of processors
  std::vector<std::string> host_paths;                  // folders of the host where hostPath may lead
  /// NotFound when the pod's service account does not exist. Null: containers cannot use the API.
  std::function<Result<ApiAccess>(const json::Document& pod)> api_access = nullptr;
  OwnProgram program = {};
  NetworkPolicy network = {};
  LogRetention logs;
  DiskOptions disk = {};
  MetricsOptions metrics = {};
  Duration first_restart_delay = std::chrono::seconds(10);  // for a pod's containers; doubles up to 30 times this value
};

}  // namespace muster::agent
