/* Who the processes of a pod are.
 *
 * A pod of a root engine has a user namespace in which the ids 0 to 65535 are POD_IDS and more outside, so that its
 * root is nobody in particular on the host. Its processes enter that namespace last, after their root is built: the
 * namespaces of mounts and of processes belong to the host's root, so nothing in the pod has any power over them. Until
 * then a process keeps the engine's capabilities and acts as the pod's user, to whom all it makes belongs.
 *
 * A pod of an ordinary user has a user namespace from the start, in which root is that user. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim.h"

enum { POD_IDS = MUSTER_POD_ROOT, POD_ID_COUNT = 65536 };
/* From <linux/securebits.h>: changes of the user ids leave the capabilities alone. */
enum { SECUREBIT_NO_SETUID_FIXUP = 1 << 2 };

/* Of the pod's namespace. As the map of a folder, with the ids on disk on the left, it makes the pod's root root there:
 * only for folders of root that their owner has named. */
static const char kPodMap[] = "0 100000 65536";
/* In all other folders the pod's root is unprivileged on disk too, and root's own files belong to nobody in the pod
 * (ROOT_ON_DISK): the ids 1 to 65535 stay what they are. */
static const char kFolderMap[] = "0 200000 1\n1 100001 65535\n100000 100000 1";

/* ---- namespaces ---- */

static int write_maps(pid_t pid, const char* map) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/uid_map", (int)pid);
  if (write_text(path, map) != 0) return -1;
  snprintf(path, sizeof path, "/proc/%d/gid_map", (int)pid);
  return write_text(path, map);
}

/* Returns a descriptor of a new user namespace with that map. A helper process holds it until it is opened. */
static int make_user_namespace(const char* map) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  const long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) {
    char nothing;
    close(ends[1]);
    (void)!read(ends[0], &nothing, 1); /* ends with the shim at the latest */
    _exit(0);
  }
  int result = -1;
  if (pid > 0 && write_maps((pid_t)pid, map) == 0) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/ns/user", (int)pid);
    result = open(path, O_RDONLY | O_CLOEXEC);
  }
  const int error = errno;
  close(ends[0]);
  close(ends[1]);
  if (pid > 0) waitpid((pid_t)pid, NULL, 0);
  errno = error;
  return result;
}

static int has_folders(const struct launch* launch) {
  for (size_t i = 0; i < launch->volume_count; ++i) {
    if (launch->volumes[i].kind == VOLUME_BIND) return 1;
  }
  return 0;
}

void make_users(struct pod* pod) {
  pod->users = make_user_namespace(kPodMap);
  if (pod->users >= 0 && has_folders(pod->launch)) pod->folders = make_user_namespace(kFolderMap);
  if (pod->users >= 0 && (pod->folders >= 0 || !has_folders(pod->launch))) return;
  char why[128];
  describe_errno(errno, why, sizeof why);
  refuse_root(pod, text_of("the host gives pods no user namespace: %s", why), 0, 0);
}

void refuse_root(struct pod* pod, const char* why, uid_t owner, gid_t group) {
  close_all(&pod->users, 1);
  close_all(&pod->folders, 1);
  pod->users = pod->folders = -1;
  pod->no_root = why;
  pod->owner = owner;
  pod->owner_group = group;
}

static int is_ordinary(const struct pod* pod) {
  return pod->users < 0 && pod->no_root == NULL;
}

/* ---- users ---- */

int find_user(const struct pod* pod, struct user* user, struct fault* fault) {
  if (pod->no_root != NULL && !user->given)
    *user = (struct user){.given = 1, .uid = pod->owner, .gid = pod->owner_group};
  if (pod->no_root != NULL && user->uid == 0) {
    errno = EPERM;
    return fail(fault, "run as root: %s; set runAsUser", pod->no_root);
  }
  if (pod->users >= 0 && (user->uid >= POD_ID_COUNT || user->gid >= POD_ID_COUNT)) {
    errno = EINVAL;
    return fail(fault, "become user %u, group %u: a pod has the ids 0 to 65535", user->uid, user->gid);
  }
  return 0;
}

struct user shared_user(const struct launch* launch) {
  const struct user first = launch->containers[0].command.user;
  for (size_t i = 1; i < launch->container_count; ++i) {
    const struct user* other = &launch->containers[i].command.user;
    if (other->given != first.given || other->uid != first.uid || other->gid != first.gid) return (struct user){0};
  }
  return first;
}

unsigned outside_id(const struct pod* pod, unsigned id) {
  return pod->users >= 0 ? POD_IDS + id : id;
}

