#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim.h"

/* From <linux/mount.h> and <linux/openat2.h>, which musl's include folder does not have. */
#define OPEN_TREE_CLONE 1
#define OPEN_TREE_CLOEXEC O_CLOEXEC
#define MOVE_MOUNT_F_EMPTY_PATH 0x00000004
#define MOUNT_ATTR_RDONLY 0x00000001
#define MOUNT_ATTR_NOSUID 0x00000002
#define MOUNT_ATTR_NODEV 0x00000004
#define MOUNT_ATTR_IDMAP 0x00100000
#define AT_RECURSIVE_TREE 0x8000
#define RESOLVE_BENEATH 0x08
#define RESOLVE_NO_MAGICLINKS 0x02
#define RESOLVE_NO_SYMLINKS 0x04

struct mount_attributes {
  uint64_t attr_set;
  uint64_t attr_clr;
  uint64_t propagation;
  uint64_t userns_fd;
};
struct open_how {
  uint64_t flags;
  uint64_t mode;
  uint64_t resolve;
};

int clone_tree(int dir, const char* path, int recursive) {
  return (int)syscall(SYS_open_tree, dir, path,
                      OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW | (*path == 0 ? AT_EMPTY_PATH : 0) |
                          (recursive ? AT_RECURSIVE_TREE : 0));
}

int make_read_only(int dir, const char* path, int recursive) {
  struct mount_attributes attributes = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV};
  return (int)syscall(SYS_mount_setattr, dir, path,
                      (*path == 0 ? AT_EMPTY_PATH : 0) | (recursive ? AT_RECURSIVE_TREE : 0), &attributes,
                      sizeof attributes);
}

int restrict_tree(int tree) {
  struct mount_attributes attributes = {.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV};
  return (int)syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE_TREE, &attributes, sizeof attributes);
}

int map_tree(int tree, int user_namespace) {
  struct mount_attributes attributes = {.attr_set = MOUNT_ATTR_IDMAP, .userns_fd = (uint64_t)user_namespace};
  if (syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE_TREE, &attributes, sizeof attributes) == 0)
    return 0;
  return (int)syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attributes, sizeof attributes);
}

int place_tree(int tree, const char* target) {
  return (int)syscall(SYS_move_mount, tree, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH);
}

int open_beneath(int dir, const char* path, int flags) {
  struct open_how how = {.flags = (uint64_t)(flags | O_CLOEXEC), .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
  return (int)syscall(SYS_openat2, dir, path, &how, sizeof how);
}

int open_without_links(const char* path, int flags) {
  struct open_how how = {.flags = (uint64_t)(flags | O_CLOEXEC), .resolve = RESOLVE_NO_SYMLINKS};
  return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

int switch_root(const char* new_root) {
  if (chdir(new_root) != 0 || syscall(SYS_pivot_root, ".", ".") != 0) return -1;
  /* The old root is now mounted on top of the new one; unmounting it reveals the new one. */
  if (umount2(".", MNT_DETACH) != 0) return -1;
  return chdir("/");
}

void close_from(int first) {
  syscall(SYS_close_range, first, ~0U, 0);
}

int open_pidfd(pid_t pid) {
  return (int)syscall(SYS_pidfd_open, pid, 0);
}

int write_text(const char* path, const char* text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  const ssize_t n = write(fd, text, strlen(text));
  const int error = errno;
  close(fd);
  errno = error;
  return n < 0 ? -1 : 0;
}
