/* Copies of a container's output for connections. While a reader has no room, the container's output waits in its pipe;
 * a reader that stays behind for a second is given up, so that no reader holds up a container for longer.
 *
 * Whoever starts a program in order to type into it attaches a moment after it has started. What such a container has
 * written by then is kept for the first attachment. One that writes more than fits waits for it in its first seconds,
 * and later nothing is kept. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shim.h"

enum { PATIENCE_MS = 1000, EARLY_MS = 10000, EARLY_SIZE = 1 << 20 };
#define FOR_EACH(a, shim) \
  for (struct attachment* a = (shim)->attachments; a < (shim)->attachments + MAX_ATTACHMENTS; ++a)

static int has_pending(const struct attachment* a) {
  return a->pending_size[0] > 0 || a->pending_size[1] > 0;
}

static void free_attachment(struct attachment* a) {
  a->connection = -1;
  close_all(a->fds, 2);
  for (int i = 0; i < 2; ++i) {
    free(a->pending[i]);
    a->pending[i] = NULL;
    a->pending_size[i] = 0;
  }
}

/* `text` is empty when the container has ended and all of its output was delivered. */
static void end_attachment(struct shim* shim, struct attachment* a, const char* text) {
  struct answer answer = make_answer("ended", a->id);
  add_number(&answer, 0);
  add_number(&answer, 0);
  add_field(&answer, text);
  const int connection = a->connection;
  free_attachment(a);
  send_answer(shim, connection, &answer, -1);
}

void forget_early_output(struct container_io* io) {
  for (int i = 0; i < 2; ++i) {
    free(io->early[i]);
    io->early[i] = NULL;
    io->early_size[i] = 0;
  }
  io->early_until = NEVER;
}

void begin_early_output(struct shim* shim, uint32_t container) {
  const struct container* of = &shim->launch.containers[container];
  if (of->input == INPUT_ONCE || of->command.tty) shim->io[container].early_until = milliseconds() + EARLY_MS;
}

static int is_early_output_full(const struct container_io* io) {
  return io->early_until != NEVER && io->early_size[0] + io->early_size[1] >= EARLY_SIZE;
}

long long give_up_early_output(struct shim* shim) {
  long long next = NEVER;
  for (uint32_t i = 0; i < shim->launch.container_count; ++i) {
    struct container_io* io = &shim->io[i];
    if (!is_early_output_full(io)) continue;
    if (milliseconds() >= io->early_until) forget_early_output(io);
    next = earlier(next, io->early_until);
  }
  return next;
}

static int append(char** to, size_t* to_size, const char* bytes, size_t size) {
  char* bigger = realloc(*to, *to_size + size);
  if (bigger == NULL) return -1;
  memcpy(bigger + *to_size, bytes, size);
  *to = bigger;
  *to_size += size;
  return 0;
}

static void take_early_output(struct container_io* io, struct attachment* a) {
  for (int i = 0; i < 2; ++i) {
    if (a->fds[i] < 0 || io->early_size[i] == 0) continue;
    a->pending[i] = io->early[i];
    a->pending_size[i] = io->early_size[i];
    a->give_up_at = milliseconds() + EARLY_MS; /* it is more than a pipe holds */
    io->early[i] = NULL;
  }
  forget_early_output(io);
}

void begin_attach(struct shim* shim, int connection, const char* id, uint32_t container, struct packet* packet) {
  if (shim->record.outcomes[container].state != STATE_RUNNING) {
    answer_failed(shim, connection, id, "the container is not running");
    return;
  }
  struct attachment* a = shim->attachments;
  while (a < shim->attachments + MAX_ATTACHMENTS && a->connection >= 0) ++a;
  if (a == shim->attachments + MAX_ATTACHMENTS) {
    answer_failed(shim, connection, id, "too many attachments to the pod");
    return;
  }
  *a = (struct attachment){.connection = connection, .container = container, .fds = {-1, -1}, .give_up_at = NEVER};
  snprintf(a->id, sizeof a->id, "%s", id);
  for (size_t i = 0; i < packet->fd_count && i < 2; ++i) {
    a->fds[i] = packet->fds[i];
    packet->fds[i] = -1;
    fcntl(a->fds[i], F_SETFL, fcntl(a->fds[i], F_GETFL) | O_NONBLOCK);
  }
  const struct container* of = &shim->launch.containers[container];
  int* input = &shim->io[container].input;
  const struct answer answer = make_answer("ok", id);
  send_answer(shim, connection, &answer, *input);
  take_early_output(&shim->io[container], a);
  if (of->input == INPUT_ONCE && !of->command.tty) close_all(input, 1); /* the receiver's end is now the last one */
}

