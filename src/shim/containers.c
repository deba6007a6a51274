/* Which containers run: the sequence of the first start, restarts, and what becomes of each run. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim.h"

enum { PIPE_SIZE = 1 << 20 };

void prepare_io(struct shim* shim) {
  const struct launch* launch = &shim->launch;
  shim->io = calloc(launch->container_count, sizeof *shim->io);
  shim->record.outcomes = calloc(launch->container_count, sizeof *shim->record.outcomes);
  if (shim->io == NULL || shim->record.outcomes == NULL) _exit(EXIT_SETUP);
  for (size_t i = 0; i < launch->container_count; ++i) {
    struct container_io* io = &shim->io[i];
    io->log = (struct log_file){.dir = shim->dir,
                                .container = launch->containers[i].name,
                                .segment_bytes = launch->segment_bytes,
                                .segments = launch->segments,
                                .fd = -1};
    io->streams[0] = (struct log_stream){.fd = -1, .tag = "stdout", .file = &io->log};
    io->streams[1] = (struct log_stream){.fd = -1, .tag = "stderr", .file = &io->log};
    io->input = -1;
    io->early_until = NEVER;
    shim->record.outcomes[i] = (struct outcome){.run = launch->containers[i].run, .kill_at = NEVER, .last_run = -1};
  }
}

/* ---- output ---- */

struct listening {
  struct shim* shim;
  uint32_t container;
  int stream;
};

static void on_output(void* context, const char* bytes, size_t size) {
  const struct listening* to = context;
  copy_output(to->shim, to->container, to->stream, bytes, size);
}

void pump_stream(struct shim* shim, uint32_t container, int stream, size_t budget) {
  struct listening listening = {shim, container, stream};
  pump(&shim->io[container].streams[stream], budget, on_output, &listening);
}

/* ---- starting ---- */

static int make_pipe(int* ours, int* theirs, int we_read) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  *ours = ends[!we_read];
  *theirs = ends[we_read];
  fcntl(*ours, F_SETFL, O_NONBLOCK);
  if (we_read) fcntl(*ours, F_SETPIPE_SZ, PIPE_SIZE); /* beyond the user's limit the default size stays */
  return 0;
}

/* A container with a terminal opens it by itself and sends its master. */
static int open_streams(struct shim* shim, uint32_t index, int theirs[3]) {
  const struct container* container = &shim->launch.containers[index];
  struct container_io* io = &shim->io[index];
  if (open_log(&io->log, shim->record.outcomes[index].run) != 0) return -1;
  if (container->command.tty) return 0;
  if (container->input == INPUT_NONE) {
    theirs[0] = fcntl(shim->null, F_DUPFD_CLOEXEC, 0);
  } else if (make_pipe(&io->input, &theirs[0], 0) != 0) {
    return -1;
  }
  return make_pipe(&io->streams[0].fd, &theirs[1], 1) == 0 && make_pipe(&io->streams[1].fd, &theirs[2], 1) == 0 ? 0
                                                                                                                : -1;
}

static void close_streams(struct container_io* io) {
  close_all(&io->input, 1);
  for (int i = 0; i < 2; ++i) {
    close_all(&io->streams[i].fd, 1);
    free(io->streams[i].pending);
    io->streams[i].pending = NULL;
    io->streams[i].pending_size = 0;
    io->streams[i].has_pieces = 0;
    io->streams[i].state = NOT_OVERWRITTEN;
  }
}

/* A run that ended by itself in the meantime did not end for lack of memory. */
static void note_lack_of_memory(struct outcome* outcome) {
  struct result* result = &outcome->result;
  if (outcome->no_memory != NULL && result->code != 0) {
    result->oom = 1;
    if (result->termination == NULL || result->termination[0] == 0) {
      free(result->termination);
      result->termination = outcome->no_memory;
      outcome->no_memory = NULL;
    }
  }
  free(outcome->no_memory);
  outcome->no_memory = NULL;
}

