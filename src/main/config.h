// The engine's configuration file in YAML. Each key is described once; unknown keys get an error with a suggestion.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "base/result.h"

namespace muster {

struct EnvironmentConfig {
  std::string image;
  std::string venv;
  bool host = false;
  std::map<std::string, std::string> env;
};

struct SnapshotsConfig {
  std::string every;  // "1h"; "0s" means never
  int keep = 24;
};

struct QueueConfig {
  std::string name;
  std::map<std::string, Quantity> quota;  // empty: no limit
  std::optional<int> priority;
  bool closed = false;
  std::vector<std::string> namespaces;  // empty: all
};

struct Config {
  std::string listen;          // HOST:PORT; "" leaves the choice to the flag
  std::string content_listen;  // HOST:PORT; "" means the port after the main one
  std::vector<EnvironmentConfig> environments;
  std::string unmapped;  // "host" or "refuse"
  std::vector<std::string> visible;
  std::map<std::string, Quantity> resources;
  int processes_per_container = 0;  // 0 leaves the choice to the agent
  std::string event_ttl = "1h";     // a valid duration greater than zero
  SnapshotsConfig snapshots;
  std::string scheduling = "lenient";  // or "strict"
  std::vector<QueueConfig> queues;
};

struct Address {
  std::string host;
  int port = 0;
};
/// Parses HOST:PORT, where an IPv6 address is in brackets: [::1]:8765.
Result<Address> parse_address(std::string_view text);

/// `file` is used only in messages.
Result<Config> parse_config(std::string_view yaml, const std::string& file);
Result<Config> load_config(const std::string& path);

}  // namespace muster
