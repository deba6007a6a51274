/* The shim: one per attempt of a pod, outlives the server, parent of the pod's init. format.h describes its files.
 * It is a separate program, static and tiny, so that the server can start it without forking itself. */
#define _GNU_SOURCE
#include "shim.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format.h"

enum { EXIT_SETUP = 70, PUMP_BUDGET = 1 << 20, PIPE_SIZE = 1 << 20 };
static const long long kNever = -1;

struct shim {
  const char* folder;
  int dir;
  int lock;
  int signals;
  int report;
  struct launch launch;
  struct record record;
  struct log_file* logs;      /* one per container */
  struct log_stream* streams; /* two per container */
  pid_t init;
  long long kill_at;  /* milliseconds of CLOCK_BOOTTIME, which includes suspend */
  long long flush_at; /* when to flush unfinished lines */
  long long sync_at;
};

static long long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* ---- before go ---- */

static char* read_file(int dir, const char* name, size_t* size) {
  const int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
  struct stat what;
  if (fd < 0 || fstat(fd, &what) != 0) return NULL;
  char* bytes = malloc((size_t)what.st_size + 1);
  size_t done = 0;
  while (bytes != NULL && done < (size_t)what.st_size) {
    const ssize_t n = read(fd, bytes + done, (size_t)what.st_size - done);
    if (n <= 0) break;
    done += (size_t)n;
  }
  close(fd);
  if (bytes == NULL || done != (size_t)what.st_size) return NULL;
  bytes[done] = 0;
  *size = done;
  return bytes;
}

static void block_signals(struct shim* shim) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_SETMASK, &set, NULL);
  signal(SIGHUP, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  shim->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (shim->signals < 0) _exit(EXIT_SETUP);
}

static void take_lock(struct shim* shim) {
  shim->lock = openat(shim->dir, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (shim->lock < 0 || flock(shim->lock, LOCK_EX | LOCK_NB) != 0) _exit(EXIT_SETUP);
}

/* Retries until the record is written: otherwise the exit status would be lost. */
static void write_exit(const struct shim* shim) {
  while (write_record(shim->dir, "exit.json", &shim->record, RECORD_SYNCED) != 0) {
    poll(NULL, 0, 1000);
  }
}

static _Noreturn void leave_unrun(struct shim* shim) {
  shim->record.ran = 0;
  write_exit(shim);
  _exit(0);
}

static void wait_for_go(struct shim* shim) {
  if (send(0, MUSTER_READY, strlen(MUSTER_READY), MSG_NOSIGNAL) < 0) leave_unrun(shim);
  char word[sizeof MUSTER_GO] = "";
  size_t size = 0;
  while (size < strlen(MUSTER_GO)) {
    struct pollfd polled[2] = {{.fd = 0, .events = POLLIN}, {.fd = shim->signals, .events = POLLIN}};
    if (poll(polled, 2, -1) < 0) continue;
    if (polled[1].revents != 0) leave_unrun(shim); /* stopped before it was started */
    const ssize_t n = read(0, word + size, strlen(MUSTER_GO) - size);
    if (n <= 0) leave_unrun(shim);
    size += (size_t)n;
  }
  if (strcmp(word, MUSTER_GO) != 0) leave_unrun(shim);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) leave_unrun(shim);
  dup2(null, 0);
  close(null);
}

/* ---- starting the pod ---- */

static void write_text(const char* path, const char* text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  (void)!write(fd, text, strlen(text));
  close(fd);
}

/* Root inside is the engine's user outside, so files that the pod writes to volumes belong to that user. */
static void map_user(uid_t uid, gid_t gid) {
  char map[64];
  write_text("/proc/self/setgroups", "deny");
  snprintf(map, sizeof map, "0 %u 1", (unsigned)uid);
  write_text("/proc/self/uid_map", map);
  snprintf(map, sizeof map, "0 %u 1", (unsigned)gid);
  write_text("/proc/self/gid_map", map);
}

