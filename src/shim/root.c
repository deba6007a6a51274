/* Mount points inside the new root. The host's folders are read-only there, so a mount point that the host does not
 * have is created on a tmpfs that covers the nearest existing folder and mirrors its entries: the pod sees that
 * folder plus the new entry, and the host is not modified. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim.h"

#define STAGE "/.muster-mirror"

static char** g_mirrors;
static size_t g_mirror_count;

static int mirror_entry(const char* folder, const char* name, struct fault* fault) {
  char from[4096], to[4096];
  if ((size_t)snprintf(from, sizeof from, "%s/%s", folder, name) >= sizeof from) return 0;
  snprintf(to, sizeof to, STAGE "/%s", name);
  struct stat what;
  if (lstat(from, &what) != 0) return 0; /* removed since it was listed, or not accessible */
  if (S_ISLNK(what.st_mode)) {
    char target[4096];
    const ssize_t n = readlink(from, target, sizeof target - 1);
    if (n < 0) return 0;
    target[n] = 0;
    return symlink(target, to) == 0 ? 0 : fail(fault, "symlink \"%s\"", to);
  }
  if (S_ISDIR(what.st_mode) ? mkdir(to, 0755) != 0 : mknod(to, S_IFREG | 0644, 0) != 0)
    return fail(fault, "make \"%s\"", to);
  return mount(from, to, NULL, MS_BIND | MS_REC, NULL) == 0 ? 0 : fail(fault, "bind \"%s\"", from);
}

static int mirror(const char* folder, struct fault* fault) {
  struct stat what;
  if (stat(folder, &what) != 0) return fail(fault, "stat \"%s\"", folder);
  char options[32];
  snprintf(options, sizeof options, "mode=%o", (unsigned)(what.st_mode & 07777));
  if (mkdir(STAGE, 0755) != 0 && errno != EEXIST) return fail(fault, "mkdir \"%s\"", STAGE);
  if (mount(MUSTER_MEMORY_FOLDER, STAGE, "tmpfs", MS_NOSUID | MS_NODEV, options) != 0)
    return fail(fault, "mount tmpfs for \"%s\"", folder);
  DIR* dir = opendir(folder);
  if (dir == NULL) return fail(fault, "open \"%s\"", folder);
  const struct dirent* entry;
  int result = 0;
  while (result == 0 && (entry = readdir(dir)) != NULL) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    result = mirror_entry(folder, entry->d_name, fault);
  }
  closedir(dir);
  if (result != 0) return result;
  if (mount(STAGE, folder, NULL, MS_MOVE, NULL) != 0) return fail(fault, "move the mirror to \"%s\"", folder);
  g_mirrors = realloc(g_mirrors, (g_mirror_count + 1) * sizeof *g_mirrors);
  if (g_mirrors == NULL || (g_mirrors[g_mirror_count++] = strdup(folder)) == NULL) return fail(fault, "out of memory");
  return 0;
}

static int make_entry(const char* path, int is_folder) {
  if (is_folder) return mkdir(path, 0755);
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd >= 0) close(fd);
  return fd < 0 ? -1 : 0;
}

/* Creates one component of the path; `parent` exists. */
static int make_step(const char* parent, const char* path, int is_folder, struct fault* fault) {
  struct stat what;
  if (stat(path, &what) == 0) {
    if (S_ISDIR(what.st_mode) == !!is_folder) return 0;
    errno = is_folder ? ENOTDIR : EISDIR;
    return fail(fault, "mount point \"%s\"", path);
  }
  if (errno != ENOENT) return fail(fault, "stat \"%s\"", path);
  if (make_entry(path, is_folder) == 0) return 0;
  if (errno != EROFS) return fail(fault, "mount point \"%s\"", path);
  if (mirror(parent, fault) != 0) return -1;
  return make_entry(path, is_folder) == 0 ? 0 : fail(fault, "mount point \"%s\"", path);
}

int make_mount_point(const char* path, int is_folder, struct fault* fault) {
  char step[4096], parent[4096] = "/";
  if (path[0] != '/' || strlen(path) >= sizeof step) {
    errno = EINVAL;
    return fail(fault, "mount point \"%s\"", path);
  }
  for (const char* end = path; *end != 0;) {
    end += strspn(end, "/");
    if (*end == 0) break;
    end += strcspn(end, "/");
    memcpy(step, path, (size_t)(end - path));
    step[end - path] = 0;
    const int last = end[strspn(end, "/")] == 0;
    if (make_step(parent, step, last ? is_folder : 1, fault) != 0) return -1;
    strcpy(parent, step);
  }
  return 0;
}

int make_folders(const char* path, mode_t mode) {
  char step[4096];
  if (strlen(path) >= sizeof step) {
    errno = ENAMETOOLONG;
    return -1;
  }
  for (const char* end = path; *end != 0;) {
    end += strspn(end, "/");
    end += strcspn(end, "/");
    memcpy(step, path, (size_t)(end - path));
    step[end - path] = 0;
    if (mkdir(step, mode) != 0 && errno != EEXIST) return -1;
  }
  return 0;
}

int seal_mirrors(int with_root, struct fault* fault) {
  rmdir(STAGE);
  for (size_t i = 0; i < g_mirror_count; ++i) {
    if (make_read_only(AT_FDCWD, g_mirrors[i], 0) != 0) return fail(fault, "make \"%s\" read-only", g_mirrors[i]);
  }
  return !with_root || make_read_only(AT_FDCWD, "/", 0) == 0 ? 0 : fail(fault, "make \"/\" read-only");
}
