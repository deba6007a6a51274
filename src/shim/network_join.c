/* How a pod's shim gets into the network of its job. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "network.h"

enum { ANSWER_WITHIN_MS = 10000 };

/* The socket is there before its owner, which answers when it has made the network. */
static int connect_to_owner(const char* folder) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const int dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (dir < 0) return -1;
  snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/" MUSTER_CONTROL, dir);
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  const int connected = fd < 0 ? -1 : connect(fd, (const struct sockaddr*)&address, sizeof address);
  const int error = errno;
  close(dir);
  if (connected != 0 && fd >= 0) close(fd);
  errno = error;
  return connected == 0 ? fd : -1;
}

static int take_answer(int fd, int* fds, size_t count, struct fault* fault) {
  static struct packet packet; /* its room is large */
  struct pollfd polled = {.fd = fd, .events = POLLIN};
  int ready;
  while ((ready = poll(&polled, 1, ANSWER_WITHIN_MS)) < 0 && errno == EINTR) {
  }
  errno = ready == 0 ? ETIMEDOUT : ECONNRESET;
  if (ready <= 0 || receive_packet(fd, &packet, 0) <= 0) return fail(fault, "the network's owner does not answer");
  struct cursor cursor = {packet.bytes, packet.size};
  struct field verb, id, why = {.text = "", .size = 0};
  const int understood = next_field(&cursor, &verb) && next_field(&cursor, &id);
  if (understood && strcmp(verb.text, "ok") == 0 && packet.fd_count == count) {
    memcpy(fds, packet.fds, sizeof packet.fds[0] * count);
    return 0;
  }
  close_all(packet.fds, packet.fd_count);
  if (understood) (void)next_field(&cursor, &why);
  errno = EPROTO;
  return fail(fault, "the network's owner answers: %s", why.text);
}

static int ask_for(const char* verb, const char* folder, int* fds, size_t count, struct fault* fault) {
  const int fd = connect_to_owner(folder);
  if (fd < 0) return fail(fault, "connect to the network's owner");
  struct answer request = make_answer(verb, "1");
  int result = -1;
  if (send_packet(fd, request.bytes, request.size, "", 0, NULL, 0, 0) != 0) {
    fail(fault, "ask the network's owner");
  } else {
    result = take_answer(fd, fds, count, fault);
  }
  close(fd);
  return result;
}

int ask_for_spaces(const char* folder, int spaces[SPACES], struct fault* fault) {
  return ask_for("spaces", folder, spaces, SPACES, fault);
}

int ask_for_memory(const char* folder, struct fault* fault) {
  int tree = -1;
  return ask_for("memory", folder, &tree, 1, fault) == 0 ? tree : -1;
}

static int is_in_network(int space) {
  struct stat own, other;
  return stat("/proc/self/ns/net", &own) == 0 && fstat(space, &other) == 0 && own.st_ino == other.st_ino &&
         own.st_dev == other.st_dev;
}

int enter_spaces(const int spaces[SPACES], int with_user) {
  if (with_user && setns(spaces[SPACE_USER], CLONE_NEWUSER) != 0) return -1;
  /* Whoever is in the host's network already may not have the right to enter it. */
  if (!is_in_network(spaces[SPACE_NET]) && setns(spaces[SPACE_NET], CLONE_NEWNET) != 0) return -1;
  return setns(spaces[SPACE_IPC], CLONE_NEWIPC);
}
