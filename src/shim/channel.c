/* The control socket: connections, requests and answers. format.h describes the protocol. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "shim.h"

/* ---- answers ---- */

void add_field(struct answer* answer, const char* text) {
  const size_t size = strlen(text);
  if (size + 5 > sizeof answer->bytes - answer->size) return;
  char* p = answer->bytes + answer->size;
  for (int i = 0; i < 4; ++i) p[i] = (char)(size >> (8 * i));
  memcpy(p + 4, text, size + 1);
  answer->size += size + 5;
}

void add_number(struct answer* answer, long long number) {
  char text[24];
  snprintf(text, sizeof text, "%lld", number);
  add_field(answer, text);
}

struct answer make_answer(const char* verb, const char* id) {
  struct answer answer;
  answer.size = 0;
  add_field(&answer, verb);
  add_field(&answer, id);
  return answer;
}

static void close_connection(struct shim* shim, int connection) {
  close(shim->connections[connection]);
  shim->connections[connection] = -1;
  end_execs_of(shim, connection);
  end_attachments_of(shim, connection);
}

static void send_or_close(struct shim* shim, int connection, const void* head, size_t head_size, const void* tail,
                          size_t tail_size, int fd) {
  if (connection < 0 || shim->connections[connection] < 0) return;
  if (send_packet(shim->connections[connection], head, head_size, tail, tail_size, &fd, fd >= 0, MSG_DONTWAIT) != 0)
    close_connection(shim, connection);
}

void send_answer(struct shim* shim, int connection, const struct answer* answer, int fd) {
  send_or_close(shim, connection, answer->bytes, answer->size, "", 0, fd);
}

void answer_failed(struct shim* shim, int connection, const char* id, const char* text) {
  struct answer answer = make_answer("failed", id);
  add_field(&answer, text);
  send_answer(shim, connection, &answer, -1);
}

/* The record is the last field of its packet, so that it need not be copied. */
static void send_state(struct shim* shim, int connection, const char* record, size_t size) {
  struct answer head = {.size = 0};
  add_field(&head, "state");
  if (record == NULL || head.size + size + 5 > MUSTER_PACKET_MAX) {
    add_field(&head, "");
    send_answer(shim, connection, &head, -1);
    return;
  }
  for (int i = 0; i < 4; ++i) head.bytes[head.size++] = (char)(size >> (8 * i));
  send_or_close(shim, connection, head.bytes, head.size, record, size + 1, -1);
}

void broadcast_state(struct shim* shim, const char* record, size_t size) {
  for (int i = 0; i < MAX_CONNECTIONS; ++i) {
    if (shim->connections[i] >= 0) send_state(shim, i, record, size);
  }
}

/* ---- connections ---- */

/* A socket's address ends at 108 bytes, and the folder's path may be longer. */
int listen_for_control(int dir) {
  const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = MUSTER_CONTROL};
  const int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const mode_t before = umask(0177);
  const int bound = listener >= 0 && fchdir(dir) == 0 &&
                    bind(listener, (const struct sockaddr*)&address, sizeof address) == 0 &&
                    listen(listener, MAX_CONNECTIONS) == 0;
  umask(before);
  if (chdir("/") == 0 && bound) return listener;
  if (listener >= 0) close(listener);
  return -1;
}

/* Returns the number of nested PID namespaces that the process is in, seen from ours: 1 for our own. 0: unknown. This
 * part of /proc can be read even of a server that is not dumpable. */
static int pid_namespaces_of(pid_t pid) {
  char path[64], text[4096];
  snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  const ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (fd >= 0) close(fd);
  if (n <= 0) return 0;
  text[n] = 0;
  const char* p = strstr(text, "\nNSpid:");
  if (p == NULL) return 0;
  int count = 0;
  for (p += strlen("\nNSpid:"); *p == '\t' || *p == ' '; p += strcspn(p, "\t \n")) {
    p += strspn(p, "\t ");
    ++count;
  }
  return count;
}

/* A pod may have the engine's user id outside, but never its PID namespace. Root, as the shim of an ordinary user sees
 * it, is root outside. */
int is_trusted(int fd) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid <= 0) return 0;
  return (peer.uid == geteuid() || peer.uid == 0) && pid_namespaces_of(peer.pid) == 1;
}

static void welcome(struct shim* shim, int connection) {
  struct answer hello = {.size = 0};
  add_field(&hello, "hello");
  add_number(&hello, MUSTER_SHIM_VERSION);
  send_answer(shim, connection, &hello, -1);
  size_t size = 0;
  char* record = format_record(&shim->record, &size);
  send_state(shim, connection, record, size);
  free(record);
}

