// Threads other than the loop thread: each has a name and is listed in ARCHITECTURE.md.
#pragma once

#include <pthread.h>

#include <csignal>
#include <thread>
#include <utility>

namespace muster {

/// `name` has at most 15 characters. All signals are blocked, because only the loop thread handles signals.
template <typename Function>
std::jthread start_thread(const char* name, Function function) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::jthread thread(std::move(function));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread.native_handle(), name);
  return thread;
}

}  // namespace muster
