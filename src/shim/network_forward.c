/* Connections that the owner of a network passes on: what connects to an address inside reaches an address of another
 * network of the same namespace, or of the host. So Services work between jobs, also while no server runs.
 *
 * A connection is two sockets with a buffer for each direction. A side that does not read stops the other one. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "network.h"

enum { BUFFER = 64 * 1024, BACKLOG = 128, LINGER_MS = 10000 };

/* One direction: from the socket `from` of the connection to the other one. */
struct flow {
  char* bytes;
  size_t begin, end;
  int ended; /* nothing more arrives */
  int shut;  /* and the other side was told */
};

struct connection {
  int fds[2];        /* -1: the slot is free */
  struct in_addr at; /* of the forward if that is a Service's; otherwise 0 */
  int connecting;
  struct flow flows[2]; /* flows[i] is read from fds[i] */
};

struct forward {
  struct sockaddr_in at, to;
  int listener;      /* -1: the slot is free */
  int channel;       /* to the keeper of the other network; -1: the host's */
  int is_led;        /* the address leads to the network for Services, also for a while after the end */
  long long used_at; /* after the end */
};

static const struct keeper* g_keeper;
static struct forward g_forwards[MAX_FORWARDS];
static struct connection g_connections[MAX_FORWARDED];
static int g_connection_count;

static int is_same(const struct sockaddr_in* a, const struct sockaddr_in* b) {
  return a->sin_port == b->sin_port && a->sin_addr.s_addr == b->sin_addr.s_addr;
}

void init_forwards(const struct keeper* keeper) {
  g_keeper = keeper;
  for (int i = 0; i < MAX_FORWARDS; ++i) g_forwards[i].listener = g_forwards[i].channel = -1;
  for (int i = 0; i < MAX_FORWARDED; ++i) g_connections[i].fds[0] = g_connections[i].fds[1] = -1;
}

/* ---- addresses of Services ---- */

static int tell_about(struct in_addr at, enum change change) {
  struct host_address address = {.family = AF_INET};
  memcpy(address.bytes, &at, sizeof at);
  return tell_keeper(g_keeper->channel, &address, change);
}

static int has_connections(struct in_addr at) {
  for (int i = 0; i < MAX_FORWARDED; ++i) {
    if (g_connections[i].fds[0] >= 0 && g_connections[i].at.s_addr == at.s_addr) return 1;
  }
  return 0;
}

static int is_ending(const struct forward* forward) {
  return forward->listener < 0 && forward->is_led;
}

static int is_led(struct in_addr at) {
  for (int i = 0; i < MAX_FORWARDS; ++i) {
    if (g_forwards[i].is_led && g_forwards[i].at.sin_addr.s_addr == at.s_addr) return 1;
  }
  return 0;
}

/* Makes addresses the network's own again that no Service has any more. Connections need the route, also to deliver
 * what was sent before both sides ended. */
static void release_addresses(void) {
  const long long now = milliseconds();
  for (int i = 0; i < MAX_FORWARDS; ++i) {
    struct forward* forward = &g_forwards[i];
    if (!is_ending(forward)) continue;
    if (has_connections(forward->at.sin_addr)) forward->used_at = now;
    if (now < forward->used_at + LINGER_MS) continue;
    forward->is_led = 0;
    if (!is_led(forward->at.sin_addr)) (void)!tell_about(forward->at.sin_addr, ADDRESS_OWN);
  }
}

long long next_release(void) {
  long long next = NEVER;
  for (int i = 0; i < MAX_FORWARDS; ++i) {
    if (is_ending(&g_forwards[i])) next = earlier(next, g_forwards[i].used_at + LINGER_MS);
  }
  return next;
}

/* ---- forwards ---- */

static int is_free(const struct forward* forward) {
  return forward->listener < 0 && !forward->is_led;
}

static struct forward* find_forward(const struct sockaddr_in* at) {
  for (int i = 0; i < MAX_FORWARDS; ++i) {
    if (!is_free(&g_forwards[i]) && is_same(&g_forwards[i].at, at)) return &g_forwards[i];
  }
  return NULL;
}

static struct forward* find_free_forward(void) {
  for (int i = 0; i < MAX_FORWARDS; ++i) {
    if (is_free(&g_forwards[i])) return &g_forwards[i];
  }
  return NULL;
}

static void stop_forward(struct forward* forward) {
  close_all(&forward->listener, 1);
  close_all(&forward->channel, 1);
  forward->used_at = milliseconds();
}

void end_forward(const struct sockaddr_in* at) {
  struct forward* forward = find_forward(at);
  if (forward != NULL) stop_forward(forward);
}

/* An address of the host stays the network's own, with all other ports of it. So does one of a Service if the kernel
 * makes no links: then the port is taken from the pods of this network. */
int begin_forward(const struct sockaddr_in* at, const struct sockaddr_in* to, int channel, struct fault* fault) {
  struct forward* forward = find_forward(at);
  if (forward != NULL) stop_forward(forward);
  if (forward == NULL) forward = find_free_forward();
  errno = EMFILE;
  if (forward == NULL) return fail(fault, "forward more than %d addresses", MAX_FORWARDS);
  const int leads = channel >= 0 && tell_about(at->sin_addr, ADDRESS_OF_SERVICE) == 0;
  const int listener = listen_inside(g_keeper, leads ? FOR_SERVICES : 0, at, BACKLOG, fault);
  *forward = (struct forward){*at, *to, listener, listener < 0 ? -1 : channel, leads, milliseconds()};
  return listener < 0 ? -1 : 0;
}

