/* The owner of a job's network: one process per network, which outlives the server. It keeps the namespaces and pasta
 * alive, and gives its peers descriptors from inside. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "network.h"

enum {
  LISTENER = 0,
  MAX_PEERS = 256,
  MAX_DOORS = 16,
  BACKLOG = 1024,
  RESTART_PASTA_MS = 1000,
  LOOK_FOR_FOLDER_MS = 5000
};
#define TUN "/dev/net/tun"

/* A socket that listens inside for the server. It stays while there is no server, so that connections wait. */
struct door {
  struct sockaddr_in address;
  int fd;
};

struct owner {
  const struct network_plan* plan;
  struct keeper keeper;
  struct fault fault; /* why there is no network: every request is answered with it */
  int signals;
  pid_t pasta_pid; /* 0: it does not run */
  long long pasta_again;
  int changes; /* of the host's addresses */
  struct host_addresses closed;
  int peers[MAX_PEERS]; /* -1: the slot is free */
  struct door doors[MAX_DOORS];
  int door_count;
};

/* ---- pasta ---- */

/* /dev/net/tun may be root's alone, and pasta runs as the network's owner. */
static int show_own_tun(const struct owner* owner) {
  struct stat what;
  if (geteuid() != 0 || stat(TUN, &what) != 0 || (what.st_mode & 0006) == 0006) return 0;
  const char* node = text_of("%s/tun", owner->plan->folder);
  const uid_t uid = MUSTER_POD_ROOT + 65536;
  unlink(node);
  if (mknod(node, S_IFCHR | 0600, what.st_rdev) != 0 || chown(node, uid, uid) != 0) return -1;
  if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return -1;
  return mount(node, TUN, NULL, MS_BIND, NULL);
}

static _Noreturn void become_pasta(const struct owner* owner) {
  const char* pid = text_of("/proc/%d/ns", (int)owner->keeper.pid);
  if (show_own_tun(owner) != 0 || become_owner() != 0) _exit(70);
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGPIPE, SIG_DFL); /* Debian 12's pasta takes a signal that was ignored before for a failure, and exits */
  /* No way from the outside in, and none to the host's loopback: neither directly nor as the gateway. */
  const char* words[32] = {"pasta",
                           "--foreground",
                           "--quiet",
                           "--config-net",
                           "--no-map-gw",
                           "-t",
                           "none",
                           "-u",
                           "none",
                           "-T",
                           "none",
                           "-U",
                           "none",
                           "--userns",
                           text_of("%s/user", pid),
                           "--netns",
                           text_of("%s/net", pid)};
  size_t count = 0;
  while (words[count] != NULL) ++count;
  if (owner->plan->resolver[0] != 0) {
    words[count++] = "--dns-forward";
    words[count++] = owner->plan->resolver;
  }
  if (!owner->keeper.ipv6_is_closed) words[count++] = "--ipv4-only";
  execv(owner->plan->pasta, (char* const*)words);
  _exit(70);
}

static void start_pasta(struct owner* owner) {
  owner->pasta_again = NEVER;
  if (owner->plan->pasta[0] == 0 || owner->fault.step[0] != 0) return;
  const pid_t pid = fork();
  if (pid == 0) become_pasta(owner);
  owner->pasta_pid = pid > 0 ? pid : 0;
  if (pid < 0) owner->pasta_again = milliseconds() + RESTART_PASTA_MS;
}

/* ---- requests ---- */

struct peer_request {
  struct owner* owner;
  int fd;
  const char* id;
  struct cursor fields; /* after the ID */
  struct packet* packet;
};

static const char* next_text(struct peer_request* request) {
  struct field field;
  return next_field(&request->fields, &field) ? field.text : "";
}

static void answer(const struct peer_request* request, const int* fds, size_t count) {
  const struct answer ok = make_answer("ok", request->id);
  send_packet(request->fd, ok.bytes, ok.size, "", 0, fds, count, MSG_DONTWAIT);
}

