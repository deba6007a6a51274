// The engine's configuration file in YAML. Each key is described once; unknown keys get an error with a suggestion.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "base/result.h"
#include "main/notify_config.h"

namespace muster {

struct EnvironmentMount {
  std::string path;
  std::string from;
};

struct EnvironmentConfig {
  std::string image;
  std::string venv;
  std::string rootfs;
  bool host = false;
  std::map<std::string, std::string> env;
  bool writable = false;
  std::string working_dir;
  std::vector<std::string> command;
  std::vector<EnvironmentMount> mounts;
  std::string home;
};

struct SnapshotsConfig {
  std::string every;  // "1h"; "0s" means never
  int keep = 24;
};

struct LogsConfig {
  Quantity max_bytes_per_container;
  std::string keep_for;  // a valid duration greater than zero
  Quantity keep_bytes;
  int keep_pods = 500;
};

struct DiskConfig {
  std::optional<Quantity> reserve;  // absent leaves the choice to the agent; 0 turns it off
};

struct NetworkConfig {
  std::string mode = "auto";       // or "job", "host"
  std::vector<std::string> allow;  // 127.0.0.1:PORT of the machine
};

struct QueueConfig {
  std::string name;
  std::map<std::string, Quantity> quota;  // empty: no limit
  std::optional<int> priority;
  bool closed = false;
  std::vector<std::string> namespaces;  // empty: all
};

/// For the step that fetches the code of Arena's jobs.
struct GitConfig {
  std::map<std::string, std::string> instead_of;  // how addresses start -> what git uses instead
  std::vector<std::string> allowed_schemes;       // empty: https, http, ssh and git
};

struct MetricsConfig {
  // Valid durations.
  std::string history = "24h";
  std::string keep_ended = "168h";
  Quantity max_size = Quantity::of(std::int64_t{256} << 20);
};

struct TensorBoardConfig {
  std::string idle_after = "1h";  // a valid duration
};

struct LimitsConfig {
  int objects_per_namespace = 250'000;
  Quantity bytes_per_namespace = Quantity::of(std::int64_t{1} << 30);
};

struct Config {
  std::string listen;          // HOST:PORT; "" leaves the choice to the flag
  std::string content_listen;  // HOST:PORT; "" means the port after the main one
  std::vector<EnvironmentConfig> environments;
  std::string unmapped;  // "host" or "refuse"
  std::vector<std::string> visible;
  std::vector<std::string> host_paths;
  std::map<std::string, Quantity> resources;
  int processes_per_container = 0;  // 0 leaves the choice to the agent
  std::string event_ttl = "1h";     // a valid duration greater than zero
  SnapshotsConfig snapshots;
  LogsConfig logs;
  DiskConfig disk = {};
  std::string scheduling = "lenient";  // or "strict"
  NetworkConfig network;
  std::vector<QueueConfig> queues;
  std::string stalled_after = "10m";  // a valid duration
  TensorBoardConfig tensorboard = {};
  MetricsConfig metrics = {};
  GitConfig git = {};
  LimitsConfig limits = {};
  std::vector<NotifyConfig> notify = {};
};

struct Address {
  std::string host;
  int port = 0;
};
/// Parses HOST:PORT, where an IPv6 address is in brackets: [::1]:8765.
Result<Address> parse_address(std::string_view text);

/// `file` is used only in messages. Pods must not be shown the engine's `data_dir`, so no folder of the configuration
/// may be it, contain it or lie in it; "" skips that check.
Result<Config> parse_config(std::string_view yaml, const std::string& file, const std::string& data_dir = "");
Result<Config> load_config(const std::string& path, const std::string& data_dir = "");

/// Adds what every engine has: images of git-sync run our own program, those of rsync the machine's. They count before
/// the environments of the configuration, except for those whose pattern names them.
void add_built_in_environments(Config& config);

/// Invalid when an environment names what this machine does not have or pods must not see. Reads the file system.
Status check_environments(const Config& config, const std::string& data_dir);

}  // namespace muster
