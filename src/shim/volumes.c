/* The volumes of a pod: mounted once in the mount namespace of init, from where containers clone them. */
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

const char* volume_path(const struct pod* pod, const struct volume* volume) {
  return text_of("%s/volumes/%s", pod->folder, volume->name);
}

/* ---- folders of the host ---- */

/* The file system of a folder cannot show its files with other ids: the pod's processes are then known by the ids that
 * they have on the host, which must not be root's. */
static void do_without_mapping(struct pod* pod, const struct volume* volume, const struct stat* what) {
  char why[128];
  describe_errno(errno, why, sizeof why);
  refuse_root(pod, text_of("the file system of volume \"%s\" has no idmapped mounts: %s", volume->name, why),
              what->st_uid, what->st_gid);
}

/* Returns a detached tree, or -1. */
static int take_folder(struct pod* pod, const struct volume* volume, struct fault* fault) {
  /* The server has checked where the path leads; a pod that can write there must not be able to change that since. */
  const int source = open_without_links(volume->source, O_PATH);
  struct stat what;
  if (source < 0 || fstat(source, &what) != 0)
    return fail(fault, "volume \"%s\": open \"%s\"", volume->name, volume->source);
  const int tree = clone_tree(source, "", 1);
  close(source);
  if (tree < 0 || restrict_tree(tree) != 0)
    return fail(fault, "volume \"%s\": take \"%s\"", volume->name, volume->source);
  if (pod->users >= 0 &&
      map_tree(tree, volume->origin == ORIGIN_NAMED && what.st_uid == 0 ? pod->users : pod->folders) != 0)
    do_without_mapping(pod, volume, &what);
  return tree;
}

/* When a folder turns out to have no mapping, the trees that were taken before it are taken again without one. */
static int take_folders(struct pod* pod, int* trees, struct fault* fault) {
  const int mapped = pod->users;
  for (size_t i = 0; i < pod->launch->volume_count; ++i) {
    if (pod->launch->volumes[i].kind != VOLUME_BIND) continue;
    trees[i] = take_folder(pod, &pod->launch->volumes[i], fault);
    if (trees[i] < 0) return -1;
    if (pod->users != mapped) {
      close_all(trees, i + 1);
      return take_folders(pod, trees, fault);
    }
  }
  return 0;
}

static int attach_folder(const char* path, int tree, struct fault* fault) {
  if (is_folder(tree)) {
    if (make_folders(path, 0755) != 0) return fail(fault, "make \"%s\"", path);
  } else {
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return fail(fault, "make \"%s\"", path);
    close(fd);
  }
  const int result = place_tree(tree, path);
  if (result != 0) fail(fault, "mount \"%s\"", path);
  close(tree);
  return result;
}

/* ---- volumes in memory ---- */

static int write_file(const char* folder, const struct pod_file* file, struct fault* fault) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, file->path);
  char* slash = strrchr(path, '/');
  *slash = 0;
  if (make_folders(path, 0755) != 0) return fail(fault, "make \"%s\"", path);
  *slash = '/';
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return fail(fault, "open \"%s\"", file->path);
  size_t done = 0;
  while (done < file->size) {
    const ssize_t n = write(fd, file->bytes + done, file->size - done);
    if (n <= 0) return fail(fault, "write \"%s\"", file->path);
    done += (size_t)n;
  }
  if (fchmod(fd, file->mode) != 0) return fail(fault, "chmod \"%s\"", file->path);
  close(fd);
  return 0;
}

static int mount_memory(const struct pod* pod, const struct volume* volume, struct fault* fault) {
  const char* path = volume_path(pod, volume);
  if (make_folders(path, 0755) != 0) return fail(fault, "make \"%s\"", path);
  if (make_tmpfs(path, volume->kind == VOLUME_TMPFS ? volume->source : "mode=0755", fault) != 0) return -1;
  for (size_t f = 0; f < volume->files; ++f) {
    if (write_file(path, &pod->launch->files[volume->first_file + f], fault) != 0) return -1;
  }
  return 0;
}

/* ---- fsGroup ---- */

static int share(const struct pod* pod, const char* path, mode_t more, struct fault* fault) {
  struct stat what;
  if (stat(path, &what) != 0 || chown(path, (uid_t)-1, outside_id(pod, (gid_t)pod->launch->group)) != 0 ||
      chmod(path, (what.st_mode & 07777) | more) != 0) {
    return fail(fault, "give \"%s\" to group %ld", path, pod->launch->group);
  }
  return 0;
}

