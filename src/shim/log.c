#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim.h"

enum { READ_SIZE = 64 * 1024, PREFIX_MAX = 48 };

/* The whole process shares these buffers: streams are read one after the other. */
static _Alignas(4096) char g_in[READ_SIZE];
static _Alignas(4096) char g_out[64 * 1024]; /* room for several pieces of maximum size */
static size_t g_out_size;
static int g_used;

static void name_segment(const struct log_file* file, int segment, char out[300]) {
  snprintf(out, 300, "../logs/%s/%d.%d.log", file->container, file->run, segment);
}

static int open_segment(struct log_file* file, int segment) {
  char name[300];
  name_segment(file, segment, name);
  const int fd = openat(file->dir, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return -1;
  if (file->fd >= 0) close(file->fd);
  file->fd = fd;
  file->segment = segment;
  file->size = lseek(fd, 0, SEEK_END);
  return 0;
}

int open_log(struct log_file* file, int run) {
  char folder[300];
  snprintf(folder, sizeof folder, "../logs/%s", file->container);
  mkdirat(file->dir, "../logs", 0700);
  mkdirat(file->dir, folder, 0700);
  file->run = run;
  return open_segment(file, 0);
}

/* Continues in the same segment if the next one cannot be created. */
static void rotate(struct log_file* file) {
  if (open_segment(file, file->segment + 1) != 0 || file->segment < file->segments) return;
  char oldest[300];
  name_segment(file, file->segment - file->segments, oldest);
  unlinkat(file->dir, oldest, 0);
}

static int write_all(struct log_file* file, const char* bytes, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t n = write(file->fd, bytes + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      /* Remove a partial line: the next one would be appended to it. */
      if (done > 0) (void)!ftruncate(file->fd, file->size);
      return -1;
    }
    done += (size_t)n;
  }
  file->size += (off_t)size;
  return 0;
}

/* A full disk must not stop the training: lines are dropped, and the log reports how many bytes were lost as soon as
 * there is room for that message and the next lines. */
static void put(struct log_file* file, const char* bytes, size_t size) {
  if (file->size > 0 && file->size + (off_t)size > file->segment_bytes) rotate(file);
  const off_t before = file->size;
  if (file->dropped > 0) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    char time[31], marker[128];
    format_time(&now, time);
    const int n =
        snprintf(marker, sizeof marker, "%s stderr F --- %llu bytes dropped (disk full) ---\n", time, file->dropped);
    if (write_all(file, marker, (size_t)n) != 0) {
      file->dropped += size;
      return;
    }
  }
  if (size > 0 && write_all(file, bytes, size) != 0) {
    if (file->size != before && ftruncate(file->fd, before) == 0) file->size = before;
    file->dropped += size;
    return;
  }
  file->dropped = 0;
}

static void put_out(struct log_file* file) {
  put(file, g_out, g_out_size);
  g_out_size = 0;
}

static void append(struct log_stream* stream, const char* prefix, size_t prefix_size, char kind, const char* head,
                   size_t head_size, const char* tail, size_t tail_size) {
  const size_t size = prefix_size + 2 + head_size + tail_size + 1;
  if (g_out_size + size > sizeof g_out) put_out(stream->file);
  char* p = g_out + g_out_size;
  memcpy(p, prefix, prefix_size);
  p += prefix_size;
  *p++ = kind;
  *p++ = ' ';
  memcpy(p, head, head_size);
  memcpy(p + head_size, tail, tail_size);
  p[head_size + tail_size] = '\n';
  g_out_size += size;
}

static size_t make_prefix(const struct log_stream* stream, char out[PREFIX_MAX]) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  char time[31];
  format_time(&now, time);
  return (size_t)snprintf(out, PREFIX_MAX, "%s %s ", time, stream->tag);
}

/* ---- lines that are written over ---- */

/* Returns how much of the beginning of the line's next bytes is written over by a later carriage return, and forgets
 * what was pending before it. What carriage returns at the very end mean is known only when more follows: in front of
 * a newline they are a part of the line. */
static size_t overwritten(struct log_stream* stream, const char* bytes, size_t size) {
  while (size > 0 && bytes[size - 1] == '\r') --size;
  const char* last = size > 0 ? memrchr(bytes, '\r', size) : NULL;
  const int continues_state = stream->pending_size > 0 && stream->pending[stream->pending_size - 1] == '\r';
  if (last == NULL && (size == 0 || !continues_state)) return 0;
  stream->pending_size = 0;
  stream->state = STATE_UNSEEN;
  /* Pieces of this line are in the log already: only the carriage return tells a reader that they do not count. */
  if (stream->has_pieces && last == NULL) stream->pending[stream->pending_size++] = '\r';
  if (last == NULL) return 0;
  return (size_t)(last - bytes) + !stream->has_pieces;
}