static void refuse(const struct peer_request* request, const struct fault* fault) {
  char why[128];
  describe_errno(fault->error, why, sizeof why);
  struct answer failed = make_answer("failed", request->id);
  add_field(&failed, text_of("%s: %s", fault->step, why));
  send_packet(request->fd, failed.bytes, failed.size, "", 0, NULL, 0, MSG_DONTWAIT);
}

static void give_spaces(struct peer_request* request) {
  answer(request, request->owner->keeper.spaces, SPACES);
}

static void give_memory(struct peer_request* request) {
  struct fault fault;
  const int tree = ask_keeper_for_memory(request->owner->keeper.channel);
  if (tree < 0) {
    fail(&fault, "share memory");
    refuse(request, &fault);
    return;
  }
  answer(request, &tree, 1);
  close(tree);
}

static void give_socket(struct peer_request* request) {
  const int domain = atoi(next_text(request)), type = atoi(next_text(request)), protocol = atoi(next_text(request));
  struct fault fault;
  errno = EAFNOSUPPORT;
  const int fd = domain > 0 ? ask_keeper(request->owner->keeper.channel, domain, type, protocol) : -1;
  if (fd < 0) {
    fail(&fault, "make a socket of family %d", domain);
    refuse(request, &fault);
    return;
  }
  answer(request, &fd, 1);
  close(fd);
}

static struct door* find_door(struct owner* owner, const struct sockaddr_in* address) {
  for (int i = 0; i < owner->door_count; ++i) {
    const struct sockaddr_in* at = &owner->doors[i].address;
    if (at->sin_port == address->sin_port && at->sin_addr.s_addr == address->sin_addr.s_addr) return &owner->doors[i];
  }
  return NULL;
}

int listen_inside(const struct keeper* keeper, int where, const struct sockaddr_in* address, int backlog,
                  struct fault* fault) {
  const int fd = ask_keeper(keeper->channel, AF_INET | where, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (fd < 0) return fail(fault, "make a socket");
  const int yes = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(fd, (const struct sockaddr*)address, sizeof *address) == 0 && listen(fd, backlog) == 0) return fd;
  fail(fault, "listen on port %d", ntohs(address->sin_port));
  close(fd);
  return -1;
}

static struct door* open_door(struct owner* owner, const struct sockaddr_in* address, struct fault* fault) {
  errno = EMFILE;
  if (owner->door_count == MAX_DOORS) return fail(fault, "listen on more than %d addresses", MAX_DOORS), NULL;
  const int fd = listen_inside(&owner->keeper, 0, address, BACKLOG, fault);
  if (fd < 0) return NULL;
  struct door* made = &owner->doors[owner->door_count++];
  *made = (struct door){*address, fd};
  return made;
}

static int next_address(struct peer_request* request, struct sockaddr_in* address, struct fault* fault) {
  const char* text = next_text(request);
  const int port = atoi(next_text(request));
  *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  if (inet_pton(AF_INET, text, &address->sin_addr) == 1 && port > 0 && port < 65536) return 0;
  errno = EINVAL;
  return fail(fault, "address \"%.60s\", port %d", text, port);
}

static void give_door(struct peer_request* request) {
  struct sockaddr_in address;
  struct fault fault;
  struct door* door = NULL;
  if (next_address(request, &address, &fault) == 0) {
    door = find_door(request->owner, &address);
    if (door == NULL) door = open_door(request->owner, &address, &fault);
  }
  if (door == NULL) {
    refuse(request, &fault);
  } else {
    answer(request, &door->fd, 1);
  }
}

static void give_channel(struct peer_request* request) {
  struct fault fault;
  const int fd = add_channel(&request->owner->keeper);
  if (fd < 0) {
    fail(&fault, "make a channel");
    refuse(request, &fault);
    return;
  }
  answer(request, &fd, 1);
  close(fd);
}

