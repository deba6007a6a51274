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

/* Splits the bytes into lines; the unfinished line stays in `pending`. */
static void take(struct log_stream* stream, const char* bytes, size_t size) {
  char prefix[PREFIX_MAX];
  const size_t prefix_size = make_prefix(stream, prefix);
  while (size > 0) {
    const size_t room = MUSTER_LOG_PIECE - stream->pending_size;
    const size_t look = size < room ? size : room;
    const char* newline = memchr(bytes, '\n', look);
    if (newline == NULL && size < room) {
      memcpy(stream->pending + stream->pending_size, bytes, size);
      stream->pending_size += size;
      break;
    }
    const size_t text = newline != NULL ? (size_t)(newline - bytes) : look;
    append(stream, prefix, prefix_size, newline != NULL ? 'F' : 'P', stream->pending, stream->pending_size, bytes,
           text);
    stream->pending_size = 0;
    const size_t used = text + (newline != NULL);
    bytes += used;
    size -= used;
  }
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
      flush_pending(stream);
      close(stream->fd);
      stream->fd = -1;
      return;
    }
    if (listener != NULL) listener(context, g_in, (size_t)n);
    take(stream, g_in, (size_t)n);
    taken += (size_t)n;
  }
}

void flush_pending(struct log_stream* stream) {
  if (stream->pending_size == 0) return;
  char prefix[PREFIX_MAX];
  append(stream, prefix, make_prefix(stream, prefix), 'P', stream->pending, stream->pending_size, "", 0);
  stream->pending_size = 0;
  put_out(stream->file);
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
