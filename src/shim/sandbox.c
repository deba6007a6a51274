/* The root of a container: the host's system folders, read-only, with the pod's own folders, devices and volumes
 * mounted in it. First everything needed from the host is cloned as detached mount trees; then the new root replaces
 * the old one; then the trees are attached at plain paths, which can no longer lead back to the host. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim.h"

struct placement {
  int tree;
  int is_folder;
  const char* target;
};
enum { MAX_PLACEMENTS = 512 };
struct plan {
  struct placement host[MAX_PLACEMENTS]; /* top-level entries and /dev nodes */
  size_t host_count;
  struct placement own[MAX_PLACEMENTS]; /* in mount order: a later one may lie inside an earlier one */
  size_t own_count;
  size_t shown_count;        /* of those: the first ones, which may show what has to be hidden */
  struct link top_links[64]; /* such as /bin -> usr/bin */
  size_t top_link_count;
};

int fail(struct fault* fault, const char* format, ...) {
  fault->error = errno;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(fault->step, sizeof fault->step, format, arguments);
  va_end(arguments);
  return -1;
}

const char* text_of(const char* format, ...) {
  char* text = NULL;
  va_list arguments;
  va_start(arguments, format);
  if (vasprintf(&text, format, arguments) < 0) _exit(70);
  va_end(arguments);
  return text;
}

int is_folder(int fd) {
  struct stat what;
  return fstatat(fd, "", &what, AT_EMPTY_PATH) == 0 && S_ISDIR(what.st_mode);
}

static int add(struct placement* list, size_t* count, int tree, const char* target, struct fault* fault) {
  if (*count == MAX_PLACEMENTS) {
    errno = E2BIG;
    return fail(fault, "more than %d mounts", MAX_PLACEMENTS);
  }
  list[(*count)++] = (struct placement){tree, is_folder(tree), target};
  return 0;
}

/* ---- taking from the host ---- */

/* What programs need to run. Everything else of the host is invisible: homes, /var, /srv, /mnt and the like hold
 * people's data and the host's services. /sys is the kernel's own, as /proc is: NCCL and hwloc read the topology there.
 */
static int is_system_folder(const char* name) {
  static const char* const kNames[] = {"usr", "bin", "sbin", "etc", "opt", "sys"};
  for (size_t i = 0; i < sizeof kNames / sizeof kNames[0]; ++i) {
    if (strcmp(name, kNames[i]) == 0) return 1;
  }
  return strncmp(name, "lib", 3) == 0;
}

/* Of a root file system, everything but what the pod has of its own or of the kernel. */
static int is_image_folder(const char* name) {
  static const char* const kOthers[] = {".", "..", "dev", "proc", "root", "run", "sys", "tmp"};
  for (size_t i = 0; i < sizeof kOthers / sizeof kOthers[0]; ++i) {
    if (strcmp(name, kOthers[i]) == 0) return 0;
  }
  return 1;
}

static int is_writable(const struct container* container, const char* path) {
  for (size_t i = 0; i < container->writable_count; ++i) {
    if (strcmp(container->writable[i], path) == 0) return 1;
  }
  return 0;
}

/* Returns a detached tree of a folder of the host: read-only, or covered by an overlay if it is to be writable. */
static int take_tree(const struct reporter* from, const char* path, const char* target, int stays_writable) {
  const struct container* container = &from->pod->launch->containers[from->container];
  if (!stays_writable && is_writable(container, target)) {
    struct fault fault;
    const int covered = cover_by_overlay(from->pod, container, clone_tree(AT_FDCWD, path, 1), &fault);
    if (covered >= 0) return covered;
    char why[128];
    describe_errno(fault.error, why, sizeof why);
    report(from, MESSAGE_NOTICE, 0,
           text_of("%s is read-only, although its environment is writable: %s: %s", target, fault.step, why));
  }
  const int tree = clone_tree(AT_FDCWD, path, 1);
  if (tree < 0 || (stays_writable ? restrict_tree(tree) : make_read_only(tree, "", 1)) != 0) return -1;
  return tree;
}

