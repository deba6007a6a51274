/* The control groups of containers. The server makes and removes them; the pod's init stays outside, so that a group
 * that is out of memory or processes cannot stop it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim.h"

#define CLONE_INTO_CGROUP_FLAG 0x200000000ULL /* Linux 5.7; musl does not name it */

/* The kernel's struct clone_args. */
struct clone_arguments {
  uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size, cgroup;
};

pid_t fork_within(const struct container* container, struct fault* fault) {
  pid_t pid = -1;
  if (container->cgroup[0] == 0) {
    pid = fork();
    if (pid < 0) fail(fault, "fork");
    return pid;
  }
  const int folder = open(container->cgroup, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    struct clone_arguments arguments = {
        .flags = CLONE_INTO_CGROUP_FLAG, .exit_signal = SIGCHLD, .cgroup = (uint64_t)folder};
    pid = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
  }
  if (pid < 0) fail(fault, "fork into the control group \"%s\"", container->cgroup);
  if (folder >= 0) close(folder);
  return pid;
}

int join_groups(const struct container* container, struct fault* fault) {
  for (size_t i = 0; i < container->join_count; ++i) {
    if (write_text(container->joins[i], "0") != 0)
      return fail(fault, "join the control group \"%s\"", container->joins[i]);
  }
  return 0;
}

/* The kernel counts a user's processes in each user namespace by itself, so pods do not share the limit. It is a limit
 * also without control groups. */
void limit_processes(const struct container* container) {
  if (container->processes <= 0) return;
  struct rlimit limit;
  const rlim_t most = (rlim_t)container->processes;
  if (getrlimit(RLIMIT_NPROC, &limit) != 0) return;
  if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < most) return; /* the engine's user may have fewer */
  setrlimit(RLIMIT_NPROC, &(struct rlimit){most, most});
}

/* The line "oom_kill NUMBER" is in memory.events of version 2 and in memory.oom_control of version 1. */
long count_oom_kills(const struct container* container) {
  char text[512];
  const int fd = container->oom_file[0] == 0 ? -1 : open(container->oom_file, O_RDONLY | O_CLOEXEC);
  const ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
  if (fd >= 0) close(fd);
  text[n > 0 ? n : 0] = 0;
  const char* line = strstr(text, "oom_kill ");
  return line == NULL ? 0 : strtol(line + strlen("oom_kill "), NULL, 10);
}
