/* PID 1 of the pod: starts the containers in order, reaps all processes and reports to the shim. When it exits, the
 * kernel kills every process in the pod. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim.h"

static void send_message(const struct pod* pod, struct message* message) {
  clock_gettime(CLOCK_REALTIME, &message->when);
  while (send(pod->report, message, sizeof *message, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

void report_text(const struct pod* pod, enum message_type type, uint32_t container, const char* text) {
  struct message message = {.type = type, .container = container};
  snprintf(message.text, sizeof message.text, "%s", text);
  send_message(pod, &message);
}

static void report_fault(const struct pod* pod, uint32_t container, const struct fault* fault) {
  char why[128], text[sizeof fault->step + sizeof why + 2];
  describe_errno(fault->error, why, sizeof why);
  snprintf(text, sizeof text, "%s: %s", fault->step, why);
  report_text(pod, MESSAGE_FAILED, container, text);
}

/* ---- the container's process, until exec ---- */

static const char* value_of(char** envp, const char* name) {
  const size_t size = strlen(name);
  for (; *envp != NULL; ++envp) {
    if (strncmp(*envp, name, size) == 0 && (*envp)[size] == '=') return *envp + size + 1;
  }
  return NULL;
}

/* Returns only on failure. Searches the container's PATH, not the shim's. */
static void execute(const struct container* container, struct fault* fault) {
  const char* program = container->argv[0];
  if (strchr(program, '/') != NULL) {
    execve(program, container->argv, container->envp);
    const int error = errno;
    struct stat what;
    if (error == ENOENT && stat(program, &what) == 0) {
      errno = error;
      fail(fault, "exec \"%s\": the file is there, the interpreter in its first line is not", program);
      return;
    }
    errno = error;
    fail(fault, "exec \"%s\"", program);
    return;
  }
  const char* path = value_of(container->envp, "PATH");
  int error = ENOENT;
  for (const char* p = path; p != NULL && *program != 0;) {
    const size_t size = strcspn(p, ":");
    char full[4096];
    const int n = size == 0 ? snprintf(full, sizeof full, "./%s", program)
                            : snprintf(full, sizeof full, "%.*s/%s", (int)size, p, program);
    if (n < (int)sizeof full) {
      execve(full, container->argv, container->envp);
      /* A missing file is normal while searching PATH; a file that cannot be executed is worth reporting. */
      if (errno != ENOENT && errno != ENOTDIR && !(errno == EACCES && access(full, F_OK) != 0)) error = errno;
    }
    p = p[size] == 0 ? NULL : p + size + 1;
  }
  errno = error;
  fail(fault, "exec \"%s\"", program);
}

static int use_stdio(int out, int err) {
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null < 0) return -1;
  /* dup2 clears close-on-exec on the copies; the originals keep it. */
  return dup2(null, 0) == 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2 ? 0 : -1;
}

