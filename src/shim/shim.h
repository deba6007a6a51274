/* The shim's own declarations. It is one single-threaded program with three roles after fork: the shim proper
 * (outside the pod), the pod's init (PID 1 inside) and a container's process before its exec. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "format.h"
#include "packet.h"

/* ---- fields.c: the fields of the launch description and of packets ---- */

struct cursor {
  char* at;
  size_t left;
};
struct field {
  char* text;
  size_t size;
};
/* Returns 0 at the end of the bytes, also when they are truncated: then `left` is not 0. */
int next_field(struct cursor* cursor, struct field* to);
/* Makes room for one more element at the end of an array. Running out of memory is fatal. */
void* grow(void* array, size_t count, size_t size);
#define ADD(array, count, ...)                              \
  do {                                                      \
    (array) = grow((array), (count), sizeof *(array));      \
    (array)[(count)++] = (__typeof__(*(array)))__VA_ARGS__; \
  } while (0)

/* ---- launch.c: what to run ---- */

struct pod_file {
  const char* path;
  mode_t mode;
  const char* bytes;
  size_t size;
};

enum volume_kind { VOLUME_BIND, VOLUME_TMPFS, VOLUME_FILES };
enum volume_origin { ORIGIN_OWN, ORIGIN_NAMED, ORIGIN_HOST };
struct volume {
  const char* name;
  enum volume_kind kind;
  const char* source; /* a path, or the mount options of a tmpfs */
  size_t first_file;
  size_t files;
  enum volume_origin origin;
};

struct volume_mount {
  const char* volume;
  const char* sub_path; /* "" means the volume itself */
  const char* target;
  int read_only;
};

struct link {
  const char* path;
  const char* target;
};

struct user {
  int given; /* otherwise: as the pod's root */
  uid_t uid;
  gid_t gid;
  gid_t* groups;
  size_t group_count;
};

/* What a process is before its exec: a container's own, or a command's in it. */
struct command {
  const char* cwd;
  char** argv; /* argv and envp end with a null pointer */
  char** envp;
  size_t args;
  size_t envs;
  struct user user;
  unsigned long long capabilities; /* bits: what it keeps of those that a pod can have */
  int tty;
};

enum input { INPUT_NONE, INPUT_ALWAYS, INPUT_ONCE };
struct container {
  const char* name;
  int is_init;
  int run;
  struct command command;
  enum input input;
  int read_only;
  const char* rootfs;    /* a folder that stands for the host's system folders; "" when there is none */
  const char** writable; /* folders in the container that are covered by an overlay; "/": the whole rootfs */
  size_t writable_count;
  struct link* shown; /* folders and files of the host (target) that are visible, read-only, at a path */
  size_t shown_count;
  const char* termination; /* "" when no message is read */
  const char** devices;
  size_t device_count;
  const char** joins;
  size_t join_count;
  const char* cgroup;   /* "" when it has none of version 2 */
  const char* oom_file; /* "" when nobody counts */
  long processes;       /* 0: no limit of its own */
  long long memory;     /* 0: no limit */
  struct volume_mount* mounts;
  size_t mount_count;
};

enum restart { RESTART_NEVER, RESTART_ON_FAILURE, RESTART_ALWAYS };

struct launch {
  const char* hostname;
  const char* hosts;
  const char* resolver; /* the text of /etc/resolv.conf; "": none of its own */
  const char* network;  /* the folder of the owner of what it shares with its job; "": nothing */
  int own_network;      /* it shares a network as well, and is not in the host's */
  long grace;
  long group; /* of the volumes; -1 when not given */
  enum restart restart;
  long long segment_bytes;
  int segments;
  const char** hidden;
  size_t hidden_count;
  const char** through;
  size_t through_count;
  struct link* links;
  size_t link_count;
  struct volume* volumes;
  size_t volume_count;
  struct pod_file* files;
  size_t file_count;
  struct container* containers;
  size_t container_count;
};

/* Returns null, or what is wrong with the bytes. `to` points into the bytes, which must stay in place. */
const char* parse_launch(char* bytes, size_t size, struct launch* to);
/* Parses the records of an exec request, which start from the container's own cwd, user and environment. */
const char* parse_command(struct cursor* cursor, const struct container* container, struct command* to);
const struct volume* find_volume(const struct launch* launch, const char* name);

