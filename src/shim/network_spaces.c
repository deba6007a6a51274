/* The namespaces of a job's network and the process that keeps them.
 *
 * The keeper is root in a user namespace of its own that has one id: the engine's user, or, if the engine is root, an
 * id that no pod has. So no process of a pod has any power over the network, and pasta, which runs as the same id, has.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "network.h"

/* Behind the ids of pods, so that it belongs to none of them. */
enum { OWNER_ID = MUSTER_POD_ROOT + 65536, MAX_CHANNELS = 512 };

/* What a channel is asked for: a socket, or with domain 0 a tree of the shared memory. */
struct socket_request {
  int domain, type, protocol;
};
/* Longer than the other, by which the keeper tells them apart: the owners of other networks may be of another version.
 */
struct change_request {
  struct host_address address;
  enum change change;
};
/* What the keeper says first. */
struct greeting {
  struct fault fault;
  int ipv6_is_closed;
};

int become_owner(void) {
  if (geteuid() != 0) return 0;
  return setgroups(0, NULL) == 0 && setresgid(OWNER_ID, OWNER_ID, OWNER_ID) == 0 &&
                 setresuid(OWNER_ID, OWNER_ID, OWNER_ID) == 0
             ? 0
             : -1;
}

/* ---- the keeper ---- */

static int switch_on_loopback(int fd) {
  struct ifreq request = {.ifr_name = "lo"};
  if (ioctl(fd, SIOCGIFFLAGS, &request) != 0) return -1;
  request.ifr_flags |= IFF_UP;
  return ioctl(fd, SIOCSIFFLAGS, &request);
}

static int map_owner(uid_t uid, gid_t gid) {
  char map[64];
  snprintf(map, sizeof map, "0 %u 1", (unsigned)uid);
  if (write_text("/proc/self/setgroups", "deny") != 0 || write_text("/proc/self/uid_map", map) != 0) return -1;
  snprintf(map, sizeof map, "0 %u 1", (unsigned)gid);
  return write_text("/proc/self/gid_map", map);
}

static int configure_network(struct greeting* greeting) {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || switch_on_loopback(fd) != 0) return fail(&greeting->fault, "switch on the loopback interface");
  close(fd);
  greeting->ipv6_is_closed = close_off_neighbours();
  /* As in a container: a port below 1024 is nothing special in a network of one's own. */
  (void)!write_text("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0");
  return 0;
}

/* Mounts what the pods share at /dev/shm. The keeper works there: a working directory, unlike a path or a descriptor,
 * stays the same mount in a copy of the mount namespace. */
static int mount_memory(const struct network_plan* plan, struct fault* fault) {
  if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0) return fail(fault, "leave the host's mounts");
  const char* target = text_of("%s/shm", plan->folder);
  if (make_tmpfs(target, text_of("mode=1777,size=%lld", plan->memory), fault) != 0) return -1;
  return chdir(target) == 0 ? 0 : fail(fault, "enter \"%s\"", target);
}

/* Root mounts the memory before it gives up its rights: in the namespace of the keeper's one id, pods could not own
 * files there. */
static int make_spaces(const struct network_plan* plan, struct greeting* greeting) {
  struct fault* fault = &greeting->fault;
  const int was_root = geteuid() == 0;
  if (was_root && unshare(CLONE_NEWNS) != 0) return fail(fault, "make a mount namespace");
  if (was_root && mount_memory(plan, fault) != 0) return -1;
  if (become_owner() != 0) return fail(fault, "become user %d", OWNER_ID);
  const uid_t uid = geteuid();
  const gid_t gid = getegid();
  const int spaces = CLONE_NEWUSER | CLONE_NEWIPC | CLONE_NEWNS | (plan->own_network ? CLONE_NEWNET : 0);
  if (unshare(spaces) != 0) return fail(fault, "make namespaces");
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* its files in /proc belong to root otherwise */
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (map_owner(uid, gid) != 0) return fail(fault, "map the user");
  if (!was_root && mount_memory(plan, fault) != 0) return -1;
  return plan->own_network ? configure_network(greeting) : 0;
}

static int change_address(const struct change_request* request) {
  const struct host_address* address = &request->address;
  const enum change change = request->change;
  const int done = change == ADDRESS_OWN || change == ADDRESS_OF_SERVICE
                       ? lead_to_services(address, change == ADDRESS_OF_SERVICE)
                       : change_closed(address, change == ADDRESS_CLOSED);
  return done == 0 ? 0 : errno;
}

static int open_wanted(const struct socket_request* wanted) {
  if (wanted->domain == 0) return clone_tree(AT_FDCWD, ".", 0);
  if ((wanted->domain & FOR_SERVICES) != 0)
    return open_services_socket(wanted->domain & ~FOR_SERVICES, wanted->type, wanted->protocol);
  return socket(wanted->domain, wanted->type | SOCK_CLOEXEC, wanted->protocol);
}