int act_as(const struct pod* pod, const struct user* user, struct fault* fault) {
  if (is_ordinary(pod)) return 0;
  if (prctl(PR_SET_SECUREBITS, SECUREBIT_NO_SETUID_FIXUP, 0, 0, 0) != 0) return fail(fault, "keep the capabilities");
  setfsgid(outside_id(pod, user->gid));
  setfsuid(outside_id(pod, user->uid));
  return 0;
}

void give(const struct pod* pod, int fd, const struct user* user) {
  if (!is_ordinary(pod)) (void)!fchown(fd, outside_id(pod, user->uid), outside_id(pod, user->gid));
}

/* Keeps what a container's root needs to own files and change users inside, but nothing to mount, create devices,
 * trace the pod's init or affect the machine. */
static void drop_capabilities(unsigned long long but) {
  enum { CHOWN = 0, DAC_OVERRIDE = 1, FOWNER = 3, FSETID = 4, KILL = 5, SETGID = 6, SETUID = 7, NET_BIND = 10 };
  const unsigned long long keep = 1ULL << CHOWN | 1ULL << DAC_OVERRIDE | 1ULL << FOWNER | 1ULL << FSETID |
                                  1ULL << KILL | 1ULL << SETGID | 1ULL << SETUID | 1ULL << NET_BIND | MAY_LOCK_MEMORY;
  for (int capability = 0; capability < 64; ++capability) {
    if ((keep & but) >> capability & 1) continue;
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno == EINVAL) break;
  }
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* What counts for locked memory is the limit: the kernel asks for the capability outside of the pod's namespace. An
 * engine of an ordinary user can raise it up to its own hard limit. */
void unlock_memory(unsigned long long capabilities) {
  struct rlimit limit;
  if (!(capabilities & MAY_LOCK_MEMORY) ||
      setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}) == 0 ||
      getrlimit(RLIMIT_MEMLOCK, &limit) != 0) {
    return;
  }
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_MEMLOCK, &limit);
}

static int set_user(const struct user* user) {
  return setgroups(user->group_count, user->groups) == 0 && setresgid(user->gid, user->gid, user->gid) == 0 &&
                 setresuid(user->uid, user->uid, user->uid) == 0
             ? 0
             : -1;
}

/* An ordinary user's pod has one user id, which is 0 inside. Another id inside is the same user in a namespace of its
 * own. /proc/self belongs to root while the process is not dumpable. */
static int set_user_by_namespace(const struct user* user, unsigned long long capabilities) {
  char uids[64], gids[64];
  snprintf(uids, sizeof uids, "%u %u 1", (unsigned)user->uid, (unsigned)geteuid());
  snprintf(gids, sizeof gids, "%u %u 1", (unsigned)user->gid, (unsigned)getegid());
  if (unshare(CLONE_NEWUSER) != 0) return -1;
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  const int result = write_text("/proc/self/setgroups", "deny") == 0 && write_text("/proc/self/uid_map", uids) == 0 &&
                             write_text("/proc/self/gid_map", gids) == 0
                         ? 0
                         : -1;
  const int error = errno;
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  drop_capabilities(capabilities); /* the namespace has a full set of its own */
  errno = error;
  return result;
}

static int become_ordinary_user(const struct user* user, unsigned long long capabilities) {
  drop_capabilities(capabilities);
  if (!user->given || (user->uid == geteuid() && user->gid == getegid() && user->group_count == 0)) return 0;
  return set_user(user) == 0 ? 0 : set_user_by_namespace(user, capabilities);
}

static int become_mapped_user(const struct pod* pod, const struct user* user, unsigned long long capabilities) {
  const struct user root = {0};
  if (setns(pod->users, CLONE_NEWUSER) != 0) return -1; /* with all capabilities there, and none outside */
  drop_capabilities(capabilities);
  /* First the pod's root: the kernel takes the capabilities from a process only when it stops being that. */
  return set_user(&root) == 0 ? set_user(user) : -1;
}

static int become_plain_user(const struct user* user) {
  drop_capabilities(0);
  return prctl(PR_SET_SECUREBITS, 0, 0, 0, 0) == 0 ? set_user(user) : -1;
}

int become_user(const struct pod* pod, const struct user* user, unsigned long long capabilities, struct fault* fault) {
  const int result = is_ordinary(pod)  ? become_ordinary_user(user, capabilities)
                     : pod->users >= 0 ? become_mapped_user(pod, user, capabilities)
                                       : become_plain_user(user);
  return result == 0 ? 0 : fail(fault, "become user %u, group %u", user->uid, user->gid);
}
