#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format.h"
#include "shim.h"

#define EXIT_TMP "exit.json.tmp"

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

static void put_string(FILE* out, const char* text) {
  fputc('"', out);
  for (const unsigned char* p = (const unsigned char*)text; *p != 0; ++p) {
    if (*p == '"' || *p == '\\') {
      fprintf(out, "\\%c", *p);
    } else if (*p < 0x20 || *p >= 0x7f) {
      /* Bytes beyond ASCII are escaped one by one: a name cut within a character must not break the JSON. */
      fprintf(out, "\\u%04x", *p);
    } else {
      fputc(*p, out);
    }
  }
  fputc('"', out);
}

static void put_time(FILE* out, const char* key, const struct timespec* time) {
  if (time->tv_sec == 0) return;
  char text[31];
  format_time(time, text);
  fprintf(out, ",\"%s\":\"%s\"", key, text);
}

static void put_container(FILE* out, const struct container* container, const struct outcome* outcome) {
  static const char* const kStates[] = {"waiting", "running", "terminated"};
  fputs("{\"name\":", out);
  put_string(out, container->name);
  fprintf(out, ",\"init\":%s,\"state\":\"%s\"", container->is_init ? "true" : "false", kStates[outcome->state]);
  put_time(out, "started", &outcome->started);
  put_time(out, "finished", &outcome->finished);
  if (outcome->state == STATE_TERMINATED) fprintf(out, ",\"code\":%d,\"signal\":%d", outcome->code, outcome->signal);
  if (outcome->message[0] != 0) {
    fputs(",\"message\":", out);
    put_string(out, outcome->message);
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
  fputs("]}\n", out);
}

/* Overwrites the file in place so that it keeps its blocks, then truncates it: see reserve_exit_record. */
static int write_whole(int dir, const char* name, const char* bytes, size_t size, enum durability durability) {
  const int fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return -1;
  size_t done = 0;
  while (done < size) {
    const ssize_t n = pwrite(fd, bytes + done, size - done, (off_t)done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    done += (size_t)n;
  }
  int result = done == size && ftruncate(fd, (off_t)size) == 0 ? 0 : -1;
  if (result == 0 && durability == RECORD_SYNCED) result = fsync(fd);
  const int error = errno;
  close(fd);
  errno = error;
  return result;
}

static int replace_file(int dir, const char* name, const char* bytes, size_t size, enum durability durability) {
  char tmp[64];
  snprintf(tmp, sizeof tmp, "%s.tmp", name);
  if (write_whole(dir, tmp, bytes, size, durability) != 0) return -1;
  if (renameat(dir, tmp, dir, name) != 0) return -1;
  return durability == RECORD_SYNCED ? fsync(dir) : 0;
}

int write_record(int dir, const char* name, const struct record* record, enum durability durability) {
  char* bytes = NULL;
  size_t size = 0;
  FILE* out = open_memstream(&bytes, &size);
  if (out == NULL) return -1;
  put_record(out, record);
  const int closed = fclose(out);
  const int result = closed == 0 ? replace_file(dir, name, bytes, size, durability) : -1;
  free(bytes);
  return result;
}

void reserve_exit_record(int dir) {
  static const char kRoom[8192];
  (void)!write_whole(dir, EXIT_TMP, kRoom, sizeof kRoom, RECORD_PLAIN);
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

/* The folders of the attempt and the pod are new: their directory entries must survive a power failure too. */
static void sync_parents(int dir) {
  static const char* const kParents[] = {"..", "../.."};
  for (size_t i = 0; i < sizeof kParents / sizeof kParents[0]; ++i) {
    const int parent = openat(dir, kParents[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (parent < 0) continue;
    fsync(parent);
    close(parent);
  }
}

int write_identity(int dir) {
  char boot_id[64] = "";
  const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  const ssize_t n = fd < 0 ? -1 : read(fd, boot_id, sizeof boot_id - 1);
  if (fd >= 0) close(fd);
  boot_id[n > 0 ? strcspn(boot_id, "\n") : 0] = 0;
  struct stat pidns = {0};
  if (stat("/proc/self/ns/pid", &pidns) != 0) return -1;
  char text[256];
  const int size =
      snprintf(text, sizeof text, "{\"version\":%d,\"pid\":%d,\"starttime\":%llu,\"boot_id\":\"%s\",\"pidns\":%llu}\n",
               MUSTER_SHIM_VERSION, (int)getpid(), own_start_time(), boot_id, (unsigned long long)pidns.st_ino);
  if (replace_file(dir, "shim.json", text, (size_t)size, RECORD_SYNCED) != 0) return -1;
  sync_parents(dir);
  return 0;
}
