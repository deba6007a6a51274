// The flags of `muster run`, and what they come to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"
#include "cli/flags/flags.h"
#include "cli/run/job.h"
#include "cli/run/words.h"
#include "cli/terminal/print_error.h"

namespace muster::cli {

struct RunFlags {
  std::string module;
  std::string python;
  std::string image;
  std::optional<std::int64_t> ranks;
  std::optional<std::int64_t> gpus;  // of the whole job
  std::string cpu;                   // of each rank, as memory
  std::string memory;
  std::string name;
  bool replace = false;
  std::vector<std::string> labels;
  std::vector<std::string> env;
  std::vector<std::string> secrets;
  std::vector<std::string> mounts;
  bool no_auto_mount = false;
  bool home = false;
  std::vector<std::string> ports;
  std::int64_t restarts = 0;
  std::optional<Duration> time;
  std::string queue;
  std::optional<std::int64_t> priority;
  std::vector<std::string> notify;
  bool detach = false;
  bool wait = false;
  bool stdin_ = false;
  bool tty = false;

  void add_to(Flags& flags);
  /// Checks each value by itself.
  std::optional<Failure> check() const;
};

/// How a job is divided.
struct RunShape {
  std::int64_t ranks = 1;
  std::int64_t gpus_per_rank = 0;
};
/// A rank for each GPU, unless the flags or a launcher say otherwise. A failure shows the arithmetic.
std::variant<RunShape, Failure> shape_of(const RunFlags& flags, const RunCommand& command);

/// Takes a value of --port: [LOCAL:]REMOTE.
std::optional<std::pair<int, int>> parse_run_ports(const std::string& text);

/// Puts into the job what the flags say about it, besides its folders and variables.
void describe_job(const RunFlags& flags, const RunShape& shape, JobOfScript& to);

}  // namespace muster::cli