static _Noreturn void become_init(const struct shim* shim, struct pod* pod, uid_t uid, gid_t gid, int new_user) {
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (new_user) map_user(uid, gid);
  write_text("/proc/self/oom_score_adj", "500");
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* /proc/1 of the pod leads to the host's root: the pod must not follow it */
  sethostname(shim->launch.hostname, strlen(shim->launch.hostname));
  mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
  run_init(pod);
}

/* Closes all but init's report socket and the pipes' write ends. Above all, init must not inherit the lock. */
static void close_others(const struct shim* shim) {
  for (size_t i = 0; i < shim->launch.container_count; ++i) {
    close(shim->logs[i].fd);
    close(shim->streams[2 * i].fd);
    close(shim->streams[2 * i + 1].fd);
  }
  close(shim->lock);
  close(shim->dir);
  close(shim->signals);
  close(shim->report);
}

static int make_pipe(int* read_end, int* write_end) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  fcntl(ends[0], F_SETPIPE_SZ, PIPE_SIZE); /* beyond the user's limit the default size stays */
  *read_end = ends[0];
  *write_end = ends[1];
  return 0;
}

static void open_streams(struct shim* shim, struct pod* pod) {
  const size_t count = shim->launch.container_count;
  shim->logs = calloc(count, sizeof *shim->logs);
  shim->streams = calloc(2 * count, sizeof *shim->streams);
  pod->stdout_pipes = calloc(count, sizeof(int));
  pod->stderr_pipes = calloc(count, sizeof(int));
  if (shim->logs == NULL || shim->streams == NULL || pod->stdout_pipes == NULL || pod->stderr_pipes == NULL)
    leave_unrun(shim);
  for (size_t i = 0; i < count; ++i) {
    struct log_stream* streams = &shim->streams[2 * i];
    streams[0] = (struct log_stream){.tag = "stdout", .file = &shim->logs[i]};
    streams[1] = (struct log_stream){.tag = "stderr", .file = &shim->logs[i]};
    if (open_log(shim->dir, shim->launch.containers[i].name, &shim->logs[i]) != 0 ||
        make_pipe(&streams[0].fd, &pod->stdout_pipes[i]) != 0 ||
        make_pipe(&streams[1].fd, &pod->stderr_pipes[i]) != 0) {
      leave_unrun(shim);
    }
  }
}

static void fail_all(struct shim* shim, const char* text) {
  for (size_t i = 0; i < shim->launch.container_count; ++i) {
    struct outcome* outcome = &shim->record.outcomes[i];
    outcome->state = STATE_TERMINATED;
    outcome->code = 128;
    clock_gettime(CLOCK_REALTIME, &outcome->finished);
    snprintf(outcome->message, sizeof outcome->message, "%s", text);
  }
  write_exit(shim);
  _exit(0);
}

static void start_init(struct shim* shim) {
  struct pod pod = {.launch = &shim->launch, .folder = shim->folder};
  open_streams(shim, &pod);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) leave_unrun(shim);
  shim->report = ends[0];
  pod.report = ends[1];
  const unsigned long spaces = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;
  const uid_t uid = geteuid();
  const gid_t gid = getegid();
  int new_user = uid != 0;
  shim->record.ran = 1;
  long pid = syscall(SYS_clone, spaces | SIGCHLD | (new_user ? CLONE_NEWUSER : 0), 0, 0, 0, 0);
  if (pid < 0 && errno == EPERM && !new_user) { /* root without CAP_SYS_ADMIN: use a user namespace */
    new_user = 1;
    pid = syscall(SYS_clone, spaces | SIGCHLD | CLONE_NEWUSER, 0, 0, 0, 0);
  }
  if (pid == 0) {
    close_others(shim);
    become_init(shim, &pod, uid, gid, new_user);
  }
  if (pid < 0) {
    char why[128], text[256];
    describe_errno(errno, why, sizeof why);
    snprintf(text, sizeof text, "make the pod's namespaces: %s; user namespaces may be switched off on this host", why);
    fail_all(shim, text);
  }
  shim->init = (pid_t)pid;
  shim->record.init_pid = (pid_t)pid;
  for (size_t i = 0; i < shim->launch.container_count; ++i) {
    close(pod.stdout_pipes[i]);
    close(pod.stderr_pipes[i]);
  }
  close(pod.report);
}

