/* PID 1 of the pod: starts what the shim asks for, reaps all processes and reports to the shim. When it exits, the
 * kernel kills every process in the pod. It never waits for anything but its poll: a process that hangs before its exec
 * delays no other. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim.h"

enum { UNSTARTED = 128 << 8, LOOK_AGAIN_MS = 5, MAX_LOOKS = 2000 };

/* A process that the shim asked for, until it is reported as ended. */
struct process {
  struct reporter reporter;
  pid_t pid;           /* 0 once it is reaped */
  int starting;        /* ends with its exec; -1 when that is decided */
  int has_entered;     /* it is in the container's root */
  uint64_t namespace_; /* of its mounts; 0 while unknown */
  int wait_status;
  int looks;   /* for what it left behind */
  int is_told; /* it was sent SIGTERM alone */
};

struct init {
  const struct pod* pod;
  struct process* processes;
  size_t count;
};

/* ---- starting ---- */

static struct process* find_process(const struct init* init, uint32_t container, uint32_t exec) {
  for (size_t i = 0; i < init->count; ++i) {
    struct process* process = &init->processes[i];
    if (process->reporter.container == container && process->reporter.exec == exec && process->pid > 0) return process;
  }
  return NULL;
}

static void fail_to_start(const struct reporter* from, const char* text) {
  report(from, MESSAGE_FAILED, 0, text);
  report(from, MESSAGE_EXITED, UNSTARTED, "");
}

static void fail_by(const struct reporter* from, const struct fault* fault) {
  report_fault(from, fault);
  report(from, MESSAGE_EXITED, UNSTARTED, "");
}

static void start_process(struct init* init, const struct reporter* from, const struct command* command,
                          const int streams[3], int peer) {
  int starting[2];
  struct fault fault = {0};
  if (pipe2(starting, O_CLOEXEC | O_NONBLOCK) != 0) {
    fail(&fault, "pipe");
    fail_by(from, &fault);
    return;
  }
  const pid_t pid = fork_within(&from->pod->launch->containers[from->container], &fault);
  if (pid == 0) become_process(from, command, streams, starting[1], peer);
  close(starting[1]);
  if (pid < 0) {
    fail_by(from, &fault);
    close(starting[0]);
    return;
  }
  ADD(init->processes, init->count, {.reporter = *from, .pid = pid, .starting = starting[0]});
}

static void start_command(struct init* init, const struct reporter* from, const struct packet* packet) {
  const struct process* container = find_process(init, from->container, 0);
  const int peer = container == NULL || container->starting >= 0 ? -1 : open_pidfd(container->pid);
  if (peer < 0) {
    fail_to_start(from, "the container is not running");
    return;
  }
  struct cursor cursor = {(char*)packet->bytes + sizeof(struct message), packet->size - sizeof(struct message)};
  struct command command;
  const char* problem = parse_command(&cursor, &from->pod->launch->containers[from->container], &command);
  if (problem == NULL && !command.tty && packet->fd_count != 3) problem = "exec: the standard streams are missing";
  if (problem != NULL) {
    fail_to_start(from, problem);
  } else {
    start_process(init, from, &command, packet->fds, peer);
  }
  free(command.argv);
  free(command.envp);
  if (command.user.groups != from->pod->launch->containers[from->container].command.user.groups)
    free(command.user.groups);
  close(peer);
}

/* ---- what processes do ---- */

/* Learns whether the process reached its exec: it sends its namespace, and then nothing more. */
static void look_at_start(struct process* process) {
  if (process->starting < 0) return;
  ssize_t n = 0;
  if (!process->has_entered) {
    uint64_t inode;
    n = read(process->starting, &inode, sizeof inode);
    process->has_entered = n == (ssize_t)sizeof inode;
    if (process->has_entered) process->namespace_ = inode;
  }
  if (process->has_entered) {
    char failed;
    n = read(process->starting, &failed, 1);
  }
  if (n < 0) return; /* nothing yet */
  close(process->starting);
  process->starting = -1;
  if (process->has_entered && n == 0) report(&process->reporter, MESSAGE_STARTED, 0, "");
}

static void reap(struct init* init) {
  int status;
  pid_t pid;
  while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
    for (size_t i = 0; i < init->count; ++i) {
      if (init->processes[i].pid != pid) continue;
      look_at_start(&init->processes[i]);
      init->processes[i].pid = 0;
      init->processes[i].wait_status = status;
    }
  }
}

/* A process that exits leaves its namespaces before it closes the last of its files. */
static int is_exiting(int proc, const char* pid) {
  char path[300], text[512];
  snprintf(path, sizeof path, "%s/stat", pid);
  const int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
  const ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (fd >= 0) close(fd);
  if (n <= 0) return 0;
  text[n] = 0;
  const char* state = strrchr(text, ')'); /* of "PID (NAME) STATE …"; the name may hold anything */
  return state != NULL && strncmp(state, ") Z", 3) != 0 && strncmp(state, ") X", 3) != 0;
}

/* Kills the processes in a mount namespace, which they cannot leave. Returns how many there were. Without a /proc of
 * its own, init cannot see them; they then end with the pod. */