static void end_run(struct shim* shim, uint32_t index, const struct timespec* when, int wait_status) {
  struct outcome* outcome = &shim->record.outcomes[index];
  outcome->state = STATE_TERMINATED;
  outcome->pid = 0;
  outcome->kill_at = NEVER;
  outcome->result.finished = *when;
  outcome->result.signal = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
  outcome->result.code = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
  outcome->result.oom =
      outcome->result.code != 0 && count_oom_kills(&shim->launch.containers[index]) > outcome->oom_kills;
  outcome->result.termination = read_termination(shim->dir, &shim->launch, &shim->launch.containers[index]);
  note_lack_of_memory(outcome);
  forget_early_output(&shim->io[index]); /* nobody attaches to what has ended */
  /* The output of the container is written before its end is reported. */
  for (int i = 0; i < 2; ++i) pump_stream(shim, index, i, (size_t)-1);
  close_streams(&shim->io[index]);
  end_attachments_to(shim, index);
  shim->changed = 1;
}

static void fail_run(struct shim* shim, uint32_t index, const char* step) {
  char why[128], text[256];
  describe_errno(errno, why, sizeof why);
  snprintf(text, sizeof text, "%s: %s", step, why);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  shim->record.outcomes[index].result.message = strdup(text);
  end_run(shim, index, &now, 128 << 8);
}

static void start_run(struct shim* shim, uint32_t index) {
  struct outcome* outcome = &shim->record.outcomes[index];
  outcome->state = STATE_STARTING;
  outcome->oom_kills = count_oom_kills(&shim->launch.containers[index]);
  int theirs[3] = {-1, -1, -1};
  const struct message start = {.type = MESSAGE_START, .container = index};
  const size_t count = shim->launch.containers[index].command.tty ? 0 : 3;
  if (open_streams(shim, index, theirs) != 0) {
    fail_run(shim, index, "open the log and pipes");
  } else if (send_packet(shim->report, &start, sizeof start, "", 1, theirs, count, MSG_DONTWAIT) != 0) {
    fail_run(shim, index, "ask init");
  } else {
    begin_early_output(shim, index);
  }
  /* Only the container holds these ends now, so the shim sees the end of the stream. */
  close_all(theirs, 3);
}

static int is_running(const struct outcome* outcome) {
  return outcome->state == STATE_STARTING || outcome->state == STATE_RUNNING;
}

static int has_succeeded(const struct outcome* outcome) {
  return outcome->state == STATE_TERMINATED && outcome->result.code == 0;
}

void start_next(struct shim* shim) {
  if (shim->stopping) return;
  for (uint32_t i = 0; i < shim->launch.container_count; ++i) {
    const struct outcome* outcome = &shim->record.outcomes[i];
    if (outcome->state == STATE_WAITING) start_run(shim, i);
    if (shim->launch.containers[i].is_init && !has_succeeded(outcome)) return;
  }
}

const char* restart_container(struct shim* shim, uint32_t index, int run) {
  struct outcome* outcome = &shim->record.outcomes[index];
  if (shim->stopping) return "the pod is stopping";
  if (outcome->state == STATE_WAITING) return "it waits for the init containers";
  if (run == outcome->run) return NULL;
  if (run < outcome->run) return "a later run was started";
  if (is_running(outcome)) return "it is running";
  if (shim->launch.containers[index].is_init && has_succeeded(outcome)) return "an init container does not run again";
  free(outcome->last.message);
  free(outcome->last.termination);
  outcome->last = outcome->result;
  outcome->last_run = outcome->run;
  outcome->result = (struct result){0};
  outcome->run = run;
  shim->changed = 1;
  start_run(shim, index);
  return NULL;
}

static void send_to_init(const struct shim* shim, uint32_t container, enum message_type type) {
  const struct message message = {.type = type, .container = container};
  send_packet(shim->report, &message, sizeof message, "", 1, NULL, 0, MSG_DONTWAIT);
}

void end_container(struct shim* shim, uint32_t container, int run, long long grace, const char* no_memory) {
  struct outcome* outcome = &shim->record.outcomes[container];
  if (!is_running(outcome) || outcome->run != run) return;
  outcome->result.killed = 1;
  if (no_memory[0] != 0 && outcome->no_memory == NULL) outcome->no_memory = strdup(no_memory);
  outcome->kill_at = earlier(outcome->kill_at, milliseconds() + within_a_century(grace) * 1000);
  if (grace > 0) send_to_init(shim, container, MESSAGE_TERM);
}

