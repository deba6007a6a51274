// What a rank that fails says last on standard error.
#pragma once

#include <string>
#include <string_view>

namespace muster::mpi {

/// Keeps the end of what passes through.
class LastWords {
 public:
  void take(std::string_view text);
  /// Returns the last line of the last Python traceback, "ModuleNotFoundError: No module named 'horovod'"; "" if there
  /// is none.
  std::string exception() const;

 private:
  std::string end_;
};

}  // namespace muster::mpi
