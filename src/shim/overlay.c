/* Folders that a container may change without changing the host. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim.h"

int cover_by_overlay(const struct pod* pod, const struct container* container, int tree, struct fault* fault) {
  static int number; /* a container may have several */
  static const char* const kParts[] = {"lower", "upper", "work", "merged"};
  if (tree < 0) return fail(fault, "take the folder");
  const char* at = text_of("%s/scratch/%s/overlay/%d", pod->folder, container->name, number++);
  for (size_t i = 0; i < sizeof kParts / sizeof kParts[0]; ++i) {
    if (make_folders(text_of("%s/%s", at, kParts[i]), 0755) != 0) return fail(fault, "make \"%s\"", at);
  }
  if (pod->users >= 0 && map_tree(tree, pod->users) != 0) return fail(fault, "map the ids of the folder");
  if (place_tree(tree, text_of("%s/lower", at)) != 0) return fail(fault, "mount the folder");
  close(tree);
  /* An ordinary user may not write the attributes that overlays use otherwise. */
  const char* options =
      text_of("lowerdir=%s/lower,upperdir=%s/upper,workdir=%s/work%s", at, at, at, pod->users < 0 ? ",userxattr" : "");
  const char* merged = text_of("%s/merged", at);
  if (mount("muster", merged, "overlay", MS_NOSUID | MS_NODEV, options) != 0) return fail(fault, "mount an overlay");
  chmod(text_of("%s/work/work", at), 0700); /* the kernel makes it closed, and the engine has to remove it */
  const int covered = clone_tree(AT_FDCWD, merged, 0);
  return covered >= 0 ? covered : fail(fault, "take the overlay");
}