long long kill_overdue(struct shim* shim) {
  long long next = NEVER;
  for (uint32_t i = 0; i < shim->launch.container_count; ++i) {
    struct outcome* outcome = &shim->record.outcomes[i];
    if (outcome->kill_at != NEVER && milliseconds() >= outcome->kill_at) {
      send_to_init(shim, i, MESSAGE_KILL);
      outcome->kill_at = milliseconds() + 1000; /* until init reports its end */
    }
    next = earlier(next, outcome->kill_at);
  }
  return next;
}

int is_finished(const struct shim* shim) {
  int waiting = 0, failed_init = 0, failed = 0;
  for (size_t i = 0; i < shim->launch.container_count; ++i) {
    const struct outcome* outcome = &shim->record.outcomes[i];
    if (is_running(outcome)) return 0;
    waiting |= outcome->state == STATE_WAITING;
    failed |= !has_succeeded(outcome) || outcome->result.killed;
    failed_init |=
        shim->launch.containers[i].is_init && outcome->state == STATE_TERMINATED && outcome->result.code != 0;
  }
  if (shim->stopping) return 1;
  if (waiting && !failed_init) return 0;
  return shim->launch.restart == RESTART_NEVER || (shim->launch.restart == RESTART_ON_FAILURE && !failed);
}

/* ---- what init reports ---- */

static void take_notice(struct record* record, const char* text) {
  for (int i = 0; i < record->notice_count; ++i) {
    if (strcmp(record->notices[i], text) == 0) return;
  }
  if (record->notice_count < MAX_NOTICES && (record->notices[record->notice_count] = strdup(text)) != NULL)
    ++record->notice_count;
}

static void take_container_message(struct shim* shim, const struct message* message, const char* text,
                                   struct packet* packet) {
  const uint32_t index = message->container;
  struct outcome* outcome = &shim->record.outcomes[index];
  if (message->type == MESSAGE_HERE) {
    outcome->pid = packet->sender;
    if (packet->fd_count == 1) {
      const int master = packet->fds[0];
      packet->fd_count = 0;
      fcntl(master, F_SETFL, O_NONBLOCK);
      shim->io[index].streams[0].fd = master;
      if (shim->launch.containers[index].input != INPUT_NONE) shim->io[index].input = fcntl(master, F_DUPFD_CLOEXEC, 0);
    }
  } else if (message->type == MESSAGE_STARTED) {
    outcome->state = STATE_RUNNING;
    outcome->result.started = message->when;
    shim->changed = 1;
  } else if (message->type == MESSAGE_FAILED) {
    free(outcome->result.message);
    outcome->result.message = strdup(text);
  } else if (message->type == MESSAGE_EXITED) {
    end_run(shim, index, &message->when, message->wait_status);
  }
}

static void take_message(struct shim* shim, struct packet* packet) {
  struct message message;
  if (packet->size <= sizeof message) return;
  memcpy(&message, packet->bytes, sizeof message);
  const char* text = packet->bytes + sizeof message;
  if (message.type == MESSAGE_NOTICE) {
    take_notice(&shim->record, text);
  } else if (message.container >= shim->launch.container_count) {
    return;
  } else if (message.exec != 0) {
    take_exec_message(shim, &message, text, packet->fd_count == 1 ? packet->fds[0] : -1);
  } else {
    take_container_message(shim, &message, text, packet);
  }
}

void take_messages(struct shim* shim) {
  struct packet packet;
  while (receive_packet(shim->report, &packet, MSG_DONTWAIT) > 0) {
    take_message(shim, &packet);
    close_all(packet.fds, packet.fd_count);
  }
}

void conclude(struct shim* shim) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  for (uint32_t i = 0; i < shim->launch.container_count; ++i) {
    struct outcome* outcome = &shim->record.outcomes[i];
    if (!is_running(outcome)) continue;
    /* Init was killed before it could reap this container or report its start: both died of the same SIGKILL. */
    if (outcome->state == STATE_STARTING) outcome->result.started = now;
    end_run(shim, i, &now, SIGKILL);
  }
}