/* Answers one request with a socket or a tree, or takes a further channel. Returns 0 when the channel has ended. */
static int serve_channel(int channel, int* added) {
  static struct packet packet; /* its room is large */
  if (receive_packet(channel, &packet, 0) <= 0) return 0;
  if (packet.fd_count > 0) {
    *added = packet.fds[0];
    return 1;
  }
  if (packet.size >= sizeof(struct change_request)) {
    struct change_request request;
    memcpy(&request, packet.bytes, sizeof request);
    const int failed = change_address(&request);
    return send_packet(channel, &failed, sizeof failed, "", 1, NULL, 0, MSG_DONTWAIT) == 0;
  }
  struct socket_request wanted = {0};
  memcpy(&wanted, packet.bytes, packet.size < sizeof wanted ? packet.size : sizeof wanted);
  const int fd = open_wanted(&wanted);
  const int error = fd < 0 ? errno : 0;
  const int sent = send_packet(channel, &error, sizeof error, "", 1, &fd, fd >= 0, MSG_DONTWAIT);
  if (fd >= 0) close(fd);
  return sent == 0;
}

static _Noreturn void keep(int channel, const struct network_plan* plan) {
  struct greeting greeting = {0};
  make_spaces(plan, &greeting);
  (void)!send(channel, &greeting, sizeof greeting, MSG_NOSIGNAL);
  static struct pollfd channels[MAX_CHANNELS];
  for (int i = 0; i < MAX_CHANNELS; ++i) channels[i] = (struct pollfd){.fd = -1, .events = POLLIN};
  channels[0].fd = channel;
  while (channels[0].fd >= 0) { /* the owner's */
    if (poll(channels, MAX_CHANNELS, -1) < 0) continue;
    for (int i = 0; i < MAX_CHANNELS; ++i) {
      int added = -1, slot = 1;
      if (channels[i].fd < 0 || channels[i].revents == 0) continue;
      if (!serve_channel(channels[i].fd, &added)) close_all(&channels[i].fd, 1);
      while (slot < MAX_CHANNELS && channels[slot].fd >= 0) ++slot;
      if (added >= 0 && slot < MAX_CHANNELS) {
        channels[slot] = (struct pollfd){.fd = added, .events = POLLIN};
      } else if (added >= 0) {
        close(added);
      }
    }
  }
  _exit(0);
}

static int open_spaces(struct keeper* keeper, struct fault* fault) {
  static const char* const kNames[SPACES] = {"user", "net", "ipc"};
  for (int i = 0; i < SPACES; ++i) {
    const char* path = text_of("/proc/%d/ns/%s", (int)keeper->pid, kNames[i]);
    keeper->spaces[i] = open(path, O_RDONLY | O_CLOEXEC);
    if (keeper->spaces[i] < 0) return fail(fault, "open \"%s\"", path);
  }
  return 0;
}

int start_keeper(struct keeper* keeper, const struct network_plan* plan, struct fault* fault) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return fail(fault, "make a socket pair");
  keeper->pid = fork();
  if (keeper->pid == 0) {
    close_from(ends[0] < ends[1] ? ends[1] + 1 : ends[0] + 1);
    close(ends[0]);
    keep(ends[1], plan);
  }
  close(ends[1]);
  keeper->channel = ends[0];
  if (keeper->pid < 0) return fail(fault, "start the keeper");
  struct greeting greeting;
  if (recv(keeper->channel, &greeting, sizeof greeting, 0) != (ssize_t)sizeof greeting) {
    errno = ECHILD;
    return fail(fault, "the keeper has ended");
  }
  *fault = greeting.fault;
  keeper->ipv6_is_closed = greeting.ipv6_is_closed;
  return fault->step[0] != 0 ? -1 : open_spaces(keeper, fault);
}

int tell_keeper(int channel, const struct host_address* address, enum change change) {
  const struct change_request request = {*address, change};
  int error = EIO;
  static struct packet packet; /* its room is large */
  if (send(channel, &request, sizeof request, MSG_NOSIGNAL) < 0) return -1;
  if (receive_packet(channel, &packet, 0) > 0 && packet.size >= sizeof error)
    memcpy(&error, packet.bytes, sizeof error);
  errno = error;
  return error == 0 ? 0 : -1;
}

int ask_keeper(int channel, int domain, int type, int protocol) {
  static struct packet packet; /* its room is large */
  const struct socket_request wanted = {domain, type, protocol};
  if (send(channel, &wanted, sizeof wanted, MSG_NOSIGNAL) < 0) return -1;
  int error = EIO;
  if (receive_packet(channel, &packet, 0) <= 0 || packet.size < sizeof error) return errno = EIO, -1;
  memcpy(&error, packet.bytes, sizeof error);
  if (packet.fd_count == 1) return packet.fds[0];
  close_all(packet.fds, packet.fd_count);
  errno = error;
  return -1;
}

int ask_keeper_for_memory(int channel) {
  return ask_keeper(channel, 0, 0, 0);
}

int add_channel(const struct keeper* keeper) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return -1;
  const struct timeval patience = {.tv_sec = 1}; /* whoever asks must not hang with the keeper of another network */
  setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const int sent = send_packet(keeper->channel, "channel", 8, "", 0, &ends[1], 1, 0);
  close(ends[1]);
  if (sent == 0) return ends[0];
  close(ends[0]);
  return -1;
}