/* ---- while the pod runs ---- */

static void pump_container(struct shim* shim, size_t container) {
  pump(&shim->streams[2 * container], (size_t)-1);
  pump(&shim->streams[2 * container + 1], (size_t)-1);
}

static void take_message(struct shim* shim, const struct message* message) {
  struct record* record = &shim->record;
  if (message->type == MESSAGE_NOTICE) {
    for (int i = 0; i < record->notice_count; ++i) {
      if (strncmp(record->notices[i], message->text, sizeof record->notices[i] - 1) == 0) return;
    }
    if (record->notice_count < MAX_NOTICES)
      snprintf(record->notices[record->notice_count++], sizeof record->notices[0], "%.255s", message->text);
    return;
  }
  if (message->container >= shim->launch.container_count) return;
  struct outcome* outcome = &record->outcomes[message->container];
  if (message->type == MESSAGE_STARTING) {
    outcome->forked = 1;
  } else if (message->type == MESSAGE_STARTED) {
    outcome->state = STATE_RUNNING;
    outcome->started = message->when;
  } else {
    /* FAILED carries the text, and the EXITED that follows carries the code; a container that could not even be
     * forked sends only FAILED. */
    outcome->state = STATE_TERMINATED;
    outcome->finished = message->when;
    if (message->type == MESSAGE_FAILED) {
      outcome->code = 128;
      memcpy(outcome->message, message->text, sizeof outcome->message);
      outcome->message[sizeof outcome->message - 1] = 0;
    } else if (WIFSIGNALED(message->wait_status)) {
      outcome->signal = WTERMSIG(message->wait_status);
      outcome->code = 128 + outcome->signal;
    } else {
      outcome->code = WEXITSTATUS(message->wait_status);
    }
    /* The output of the container is written before its end is reported. */
    pump_container(shim, message->container);
  }
}

static int take_messages(struct shim* shim) {
  struct message message;
  int taken = 0;
  while (recv(shim->report, &message, sizeof message, MSG_DONTWAIT) == (ssize_t)sizeof message) {
    take_message(shim, &message);
    taken = 1;
  }
  return taken;
}

