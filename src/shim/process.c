/* A process of the pod from its fork to its exec: a container's own, or a command in a running container. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim.h"

static void send_report(const struct reporter* from, struct message message, const char* text, const int* fd) {
  message.container = from->container;
  message.exec = from->exec;
  clock_gettime(CLOCK_REALTIME, &message.when);
  send_packet(from->pod->report, &message, sizeof message, text, strlen(text) + 1, fd, fd != NULL, 0);
}

void report(const struct reporter* from, enum message_type type, int wait_status, const char* text) {
  send_report(from, (struct message){.type = type, .wait_status = wait_status}, text, NULL);
}

void report_fault(const struct reporter* from, const struct fault* fault) {
  char why[128], text[sizeof fault->step + sizeof why + 2];
  describe_errno(fault->error, why, sizeof why);
  snprintf(text, sizeof text, "%s: %s", fault->step, why);
  report(from, MESSAGE_FAILED, 0, text);
}

/* ---- the program ---- */

static const char* value_of(char** envp, const char* name) {
  const size_t size = strlen(name);
  for (; *envp != NULL; ++envp) {
    if (strncmp(*envp, name, size) == 0 && (*envp)[size] == '=') return *envp + size + 1;
  }
  return NULL;
}

static void execute_path(const struct command* command, struct fault* fault) {
  const char* program = command->argv[0];
  execve(program, command->argv, command->envp);
  const int error = errno;
  struct stat what;
  const int interpreter_is_missing = error == ENOENT && stat(program, &what) == 0;
  errno = error;
  if (interpreter_is_missing) {
    fail(fault, "exec \"%s\": the file is there, the interpreter in its first line is not", program);
  } else {
    fail(fault, "exec \"%s\"", program);
  }
}

/* Returns only on failure. Searches the container's PATH, not the shim's. */
static void execute(const struct command* command, struct fault* fault) {
  const char* program = command->argv[0];
  if (strchr(program, '/') != NULL) {
    execute_path(command, fault);
    return;
  }
  int error = ENOENT;
  for (const char* p = value_of(command->envp, "PATH"); p != NULL && *program != 0;) {
    const size_t size = strcspn(p, ":");
    char full[4096];
    const int n = size == 0 ? snprintf(full, sizeof full, "./%s", program)
                            : snprintf(full, sizeof full, "%.*s/%s", (int)size, p, program);
    if (n < (int)sizeof full) {
      execve(full, command->argv, command->envp);
      /* A missing file is normal while searching PATH; a file that cannot be executed is worth reporting. */
      if (errno != ENOENT && errno != ENOTDIR && !(errno == EACCES && access(full, F_OK) != 0)) error = errno;
    }
    p = p[size] == 0 ? NULL : p + size + 1;
  }
  errno = error;
  fail(fault, "exec \"%s\"", program);
}

/* The same exit codes as a shell: 127 for not found, 126 for found but not executable. */
static int exit_code_of(const struct fault* fault) {
  if (strncmp(fault->step, "exec ", 5) != 0) return 128;
  return fault->error == ENOENT ? 127 : 126;
}

/* ---- its streams ---- */

/* Opens a terminal of the container's own /dev/pts and returns its master. Only /dev/pts itself cannot be replaced by
 * the container, and the other end needs no path. */
static int use_terminal(const struct pod* pod, const struct user* user, struct fault* fault) {
  const int master = open("/dev/pts/ptmx", O_RDWR | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
  if (master < 0) return fail(fault, "open \"/dev/pts/ptmx\"");
  const int unlocked = 0;
  if (ioctl(master, TIOCSPTLCK, &unlocked) != 0) return fail(fault, "unlock the terminal");
  const int terminal = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0) return fail(fault, "open the terminal");
  give(pod, terminal, user);
  /* dup2 clears close-on-exec on the copies; the original keeps it. */
  if (dup2(terminal, 0) != 0 || dup2(terminal, 1) != 1 || dup2(terminal, 2) != 2 || ioctl(0, TIOCSCTTY, 0) != 0)
    return fail(fault, "use the terminal");
  return master;
}

/* Programs open /dev/stdout, which needs the rights to the pipe. Only pipes are the process's own; never the host's
 * /dev/null. */
static void give_pipe(const struct pod* pod, int fd, const struct user* user) {
  struct stat what;
  if (fstat(fd, &what) == 0 && S_ISFIFO(what.st_mode)) give(pod, fd, user);
}

static int use_streams(const struct pod* pod, const int streams[3], const struct user* user, struct fault* fault) {
  for (int i = 0; i < 3; ++i) {
    give_pipe(pod, streams[i], user);
    if (dup2(streams[i], i) != i) return fail(fault, "use standard stream %d", i);
  }
  return 0;
}

/* ---- until its exec ---- */

/* Init finds what a container leaves behind by its mount namespace. */
static void send_namespace(int starting) {
  struct stat what;
  const uint64_t inode = stat("/proc/self/ns/mnt", &what) == 0 ? what.st_ino : 0;
  (void)!write(starting, &inode, sizeof inode);
}

static int enter_container(const struct reporter* from, const struct user* user, int peer, struct fault* fault) {
  if (peer >= 0) return setns(peer, CLONE_NEWNS) == 0 ? 0 : fail(fault, "enter the container");
  if (unshare(CLONE_NEWNS) != 0) return fail(fault, "unshare the mount namespace");
  return enter_root(from, user, fault);
}

/* Returns only on failure. */
static void become(const struct reporter* from, const struct command* command, const int streams[3], int starting,
                   int peer, struct fault* fault) {
  const struct container* container = &from->pod->launch->containers[from->container];
  setsid();
  struct user user = command->user;
  if (find_user(from->pod, &user, fault) != 0 || join_groups(container, fault) != 0 ||
      enter_container(from, &user, peer, fault) != 0) {
    return;
  }
  send_namespace(starting);
  int master = -1;
  if (command->tty && (master = use_terminal(from->pod, &user, fault)) < 0) return;
  if (!command->tty && use_streams(from->pod, streams, &user, fault) != 0) return;
  send_report(from, (struct message){.type = MESSAGE_HERE}, "", master >= 0 ? &master : NULL);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  unlock_memory(command->capabilities);
  if (become_user(from->pod, &user, command->capabilities, fault) != 0) return;
  limit_processes(container);
  if (chdir(command->cwd) != 0) {
    fail(fault, "working directory \"%s\"", command->cwd);
    return;
  }
  for (int signal_number = 1; signal_number < 32; ++signal_number) signal(signal_number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (filter_system_calls(fault) != 0) return;
  execute(command, fault);
}

_Noreturn void become_process(const struct reporter* from, const struct command* command, const int streams[3],
                              int starting, int peer) {
  struct fault fault = {0};
  become(from, command, streams, starting, peer, &fault);
  report_fault(from, &fault);
  (void)!write(starting, "x", 1);
  _exit(exit_code_of(&fault));
}