/* ---- record.c: the records for the server ---- */

enum container_state { STATE_WAITING, STATE_STARTING, STATE_RUNNING, STATE_TERMINATED };
struct result {
  struct timespec started;
  struct timespec finished;
  int code;
  int signal;
  int oom;           /* it failed, and a process of it was killed for lack of memory */
  int killed;        /* the server asked for its end */
  char* message;     /* why the container could not be started; may be null */
  char* termination; /* what it wrote to its termination message file; may be null */
};
struct outcome {
  enum container_state state;
  int run;
  pid_t pid;         /* 0 unless it is running */
  long oom_kills;    /* in its control group when the run began */
  long long kill_at; /* NEVER unless its end was asked for */
  char* no_memory;   /* why, when the server asked for lack of memory; otherwise null */
  struct result result;
  int last_run; /* -1 when there is none */
  struct result last;
};

enum { MAX_NOTICES = 16 };
struct record {
  int ran;
  pid_t init_pid;
  const struct launch* launch;
  struct outcome* outcomes; /* one per container */
  char* notices[MAX_NOTICES];
  int notice_count;
};

/* Returns the record's text, to be freed, or null. */
char* format_record(const struct record* record, size_t* size);
/* Writes a temporary file and renames it. Returns 0, or -1 with errno: the old file is then unchanged. */
int replace_file(int dir, const char* name, const char* bytes, size_t size);
int write_identity(int dir);
/* Reserves disk space for the exit record early, so that a full disk cannot lose it. */
void reserve_exit_record(int dir);
/* Formats "2026-11-15T21:30:36.000123456Z": 30 characters and a NUL. */
void format_time(const struct timespec* time, char out[31]);
/* Formats "ENOENT (no such file or directory)". */
void describe_errno(int error, char* out, size_t size);

/* ---- log.c: the output of the containers ---- */

struct log_file {
  int dir; /* the launch's folder */
  const char* container;
  int run;
  int segment;
  long long segment_bytes;
  int segments; /* how many are kept */
  int fd;
  off_t size;
  unsigned long long dropped;
};
struct log_stream {
  int fd; /* read end of the pipe, or the terminal's master; -1 when closed */
  const char* tag;
  struct log_file* file;
  char* pending; /* the unfinished line: what comes after its last carriage return */
  size_t pending_size;
  int has_pieces; /* of the unfinished line, in the log */
  /* Of a line that is written over, as a progress bar is: whether its newest state is in the state file. */
  enum { NOT_OVERWRITTEN, STATE_UNSEEN, STATE_SEEN } state;
  int slot_used; /* the state file has one */
};
typedef void (*output_listener)(void* context, const char* bytes, size_t size);

/* Closes the previous run's log and opens the one of `run`. */
int open_log(struct log_file* file, int run);
/* Reads the available bytes, up to `budget`; closes the stream at its end. The listener, which may be null, receives
 * what was read. */
void pump(struct log_stream* stream, size_t budget, output_listener listener, void* context);
/* Shows an unfinished line before its newline: as a piece in the log, or as a state if it is written over. */
void flush_pending(struct log_stream* stream);
int needs_flush(const struct log_stream* stream);
/* The memory of the buffers goes back to the system between bursts of output: there are many shims. */
int has_used_buffers(void);
void release_buffers(void);
/* Tries again to note what a full disk has dropped. */
void note_dropped(struct log_file* file);

/* ---- init.c: PID 1 of the pod ---- */

enum message_type {
  MESSAGE_START, /* shim -> init: with a container's standard streams, unless it has a terminal */
  MESSAGE_EXEC,  /* shim -> init: the records of the request follow; with its standard streams likewise */
  MESSAGE_KILL,  /* shim -> init: one command, or one container */
  MESSAGE_TERM,  /* shim -> init: SIGTERM to one container */
  MESSAGE_STOP,  /* shim -> init: SIGTERM to all containers */
  MESSAGE_HERE,  /* a process just before its exec -> shim: with the master of its terminal */
  MESSAGE_STARTED,
  MESSAGE_FAILED, /* why it could not be started; EXITED follows */
  MESSAGE_EXITED,
  MESSAGE_NOTICE,
};
/* Sent on the seqpacket socket between shim and init, followed by a text. */
struct message {
  enum message_type type;
  uint32_t container;
  uint32_t exec; /* the number of a command; 0: the container itself */
  int wait_status;
  struct timespec when;
};