static void write_slot(const struct log_stream* stream, const char slot[MUSTER_STATE_SLOT]) {
  char name[300];
  snprintf(name, sizeof name, "../logs/%s/%d.state", stream->file->container, stream->file->run);
  const int fd = openat(stream->file->dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return; /* it is only looked at, and there is a newer one soon */
  const off_t at = stream->tag[3] == 'o' ? 0 : MUSTER_STATE_SLOT;
  (void)!pwrite(fd, slot, MUSTER_STATE_SLOT, at);
  close(fd);
}

/* The state of a line that is still written over stands in a file of its own: in the log, each would be a line. */
static void show_state(struct log_stream* stream) {
  char slot[MUSTER_STATE_SLOT] = {0};
  const size_t prefix = make_prefix(stream, slot);
  slot[prefix] = 'P';
  slot[prefix + 1] = ' ';
  const char* text = stream->pending;
  size_t size = stream->pending_size;
  while (size > 0 && text[size - 1] == '\r') --size;
  while (size > 0 && *text == '\r') ++text, --size;
  const size_t room = sizeof slot - prefix - 3;
  if (size > room) {
    size = room;
    while (size > 0 && (text[size] & 0xC0) == 0x80) --size; /* not in the middle of a character */
  }
  memcpy(slot + prefix + 2, text, size);
  slot[prefix + 2 + size] = '\n';
  write_slot(stream, slot);
  stream->slot_used = 1;
  stream->state = STATE_SEEN;
}

static int is_overwritten(const struct log_stream* stream) {
  return stream->state != NOT_OVERWRITTEN ||
         (stream->pending_size > 0 && stream->pending[stream->pending_size - 1] == '\r');
}

static void line_ended(struct log_stream* stream) {
  stream->pending_size = 0;
  stream->has_pieces = 0;
  stream->state = NOT_OVERWRITTEN;
  if (!stream->slot_used) return;
  put_out(stream->file); /* a reader finds the line before its state vanishes */
  const char empty[MUSTER_STATE_SLOT] = {0};
  write_slot(stream, empty);
  stream->slot_used = 0;
}

/* Splits the bytes into lines; the unfinished line stays in `pending`. */
static void take(struct log_stream* stream, const char* bytes, size_t size) {
  char prefix[PREFIX_MAX];
  const size_t prefix_size = make_prefix(stream, prefix);
  while (size > 0) {
    const char* newline = memchr(bytes, '\n', size);
    const size_t gone = overwritten(stream, bytes, newline != NULL ? (size_t)(newline - bytes) : size);
    bytes += gone;
    size -= gone;
    const size_t room = MUSTER_LOG_PIECE - stream->pending_size;
    const int ends = newline != NULL && (size_t)(newline - bytes) < room;
    if (newline == NULL && size < room) {
      memcpy(stream->pending + stream->pending_size, bytes, size);
      stream->pending_size += size;
      if (is_overwritten(stream)) stream->state = STATE_UNSEEN;
      break;
    }
    const size_t text = ends ? (size_t)(newline - bytes) : room;
    append(stream, prefix, prefix_size, ends ? 'F' : 'P', stream->pending, stream->pending_size, bytes, text);
    stream->pending_size = 0;
    stream->has_pieces = 1;
    if (ends) line_ended(stream);
    const size_t used = text + ends;
    bytes += used;
    size -= used;
  }
  put_out(stream->file);
}

static void write_pending(struct log_stream* stream) {
  char prefix[PREFIX_MAX];
  append(stream, prefix, make_prefix(stream, prefix), 'P', stream->pending, stream->pending_size, "", 0);
  stream->pending_size = 0;
  stream->has_pieces = 1;
  put_out(stream->file);
}

void pump(struct log_stream* stream, size_t budget, output_listener listener, void* context) {
  if (stream->pending == NULL && (stream->pending = malloc(MUSTER_LOG_PIECE)) == NULL) return; /* retried later */
  size_t taken = 0;
  g_used = 1;
  while (stream->fd >= 0 && taken < budget) {
    const ssize_t n = read(stream->fd, g_in, sizeof g_in);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) { /* a terminal that no process has open any more ends with EIO */
      if (stream->pending_size > 0) write_pending(stream);
      line_ended(stream);
      close(stream->fd);
      stream->fd = -1;
      return;
    }
    if (listener != NULL) listener(context, g_in, (size_t)n);
    take(stream, g_in, (size_t)n);
    taken += (size_t)n;
  }
}

int needs_flush(const struct log_stream* stream) {
  return stream->pending_size > 0 && stream->state != STATE_SEEN;
}

void flush_pending(struct log_stream* stream) {
  if (!needs_flush(stream)) return;
  is_overwritten(stream) ? show_state(stream) : write_pending(stream);
}

int has_used_buffers(void) {
  return g_used;
}

void release_buffers(void) {
  madvise(g_in, sizeof g_in, MADV_DONTNEED);
  madvise(g_out, sizeof g_out, MADV_DONTNEED);
  g_used = 0;
}

void note_dropped(struct log_file* file) {
  if (file->fd >= 0 && file->dropped > 0) put(file, "", 0);
}