/* Returns where the container's rootfs is mounted, "" when it has none, or null. */
static const char* mount_rootfs(const struct reporter* from, const struct container* container, struct fault* fault) {
  if (container->rootfs[0] == 0) return "";
  int tree = clone_tree(AT_FDCWD, container->rootfs, 1);
  if (tree < 0) return fail(fault, "open rootfs \"%s\"", container->rootfs), NULL;
  if (is_writable(container, "/")) {
    tree = cover_by_overlay(from->pod, container, tree, fault);
    if (tree < 0) return NULL;
  } else if (from->pod->users >= 0) {
    (void)!map_tree(tree, from->pod->users); /* without it, root's files belong to nobody in the pod */
  }
  const char* base = text_of("%s/scratch/%s/rootfs", from->pod->folder, container->name);
  if (make_folders(base, 0755) != 0 || place_tree(tree, base) != 0)
    return fail(fault, "mount rootfs \"%s\"", container->rootfs), NULL;
  close(tree);
  return base;
}

/* `base` is "" for the host's root, or where the container's rootfs is. */
static int take_top_entry(const struct reporter* from, const char* base, const char* name, struct plan* plan,
                          struct fault* fault) {
  const struct container* container = &from->pod->launch->containers[from->container];
  const char* target_path = text_of("/%s", name);
  const char* path = text_of("%s/%s", base, name);
  struct stat what;
  if (lstat(path, &what) != 0) return 0;
  if (S_ISLNK(what.st_mode)) {
    char target[4096];
    const ssize_t n = readlink(path, target, sizeof target - 1);
    if (n < 0 || plan->top_link_count == sizeof plan->top_links / sizeof plan->top_links[0]) return 0;
    target[n] = 0;
    plan->top_links[plan->top_link_count++] = (struct link){target_path, text_of("%s", target)};
    return 0;
  }
  if (!S_ISDIR(what.st_mode)) return 0;
  const int tree = take_tree(from, path, target_path, base[0] != 0 && is_writable(container, "/"));
  if (tree < 0) {
    char why[128];
    describe_errno(errno, why, sizeof why);
    report(from, MESSAGE_NOTICE, 0, text_of("%s of the host is not visible in the pod: %s", path, why));
    return 0;
  }
  return add(plan->host, &plan->host_count, tree, target_path, fault);
}

static int is_device(const char* name) {
  static const char* const kNames[] = {"null", "zero", "full", "random", "urandom", "tty", "kfd", "dri", "infiniband"};
  for (size_t i = 0; i < sizeof kNames / sizeof kNames[0]; ++i) {
    if (strcmp(name, kNames[i]) == 0) return 1;
  }
  return 0;
}

static int take_harmless_devices(struct plan* plan, struct fault* fault) {
  DIR* dir = opendir("/dev");
  if (dir == NULL) return fail(fault, "open \"/dev\"");
  const struct dirent* entry;
  int result = 0;
  while (result == 0 && (entry = readdir(dir)) != NULL) {
    if (!is_device(entry->d_name)) continue;
    const char* path = text_of("/dev/%s", entry->d_name);
    const int tree = clone_tree(AT_FDCWD, path, 1);
    if (tree >= 0) result = add(plan->host, &plan->host_count, tree, path, fault);
  }
  closedir(dir);
  return result;
}

static int take_devices(const struct container* container, struct plan* plan, struct fault* fault) {
  for (size_t i = 0; i < container->device_count; ++i) {
    const int tree = clone_tree(AT_FDCWD, container->devices[i], 1);
    if (tree < 0) return fail(fault, "take the device \"%s\"", container->devices[i]);
    if (add(plan->host, &plan->host_count, tree, container->devices[i], fault) != 0) return -1;
  }
  return 0;
}

static int take_entries(const struct reporter* from, const char* base, struct plan* plan, struct fault* fault) {
  DIR* dir = opendir(base[0] == 0 ? "/" : base);
  if (dir == NULL) return fail(fault, "open \"%s\"", base);
  const struct dirent* entry;
  int result = 0;
  while (result == 0 && (entry = readdir(dir)) != NULL) {
    if (base[0] == 0 ? is_system_folder(entry->d_name) : is_image_folder(entry->d_name))
      result = take_top_entry(from, base, entry->d_name, plan, fault);
  }
  closedir(dir);
  return result == 0 && base[0] != 0 ? take_top_entry(from, "", "sys", plan, fault) : result;
}