struct pod {
  const struct launch* launch;
  const char* folder;  /* the launch's folder, absolute */
  int report;          /* seqpacket socket to the shim */
  int memory;          /* what it shares at /dev/shm, until prepare_shared; -1: it has its own */
  int users;           /* the user namespace of its processes when the engine is root; or -1 */
  int folders;         /* the namespace that maps the ids in folders; or -1 */
  const char* no_root; /* why a root engine's pod has no user namespace; otherwise null */
  uid_t owner;         /* then: who its processes are unless they name a user */
  gid_t owner_group;
};
_Noreturn void run_init(struct pod* pod);

/* ---- cgroup.c: the control groups of containers ---- */

struct fault;
/* Forks a process that begins in the container's control group of version 2, if it has one. */
pid_t fork_within(const struct container* container, struct fault* fault);
/* Puts this process into the container's control groups of version 1. */
int join_groups(const struct container* container, struct fault* fault);
void limit_processes(const struct container* container);
/* How many processes of the container's control group were ever killed for lack of memory. */
long count_oom_kills(const struct container* container);

/* ---- process.c: a process of the pod until its exec ---- */

/* Which process of the pod reports. */
struct reporter {
  const struct pod* pod;
  uint32_t container;
  uint32_t exec;
};
void report(const struct reporter* reporter, enum message_type type, int wait_status, const char* text);
void report_fault(const struct reporter* reporter, const struct fault* fault);

/* Runs in the forked process. `streams` are its standard streams, or -1 with a terminal; `starting` is closed by the
 * exec, and receives the inode of the mount namespace before. `peer` is a pidfd of the container that a command joins,
 * or -1 for the container itself. */
_Noreturn void become_process(const struct reporter* reporter, const struct command* command, const int streams[3],
                              int starting, int peer);

/* ---- sandbox.c, root.c: what a container sees ---- */

struct fault {
  int error;
  char step[380]; /* such as `mount "/proc"` */
};
int fail(struct fault* fault, const char* format, ...) __attribute__((format(printf, 2, 3)));

/* Returns a string that is never freed: processes that build a root exec soon. */
const char* text_of(const char* format, ...) __attribute__((format(printf, 1, 2)));
int is_folder(int fd);
int make_tmpfs(const char* target, const char* options, struct fault* fault);

/* Mounts in the namespace of init what the containers share: /dev/shm and init's own /proc. */
int prepare_shared(const struct pod* pod, struct fault* fault);
/* Moves the process into the container's root. Everything that is made there belongs to the user. */
int enter_root(const struct reporter* reporter, const struct user* user, struct fault* fault);
/* Reads the end of the container's termination message. Returns a string to be freed, or null. */
char* read_termination(int dir, const struct launch* launch, const struct container* container);
/* In the launch's folder: where init mounts its own /proc, which shows the pod's processes. */
#define PROC_FOLDER "proc"
/* Creates a folder and its parents; existing ones are fine. */
int make_folders(const char* path, mode_t mode);
/* Creates a mount point at `path` inside the new root, whatever exists there: parents that are missing below a
 * read-only folder of the host are created by mirroring that folder in a tmpfs. */
int make_mount_point(const char* path, int is_folder, struct fault* fault);
/* Makes the mirrors read-only once everything is in place, and the root itself if asked. */
int seal_mirrors(int with_root, struct fault* fault);

/* ---- overlay.c ---- */

/* Covers a detached tree, which is closed, with an overlay: what is written there goes to the container's own folder
 * and vanishes with it. What root owns there, the pod's root owns. Returns a detached tree, or -1. */
int cover_by_overlay(const struct pod* pod, const struct container* container, int tree, struct fault* fault);

/* ---- volumes.c ---- */

/* Mounts the volumes in the mount namespace of init, which acts as the pod's user from then on. A file system without
 * idmapped mounts takes the pod's user namespace away. */
int prepare_volumes(struct pod* pod, struct fault* fault);
const char* volume_path(const struct pod* pod, const struct volume* volume);
/* Gives what root, or the pod's root, has put into one of the engine's volumes to the user who works with it now. */
void hand_over(const struct reporter* reporter, const struct volume* volume, int tree, const struct user* user);

