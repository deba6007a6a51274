// Installs the shim program (shim/program.h) on disk and starts it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "linux/process.h"

namespace muster::agent {

/// Writes DIR/shim-HASH unless it exists, and returns its path. Older versions stay: their shims may still run.
Result<std::string> install_shim(const std::string& directory);

/// A shim that was started and waits for "go".
struct WaitingShim {
  linux_os::Child process;
  Fd socket;  // receives "ready", sends "go"; closing it makes the shim exit
};
/// `folder` is the launch's own, new and empty; `launch` is what encode_launch returns. The pod holds `locks` for as
/// long as one of its processes lives.
Result<WaitingShim> start_shim(const std::string& program, const std::string& folder, std::string_view launch,
                               const std::vector<int>& locks = {});

}  // namespace muster::agent