/* Opens what a subPath names and creates missing folders; symbolic links may not lead out of the volume. */
static int open_sub_path(int volume, const char* sub_path) {
  int fd = open_beneath(volume, sub_path, O_PATH);
  if (fd >= 0 || errno != ENOENT) return fd;
  char *rest = strdup(sub_path), *save = NULL;
  if (rest == NULL) return -1;
  fd = volume;
  for (char* name = strtok_r(rest, "/", &save); name != NULL && fd >= 0; name = strtok_r(NULL, "/", &save)) {
    if (strcmp(name, "..") == 0) {
      errno = EXDEV;
      return -1;
    }
    if (mkdirat(fd, name, 0777) != 0 && errno != EEXIST) return -1;
    fd = open_beneath(fd, name, O_PATH | O_DIRECTORY);
  }
  return fd;
}

static int take_mount(const struct reporter* from, const struct volume_mount* m, const struct user* user,
                      struct plan* plan, struct fault* fault) {
  const struct volume* volume = find_volume(from->pod->launch, m->volume);
  const char* source = volume_path(from->pod, volume);
  int fd = open(source, O_PATH | O_CLOEXEC);
  if (fd < 0) return fail(fault, "volume \"%s\": open \"%s\"", volume->name, source);
  if (m->sub_path[0] != 0) {
    fd = open_sub_path(fd, m->sub_path);
    if (fd < 0 && (errno == EXDEV || errno == ELOOP))
      return fail(fault, "volume \"%s\": subPath \"%s\" leaves the volume", volume->name, m->sub_path);
    if (fd < 0) return fail(fault, "volume \"%s\": open subPath \"%s\"", volume->name, m->sub_path);
  }
  const int tree = clone_tree(fd, "", 1);
  if (tree < 0) return fail(fault, "volume \"%s\": take \"%s\"", volume->name, source);
  if (m->read_only && make_read_only(tree, "", 1) != 0)
    return fail(fault, "volume \"%s\": make read-only", volume->name);
  if (!m->read_only) hand_over(from, volume, tree, user);
  return add(plan->own, &plan->own_count, tree, m->target, fault);
}

static int take_scratch(const struct pod* pod, const struct container* container, const char* name, mode_t mode,
                        const char* target, struct plan* plan, struct fault* fault) {
  const char* path = text_of("%s/scratch/%s/%s", pod->folder, container->name, name);
  if (make_folders(path, 0700) != 0 || chmod(path, mode) != 0) return fail(fault, "make \"%s\"", path);
  const int tree = clone_tree(AT_FDCWD, path, 1);
  if (tree < 0 || (container->read_only ? make_read_only(tree, "", 0) : restrict_tree(tree)) != 0)
    return fail(fault, "take \"%s\"", path);
  return add(plan->own, &plan->own_count, tree, target, fault);
}

