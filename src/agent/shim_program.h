// The shim's bytes, carried inside this program, and how they get onto the disk and run.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "linux/process.h"

namespace muster::agent {

std::string_view shim_bytes();

/// Writes DIR/shim-HASH unless it is there; returns its path. Older ones stay: their shims may still run.
Result<std::string> install_shim(const std::string& directory);

/// A shim that waits for its word.
struct WaitingShim {
  linux_os::Child process;
  Fd socket;  // says "ready", is told "go"; closing it sends the shim away
};
/// The attempt's folder must hold the launch file.
Result<WaitingShim> start_shim(const std::string& program, const std::string& attempt_folder);

}  // namespace muster::agent
