/* The shim: one per launch of a pod, outlives the server, parent of the pod's init. format.h describes its files.
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

#include "network.h"

enum { PUMP_BUDGET = 1 << 20, FLUSH_MS = 200, RETRY_MS = 1000 };

long long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

long long earlier(long long a, long long b) {
  return a == NEVER || (b != NEVER && b < a) ? b : a;
}

/* ---- before go ---- */

/* Closes the descriptor. Returns null when it cannot be read to its end. */
static char* read_all(int fd, size_t* size) {
  struct stat what;
  if (fd < 0 || fstat(fd, &what) != 0) return NULL;
  char* bytes = malloc((size_t)what.st_size + 1);
  size_t done = 0;
  while (bytes != NULL && done < (size_t)what.st_size) {
    const ssize_t n = pread(fd, bytes + done, (size_t)what.st_size - done, (off_t)done);
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

/* Nobody can read a record in a folder that was removed. */
static int folder_is_gone(int dir) {
  struct stat what;
  return fstat(dir, &what) == 0 && what.st_nlink == 0;
}

/* Retries until the record is written: otherwise the exit status would be lost. */
static void write_exit(const struct shim* shim) {
  for (;;) {
    size_t size = 0;
    char* record = format_record(&shim->record, &size);
    const int written = record != NULL && replace_file(shim->dir, "exit.json", record, size) == 0;
    free(record);
    if (written || folder_is_gone(shim->dir)) return;
    poll(NULL, 0, RETRY_MS);
  }
}

static void write_state(struct shim* shim) {
  size_t size = 0;
  char* record = format_record(&shim->record, &size);
  if (record != NULL) replace_file(shim->dir, "state.json", record, size);
  broadcast_state(shim, record, size);
  free(record);
  shim->changed = 0;
}

static _Noreturn void leave_unrun(struct shim* shim) {
  shim->record.ran = 0;
  write_exit(shim);
  _exit(0);
}

static void read_launch(struct shim* shim) {
  size_t size = 0;
  char* bytes = read_all(MUSTER_LAUNCH_FD, &size);
  const char* problem = bytes == NULL ? "launch: it cannot be read" : parse_launch(bytes, size, &shim->launch);
  if (problem != NULL) {
    shim->record.notices[shim->record.notice_count++] = (char*)problem;
    leave_unrun(shim);
  }
  prepare_io(shim);
  shim->record.launch = &shim->launch;
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
  dup2(shim->null, 0);
}

static void note_fault(struct shim* shim, const char* what, const struct fault* fault) {
  char why[128];
  describe_errno(fault->error, why, sizeof why);
  shim->record.notices[shim->record.notice_count++] = (char*)text_of("%s: %s: %s", what, fault->step, why);
}

static void join_network(struct shim* shim) {
  struct fault fault;
  if (shim->launch.network[0] == 0) return;
  if (ask_for_spaces(shim->launch.network, shim->spaces, &fault) != 0) {
    note_fault(shim, shim->launch.own_network ? "network" : "nothing is shared with the other pods of the job", &fault);
    if (shim->launch.own_network) leave_unrun(shim);
    return;
  }
  shim->memory = ask_for_memory(shim->launch.network, &fault);
  if (shim->memory < 0) note_fault(shim, "/dev/shm is not shared with the other pods of the job", &fault);
}

/* ---- starting the pod ---- */

/* Root inside is the engine's user outside, so files that the pod writes to volumes belong to that user. The user is as
 * the namespace around knows it. */
static void map_user(uid_t uid, gid_t gid) {
  char map[64];
  write_text("/proc/self/setgroups", "deny");
  snprintf(map, sizeof map, "0 %u 1", (unsigned)uid);
  write_text("/proc/self/uid_map", map);
  snprintf(map, sizeof map, "0 %u 1", (unsigned)gid);
  write_text("/proc/self/gid_map", map);
}

/* Closes all but init's report socket. Above all, init must not inherit the lock. */
static void close_others(const struct shim* shim) {
  close(shim->lock);
  close(shim->dir);
  close(shim->signals);
  close(shim->report);
  close(shim->listener);
  close(shim->null);
  for (int i = 0; i < SPACES; ++i) {
    if (shim->spaces[i] >= 0) close(shim->spaces[i]);
  }
}

/* How init comes into being. */
struct birth {
  unsigned long spaces;
  int new_user; /* it has a user namespace of its own, in which `uid` and `gid` are root */
  uid_t uid;
  gid_t gid;
};

static _Noreturn void become_init(const struct shim* shim, struct pod* pod, const struct birth* birth) {
  if (!birth->new_user && shim->spaces[SPACE_IPC] >= 0 && enter_spaces(shim->spaces, 0) != 0) _exit(EXIT_SETUP);
  close_others(shim);
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* its files in /proc belong to root otherwise */
  if (birth->new_user) map_user(birth->uid, birth->gid);
  write_text("/proc/self/oom_score_adj", "500");
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* /proc/1 of the pod leads to the host's root: the pod must not follow it */
  sethostname(shim->launch.hostname, strlen(shim->launch.hostname));
  mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
  run_init(pod);
}

/* Returns 0 in init. */
static long clone_init(const struct birth* birth, unsigned long flags) {
  return syscall(SYS_clone, birth->spaces | SIGCHLD | flags | (birth->new_user ? CLONE_NEWUSER : 0), 0, 0, 0, 0);
}

/* The user namespace of an ordinary user's pod nests in that of its network, or the pod could not enter the network. So
 * a helper goes ahead; init is made there, but its parent is the shim. */
static long clone_init_in_network(const struct shim* shim, struct birth* birth) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  const pid_t helper = fork();
  if (helper == 0) {
    long pid = enter_spaces(shim->spaces, 1);
    birth->uid = geteuid();
    birth->gid = getegid();
    if (pid == 0) pid = clone_init(birth, CLONE_PARENT);
    if (pid == 0) {
      close_all(ends, 2);
      return 0;
    }
    if (pid < 0) pid = -errno;
    _exit(write(ends[1], &pid, sizeof pid) == (ssize_t)sizeof pid ? 0 : 1);
  }
  long pid = -EAGAIN;
  close(ends[1]);
  if (helper > 0 && read(ends[0], &pid, sizeof pid) != (ssize_t)sizeof pid) pid = -EAGAIN;
  close(ends[0]);
  if (helper > 0) waitpid(helper, NULL, 0);
  if (pid >= 0) return pid;
  errno = (int)-pid;
  return -1;
}

static _Noreturn void fail_all(struct shim* shim, const char* text) {
  for (size_t i = 0; i < shim->launch.container_count; ++i) {
    struct outcome* outcome = &shim->record.outcomes[i];
    outcome->state = STATE_TERMINATED;
    outcome->result.code = 128;
    clock_gettime(CLOCK_REALTIME, &outcome->result.finished);
    outcome->result.message = strdup(text);
  }
  write_exit(shim);
  _exit(0);
}

static void start_init(struct shim* shim) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) leave_unrun(shim);
  const int yes = 1;
  setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes); /* a sender's pid as seen from here */
  shim->report = ends[0];
  struct pod pod = {.launch = &shim->launch,
                    .folder = shim->folder,
                    .report = ends[1],
                    .memory = shim->memory,
                    .users = -1,
                    .folders = -1};
  const int is_shared = shim->spaces[SPACE_IPC] >= 0;
  struct birth birth = {.spaces = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUTS | (is_shared ? 0 : CLONE_NEWIPC),
                        .new_user = geteuid() != 0,
                        .uid = geteuid(),
                        .gid = getegid()};
  shim->record.ran = 1;
  if (!birth.new_user) make_users(&pod);
  long pid = birth.new_user && is_shared ? clone_init_in_network(shim, &birth) : clone_init(&birth, 0);
  if (pid < 0 && errno == EPERM && !birth.new_user) { /* root without CAP_SYS_ADMIN: use a user namespace */
    birth.new_user = 1;
    pid = clone_init(&birth, 0);
  }
  if (pid == 0) {
    if (birth.new_user) pod.users = pod.folders = -1, pod.no_root = NULL;
    become_init(shim, &pod, &birth);
  }
  if (pid < 0) {
    char why[128], text[256];
    describe_errno(errno, why, sizeof why);
    snprintf(text, sizeof text, "make the pod's namespaces: %s; user namespaces may be switched off on this host", why);
    fail_all(shim, text);
  }
  shim->init = (pid_t)pid;
  shim->record.init_pid = (pid_t)pid;
  close(pod.report);
  close_all(&pod.users, 1);
  close_all(&pod.folders, 1);
  if (shim->memory >= 0) close_all(&shim->memory, 1);
  close_all(shim->spaces, SPACES); /* they end with the last pod, not with a shim that is done */
}