void accept_connections(struct shim* shim) {
  int fd;
  while ((fd = accept4(shim->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
    int slot = 0;
    while (slot < MAX_CONNECTIONS && shim->connections[slot] >= 0) ++slot;
    if (slot == MAX_CONNECTIONS || !is_trusted(fd)) {
      close(fd);
      continue;
    }
    shim->connections[slot] = fd;
    welcome(shim, slot);
  }
}

/* ---- requests ---- */

struct request {
  struct shim* shim;
  int connection;
  const char* id;
  struct cursor fields; /* after the ID */
  struct packet* packet;
};

static void answer_ok(const struct request* request) {
  const struct answer answer = make_answer("ok", request->id);
  send_answer(request->shim, request->connection, &answer, -1);
}

static void fail_request(const struct request* request, const char* text) {
  answer_failed(request->shim, request->connection, request->id, text);
}

static void answer_result(const struct request* request, const char* problem) {
  if (problem == NULL) {
    answer_ok(request);
  } else {
    fail_request(request, problem);
  }
}

static const char* next_text(struct request* request) {
  struct field field;
  return next_field(&request->fields, &field) ? field.text : "";
}

/* Returns -1, and answers, when there is no such container. */
static int next_container(struct request* request) {
  const char* name = next_text(request);
  for (size_t i = 0; i < request->shim->launch.container_count; ++i) {
    if (strcmp(request->shim->launch.containers[i].name, name) == 0) return (int)i;
  }
  fail_request(request, "there is no such container");
  return -1;
}

static void take_start(struct request* request) {
  const int container = next_container(request);
  if (container >= 0)
    answer_result(request, restart_container(request->shim, (uint32_t)container, atoi(next_text(request))));
}

static void take_kill_container(struct request* request) {
  const int container = next_container(request);
  if (container < 0) return;
  const int run = atoi(next_text(request));
  const long long grace = atoll(next_text(request));
  end_container(request->shim, (uint32_t)container, run, grace, next_text(request));
  answer_ok(request);
}

static void take_stop(struct request* request) {
  stop_within(request->shim, atoll(next_text(request)));
  answer_ok(request);
}

static void take_exec(struct request* request) {
  const int container = next_container(request);
  if (container >= 0)
    begin_exec(request->shim, request->connection, request->id, (uint32_t)container, &request->fields, request->packet);
}

static void take_kill(struct request* request) {
  answer_result(request, kill_exec(request->shim, request->connection, next_text(request)));
}

static void take_attach(struct request* request) {
  const int container = next_container(request);
  if (container >= 0)
    begin_attach(request->shim, request->connection, request->id, (uint32_t)container, request->packet);
}

static void take_resize(struct request* request) {
  const int container = next_container(request);
  if (container < 0) return;
  struct winsize size = {0};
  size.ws_row = (unsigned short)atoi(next_text(request));
  size.ws_col = (unsigned short)atoi(next_text(request));
  const int terminal = request->shim->io[container].streams[0].fd;
  answer_result(request, ioctl(terminal, TIOCSWINSZ, &size) == 0 ? NULL : "the container has no terminal");
}

static void take_statistics(struct request* request) {
  const struct shim* shim = request->shim;
  struct answer answer = make_answer("ok", request->id);
  add_number(&answer, shim->init);
  for (size_t i = 0; i < shim->launch.container_count; ++i) {
    if (shim->record.outcomes[i].state != STATE_RUNNING) continue;
    add_field(&answer, shim->launch.containers[i].name);
    add_number(&answer, shim->record.outcomes[i].pid);
  }
  send_answer(request->shim, request->connection, &answer, -1);
}

static const struct {
  const char* verb;
  void (*take)(struct request* request);
} kVerbs[] = {{"start", take_start},
              {"stop", take_stop},
              {"kill-container", take_kill_container},
              {"exec", take_exec},
              {"kill", take_kill},
              {"attach", take_attach},
              {"resize", take_resize},
              {"statistics", take_statistics}};

static void take_request(struct shim* shim, int connection, struct packet* packet) {
  struct cursor cursor = {packet->bytes, packet->size};
  struct field verb, id;
  if (!next_field(&cursor, &verb) || !next_field(&cursor, &id) || id.size >= ID_MAX) {
    close_connection(shim, connection);
    return;
  }
  struct request request = {shim, connection, id.text, cursor, packet};
  for (size_t i = 0; i < sizeof kVerbs / sizeof kVerbs[0]; ++i) {
    if (strcmp(kVerbs[i].verb, verb.text) == 0) {
      kVerbs[i].take(&request);
      return;
    }
  }
  fail_request(&request, "this shim does not know the request"); /* a later version's */
}

void serve_connection(struct shim* shim, int connection) {
  struct packet packet;
  int got = 0;
  while (shim->connections[connection] >= 0 &&
         (got = receive_packet(shim->connections[connection], &packet, MSG_DONTWAIT)) > 0) {
    take_request(shim, connection, &packet);
    close_all(packet.fds, packet.fd_count);
  }
  if (got < 0 && shim->connections[connection] >= 0) close_connection(shim, connection);
}