static void become_container(const struct pod* pod, uint32_t index, struct fault* fault) {
  const struct container* container = &pod->launch->containers[index];
  setsid();
  if (unshare(CLONE_NEWNS) != 0) {
    fail(fault, "unshare the mount namespace");
    return;
  }
  if (enter_root(pod, container, fault) != 0) return;
  if (use_stdio(pod->stdout_pipes[index], pod->stderr_pipes[index]) != 0) {
    fail(fault, "open \"/dev/null\"");
    return;
  }
  if (chdir(container->cwd) != 0) {
    fail(fault, "working directory \"%s\"", container->cwd);
    return;
  }
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  drop_capabilities();
  for (int signal_number = 1; signal_number < 32; ++signal_number) signal(signal_number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execute(container, fault);
}

/* The same exit codes as a shell: 127 for not found, 126 for found but not executable. */
static int exit_code_of(const struct fault* fault) {
  if (strncmp(fault->step, "exec ", 5) != 0) return 128;
  return fault->error == ENOENT ? 127 : 126;
}

/* ---- init ---- */

static pid_t start_container(const struct pod* pod, uint32_t index) {
  int execed[2];
  struct fault fault = {0};
  if (pipe2(execed, O_CLOEXEC) != 0) {
    fail(&fault, "pipe");
    report_fault(pod, index, &fault);
    return -1;
  }
  report_text(pod, MESSAGE_STARTING, index, "");
  const pid_t pid = fork();
  if (pid == 0) {
    close(execed[0]);
    become_container(pod, index, &fault);
    report_fault(pod, index, &fault);
    (void)!write(execed[1], "x", 1);
    _exit(exit_code_of(&fault));
  }
  close(execed[1]);
  if (pid < 0) {
    fail(&fault, "fork");
    report_fault(pod, index, &fault);
    close(execed[0]);
    return -1;
  }
  char byte;
  ssize_t n;
  while ((n = read(execed[0], &byte, 1)) < 0 && errno == EINTR) {
  }
  close(execed[0]);
  if (n == 0) report_text(pod, MESSAGE_STARTED, index, "");
  return pid;
}

struct progress {
  const struct pod* pod;
  pid_t* pids; /* 0 before the start and after the end */
  size_t next; /* the first container that has not been started */
  int running;
  int stopping;
  int failed; /* an init container failed */
};

static void reap(struct progress* progress) {
  int status;
  pid_t pid;
  while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
    for (size_t i = 0; i < progress->next; ++i) {
      if (progress->pids[i] != pid) continue;
      progress->pids[i] = 0;
      --progress->running;
      const struct container* container = &progress->pod->launch->containers[i];
      if (container->is_init && !(WIFEXITED(status) && WEXITSTATUS(status) == 0)) progress->failed = 1;
      struct message message = {.type = MESSAGE_EXITED, .container = (uint32_t)i, .wait_status = status};
      send_message(progress->pod, &message);
    }
  }
}

/* Starts the containers that may start now: one init container at a time, then all the others. */
static void start_next(struct progress* progress) {
  const struct launch* launch = progress->pod->launch;
  while (progress->next < launch->container_count && !progress->stopping && !progress->failed) {
    const int is_init = launch->containers[progress->next].is_init;
    const int after_init = progress->next > 0 && launch->containers[progress->next - 1].is_init;
    if (progress->running > 0 && (is_init || after_init)) return;
    const size_t index = progress->next++;
    progress->pids[index] = start_container(progress->pod, (uint32_t)index);
    /* Only the container holds the write ends now, so the shim sees the end of the stream. */
    close(progress->pod->stdout_pipes[index]);
    close(progress->pod->stderr_pipes[index]);
    if (progress->pids[index] > 0) {
      ++progress->running;
    } else if (is_init) {
      progress->failed = 1;
    }
  }
}

static void stop_all(struct progress* progress) {
  progress->stopping = 1;
  for (size_t i = 0; i < progress->next; ++i) {
    if (progress->pids[i] > 0) kill(progress->pids[i], SIGTERM);
  }
}

_Noreturn void run_init(struct pod* pod) {
  prctl(PR_SET_NAME, "muster-init", 0, 0, 0);
  umask(022);
  struct progress progress = {.pod = pod, .pids = calloc(pod->launch->container_count, sizeof(pid_t))};
  struct fault fault = {0};
  if (progress.pids == NULL || prepare_volumes(pod, &fault) != 0) {
    for (uint32_t i = 0; i < pod->launch->container_count; ++i) report_fault(pod, i, &fault);
    _exit(1);
  }
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_SETMASK, &children, NULL);
  const int signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals < 0) _exit(1);
  for (;;) {
    start_next(&progress);
    if (progress.running == 0) _exit(0);
    struct pollfd polled[2] = {{.fd = signals, .events = POLLIN}, {.fd = pod->report, .events = POLLIN}};
    if (poll(polled, 2, -1) < 0) continue;
    if (polled[1].revents != 0) {
      struct message message;
      /* The end of the stream means that the shim is gone. PDEATHSIG covers this too, unless it was set too late. */
      if (recv(pod->report, &message, sizeof message, 0) <= 0) _exit(1);
      if (message.type == MESSAGE_STOP) stop_all(&progress);
    }
    if (polled[0].revents != 0) {
      struct signalfd_siginfo ignored;
      while (read(signals, &ignored, sizeof ignored) > 0) {
      }
      reap(&progress);
    }
  }
}