/* ---- while the pod runs ---- */

long long within_a_century(long long seconds) {
  const long long century = 100LL * 365 * 24 * 3600;
  return seconds < 0 ? 0 : seconds > century ? century : seconds;
}

void stop_within(struct shim* shim, long long grace) {
  grace = within_a_century(grace);
  shim->stopping = 1;
  shim->kill_at = earlier(shim->kill_at, milliseconds() + grace * 1000);
  if (grace == 0) return;
  const struct message stop = {.type = MESSAGE_STOP};
  send_packet(shim->report, &stop, sizeof stop, "", 1, NULL, 0, MSG_DONTWAIT);
}

static void stop_by_signal(struct shim* shim) {
  size_t size;
  char* text = read_all(openat(shim->dir, "grace", O_RDONLY | O_CLOEXEC), &size);
  stop_within(shim, text != NULL ? atoll(text) : shim->launch.grace);
  free(text);
}

/* Returns 1 when init was reaped: no process of the pod is left. */
static int take_signals(struct shim* shim) {
  struct signalfd_siginfo got;
  int ended = 0;
  while (read(shim->signals, &got, sizeof got) == (ssize_t)sizeof got) {
    if (got.ssi_signo == SIGTERM) stop_by_signal(shim);
    if (got.ssi_signo == SIGUSR1) stop_within(shim, 0);
    if (got.ssi_signo == SIGCHLD && waitpid(shim->init, NULL, WNOHANG) == shim->init) ended = 1;
  }
  return ended;
}

