/* The door's program; format.h describes it. It is static and tiny, because one runs for as long as the engine is away,
 * and it lies in the engine's folder, so that muster's own file can be replaced meanwhile. */
#define _GNU_SOURCE
#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format.h"
#include "shim/packet.h"

enum { MAX_CALLERS = 4, TICK_MS = 1000, LOOK_FOR_PODS_MS = 2000, PAUSE_MS = 100, EXIT_SETUP = 1 };

struct door {
  int folder;
  int engine;               /* -1: it is away */
  int callers[MAX_CALLERS]; /* connections on door.sock that have not said anything yet; -1: free */
  size_t next_caller;
  int sockets[MAX_FDS];
  size_t socket_count;
  int stopped; /* the engine said so */
  long long next_look;
  long long paused_until; /* no connections are accepted: the machine has no room for one */
  struct visitor visitors[MAX_VISITORS];
};

static void forget(int* fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

/* The sockets are closed first: who waits for the end of a connection to the door may then bind their addresses. */
static _Noreturn void end(struct door* door) {
  close_all(door->sockets, door->socket_count);
  for (size_t i = 0; i < MAX_VISITORS; ++i) send_away(&door->visitors[i]);
  close(MUSTER_DOOR_LOCK_FD);
  _exit(0);
}

static int reply(int to, const char* word, const int* fds, size_t count) {
  return send_packet(to, word, strlen(word), "", 0, fds, count, MSG_DONTWAIT);
}

/* ---- the engine ---- */

static void hold(struct door* door, const int* sockets, size_t count) {
  close_all(door->sockets, door->socket_count);
  for (size_t i = 0; i < count; ++i) door->sockets[i] = sockets[i];
  door->socket_count = count;
}

static void drop(struct door* door) {
  hold(door, NULL, 0);
  if (reply(door->engine, "dropped", NULL, 0) != 0) forget(&door->engine);
}

static int says(const struct packet* packet, const char* word) {
  return strcmp(packet->bytes, word) == 0;
}

static void hear_engine(struct door* door) {
  static struct packet packet;
  const int got = receive_packet(door->engine, &packet, MSG_DONTWAIT);
  if (got < 0) forget(&door->engine);
  if (got <= 0) return;
  if (says(&packet, "hold")) return hold(door, packet.fds, packet.fd_count);
  close_all(packet.fds, packet.fd_count);
  if (says(&packet, "drop")) drop(door);
  if (says(&packet, "end")) end(door);
  if (says(&packet, "stopped")) door->stopped = 1;
}

/* ---- callers on door.sock ---- */

static void admit_caller(struct door* door) {
  const int fd = accept4(MUSTER_DOOR_SOCKET_FD, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return;
  int* place = &door->callers[door->next_caller++ % MAX_CALLERS];
  forget(place);
  *place = fd;
}

/* Compares in a time that depends on the lengths only. */
static int same(const char* a, const char* b, size_t size) {
  unsigned char differs = 0;
  for (size_t i = 0; i < size; ++i) differs |= (unsigned char)(a[i] ^ b[i]);
  return differs == 0;
}

/* The token is read again each time: its owner may have replaced it. */
static int is_owner(const struct door* door, const char* token) {
  char bytes[MUSTER_DOOR_PACKET_MAX];
  const int file = openat(door->folder, "token", O_RDONLY | O_CLOEXEC);
  const ssize_t n = file < 0 ? -1 : read(file, bytes, sizeof bytes);
  if (file >= 0) close(file);
  size_t size = n < 0 ? 0 : (size_t)n;
  while (size > 0 && strchr(" \t\r\n", bytes[size - 1]) != NULL) --size;
  return size > 0 && strlen(token) == size && same(token, bytes, size);
}

static void hand_over(struct door* door, int* caller) {
  forget(&door->engine);
  door->engine = *caller;
  *caller = -1;
  door->stopped = 0;
  /* The engine proves itself to browsers only while nobody else has connections at its port. */
  for (size_t i = 0; i < MAX_VISITORS; ++i) send_away(&door->visitors[i]);
  if (reply(door->engine, "sockets", door->sockets, door->socket_count) != 0) forget(&door->engine);
}

static void hear_caller(struct door* door, int* caller) {
  static struct packet packet;
  const int got = receive_packet(*caller, &packet, MSG_DONTWAIT);
  if (got == 0) return;
  if (got > 0) {
    close_all(packet.fds, packet.fd_count);
    if (strncmp(packet.bytes, "take ", 5) == 0 && is_owner(door, packet.bytes + 5)) return hand_over(door, caller);
    if (strncmp(packet.bytes, "end ", 4) == 0 && is_owner(door, packet.bytes + 4)) end(door);
  }
  forget(caller);
}

/* ---- all together ---- */

static int lock_was_removed(void) {
  struct stat lock;
  return fstat(MUSTER_DOOR_LOCK_FD, &lock) == 0 && lock.st_nlink == 0;
}

static void look_around(struct door* door, long long now) {
  if (lock_was_removed()) end(door);
  for (size_t i = 0; i < MAX_VISITORS; ++i) {
    if (door->visitors[i].fd >= 0 && door->visitors[i].leaves <= now) send_away(&door->visitors[i]);
  }
  if (door->engine >= 0) return;
  if (door->socket_count == 0) end(door);
  if (!door->stopped || now < door->next_look) return;
  if (!pods_run(door->folder)) end(door);
  door->next_look = now + LOOK_FOR_PODS_MS;
}

/* Every descriptor has a place of its own in what is polled; poll() skips those that are -1. */
enum {
  ENGINE,
  SOCKET,
  CALLERS,
  VISITORS = CALLERS + MAX_CALLERS,
  LISTENERS = VISITORS + MAX_VISITORS,
  PLACES = LISTENERS + MAX_FDS
};

static void turn(struct door* door) {
  const long long now = milliseconds();
  look_around(door, now);
  struct pollfd polled[PLACES];
  for (size_t i = 0; i < PLACES; ++i) polled[i] = (struct pollfd){.fd = -1, .events = POLLIN};
  polled[ENGINE].fd = door->engine;
  polled[SOCKET].fd = MUSTER_DOOR_SOCKET_FD;
  for (size_t i = 0; i < MAX_CALLERS; ++i) polled[CALLERS + i].fd = door->callers[i];
  for (size_t i = 0; i < MAX_VISITORS; ++i) polled[VISITORS + i].fd = door->visitors[i].fd;
  const int paused = door->paused_until > now;
  for (size_t i = 0; i < door->socket_count && door->engine < 0 && !paused; ++i) {
    polled[LISTENERS + i].fd = door->sockets[i];
  }
  if (poll(polled, PLACES, paused ? PAUSE_MS : TICK_MS) <= 0) return;
  for (size_t i = 0; i < MAX_VISITORS; ++i) {
    if (polled[VISITORS + i].revents != 0) hear_visitor(&door->visitors[i], door->stopped);
  }
  for (size_t i = 0; i < MAX_FDS; ++i) {
    if (polled[LISTENERS + i].revents == 0) continue;
    if (admit_visitors(door->visitors, door->sockets[i]) != 0) door->paused_until = now + PAUSE_MS;
  }
  /* Last, because they change which sockets there are and who accepts. */
  if (polled[ENGINE].revents != 0) hear_engine(door);
  for (size_t i = 0; i < MAX_CALLERS; ++i) {
    if (polled[CALLERS + i].revents != 0) hear_caller(door, &door->callers[i]);
  }
  if (polled[SOCKET].revents != 0) admit_caller(door);
}

int main(int argc, char** argv) {
  if (argc != 2) return EXIT_SETUP;
  /* Nobody with the same user id, such as a pod of an ordinary user, can take the sockets out of this process. */
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  prctl(PR_SET_NAME, "muster-door", 0, 0, 0);
  signal(SIGHUP, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  fcntl(MUSTER_DOOR_SOCKET_FD, F_SETFL, O_NONBLOCK);
  static struct door door = {.engine = MUSTER_DOOR_ENGINE_FD};
  door.folder = open(argv[1], O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (door.folder < 0 || chdir("/") != 0) return EXIT_SETUP;
  for (size_t i = 0; i < MAX_CALLERS; ++i) door.callers[i] = -1;
  for (size_t i = 0; i < MAX_VISITORS; ++i) door.visitors[i].fd = -1;
  for (;;) turn(&door);
}