/* Returns how much was written, or -1 when the reader is gone. */
static ssize_t write_some(int fd, const char* bytes, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t n = write(fd, bytes + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN ? (ssize_t)done : -1;
    done += (size_t)n;
  }
  return (ssize_t)done;
}

static void keep(struct shim* shim, struct attachment* a, int stream, const char* bytes, size_t size) {
  if (append(&a->pending[stream], &a->pending_size[stream], bytes, size) != 0) {
    end_attachment(shim, a, "out of memory");
    return;
  }
  if (a->give_up_at == NEVER) a->give_up_at = milliseconds() + PATIENCE_MS;
}

void copy_output(struct shim* shim, uint32_t container, int stream, const char* bytes, size_t size) {
  struct container_io* io = &shim->io[container];
  if (io->early_until != NEVER && append(&io->early[stream], &io->early_size[stream], bytes, size) != 0)
    forget_early_output(io);
  FOR_EACH(a, shim) {
    if (a->connection < 0 || a->container != container || a->fds[stream] < 0) continue;
    const ssize_t n = a->pending_size[stream] > 0 ? 0 : write_some(a->fds[stream], bytes, size);
    if (n < 0) {
      end_attachment(shim, a, "the reader is gone");
    } else if ((size_t)n < size) {
      keep(shim, a, stream, bytes + n, size - (size_t)n);
    }
  }
}

short attachment_events(const struct attachment* a, int stream) {
  return a->pending_size[stream] > 0 ? POLLOUT : 0;
}

void serve_attachment(struct shim* shim, struct attachment* a, int stream, short events) {
  if (a->connection < 0 || events == 0) return;
  const ssize_t n = (events & (POLLERR | POLLHUP)) != 0
                        ? -1
                        : write_some(a->fds[stream], a->pending[stream], a->pending_size[stream]);
  if (n < 0) {
    end_attachment(shim, a, "the reader is gone");
    return;
  }
  a->pending_size[stream] -= (size_t)n;
  memmove(a->pending[stream], a->pending[stream] + n, a->pending_size[stream]);
  if (has_pending(a)) return;
  a->give_up_at = NEVER;
  if (a->container_has_ended) end_attachment(shim, a, "");
}

long long give_up_attachments(struct shim* shim) {
  long long next = NEVER;
  const long long now = milliseconds();
  FOR_EACH(a, shim) {
    if (a->connection < 0 || a->give_up_at == NEVER) continue;
    if (now >= a->give_up_at) {
      end_attachment(shim, a, "the reader is too slow");
    } else {
      next = earlier(next, a->give_up_at);
    }
  }
  return next;
}

int is_attached(const struct shim* shim, uint32_t container) {
  for (size_t i = 0; i < MAX_ATTACHMENTS; ++i) {
    const struct attachment* a = &shim->attachments[i];
    if (a->connection >= 0 && a->container == container) return 1;
  }
  return 0;
}

int is_held_up(const struct shim* shim, uint32_t container) {
  if (is_early_output_full(&shim->io[container])) return 1;
  for (size_t i = 0; i < MAX_ATTACHMENTS; ++i) {
    const struct attachment* a = &shim->attachments[i];
    if (a->connection >= 0 && a->container == container && has_pending(a)) return 1;
  }
  return 0;
}

void end_attachments_to(struct shim* shim, uint32_t container) {
  FOR_EACH(a, shim) {
    if (a->connection < 0 || a->container != container) continue;
    a->container_has_ended = 1;
    if (!has_pending(a)) end_attachment(shim, a, "");
  }
}

void end_attachments_of(struct shim* shim, int connection) {
  FOR_EACH(a, shim) {
    if (a->connection == connection) free_attachment(a);
  }
}

void drain_attachments(struct shim* shim) {
  for (long long at; (at = give_up_attachments(shim)) != NEVER;) {
    struct pollfd polled[2 * MAX_ATTACHMENTS];
    for (int i = 0; i < 2 * MAX_ATTACHMENTS; ++i) {
      const struct attachment* a = &shim->attachments[i / 2];
      polled[i] = (struct pollfd){.fd = a->connection < 0 ? -1 : a->fds[i % 2], .events = attachment_events(a, i % 2)};
    }
    const long long left = at - milliseconds();
    poll(polled, 2 * MAX_ATTACHMENTS, left < 0 ? 0 : (int)left);
    for (int i = 0; i < 2 * MAX_ATTACHMENTS; ++i)
      serve_attachment(shim, &shim->attachments[i / 2], i % 2, polled[i].revents);
  }
}
