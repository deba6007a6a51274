// The tar program of this machine, which packs what `muster cp` sends to a container.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace muster::cli {

/// Returns the option that renames the top of an archive from `base` to `name`; empty when they are the same.
std::vector<std::string> tar_rename(std::string_view base, std::string_view name);

class LocalTar {
 public:
  static Result<LocalTar> start(const std::vector<std::string>& words);
  LocalTar(LocalTar&& other) noexcept : pid_(std::exchange(other.pid_, -1)), pipe_(std::move(other.pipe_)) {}
  LocalTar& operator=(LocalTar&&) = delete;
  /// Kills a program that is still running.
  ~LocalTar();

  /// The archive comes from here.
  int fd() const { return pipe_.get(); }
  /// Waits for its end. Returns the exit code.
  int finish();

 private:
  LocalTar(pid_t pid, Fd pipe) : pid_(pid), pipe_(std::move(pipe)) {}

  pid_t pid_;
  Fd pipe_;
};

}  // namespace muster::cli