/* New files in the folder get its group, by the setgid bit; those that exist keep theirs. */
static int share_volume(const struct pod* pod, const struct volume* volume, struct fault* fault) {
  const char* path = volume_path(pod, volume);
  if (volume->kind != VOLUME_FILES) return share(pod, path, 02070, fault);
  for (size_t f = 0; f < volume->files; ++f) {
    const struct pod_file* file = &pod->launch->files[volume->first_file + f];
    if (share(pod, text_of("%s/%s", path, file->path), 0040, fault) != 0) return -1;
  }
  return 0;
}

int prepare_volumes(struct pod* pod, struct fault* fault) {
  const struct launch* launch = pod->launch;
  int* trees = calloc(launch->volume_count + 1, sizeof *trees);
  if (trees == NULL) return fail(fault, "out of memory");
  memset(trees, -1, (launch->volume_count + 1) * sizeof *trees);
  if (take_folders(pod, trees, fault) != 0) return -1;
  struct user user = shared_user(launch);
  /* Without a user namespace each container is refused or not by its own user. */
  if (find_user(pod, &user, fault) != 0 && pod->no_root == NULL) return -1;
  if (act_as(pod, &user, fault) != 0) return -1;
  if (make_folders(text_of("%s/volumes", pod->folder), 0755) != 0) return fail(fault, "mkdir \"volumes\"");
  for (size_t i = 0; i < launch->volume_count; ++i) {
    const struct volume* volume = &launch->volumes[i];
    const int result = volume->kind == VOLUME_BIND ? attach_folder(volume_path(pod, volume), trees[i], fault)
                                                   : mount_memory(pod, volume, fault);
    if (result != 0) return -1;
    /* An ordinary user has one group. */
    if (launch->group >= 0 && volume->origin == ORIGIN_OWN && (pod->users >= 0 || pod->no_root != NULL) &&
        share_volume(pod, volume, fault) != 0) {
      return -1;
    }
  }
  free(trees);
  return 0;
}

/* ---- what others have put into a claim ---- */

enum { MAX_ENTRIES = 200000, MAX_DEPTH = 64, ROOT_ON_DISK = 200000 };
struct handover {
  const struct pod* pod;
  const struct user* user;
  int entries;
  int depth;
};

/* By the ids that a folder shows. */
static int is_roots(const struct pod* pod, unsigned id) {
  return id == ROOT_ON_DISK || id == outside_id(pod, 0);
}

static void hand_over_entry(struct handover* to, int dir, const char* name) {
  struct stat what;
  if (fstatat(dir, name, &what, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) != 0) return;
  const uid_t user = outside_id(to->pod, to->user->uid);
  if (!is_roots(to->pod, what.st_uid) || what.st_uid == user) return;
  (void)!fchownat(dir, name, user, is_roots(to->pod, what.st_gid) ? outside_id(to->pod, to->user->gid) : (gid_t)-1,
                  AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH);
}

/* Closes the folder. Goes by descriptors alone and follows no link: other pods may change the tree meanwhile. */
static void hand_over_folder(struct handover* to, int folder) {
  DIR* dir = fdopendir(folder);
  if (dir == NULL) {
    close(folder);
    return;
  }
  const struct dirent* entry;
  while ((entry = readdir(dir)) != NULL && to->entries < MAX_ENTRIES) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    ++to->entries;
    hand_over_entry(to, folder, entry->d_name);
    if (entry->d_type != DT_DIR || to->depth == MAX_DEPTH) continue;
    const int child = openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (child < 0) continue;
    ++to->depth;
    hand_over_folder(to, child);
    --to->depth;
  }
  closedir(dir);
}

void hand_over(const struct reporter* from, const struct volume* volume, int tree, const struct user* user) {
  const struct pod* pod = from->pod;
  if (pod->users < 0 || volume->kind != VOLUME_BIND || volume->origin != ORIGIN_OWN) return;
  struct handover to = {.pod = pod, .user = user};
  hand_over_entry(&to, tree, "");
  const int folder = openat(tree, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) hand_over_folder(&to, folder);
  if (to.entries == MAX_ENTRIES) {
    report(from, MESSAGE_NOTICE, 0,
           text_of("volume \"%s\" has more than %d entries: root's files in the rest of it are not given to user %u",
                   volume->name, MAX_ENTRIES, (unsigned)user->uid));
  }
}
