// Tidying removes what is too old: the logs of deleted pods, and the folders of deleted claims. It does so now and
// then, not only when pods come and go.
#pragma once

#include "agent/files/claims.h"
#include "agent/logs/log_shelf.h"
#include "base/ports.h"

namespace muster::agent {

class Tidying {
 public:
  Tidying(Loop& loop, LogShelf& logs, Claims& claims, LogShelf::IsInUse is_in_use)
      : loop_(loop), logs_(logs), claims_(claims), is_in_use_(std::move(is_in_use)) {}
  ~Tidying() { loop_.cancel(timer_); }
  Tidying(const Tidying&) = delete;
  Tidying& operator=(const Tidying&) = delete;

  void start();
  void on_pod_gone();

 private:
  void remove_old_logs();

  Loop& loop_;
  LogShelf& logs_;
  Claims& claims_;
  LogShelf::IsInUse is_in_use_;
  int gone_since_ = 0;
  Loop::Id timer_ = 0;
};

}  // namespace muster::agent