static void begin_stop(struct shim* shim) {
  long grace = shim->launch.grace;
  size_t size;
  char* text = read_file(shim->dir, "grace", &size);
  if (text != NULL) grace = atol(text);
  free(text);
  if (grace < 0) grace = 0;
  const long century = 100L * 365 * 24 * 3600;
  if (grace > century) grace = century;
  const long long at = milliseconds() + grace * 1000LL;
  if (shim->kill_at == kNever || at < shim->kill_at) shim->kill_at = at;
  struct message stop = {.type = MESSAGE_STOP};
  send(shim->report, &stop, sizeof stop, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Returns 1 when init was reaped: no process of the pod is left. */
static int take_signals(struct shim* shim) {
  struct signalfd_siginfo got;
  int ended = 0;
  while (read(shim->signals, &got, sizeof got) == (ssize_t)sizeof got) {
    if (got.ssi_signo == SIGTERM) begin_stop(shim);
    if (got.ssi_signo == SIGUSR1) shim->kill_at = milliseconds();
    if (got.ssi_signo == SIGCHLD && waitpid(shim->init, NULL, WNOHANG) == shim->init) ended = 1;
  }
  return ended;
}

static long long earlier(long long a, long long b) {
  return a == kNever || (b != kNever && b < a) ? b : a;
}

static void run_timers(struct shim* shim) {
  const long long now = milliseconds();
  const size_t count = shim->launch.container_count;
  if (shim->kill_at != kNever && now >= shim->kill_at) {
    kill(shim->init, SIGKILL); /* not yet reaped, so the pid cannot have been reused */
    shim->kill_at = now + 1000;
  }
  int pending = 0, dirty = 0;
  for (size_t i = 0; i < 2 * count; ++i) pending |= shim->streams[i].pending_size > 0;
  for (size_t i = 0; i < count; ++i) dirty |= shim->logs[i].dirty || shim->logs[i].dropped > 0;
  if (pending && shim->flush_at == kNever) shim->flush_at = now + 200;
  if (dirty && shim->sync_at == kNever) shim->sync_at = now + 1000;
  if (shim->flush_at != kNever && now >= shim->flush_at) {
    for (size_t i = 0; i < 2 * count; ++i) flush_pending(&shim->streams[i]);
    shim->flush_at = kNever;
  }
  if (shim->sync_at != kNever && now >= shim->sync_at) {
    for (size_t i = 0; i < count; ++i) sync_log(&shim->logs[i]);
    shim->sync_at = kNever;
  }
}

static int poll_timeout(const struct shim* shim) {
  const long long at = earlier(shim->kill_at, earlier(shim->flush_at, shim->sync_at));
  if (at == kNever) return -1;
  const long long left = at - milliseconds();
  return left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

static void watch_over(struct shim* shim) {
  const size_t streams = 2 * shim->launch.container_count;
  struct pollfd* polled = calloc(streams + 2, sizeof *polled);
  if (polled == NULL) _exit(EXIT_SETUP);
  for (int ended = 0; !ended;) {
    polled[0] = (struct pollfd){.fd = shim->signals, .events = POLLIN};
    polled[1] = (struct pollfd){.fd = shim->report, .events = POLLIN};
    for (size_t i = 0; i < streams; ++i) polled[2 + i] = (struct pollfd){.fd = shim->streams[i].fd, .events = POLLIN};
    poll(polled, streams + 2, poll_timeout(shim));
    for (size_t i = 0; i < streams; ++i) {
      if (polled[2 + i].revents != 0) pump(&shim->streams[i], PUMP_BUDGET);
    }
    if (take_messages(shim)) write_record(shim->dir, "state.json", &shim->record, RECORD_PLAIN);
    ended = take_signals(shim);
    run_timers(shim);
  }
  free(polled);
}

static _Noreturn void finish(struct shim* shim) {
  take_messages(shim);
  for (size_t i = 0; i < shim->launch.container_count; ++i) {
    pump_container(shim, i);
    sync_log(&shim->logs[i]);
    struct outcome* outcome = &shim->record.outcomes[i];
    const int may_run = outcome->state == STATE_RUNNING || (outcome->state == STATE_WAITING && outcome->forked);
    if (!may_run) continue;
    /* Init was killed before it could reap this container or report its start: both died of the same SIGKILL. */
    clock_gettime(CLOCK_REALTIME, &outcome->finished);
    if (outcome->state == STATE_WAITING) outcome->started = outcome->finished;
    outcome->state = STATE_TERMINATED;
    outcome->signal = SIGKILL;
    outcome->code = 128 + SIGKILL;
  }
  write_exit(shim);
  _exit(0);
}

int main(int argc, char** argv) {
  struct shim shim = {.kill_at = kNever, .flush_at = kNever, .sync_at = kNever};
  if (argc != 2 || argv[1][0] != '/') return 64;
  shim.folder = argv[1];
  setsid();
  close_from(3);
  umask(077);
  shim.dir = open(shim.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (shim.dir < 0) return EXIT_SETUP;
  block_signals(&shim);
  take_lock(&shim);
  write_text("/proc/self/oom_score_adj", "-900"); /* fails without the privilege */
  size_t size = 0;
  char* bytes = read_file(shim.dir, "launch", &size);
  const char* problem = bytes == NULL ? "launch: cannot be read" : parse_launch(bytes, size, &shim.launch);
  if (problem != NULL) {
    snprintf(shim.record.notices[shim.record.notice_count++], sizeof shim.record.notices[0], "%s", problem);
    leave_unrun(&shim);
  }
  shim.record.outcomes = calloc(shim.launch.container_count, sizeof *shim.record.outcomes);
  if (shim.record.outcomes == NULL) return EXIT_SETUP;
  shim.record.launch = &shim.launch;
  reserve_exit_record(shim.dir);
  if (write_identity(shim.dir) != 0) return EXIT_SETUP;
  wait_for_go(&shim);
  unlinkat(shim.dir, "launch", 0);
  start_init(&shim);
  watch_over(&shim);
  finish(&shim);
}
