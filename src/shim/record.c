#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim.h"

void format_time(const struct timespec* time, char out[31]) {
  struct tm parts;
  gmtime_r(&time->tv_sec, &parts);
  const size_t n = strftime(out, 31, "%Y-%m-%dT%H:%M:%S", &parts);
  snprintf(out + n, 31 - n, ".%09ldZ", time->tv_nsec);
}

static const struct {
  int number;
  const char* name;
} kErrors[] = {{EPERM, "EPERM"},     {ENOENT, "ENOENT"},
               {EIO, "EIO"},         {E2BIG, "E2BIG"},
               {ENOEXEC, "ENOEXEC"}, {EAGAIN, "EAGAIN"},
               {ENOMEM, "ENOMEM"},   {EACCES, "EACCES"},
               {EBUSY, "EBUSY"},     {EEXIST, "EEXIST"},
               {EXDEV, "EXDEV"},     {ENODEV, "ENODEV"},
               {ENOTDIR, "ENOTDIR"}, {EISDIR, "EISDIR"},
               {EINVAL, "EINVAL"},   {ENFILE, "ENFILE"},
               {EMFILE, "EMFILE"},   {ETXTBSY, "ETXTBSY"},
               {ENOSPC, "ENOSPC"},   {EROFS, "EROFS"},
               {ELOOP, "ELOOP"},     {ENAMETOOLONG, "ENAMETOOLONG"},
               {ENOSYS, "ENOSYS"},   {EUSERS, "EUSERS"}};

void describe_errno(int error, char* out, size_t size) {
  char name[16];
  snprintf(name, sizeof name, "errno %d", error);
  const char* shown = name;
  for (size_t i = 0; i < sizeof kErrors / sizeof kErrors[0]; ++i) {
    if (kErrors[i].number == error) shown = kErrors[i].name;
  }
  const char* text = strerror(error);
  snprintf(out, size, "%s (%c%s)", shown, tolower((unsigned char)text[0]), text + (text[0] != 0));
}

/* Returns the length of the UTF-8 character at `p`, or 0 when it is not a whole, valid one. */
static size_t character_size(const unsigned char* p) {
  const size_t size = p[0] < 0x80                   ? 1
                      : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
                      : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
                      : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
                                                    : 0;
  for (size_t i = 1; i < size; ++i) {
    if ((p[i] & 0xc0) != 0x80) return 0;
  }
  const int overlong = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
  const int outside = (p[0] == 0xed && p[1] >= 0xa0) || (p[0] == 0xf4 && p[1] >= 0x90);
  return overlong || outside ? 0 : size;
}

static void put_string(FILE* out, const char* text) {
  fputc('"', out);
  for (const unsigned char* p = (const unsigned char*)text; *p != 0;) {
    const size_t size = character_size(p);
    if (size == 0) {
      fputs("\\ufffd", out); /* a text may be cut within a character, and a program may write anything */
    } else if (*p == '"' || *p == '\\') {
      fprintf(out, "\\%c", *p);
    } else if (*p < 0x20 || *p == 0x7f) {
      fprintf(out, "\\u%04x", *p);
    } else {
      fwrite(p, 1, size, out);
    }
    p += size == 0 ? 1 : size;
  }
  fputc('"', out);
}

static void put_text(FILE* out, const char* key, const char* text) {
  if (text == NULL || text[0] == 0) return;
  fprintf(out, ",\"%s\":", key);
  put_string(out, text);
}

static void put_time(FILE* out, const char* key, const struct timespec* time) {
  if (time->tv_sec == 0) return;
  char text[31];
  format_time(time, text);
  fprintf(out, ",\"%s\":\"%s\"", key, text);
}

static void put_result(FILE* out, const struct result* result, int ended) {
  put_time(out, "started", &result->started);
  put_time(out, "finished", &result->finished);
  if (ended) fprintf(out, ",\"code\":%d,\"signal\":%d", result->code, result->signal);
  if (result->oom) fputs(",\"oom\":true", out);
  if (ended && result->killed) fputs(",\"killed\":true", out);
  put_text(out, "message", result->message);
  put_text(out, "termination", result->termination);
}