/* ---- users.c: who the processes of a pod are ---- */

/* Makes the namespaces of a root engine's pod, before init exists. */
void make_users(struct pod* pod);
/* Lets the pod's processes run without a user namespace, and therefore never as root. */
void refuse_root(struct pod* pod, const char* why, uid_t owner, gid_t group);
/* Completes the user of a process, or says why the pod cannot have it. */
int find_user(const struct pod* pod, struct user* user, struct fault* fault);
/* Returns the user of all containers, or root when they differ. */
struct user shared_user(const struct launch* launch);
/* Returns an id of the pod as the host knows it. */
unsigned outside_id(const struct pod* pod, unsigned id);
/* What the process makes from now on belongs to the user; it keeps its capabilities. */
int act_as(const struct pod* pod, const struct user* user, struct fault* fault);
void give(const struct pod* pod, int fd, const struct user* user);
/* CAP_IPC_LOCK of <linux/capability.h>. */
#define MAY_LOCK_MEMORY (1ULL << 14)
/* Raises the limit of locked memory as far as the shim may, for a process with that capability; before become_user. */
void unlock_memory(unsigned long long capabilities);

/* For good: the process enters the pod's user namespace and has the capabilities of a container only, of these. */
int become_user(const struct pod* pod, const struct user* user, unsigned long long capabilities, struct fault* fault);

/* ---- seccomp.c ---- */

int filter_system_calls(struct fault* fault);

/* ---- the shim proper ---- */

enum { EXIT_SETUP = 70, MAX_CONNECTIONS = 16, MAX_EXECS = 64, MAX_ATTACHMENTS = 32, ID_MAX = 24 };

/* A command that runs in a container on behalf of a connection. */
struct exec {
  uint32_t number; /* 0: the slot is free */
  uint32_t container;
  int connection; /* -1 once it is closed */
  char id[ID_MAX];
  int master; /* of its terminal, until it is handed over; or -1 */
  int failed; /* was answered with the reason */
};

/* A copy of a container's output for a connection. */
struct attachment {
  int connection; /* -1: the slot is free */
  uint32_t container;
  char id[ID_MAX];
  int fds[2];       /* stdout, stderr; -1 when not given */
  char* pending[2]; /* what the reader had no room for */
  size_t pending_size[2];
  long long give_up_at;
  int container_has_ended;
};

/* The ends that the shim holds of a container's standard streams. */
struct container_io {
  struct log_file log;
  struct log_stream streams[2]; /* with a terminal only the first */
  int input;                    /* -1 when it has none */
  /* What it wrote before somebody attached, for the first who does; see attach.c. */
  char* early[2];
  size_t early_size[2];
  long long early_until; /* when too much output no longer waits; NEVER: nothing is kept (any more) */
};

struct shim {
  const char* folder;
  int spaces[3]; /* that it shares with its job (network.h); -1: none */
  int memory;    /* a tree of the memory that it shares with its job; -1: it has its own */
  int dir;
  int lock;
  int signals;
  int report; /* to init */
  int null;
  struct launch launch;
  struct record record;
  struct container_io* io; /* one per container */
  pid_t init;
  int changed;  /* the record, since it was written */
  int stopping; /* nothing is started any more */
  long long kill_at;
  long long flush_at; /* when to flush unfinished lines */
  long long retry_at; /* when to note again what was dropped from logs */
  int listener;
  int connections[MAX_CONNECTIONS]; /* -1: the slot is free */
  struct exec execs[MAX_EXECS];
  uint32_t last_exec;
  struct attachment attachments[MAX_ATTACHMENTS];
};

/* ---- shim.c ---- */

#define NEVER (-1LL)
/* Milliseconds of CLOCK_BOOTTIME, which includes suspend. */
long long milliseconds(void);
long long earlier(long long a, long long b);
long long within_a_century(long long seconds);
/* SIGTERM now, SIGKILL after the grace period unless an earlier one is shorter; 0 kills at once. */
void stop_within(struct shim* shim, long long grace);

/* ---- containers.c: which containers run ---- */