/* ---- connections ---- */

static void end_connection(struct connection* c) {
  close_all(c->fds, 2);
  free(c->flows[0].bytes);
  free(c->flows[1].bytes);
  memset(c->flows, 0, sizeof c->flows);
  --g_connection_count;
}

static int open_target(const struct forward* forward) {
  const int type = SOCK_STREAM | SOCK_NONBLOCK;
  return forward->channel >= 0 ? ask_keeper(forward->channel, AF_INET, type, 0)
                               : socket(AF_INET, type | SOCK_CLOEXEC, 0);
}

static void accept_forwarded(struct forward* forward) {
  const int fd = accept4(forward->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) return;
  int slot = 0;
  while (slot < MAX_FORWARDED && g_connections[slot].fds[0] >= 0) ++slot;
  const int to = slot < MAX_FORWARDED ? open_target(forward) : -1;
  struct connection made = {.fds = {fd, to}, .connecting = 1};
  if (forward->is_led) made.at = forward->at.sin_addr;
  for (int i = 0; i < 2; ++i) made.flows[i].bytes = malloc(BUFFER);
  const int started =
      to >= 0 && made.flows[0].bytes != NULL && made.flows[1].bytes != NULL &&
      (connect(to, (const struct sockaddr*)&forward->to, sizeof forward->to) == 0 || errno == EINPROGRESS);
  if (slot < MAX_FORWARDED) {
    ++g_connection_count;
    g_connections[slot] = made;
    if (!started) end_connection(&g_connections[slot]);
    return;
  }
  close_all(made.fds, 2);
  free(made.flows[0].bytes);
  free(made.flows[1].bytes);
}

/* Returns 0 when the connection has failed. */
static int fill(struct connection* c, int side) {
  struct flow* flow = &c->flows[side];
  if (flow->begin != flow->end || flow->ended) return 1;
  const ssize_t n = recv(c->fds[side], flow->bytes, BUFFER, 0);
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  flow->begin = 0;
  flow->end = (size_t)n;
  flow->ended = n == 0;
  return 1;
}

static int drain(struct connection* c, int side) {
  struct flow* flow = &c->flows[side];
  if (flow->begin != flow->end) {
    const ssize_t n = send(c->fds[1 - side], flow->bytes + flow->begin, flow->end - flow->begin, MSG_NOSIGNAL);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    flow->begin += (size_t)n;
  }
  if (flow->begin == flow->end && flow->ended && !flow->shut) {
    shutdown(c->fds[1 - side], SHUT_WR);
    flow->shut = 1;
  }
  return 1;
}

static short events_of(const struct connection* c, int side) {
  const struct flow* in = &c->flows[side];
  const struct flow* out = &c->flows[1 - side];
  if (c->connecting) return side == 1 ? POLLOUT : 0;
  return (short)((in->begin == in->end && !in->ended ? POLLIN : 0) | (out->begin != out->end ? POLLOUT : 0));
}

static void serve_connection_pair(struct connection* c, const short got[2]) {
  int error = 0;
  socklen_t size = sizeof error;
  if (c->connecting) {
    if (got[1] != 0) getsockopt(c->fds[1], SOL_SOCKET, SO_ERROR, &error, &size);
    if (got[1] != 0 && error == 0) c->connecting = 0;
    if (error != 0 || (got[0] & (POLLERR | POLLHUP)) != 0) end_connection(c);
    return;
  }
  int alive = 1;
  for (int side = 0; side < 2 && alive; ++side) {
    alive = fill(c, side) && drain(c, side);
  }
  if (!alive || (c->flows[0].shut && c->flows[1].shut)) end_connection(c);
}

/* ---- polling ---- */

size_t poll_forwards(struct pollfd* polled) {
  size_t count = 0;
  release_addresses();
  for (int i = 0; i < MAX_FORWARDS; ++i) {
    if (g_forwards[i].listener < 0) continue;
    const int has_room = g_connection_count < MAX_FORWARDED;
    polled[count++] = (struct pollfd){.fd = has_room ? g_forwards[i].listener : -1, .events = POLLIN};
  }
  for (int i = 0; i < MAX_FORWARDED && g_connection_count > 0; ++i) {
    const struct connection* c = &g_connections[i];
    if (c->fds[0] < 0) continue;
    for (int side = 0; side < 2; ++side) {
      /* A side that waits for the other one is not polled: its end would be reported again and again. */
      const short events = events_of(c, side);
      polled[count++] = (struct pollfd){.fd = events != 0 ? c->fds[side] : -1, .events = events};
    }
  }
  return count;
}

void serve_forwards(const struct pollfd* polled) {
  size_t at = 0;
  int listening[MAX_FORWARDS], listeners = 0;
  for (int i = 0; i < MAX_FORWARDS; ++i) {
    if (g_forwards[i].listener < 0) continue;
    if (polled[at++].revents != 0) listening[listeners++] = i;
  }
  const int connections = g_connection_count;
  for (int i = 0; i < MAX_FORWARDED && connections > 0; ++i) {
    if (g_connections[i].fds[0] < 0) continue;
    const short got[2] = {polled[at].revents, polled[at + 1].revents};
    at += 2;
    if (got[0] != 0 || got[1] != 0) serve_connection_pair(&g_connections[i], got);
  }
  for (int i = 0; i < listeners; ++i) accept_forwarded(&g_forwards[listening[i]]);
}
