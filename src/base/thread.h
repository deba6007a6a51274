// Threads beside the loop: each has a name, and a line in ARCHITECTURE.md.
#pragma once

#include <pthread.h>

#include <csignal>
#include <thread>
#include <utility>

namespace muster {

/// `name` has at most 15 characters. Every signal is blocked: signals are the loop thread's business.
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