static void put_container(FILE* out, const struct container* container, const struct outcome* outcome) {
  static const char* const kStates[] = {"waiting", "waiting", "running", "terminated"};
  fputs("{\"name\":", out);
  put_string(out, container->name);
  fprintf(out, ",\"init\":%s,\"state\":\"%s\",\"run\":%d,\"pid\":%d", container->is_init ? "true" : "false",
          kStates[outcome->state], outcome->run, (int)outcome->pid);
  put_result(out, &outcome->result, outcome->state == STATE_TERMINATED);
  if (outcome->last_run >= 0) {
    fprintf(out, ",\"last\":{\"run\":%d", outcome->last_run);
    put_result(out, &outcome->last, 1);
    fputc('}', out);
  }
  fputc('}', out);
}

static void put_record(FILE* out, const struct record* record) {
  fprintf(out, "{\"version\":%d,\"ran\":%s,\"init_pid\":%d,\"containers\":[", MUSTER_SHIM_VERSION,
          record->ran ? "true" : "false", (int)record->init_pid);
  for (size_t i = 0; record->launch != NULL && i < record->launch->container_count; ++i) {
    if (i > 0) fputc(',', out);
    put_container(out, &record->launch->containers[i], &record->outcomes[i]);
  }
  fputs("],\"notices\":[", out);
  for (int i = 0; i < record->notice_count; ++i) {
    if (i > 0) fputc(',', out);
    put_string(out, record->notices[i]);
  }
  fputs("]}", out);
}

char* format_record(const struct record* record, size_t* size) {
  char* bytes = NULL;
  FILE* out = open_memstream(&bytes, size);
  if (out == NULL) return NULL;
  put_record(out, record);
  if (fflush(out) == 0) fprintf(out, "\n%016llx\n", (unsigned long long)muster_checksum(bytes, *size));
  if (fclose(out) == 0) return bytes;
  free(bytes);
  return NULL;
}

/* Overwrites the file in place so that it keeps its blocks, then truncates it: see reserve_exit_record. */
static int write_whole(int dir, const char* name, const char* bytes, size_t size) {
  const int fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return -1;
  size_t done = 0;
  while (done < size) {
    const ssize_t n = pwrite(fd, bytes + done, size - done, (off_t)done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    done += (size_t)n;
  }
  const int result = done == size && ftruncate(fd, (off_t)size) == 0 ? 0 : -1;
  const int error = errno;
  close(fd);
  errno = error;
  return result;
}

int replace_file(int dir, const char* name, const char* bytes, size_t size) {
  char tmp[64];
  snprintf(tmp, sizeof tmp, "%s.tmp", name);
  if (write_whole(dir, tmp, bytes, size) != 0) return -1;
  return renameat(dir, tmp, dir, name);
}

void reserve_exit_record(int dir) {
  static const char kRoom[8192];
  (void)!write_whole(dir, "exit.json.tmp", kRoom, sizeof kRoom);
}

static unsigned long long own_start_time(void) {
  char text[1024];
  const int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  const ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (fd >= 0) close(fd);
  if (n <= 0) return 0;
  text[n] = 0;
  /* The second field is the program's name in parentheses, which may hold anything; the 22nd is the start time. */
  const char* p = strrchr(text, ')');
  for (int field = 2; p != NULL && field < 22; ++field) p = strchr(p + 1, ' ');
  return p == NULL ? 0 : strtoull(p + 1, NULL, 10);
}

int write_identity(int dir) {
  char boot_id[64] = "";
  const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  const ssize_t n = fd < 0 ? -1 : read(fd, boot_id, sizeof boot_id - 1);
  if (fd >= 0) close(fd);
  boot_id[n > 0 ? strcspn(boot_id, "\n") : 0] = 0;
  struct stat pidns = {0};
  if (stat("/proc/self/ns/pid", &pidns) != 0) return -1;
  char text[320];
  const int size =
      snprintf(text, sizeof text, "{\"version\":%d,\"pid\":%d,\"starttime\":%llu,\"boot_id\":\"%s\",\"pidns\":%llu}",
               MUSTER_SHIM_VERSION, (int)getpid(), own_start_time(), boot_id, (unsigned long long)pidns.st_ino);
  const unsigned long long checksum = muster_checksum(text, (size_t)size);
  const int end = snprintf(text + size, sizeof text - (size_t)size, "\n%016llx\n", checksum);
  return replace_file(dir, "shim.json", text, (size_t)(size + end));
}