static void forward_by(struct peer_request* request, int channel) {
  struct sockaddr_in at, to;
  struct fault fault;
  if (next_address(request, &at, &fault) != 0 || next_address(request, &to, &fault) != 0 ||
      begin_forward(&at, &to, channel, &fault) != 0) {
    refuse(request, &fault);
    return;
  }
  request->packet->fd_count = 0; /* the forward's now */
  answer(request, NULL, 0);
}

/* The kernel drops a descriptor for which the receiver has no room. Without it the way would lead to the machine. */
static void take_forward(struct peer_request* request) {
  if (request->packet->fd_count == 1) {
    forward_by(request, request->packet->fds[0]);
    return;
  }
  struct fault fault;
  errno = EMFILE;
  fail(&fault, "receive the channel to another network");
  refuse(request, &fault);
}

static void take_forward_to_machine(struct peer_request* request) {
  forward_by(request, -1);
}

static void take_unforward(struct peer_request* request) {
  struct sockaddr_in at;
  struct fault fault;
  if (next_address(request, &at, &fault) != 0) {
    refuse(request, &fault);
    return;
  }
  end_forward(&at);
  answer(request, NULL, 0);
}

static void end_children(const struct owner* owner) {
  if (owner->pasta_pid > 0) kill(owner->pasta_pid, SIGKILL);
  if (owner->keeper.pid > 0) kill(owner->keeper.pid, SIGKILL);
}

static _Noreturn void end(struct peer_request* request) {
  end_children(request->owner);
  answer(request, NULL, 0);
  _exit(0);
}

/* The server removes the folder when it has asked for the end. If it is killed then, nobody knows any more who it was,
 * and its request counts for nothing. */
static void end_without_folder(const struct owner* owner) {
  if (access(text_of("%s/" MUSTER_CONTROL, owner->plan->folder), F_OK) == 0 || errno != ENOENT) return;
  end_children(owner);
  _exit(0);
}

static const struct {
  const char* verb;
  void (*take)(struct peer_request* request);
} kVerbs[] = {{"spaces", give_spaces},
              {"memory", give_memory},
              {"socket", give_socket},
              {"listen", give_door},
              {"channel", give_channel},
              {"forward", take_forward},
              {"forward-to-machine", take_forward_to_machine},
              {"unforward", take_unforward}};

static void take_owner_request(struct owner* owner, int fd, struct packet* packet) {
  struct cursor cursor = {packet->bytes, packet->size};
  struct field verb, id;
  if (!next_field(&cursor, &verb) || !next_field(&cursor, &id) || id.size >= ID_MAX) return;
  struct peer_request request = {owner, fd, id.text, cursor, packet};
  if (strcmp(verb.text, "end") == 0) end(&request);
  if (owner->fault.step[0] != 0) {
    refuse(&request, &owner->fault);
    return;
  }
  for (size_t i = 0; i < sizeof kVerbs / sizeof kVerbs[0]; ++i) {
    if (strcmp(kVerbs[i].verb, verb.text) != 0) continue;
    kVerbs[i].take(&request);
    return;
  }
  struct fault unknown;
  errno = ENOSYS; /* of a later version */
  fail(&unknown, "request \"%.40s\"", verb.text);
  refuse(&request, &unknown);
}

static void serve_peer(struct owner* owner, int* peer) {
  static struct packet packet; /* its room is large */
  int got;
  while ((got = receive_packet(*peer, &packet, MSG_DONTWAIT)) > 0) {
    take_owner_request(owner, *peer, &packet);
    close_all(packet.fds, packet.fd_count);
  }
  if (got >= 0) return;
  close_all(peer, 1);
  end_without_folder(owner);
}