/* The options of a folder in memory: half of the machine's, or the limit of who uses it. */
static const char* sized(const char* mode, long long limit) {
  const long long half = (long long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 2;
  return text_of("mode=%s,size=%lld", mode, limit > 0 && limit < half ? limit : half);
}

/* The limit of all containers together; 0 when one of them has none. */
static long long memory_of(const struct launch* launch) {
  long long all = 0;
  for (size_t i = 0; i < launch->container_count; ++i) {
    if (launch->containers[i].memory == 0) return 0;
    all += launch->containers[i].memory;
  }
  return all;
}

/* Temporary folders are in memory, so that they have a size: what a program leaves there cannot fill the engine's disk,
 * and counts as its memory. */
static int take_temporary(const struct pod* pod, const struct container* container, struct plan* plan,
                          struct fault* fault) {
  static const struct link kFolders[] = {{"tmp", "/tmp"}, {"var-tmp", "/var/tmp"}};
  const char* memory = text_of("%s/scratch/%s/temporary", pod->folder, container->name);
  if (make_tmpfs(memory, sized("0755", container->memory), fault) != 0) return -1;
  for (size_t i = 0; i < sizeof kFolders / sizeof kFolders[0]; ++i) {
    const char* path = text_of("%s/%s", memory, kFolders[i].path);
    if (mkdir(path, 0700) != 0 || chmod(path, 01777) != 0) return fail(fault, "make \"%s\"", path);
    const int tree = clone_tree(AT_FDCWD, path, 1);
    if (tree < 0 || (container->read_only && make_read_only(tree, "", 0) != 0)) return fail(fault, "take \"%s\"", path);
    if (add(plan->own, &plan->own_count, tree, kFolders[i].target, fault) != 0) return -1;
  }
  return 0;
}

/* Every run has an empty file of its own, which read_termination reads when the run has ended. */
static int take_termination(const struct pod* pod, const struct container* container, struct plan* plan,
                            struct fault* fault) {
  if (container->termination[0] == 0) return 0;
  const char* path = text_of("%s/scratch/%s/termination", pod->folder, container->name);
  unlink(path);
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0 || fchmod(fd, 0666) != 0) return fail(fault, "make \"%s\"", path);
  close(fd);
  const int tree = clone_tree(AT_FDCWD, path, 1);
  if (tree < 0 || restrict_tree(tree) != 0) return fail(fault, "take \"%s\"", path);
  return add(plan->own, &plan->own_count, tree, container->termination, fault);
}

/* What the configuration shows of the host. */
static int take_shown(const struct reporter* from, const char* path, const char* target, struct plan* plan,
                      struct fault* fault) {
  const int tree = take_tree(from, path, target, 0);
  return tree < 0 ? fail(fault, "take \"%s\"", path) : add(plan->own, &plan->own_count, tree, target, fault);
}

static int take_path(const char* path, const char* target, int read_only, struct plan* plan, struct fault* fault) {
  const int tree = clone_tree(AT_FDCWD, path, 1);
  if (tree < 0 || (read_only && make_read_only(tree, "", 1) != 0)) return fail(fault, "take \"%s\"", path);
  return add(plan->own, &plan->own_count, tree, target, fault);
}

static int take_text(const struct pod* pod, const struct container* container, const char* name, const char* text,
                     const char* target, struct plan* plan, struct fault* fault) {
  const char* path = text_of("%s/scratch/%s/%s", pod->folder, container->name, name);
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  const ssize_t size = (ssize_t)strlen(text);
  if (fd < 0 || write(fd, text, (size_t)size) != size) return fail(fault, "write \"%s\"", path);
  close(fd);
  return take_path(path, target, 1, plan, fault);
}

/* Puts a file of the container's own over one that the host has. */
static int take_own_file(const struct pod* pod, const struct container* container, const char* name, const char* text,
                         struct plan* plan, struct fault* fault) {
  const char* target = text_of("/etc/%s", name);
  if (access(text_of("%s%s", container->rootfs, target), F_OK) != 0) return 0;
  return take_text(pod, container, name, text, target, plan, fault);
}

/* Where systemd-resolved or NetworkManager runs, /etc/resolv.conf is a link into /run, which is the pod's own. */
static int take_resolver(const struct pod* pod, const struct container* container, struct plan* plan,
                         struct fault* fault) {
  const char* text = pod->launch->resolver;
  char* real = container->rootfs[0] == 0 ? realpath("/etc/resolv.conf", NULL) : NULL;
  if (text[0] == 0) return 0;
  return real == NULL ? take_own_file(pod, container, "resolv.conf", text, plan, fault)
                      : take_text(pod, container, "resolv.conf", text, real, plan, fault);
}