void prepare_io(struct shim* shim);
/* Starts the containers that may start now: one init container at a time, then all the others. */
void start_next(struct shim* shim);
/* Starts an ended container again. Returns null, or why it cannot be. */
const char* restart_container(struct shim* shim, uint32_t container, int run);
/* Ends this run of the container within the grace period; with `no_memory`: for lack of memory, which it explains. */
void end_container(struct shim* shim, uint32_t container, int run, long long grace, const char* no_memory);
/* Kills the containers whose grace period is over. Returns when the next one is, or NEVER. */
long long kill_overdue(struct shim* shim);
/* Whether nothing runs and nothing will, so that the shim exits. */
int is_finished(const struct shim* shim);
/* Takes what init and the processes before their exec have reported. */
void take_messages(struct shim* shim);
void pump_stream(struct shim* shim, uint32_t container, int stream, size_t budget);
/* Closes the records of containers whose end init could not report. */
void conclude(struct shim* shim);

/* ---- channel.c: the control socket ---- */

struct answer {
  char bytes[16 * 1024];
  size_t size;
};
void add_field(struct answer* answer, const char* text);
void add_number(struct answer* answer, long long number);
struct answer make_answer(const char* verb, const char* id);
/* Sends it, with a descriptor unless that is -1. Without effect when the connection is closed. */
void send_answer(struct shim* shim, int connection, const struct answer* answer, int fd);
void answer_failed(struct shim* shim, int connection, const char* id, const char* text);

/* Returns the listening socket, or -1. */
int listen_for_control(int dir);
/* Whether the peer is the engine's user and in no pod. */
int is_trusted(int fd);
void accept_connections(struct shim* shim);
void serve_connection(struct shim* shim, int connection);
void broadcast_state(struct shim* shim, const char* record, size_t size);

/* ---- exec.c, attach.c: what connections do in containers ---- */

/* The cursor is at the request's records. */
void begin_exec(struct shim* shim, int connection, const char* id, uint32_t container, const struct cursor* records,
                const struct packet* packet);
const char* kill_exec(struct shim* shim, int connection, const char* id);
void end_execs_of(struct shim* shim, int connection);
void take_exec_message(struct shim* shim, const struct message* message, const char* text, int fd);

void begin_attach(struct shim* shim, int connection, const char* id, uint32_t container, struct packet* packet);
void copy_output(struct shim* shim, uint32_t container, int stream, const char* bytes, size_t size);
/* From now on the container's output is kept for the first attachment, if it is one that people type into. */
void begin_early_output(struct shim* shim, uint32_t container);
void forget_early_output(struct container_io* io);
/* Forgets what is too much and nobody has attached to in time. Returns when the next one is due, or NEVER. */
long long give_up_early_output(struct shim* shim);
/* The events to poll for on one of an attachment's descriptors. */
short attachment_events(const struct attachment* attachment, int stream);
void serve_attachment(struct shim* shim, struct attachment* attachment, int stream, short events);
/* Returns when the next attachment is given up, after having given up those whose time has come. */
long long give_up_attachments(struct shim* shim);
/* Whether someone receives the container's output, and whether the container has to wait for that. */
int is_attached(const struct shim* shim, uint32_t container);
int is_held_up(const struct shim* shim, uint32_t container);
void end_attachments_to(struct shim* shim, uint32_t container);
void end_attachments_of(struct shim* shim, int connection);
/* Before the shim exits: waits for readers, but not for long. */
void drain_attachments(struct shim* shim);

/* ---- sys.c: system calls musl has no wrapper for ---- */

int clone_tree(int dir, const char* path, int recursive);
/* Neither do setuid bits and device nodes take effect there. */
int make_read_only(int dir, const char* path, int recursive);
/* Like that, but the tree stays writable. */
int restrict_tree(int tree);
/* Shows the ids of a detached tree by the maps of a user namespace. Mounts inside whose file systems cannot do that
 * keep their ids. */
int map_tree(int tree, int user_namespace);
int place_tree(int tree, const char* target);
int open_beneath(int dir, const char* path, int flags);
/* Fails where the path has a symbolic link. */
int open_without_links(const char* path, int flags);
int switch_root(const char* new_root);
void close_from(int first);
int open_pidfd(pid_t pid);
/* Writes text to an existing file, such as one of /proc. Returns 0, or -1 with errno. */
int write_text(const char* path, const char* text);