static int kill_in_namespace(const struct pod* pod, uint64_t namespace_) {
  char folder[4096];
  snprintf(folder, sizeof folder, "%s/" PROC_FOLDER, pod->folder);
  DIR* proc = opendir(folder);
  if (proc == NULL) return 0;
  int found = 0;
  const struct dirent* entry;
  while ((entry = readdir(proc)) != NULL) {
    const int pid = atoi(entry->d_name);
    char path[sizeof entry->d_name + 16];
    struct stat what;
    snprintf(path, sizeof path, "%s/ns/mnt", entry->d_name);
    if (pid <= 1) continue;
    if (fstatat(dirfd(proc), path, &what, 0) != 0) {
      found += errno == ENOENT && is_exiting(dirfd(proc), entry->d_name);
    } else if (what.st_ino == namespace_) {
      kill(pid, SIGKILL);
      ++found;
    }
  }
  closedir(proc);
  return found;
}

static int a_container_runs(const struct init* init) {
  for (size_t i = 0; i < init->count; ++i) {
    if (init->processes[i].reporter.exec == 0 && init->processes[i].pid > 0) return 1;
  }
  return 0;
}

/* Kills what an ended container has left behind. Returns 1 when it has to be called again. While no other container
 * runs, one call kills them all at the same instant, which no fork can escape. */
static int kill_leftovers(const struct init* init, struct process* container) {
  if (container->namespace_ == 0 || ++container->looks > MAX_LOOKS) return 0;
  if (a_container_runs(init)) return kill_in_namespace(init->pod, container->namespace_) > 0;
  return kill(-1, SIGKILL) == 0;
}

/* Reports the processes that have ended, containers only once nothing of them is left. Returns 1 when it has to be
 * called again soon. */
static int report_ends(struct init* init) {
  int again = 0;
  for (size_t i = 0; i < init->count;) {
    struct process* process = &init->processes[i];
    const int is_container = process->reporter.exec == 0;
    const int left = process->pid == 0 && is_container && kill_leftovers(init, process);
    again |= left;
    if (process->pid != 0 || left) {
      ++i;
      continue;
    }
    report(&process->reporter, MESSAGE_EXITED, process->wait_status, "");
    *process = init->processes[--init->count];
  }
  return again;
}

/* ---- what the shim asks for ---- */

static void stop_all(const struct init* init) {
  for (size_t i = 0; i < init->count; ++i) {
    const struct process* process = &init->processes[i];
    if (process->pid > 0 && process->reporter.exec == 0 && !process->is_told) kill(process->pid, SIGTERM);
  }
}

static void end_process(const struct init* init, const struct message* message) {
  struct process* process = find_process(init, message->container, message->exec);
  if (process == NULL) return;
  if (message->type == MESSAGE_TERM) {
    if (!process->is_told) kill(process->pid, SIGTERM);
    process->is_told = 1;
    return;
  }
  kill(-process->pid, SIGKILL); /* its session's first process group */
  kill(process->pid, SIGKILL);  /* it may not have made it yet */
}

static void take_request(struct init* init) {
  struct packet packet;
  /* The end of the stream means that the shim is gone. PDEATHSIG covers this too, unless it was set too late. */
  if (receive_packet(init->pod->report, &packet, 0) < 0) _exit(1);
  if (packet.size < sizeof(struct message)) return;
  struct message message;
  memcpy(&message, packet.bytes, sizeof message);
  const struct reporter from = {init->pod, message.container, message.exec};
  if (message.type == MESSAGE_START) {
    start_process(init, &from, &init->pod->launch->containers[message.container].command, packet.fds, -1);
  } else if (message.type == MESSAGE_EXEC) {
    start_command(init, &from, &packet);
  } else if (message.type == MESSAGE_KILL || message.type == MESSAGE_TERM) {
    end_process(init, &message);
  } else if (message.type == MESSAGE_STOP) {
    stop_all(init);
  }
  close_all(packet.fds, packet.fd_count);
}

static void wait_for_events(const struct init* init, int signals, int timeout, int* requests) {
  struct pollfd polled[2 + init->count];
  polled[0] = (struct pollfd){.fd = signals, .events = POLLIN};
  polled[1] = (struct pollfd){.fd = init->pod->report, .events = POLLIN};
  for (size_t i = 0; i < init->count; ++i)
    polled[2 + i] = (struct pollfd){.fd = init->processes[i].starting, .events = POLLIN};
  *requests = poll(polled, 2 + init->count, timeout) > 0 && polled[1].revents != 0;
}

_Noreturn void run_init(struct pod* pod) {
  prctl(PR_SET_NAME, "muster-init", 0, 0, 0);
  umask(022);
  struct fault fault = {0};
  if (prepare_volumes(pod, &fault) != 0 || prepare_shared(pod, &fault) != 0) {
    for (uint32_t i = 0; i < pod->launch->container_count; ++i) {
      const struct reporter from = {pod, i, 0};
      report_fault(&from, &fault);
      report(&from, MESSAGE_EXITED, UNSTARTED, "");
    }
    _exit(1);
  }
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_SETMASK, &children, NULL);
  const int signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals < 0) _exit(1);
  struct init init = {.pod = pod};
  for (int again = 0, requests = 0;;) {
    wait_for_events(&init, signals, again ? LOOK_AGAIN_MS : -1, &requests);
    struct signalfd_siginfo ignored;
    while (read(signals, &ignored, sizeof ignored) > 0) {
    }
    for (size_t i = 0; i < init.count; ++i) look_at_start(&init.processes[i]);
    reap(&init);
    again = report_ends(&init);
    if (requests) take_request(&init);
  }
}