/* The user's entry comes first: should the host have that user too, its home is not in the pod. */
static int take_passwd(const struct pod* pod, const struct container* container, const struct user* user,
                       struct plan* plan, struct fault* fault) {
  if (user->uid == 0) return 0;
  char hosts[64 * 1024];
  const int fd = open(text_of("%s/etc/passwd", container->rootfs), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  const ssize_t size = fd < 0 ? 0 : read(fd, hosts, sizeof hosts - 1);
  if (fd >= 0) close(fd);
  hosts[size < 0 ? 0 : size] = 0;
  const char* text = text_of("pod:x:%u:%u:the pod's user:/root:/bin/sh\n%s", user->uid, user->gid, hosts);
  return take_own_file(pod, container, "passwd", text, plan, fault);
}

static int take_all(const struct reporter* from, const struct container* container, const struct user* user,
                    struct plan* plan, struct fault* fault) {
  const struct pod* pod = from->pod;
  const struct launch* launch = pod->launch;
  const char* base = mount_rootfs(from, container, fault);
  if (base == NULL || take_entries(from, base, plan, fault) != 0 || take_harmless_devices(plan, fault) != 0 ||
      take_devices(container, plan, fault) != 0) {
    return -1;
  }
  if (take_scratch(pod, container, "root", 0700, "/root", plan, fault) != 0 ||
      take_temporary(pod, container, plan, fault) != 0 ||
      take_path(text_of("%s/shm", pod->folder), "/dev/shm", 0, plan, fault) != 0) {
    return -1;
  }
  for (size_t i = 0; i < launch->through_count; ++i) {
    if (take_shown(from, launch->through[i], launch->through[i], plan, fault) != 0) return -1;
  }
  for (size_t i = 0; i < container->shown_count; ++i) {
    if (take_shown(from, container->shown[i].target, container->shown[i].path, plan, fault) != 0) return -1;
  }
  plan->shown_count = plan->own_count;
  if (take_own_file(pod, container, "hostname", text_of("%s\n", launch->hostname), plan, fault) != 0 ||
      take_resolver(pod, container, plan, fault) != 0 || take_passwd(pod, container, user, plan, fault) != 0) {
    return -1;
  }
  for (size_t i = 0; i < container->mount_count; ++i) {
    if (take_mount(from, &container->mounts[i], user, plan, fault) != 0) return -1;
  }
  if (launch->hosts[0] != 0 && take_path(launch->hosts, "/etc/hosts", 1, plan, fault) != 0) return -1;
  return take_termination(pod, container, plan, fault);
}

/* ---- the new root ---- */

static int mount_proc(const struct reporter* from, const char* target, struct fault* fault) {
  if (mount("proc", target, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0) return 0;
  if (errno != EPERM) return fail(fault, "mount \"/proc\"");
  /* Inside a container with a partly masked /proc, the kernel does not let an unprivileged user mount a new one. */
  if (mount("/proc", target, NULL, MS_BIND | MS_REC, NULL) != 0) return fail(fault, "bind \"/proc\"");
  report(from, MESSAGE_NOTICE, 0, "/proc is the host's: this host does not let an ordinary user mount a fresh one");
  return 0;
}

int make_tmpfs(const char* target, const char* options, struct fault* fault) {
  if (mkdir(target, 0755) != 0 && errno != EEXIST) return fail(fault, "mkdir \"%s\"", target);
  return mount(MUSTER_MEMORY_FOLDER, target, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0
             ? 0
             : fail(fault, "mount tmpfs \"%s\"", target);
}

static int place(const struct placement* list, size_t count, struct fault* fault) {
  for (size_t i = 0; i < count; ++i) {
    if (make_mount_point(list[i].target, list[i].is_folder, fault) != 0) return -1;
    if (place_tree(list[i].tree, list[i].target) != 0) return fail(fault, "mount \"%s\"", list[i].target);
    close(list[i].tree);
  }
  return 0;
}

static int fill_dev(struct fault* fault) {
  static const struct link kLinks[] = {{"/dev/fd", "/proc/self/fd"},
                                       {"/dev/stdin", "/proc/self/fd/0"},
                                       {"/dev/stdout", "/proc/self/fd/1"},
                                       {"/dev/stderr", "/proc/self/fd/2"},
                                       {"/dev/ptmx", "pts/ptmx"}};
  for (size_t i = 0; i < sizeof kLinks / sizeof kLinks[0]; ++i) {
    if (symlink(kLinks[i].target, kLinks[i].path) != 0) return fail(fault, "symlink \"%s\"", kLinks[i].path);
  }
  if (mkdir("/dev/pts", 0755) != 0) return fail(fault, "mkdir \"/dev/pts\"");
  if (mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620") != 0) {
    return fail(fault, "mount \"/dev/pts\"");
  }
  return 0;
}

/* Protects the machine-wide settings that root could change through its own /proc. */
static int protect_proc(struct fault* fault) {
  static const char* const kReadOnly[] = {"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs"};
  for (size_t i = 0; i < sizeof kReadOnly / sizeof kReadOnly[0]; ++i) {
    if (access(kReadOnly[i], F_OK) != 0) continue;
    if (mount(kReadOnly[i], kReadOnly[i], NULL, MS_BIND | MS_REC, NULL) != 0 ||
        make_read_only(AT_FDCWD, kReadOnly[i], 1) != 0) {
      return fail(fault, "make \"%s\" read-only", kReadOnly[i]);
    }
  }
  static const char* const kMasked[] = {"/proc/kcore", "/proc/keys", "/proc/timer_list"};
  for (size_t i = 0; i < sizeof kMasked / sizeof kMasked[0]; ++i) {
    if (access(kMasked[i], F_OK) == 0 && mount("/dev/null", kMasked[i], NULL, MS_BIND, NULL) != 0)
      return fail(fault, "mask \"%s\"", kMasked[i]);
  }
  return 0;
}

static int hide(const struct launch* launch, struct fault* fault) {
  for (size_t i = 0; i < launch->hidden_count; ++i) {
    struct stat what;
    if (stat(launch->hidden[i], &what) != 0 || !S_ISDIR(what.st_mode)) continue;
    if (mount(MUSTER_MEMORY_FOLDER, launch->hidden[i], "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") != 0)
      return fail(fault, "hide \"%s\"", launch->hidden[i]);
  }
  return 0;
}

/* In a volume, the link of an earlier pod may be there. */
static int make_link(const struct link* link) {
  if (symlink(link->target, link->path) == 0) return 0;
  if (errno != EEXIST) return -1;
  char found[4096];
  if (readlink(link->path, found, sizeof found) < 0) {
    errno = EEXIST; /* not a link of ours */
    return -1;
  }
  return unlink(link->path) == 0 ? symlink(link->target, link->path) : -1;
}

static int make_links(const struct link* links, size_t count, struct fault* fault) {
  for (size_t i = 0; i < count; ++i) {
    char parent[4096];
    snprintf(parent, sizeof parent, "%s", links[i].path);
    *strrchr(parent, '/') = 0;
    if (make_folders(parent, 0755) != 0 || make_link(&links[i]) != 0)
      return fail(fault, "symlink \"%s\"", links[i].path);
  }
  return 0;
}

/* A working directory that does not exist yet becomes a writable folder of the pod. */
static int make_cwd(const char* cwd, int own_cwd, struct fault* fault) {
  struct stat what;
  if (stat(cwd, &what) == 0) return 0;
  if (make_mount_point(cwd, 1, fault) != 0) return -1;
  return place_tree(own_cwd, cwd) == 0 ? 0 : fail(fault, "mount \"%s\"", cwd);
}

static int open_own_cwd(const struct pod* pod, const struct container* container, struct fault* fault) {
  const char* path = text_of("%s/scratch/%s/cwd", pod->folder, container->name);
  if (make_folders(path, 0755) != 0) return fail(fault, "make \"%s\"", path);
  const int tree = clone_tree(AT_FDCWD, path, 1);
  return tree >= 0 && restrict_tree(tree) == 0 ? tree : fail(fault, "take \"%s\"", path);
}

static int remove_entry(const char* path, const struct stat* what, int type, struct FTW* where) {
  (void)what, (void)type, (void)where;
  remove(path); /* what cannot be removed stays until the pod's folder is removed */
  return 0;
}

int enter_root(const struct reporter* from, const struct user* user, struct fault* fault) {
  static struct plan plan; /* too large for the stack; this process will soon exec */
  const struct pod* pod = from->pod;
  const struct launch* launch = pod->launch;
  const struct container* container = &launch->containers[from->container];
  if (act_as(pod, user, fault) != 0) return -1;
  /* Each run begins with empty folders of its own; no process of the previous one is left. */
  nftw(text_of("%s/scratch/%s", pod->folder, container->name), remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
  const int own_cwd = open_own_cwd(pod, container, fault);
  if (own_cwd < 0 || take_all(from, container, user, &plan, fault) != 0) return -1;

  const char* root = text_of("%s/root", pod->folder);
  const char* proc = text_of("%s/proc", root);
  if (make_tmpfs(root, "mode=0755", fault) != 0) return -1;
  if (mkdir(proc, 0755) != 0) return fail(fault, "mkdir \"/proc\"");
  /* This must come before the old root is detached: the kernel requires a visible /proc in the namespace. */
  if (mount_proc(from, proc, fault) != 0) return -1;
  if (switch_root(root) != 0) return fail(fault, "pivot_root \"%s\"", root);

  if (make_tmpfs("/dev", "mode=0755", fault) != 0 || make_tmpfs("/run", "mode=0755,size=256m", fault) != 0) return -1;
  if (make_links(plan.top_links, plan.top_link_count, fault) != 0 || place(plan.host, plan.host_count, fault) != 0)
    return -1;
  if (fill_dev(fault) != 0 || place(plan.own, plan.shown_count, fault) != 0 || hide(launch, fault) != 0 ||
      place(plan.own + plan.shown_count, plan.own_count - plan.shown_count, fault) != 0) {
    return -1;
  }
  if (make_links(launch->links, launch->link_count, fault) != 0 ||
      make_cwd(container->command.cwd, own_cwd, fault) != 0)
    return -1;
  if (protect_proc(fault) != 0) return -1;
  if (container->read_only && make_read_only(AT_FDCWD, "/run", 0) != 0) return fail(fault, "make \"/run\" read-only");
  return seal_mirrors(!is_writable(container, "/"), fault);
}

static int mount_memory(const struct pod* pod, struct fault* fault) {
  const char* target = text_of("%s/shm", pod->folder);
  if (pod->memory < 0) return make_tmpfs(target, sized("1777", memory_of(pod->launch)), fault);
  if (mkdir(target, 0755) != 0 && errno != EEXIST) return fail(fault, "mkdir \"%s\"", target);
  if (place_tree(pod->memory, target) != 0) return fail(fault, "mount the job's \"/dev/shm\"");
  close(pod->memory);
  return 0;
}

int prepare_shared(const struct pod* pod, struct fault* fault) {
  if (mount_memory(pod, fault) != 0) return -1;
  if (mkdir(text_of("%s/root", pod->folder), 0755) != 0 && errno != EEXIST) return fail(fault, "mkdir \"root\"");
  const char* proc = text_of("%s/" PROC_FOLDER, pod->folder);
  if (mkdir(proc, 0755) != 0 && errno != EEXIST) return fail(fault, "mkdir \"%s\"", proc);
  mount("proc", proc, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL); /* not possible everywhere: see kill_leftovers */
  return 0;
}

char* read_termination(int dir, const struct launch* launch, const struct container* container) {
  if (container->termination[0] == 0) return NULL;
  char name[300];
  snprintf(name, sizeof name, "scratch/%s/termination", container->name);
  const int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return NULL;
  /* As a kubelet does: the last bytes, and all containers of a pod share three messages' worth. */
  const size_t share = 3 * MUSTER_TERMINATION_MAX / launch->container_count;
  const size_t most = share < MUSTER_TERMINATION_MAX ? share : MUSTER_TERMINATION_MAX;
  char* text = calloc(1, most + 1);
  const off_t end = lseek(fd, 0, SEEK_END);
  if (text != NULL && pread(fd, text, most, end > (off_t)most ? end - (off_t)most : 0) < 0) text[0] = 0;
  close(fd);
  return text;
}