static void accept_peers(struct owner* owner) {
  int fd;
  while ((fd = accept4(LISTENER, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
    int slot = 0;
    while (slot < MAX_PEERS && owner->peers[slot] >= 0) ++slot;
    if (slot == MAX_PEERS || !is_trusted(fd)) {
      close(fd);
      end_without_folder(owner);
    } else {
      owner->peers[slot] = fd;
    }
  }
}

/* ---- the process ---- */

static void reap(struct owner* owner) {
  struct signalfd_siginfo got;
  while (read(owner->signals, &got, sizeof got) > 0) {
  }
  pid_t pid;
  while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
    if (pid == owner->keeper.pid && owner->fault.step[0] == 0) _exit(0); /* the namespaces live on in pods only */
    if (pid != owner->pasta_pid) continue;
    owner->pasta_pid = 0;
    owner->pasta_again = milliseconds() + RESTART_PASTA_MS;
  }
}

static int has_peers(const struct owner* owner) {
  for (int i = 0; i < MAX_PEERS; ++i) {
    if (owner->peers[i] >= 0) return 1;
  }
  return 0;
}

/* While no server is connected, nobody says that the folder was removed. */
static int milliseconds_left(const struct owner* owner) {
  const long long look = has_peers(owner) ? NEVER : milliseconds() + LOOK_FOR_FOLDER_MS;
  const long long next = earlier(look, earlier(owner->pasta_again, next_release()));
  const long long left = next - milliseconds();
  return next == NEVER ? -1 : left < 0 ? 0 : (int)left;
}

static void wait_for_work(struct owner* owner) {
  enum { PEERS = 3, FORWARDS = PEERS + MAX_PEERS };
  static struct pollfd polled[FORWARDS + MAX_FORWARD_POLLS];
  polled[0] = (struct pollfd){.fd = LISTENER, .events = POLLIN};
  polled[1] = (struct pollfd){.fd = owner->signals, .events = POLLIN};
  polled[2] = (struct pollfd){.fd = owner->changes, .events = POLLIN};
  for (int i = 0; i < MAX_PEERS; ++i) polled[PEERS + i] = (struct pollfd){.fd = owner->peers[i], .events = POLLIN};
  const size_t count = FORWARDS + poll_forwards(polled + FORWARDS);
  if (poll(polled, count, milliseconds_left(owner)) == 0 && !has_peers(owner)) end_without_folder(owner);
  if (owner->pasta_again != NEVER && milliseconds() >= owner->pasta_again) start_pasta(owner);
  if (polled[1].revents != 0) reap(owner);
  if (polled[2].revents != 0) follow_addresses(&owner->keeper, owner->changes, &owner->closed);
  serve_forwards(polled + FORWARDS); /* before requests, which change what was polled */
  for (int i = 0; i < MAX_PEERS; ++i) {
    if (owner->peers[i] >= 0 && polled[PEERS + i].revents != 0) serve_peer(owner, &owner->peers[i]);
  }
  if (polled[0].revents != 0) accept_peers(owner);
}

static int block_child_signal(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_SETMASK, &set, NULL);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

_Noreturn void own_network(const struct network_plan* plan) {
  static struct owner owner;
  owner = (struct owner){.plan = plan, .pasta_again = NEVER};
  memset(owner.peers, -1, sizeof owner.peers);
  init_forwards(&owner.keeper);
  close_from(3);
  umask(077);
  fcntl(LISTENER, F_SETFL, O_NONBLOCK);
  fcntl(LISTENER, F_SETFD, FD_CLOEXEC);
  owner.signals = block_child_signal();
  if (owner.signals < 0) _exit(EXIT_SETUP);
  write_text("/proc/self/oom_score_adj", "-900"); /* fails without the privilege */
  /* Before the addresses are listed, so that no change is missed. */
  owner.changes = plan->own_network ? watch_addresses() : -1;
  if (start_keeper(&owner.keeper, plan, &owner.fault) == 0 && plan->own_network)
    close_off_host(&owner.keeper, &owner.closed, &owner.fault);
  start_pasta(&owner);
  for (;;) wait_for_work(&owner);
}
