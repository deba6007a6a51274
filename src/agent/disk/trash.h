// Trash removes what pods leave behind. The loop only moves a folder in here, which takes no longer for 400,000 files
// than for one; a thread removes it. What is left when the engine stops is removed after its next start.
//
// Loop thread only, apart from the internal thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <string>
#include <thread>

#include "base/mutex.h"
#include "base/result.h"

namespace muster::agent {

class Trash {
 public:
  /// `folder` must be on the same file system as what is moved into it.
  explicit Trash(std::string folder);
  ~Trash();

  /// Creates the folder and begins to remove what an earlier engine left in it.
  Status start();
  /// Moves the file or folder away, so that its path is free. Returns ok when there is none.
  Status take(const std::string& path);

 private:
  void run(const std::stop_token& stop);

  std::string folder_;
  std::uint64_t taken_ = 0;

  Mutex mutex_;
  std::condition_variable wake_;
  bool has_work_ GUARDED_BY(mutex_) = true;

  std::jthread thread_;
};

}  // namespace muster::agent