static void run_timers(struct shim* shim) {
  const long long now = milliseconds();
  const size_t count = shim->launch.container_count;
  if (shim->kill_at != NEVER && now >= shim->kill_at) {
    kill(shim->init, SIGKILL); /* not yet reaped, so the pid cannot have been reused */
    shim->kill_at = now + 1000;
  }
  int pending = 0, dropped = 0;
  for (size_t i = 0; i < count; ++i) {
    const struct container_io* io = &shim->io[i];
    pending |= needs_flush(&io->streams[0]) || needs_flush(&io->streams[1]);
    dropped |= io->log.dropped > 0;
  }
  if ((pending || has_used_buffers()) && shim->flush_at == NEVER) shim->flush_at = now + FLUSH_MS;
  if (dropped && shim->retry_at == NEVER) shim->retry_at = now + RETRY_MS;
  if (shim->flush_at != NEVER && now >= shim->flush_at) {
    for (size_t i = 0; i < 2 * count; ++i) flush_pending(&shim->io[i / 2].streams[i % 2]);
    release_buffers();
    shim->flush_at = NEVER;
  }
  if (shim->retry_at != NEVER && now >= shim->retry_at) {
    for (size_t i = 0; i < count; ++i) note_dropped(&shim->io[i].log);
    shim->retry_at = NEVER;
  }
}

