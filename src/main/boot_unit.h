// The systemd unit that starts the engine at boot: of the user, with lingering, or of the system for root.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace muster {

/// Where units are, and who runs systemctl.
struct BootHost {
  bool is_root = false;
  bool systemd_runs = false;  // and can be asked by this user
  std::string user;
  std::string unit_folder;  // /etc/systemd/system, or ~/.config/systemd/user
  /// Runs a program and returns why it failed.
  std::function<Status(const std::vector<std::string>& words)> run;
};
BootHost this_boot_host();

struct BootUnit {
  std::string program;            // the path of muster
  std::string data_dir;           // absolute
  std::vector<std::string> args;  // more flags of `muster serve`
};

/// Returns "muster.service", or a name of its own for another data folder than the usual one.
std::string unit_name(const std::string& data_dir);
std::string unit_text(const BootUnit& unit, bool is_root);

/// Returns true if the unit of this data folder is there.
bool has_boot_unit(const BootHost& host, const std::string& data_dir);

/// Writes and enables the unit; starts it unless `engine_runs`. Returns what was done and what was not, a line each.
/// `started` tells whether systemd has started the engine.
Result<std::vector<std::string>> install_boot_unit(const BootHost& host, const BootUnit& unit, bool engine_runs,
                                                   bool& started);

/// Disables and removes it. Returns what was done, nothing if it is not there.
Result<std::vector<std::string>> remove_boot_unit(const BootHost& host, const std::string& data_dir);

/// Tells systemd that this process is ready, if systemd has started it.
void notify_systemd();

}  // namespace muster
