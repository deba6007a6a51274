// LogShelf: the logs of this node's pods, those of the past included.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "agent/paths.h"
#include "agent/trash.h"
#include "base/ports.h"
#include "client/node_api.h"

namespace muster::agent {

class LogShelf {
 public:
  LogShelf(Loop& loop, const Paths& paths, Trash& trash) : loop_(loop), paths_(paths), trash_(trash) {}

  Result<std::unique_ptr<client::LogStream>> read(const client::LogRequest& request,
                                                  UniqueFunction<void(std::string_view)> on_text,
                                                  UniqueFunction<void(Status)> on_end) const;
  /// Removes the folders of the pods that were deleted longest ago, beyond the number that is kept.
  void remove_old(const std::function<bool(const std::string& uid)>& is_in_use);

 private:
  Loop& loop_;
  const Paths& paths_;
  Trash& trash_;
};

}  // namespace muster::agent
