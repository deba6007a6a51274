/* The shim's own declarations. It is one single-threaded program with three roles after fork: the shim proper
 * (outside the pod), the pod's init (PID 1 inside) and a container's process before its exec. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* ---- launch.c: what to run ---- */

struct pod_file {
  const char* path;
  mode_t mode;
  const char* bytes;
  size_t size;
};

enum volume_kind { VOLUME_BIND, VOLUME_TMPFS, VOLUME_FILES };
struct volume {
  const char* name;
  enum volume_kind kind;
  const char* source; /* a path, or the mount options of a tmpfs */
  size_t first_file;
  size_t files;
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

struct container {
  const char* name;
  int is_init;
  const char* cwd;
  char** argv; /* argv and envp end with a null pointer */
  char** envp;
  size_t args;
  size_t envs;
  struct volume_mount* mounts;
  size_t mount_count;
};

struct launch {
  const char* hostname;
  const char* hosts;
  long grace;
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
const struct volume* find_volume(const struct launch* launch, const char* name);

/* ---- record.c: the records for the server ---- */

enum container_state { STATE_WAITING, STATE_RUNNING, STATE_TERMINATED };
struct outcome {
  enum container_state state;
  int forked; /* it may have run, although no start was reported */
  struct timespec started;
  struct timespec finished;
  int code;
  int signal;
  char message[512]; /* why the container could not be started */
};

enum { MAX_NOTICES = 16 };
struct record {
  int ran;
  pid_t init_pid;
  const struct launch* launch;
  struct outcome* outcomes; /* one per container */
  char notices[MAX_NOTICES][256];
  int notice_count;
};

enum durability { RECORD_PLAIN, RECORD_SYNCED };
/* Writes a temporary file and renames it. Returns 0, or -1 with errno: the old file is then unchanged. */
int write_record(int dir, const char* name, const struct record* record, enum durability durability);
int write_identity(int dir);
/* Reserves disk space for the exit record early, so that a full disk cannot lose it. */
void reserve_exit_record(int dir);
/* Formats "2026-11-15T21:30:36.000123456Z": 30 characters and a NUL. */
void format_time(const struct timespec* time, char out[31]);
/* Formats "ENOENT (no such file or directory)". */
void describe_errno(int error, char* out, size_t size);

/* ---- log.c: the output of the containers ---- */

struct log_file {
  int fd;
  off_t size;
  unsigned long long dropped;
  int dirty;
};
struct log_stream {
  int fd; /* read end of the pipe; -1 when closed */
  const char* tag;
  struct log_file* file;
  char* pending; /* the unfinished line */
  size_t pending_size;
};

int open_log(int dir, const char* container, struct log_file* to);
/* Reads the available bytes, up to `budget`; closes the stream at its end. Returns 1 when there may be more. */
int pump(struct log_stream* stream, size_t budget);
/* Writes the unfinished line as a piece: a progress bar must appear before its newline. */
void flush_pending(struct log_stream* stream);
void sync_log(struct log_file* file);

/* ---- init.c: PID 1 of the pod ---- */

enum message_type { MESSAGE_STARTING, MESSAGE_STARTED, MESSAGE_FAILED, MESSAGE_EXITED, MESSAGE_NOTICE, MESSAGE_STOP };
/* Sent on the seqpacket socket between shim and init, and by a container's process before its exec. */
struct message {
  enum message_type type;
  uint32_t container;
  int wait_status;
  struct timespec when;
  char text[512];
};

struct pod {
  const struct launch* launch;
  const char* folder; /* the attempt's folder, absolute */
  int report;         /* seqpacket socket to the shim */
  int* stdout_pipes;  /* write ends, one per container */
  int* stderr_pipes;
};
_Noreturn void run_init(struct pod* pod);
void report_text(const struct pod* pod, enum message_type type, uint32_t container, const char* text);

/* ---- sandbox.c, root.c: what a container sees ---- */

struct fault {
  int error;
  char step[380]; /* such as `mount "/proc"` */
};
int fail(struct fault* fault, const char* format, ...) __attribute__((format(printf, 2, 3)));

/* Mounts the volumes in memory and the shared /dev/shm in the mount namespace of init. */
int prepare_volumes(const struct pod* pod, struct fault* fault);
/* Moves the process into the container's root. */
int enter_root(const struct pod* pod, const struct container* container, struct fault* fault);
void drop_capabilities(void);
/* Creates a folder and its parents; existing ones are fine. */
int make_folders(const char* path, mode_t mode);
/* Creates a mount point at `path` inside the new root, whatever exists there: parents that are missing below a
 * read-only folder of the host are created by mirroring that folder in a tmpfs. */
int make_mount_point(const char* path, int is_folder, struct fault* fault);
/* Makes the mirrors read-only once everything is in place. */
int seal_mirrors(struct fault* fault);

/* ---- sys.c: system calls musl has no wrapper for ---- */

int clone_tree(int dir, const char* path, int recursive);
int make_read_only(int dir, const char* path, int recursive);
int place_tree(int tree, const char* target);
int open_beneath(int dir, const char* path, int flags);
int switch_root(const char* new_root);
void close_from(int first);