static int poll_timeout(struct shim* shim) {
  const long long kill_at = earlier(kill_overdue(shim), shim->kill_at);
  const long long logs_at = earlier(shim->flush_at, shim->retry_at);
  const long long output_at = earlier(give_up_attachments(shim), give_up_early_output(shim));
  const long long at = earlier(output_at, earlier(kill_at, logs_at));
  if (at == NEVER) return -1;
  const long long left = at - milliseconds();
  return left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

/* What is polled, in this order: the fixed three, the connections, the attachments' and the containers' streams. */
enum { FIXED = 3, CONNECTIONS = FIXED, ATTACHMENTS = CONNECTIONS + MAX_CONNECTIONS };
enum { STREAMS = ATTACHMENTS + 2 * MAX_ATTACHMENTS };

static void wait_for_events(struct shim* shim, struct pollfd* polled, size_t streams) {
  polled[0] = (struct pollfd){.fd = shim->signals, .events = POLLIN};
  polled[1] = (struct pollfd){.fd = shim->report, .events = POLLIN};
  polled[2] = (struct pollfd){.fd = shim->listener, .events = POLLIN};
  const int timeout = poll_timeout(shim);
  for (int i = 0; i < MAX_CONNECTIONS; ++i)
    polled[CONNECTIONS + i] = (struct pollfd){.fd = shim->connections[i], .events = POLLIN};
  for (int i = 0; i < 2 * MAX_ATTACHMENTS; ++i) {
    const struct attachment* a = &shim->attachments[i / 2];
    polled[ATTACHMENTS + i] =
        (struct pollfd){.fd = a->connection < 0 ? -1 : a->fds[i % 2], .events = attachment_events(a, i % 2)};
  }
  for (size_t i = 0; i < streams; ++i) {
    const int fd = is_held_up(shim, (uint32_t)(i / 2)) ? -1 : shim->io[i / 2].streams[i % 2].fd;
    polled[STREAMS + i] = (struct pollfd){.fd = fd, .events = POLLIN};
  }
  poll(polled, STREAMS + streams, timeout);
}

/* A slot that is freed and taken again meanwhile is served without need, which does no harm: nothing blocks. */
static void serve_events(struct shim* shim, const struct pollfd* polled, size_t streams) {
  for (size_t i = 0; i < streams; ++i) {
    const uint32_t container = (uint32_t)(i / 2);
    /* With a reader attached, one chunk at a time: it may have no room for more. */
    if (polled[STREAMS + i].revents != 0)
      pump_stream(shim, container, (int)(i % 2), is_attached(shim, container) ? 1 : PUMP_BUDGET);
  }
  for (int i = 0; i < 2 * MAX_ATTACHMENTS; ++i)
    serve_attachment(shim, &shim->attachments[i / 2], i % 2, polled[ATTACHMENTS + i].revents);
  take_messages(shim);
  for (int i = 0; i < MAX_CONNECTIONS; ++i) {
    if (polled[CONNECTIONS + i].revents != 0) serve_connection(shim, i);
  }
  if (polled[2].revents != 0) accept_connections(shim);
}

static void watch_over(struct shim* shim) {
  const size_t streams = 2 * shim->launch.container_count;
  struct pollfd* polled = calloc(STREAMS + streams, sizeof *polled);
  if (polled == NULL) _exit(EXIT_SETUP);
  for (int ended = 0; !ended;) {
    start_next(shim);
    if (is_finished(shim)) {
      shim->stopping = 1;
      shim->kill_at = milliseconds();
    }
    if (shim->changed) write_state(shim);
    run_timers(shim);
    wait_for_events(shim, polled, streams);
    serve_events(shim, polled, streams);
    ended = take_signals(shim);
  }
  free(polled);
}

static _Noreturn void finish(struct shim* shim) {
  take_messages(shim);
  conclude(shim);
  write_exit(shim);
  drain_attachments(shim);
  _exit(0);
}

/* All zeros but for what is not open and not due. */
static void clear(struct shim* shim) {
  memset(shim, 0, sizeof *shim);
  shim->kill_at = shim->flush_at = shim->retry_at = NEVER;
  memset(shim->connections, -1, sizeof shim->connections);
  memset(shim->spaces, -1, sizeof shim->spaces);
  shim->memory = -1;
  for (int i = 0; i < MAX_ATTACHMENTS; ++i) shim->attachments[i].connection = -1;
}

/* Tells on stdout why this user can make no network here, or no network for Services. Only the first is a failure. */
static int check_network(void) {
  struct keeper keeper;
  struct fault fault = {0};
  /* The memory covers /dev/shm, for the keeper only. */
  const struct network_plan plan = {.folder = "/dev", .memory = getpagesize(), .own_network = 1};
  const struct host_address address = {.family = AF_INET, .bytes = {127, 1, 0, 1}};
  const int made = start_keeper(&keeper, &plan, &fault) == 0;
  if (made && tell_keeper(keeper.channel, &address, ADDRESS_OF_SERVICE) == 0) return 0;
  if (made) fail(&fault, "make a link of type veth");
  char why[128];
  describe_errno(fault.error, why, sizeof why);
  printf("%s: %s\n", fault.step, why);
  return made ? 0 : 1;
}

/* What the pod uses alone on this machine, such as GPUs, is locked by descriptors after that of the launch description.
 * The shim and the pod's init have them as long as they live, and the programs of containers never. */
static void keep_locks(int count) {
  for (int i = 1; i <= count; ++i) fcntl(MUSTER_LAUNCH_FD + i, F_SETFD, FD_CLOEXEC);
  close_from(MUSTER_LAUNCH_FD + 1 + count);
}

int main(int argc, char** argv) {
  static struct shim shim;
  clear(&shim);
  if (argc == 7 && strcmp(argv[1], "network") == 0 && argv[2][0] == '/') {
    const struct network_plan plan = {argv[2], argv[3], argv[4], atoll(argv[5]), strcmp(argv[6], "own") == 0};
    own_network(&plan);
  }
  if (argc == 2 && strcmp(argv[1], "network-check") == 0) return check_network();
  if (argc < 2 || argc > 3 || argv[1][0] != '/') return 64;
  shim.folder = argv[1];
  setsid();
  keep_locks(argc == 3 ? atoi(argv[2]) : 0);
  umask(077);
  shim.dir = open(shim.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  shim.null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (shim.dir < 0 || shim.null < 0) return EXIT_SETUP;
  block_signals(&shim);
  take_lock(&shim);
  write_text("/proc/self/oom_score_adj", "-900"); /* fails without the privilege */
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);             /* the launch description holds secrets */
  read_launch(&shim);
  join_network(&shim);
  reserve_exit_record(shim.dir);
  shim.listener = listen_for_control(shim.dir);
  if (shim.listener < 0 || write_identity(shim.dir) != 0) return EXIT_SETUP;
  wait_for_go(&shim);
  start_init(&shim);
  watch_over(&shim);
  finish(&shim);
}
