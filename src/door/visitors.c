#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "keeper.h"

enum { TLS_HANDSHAKE = 0x16, ACCEPTS_PER_TURN = 16 };

long long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

void send_away(struct visitor* visitor) {
  if (visitor->fd >= 0) close(visitor->fd);
  visitor->fd = -1;
}

static struct visitor* place_of_next(struct visitor* visitors) {
  struct visitor* oldest = visitors;
  for (struct visitor* v = visitors; v < visitors + MAX_VISITORS; ++v) {
    if (v->fd < 0) return v;
    if (v->leaves < oldest->leaves) oldest = v;
  }
  return oldest;
}

int admit_visitors(struct visitor* visitors, int listening) {
  for (int i = 0; i < ACCEPTS_PER_TURN; ++i) {
    const int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0 && errno == EAGAIN) return 0;
    if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) return -1;
    if (fd < 0) continue; /* that peer left before it was accepted */
    struct visitor* to = place_of_next(visitors);
    send_away(to);
    *to = (struct visitor){.fd = fd, .leaves = milliseconds() + VISIT_MS};
  }
  return 0;
}

static const char kCrashed[] = "the engine is restarting or has ended unexpectedly; start it with: muster up";
static const char kStopped[] = "the engine was stopped and its jobs keep running; start it with: muster up";

static void answer(int fd, const char* request, int stopped) {
  const char* message = stopped ? kStopped : kCrashed;
  const int page = strcasestr(request, "text/html") != NULL;
  char body[512];
  const int size = page ? snprintf(body, sizeof body, "<!doctype html><title>muster</title><p>%s\n", message)
                        : snprintf(body, sizeof body,
                                   "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
                                   "\"message\":\"%s\",\"reason\":\"ServiceUnavailable\","
                                   "\"details\":{\"retryAfterSeconds\":1},\"code\":503}\n",
                                   message);
  char out[1024];
  const int total = snprintf(out, sizeof out,
                             "HTTP/1.1 503 Service Unavailable\r\nContent-Type: %s\r\nContent-Length: %d\r\n"
                             "Retry-After: 1\r\n%sCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                             "Connection: close\r\n\r\n%s",
                             page ? "text/html; charset=utf-8" : "application/json", size, page ? "Refresh: 1\r\n" : "",
                             strncmp(request, "HEAD ", 5) == 0 ? "" : body);
  send(fd, out, (size_t)total, MSG_DONTWAIT | MSG_NOSIGNAL); /* fits into the empty buffer of a new connection */
}

/* The answer needs no more than the beginning of the request. The rest is read, because closing a connection with
 * unread bytes would make the kernel throw the answer away. TLS needs the engine's key, so its clients only see an end.
 */
void hear_visitor(struct visitor* visitor, int stopped) {
  char bytes[4096 + 1];
  const ssize_t n = recv(visitor->fd, bytes, sizeof bytes - 1, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) return send_away(visitor);
  bytes[n] = 0;
  if (visitor->received == 0) {
    if (bytes[0] != TLS_HANDSHAKE) answer(visitor->fd, bytes, stopped);
    shutdown(visitor->fd, SHUT_WR);
  }
  visitor->received += (size_t)n;
  if (visitor->received > MAX_REQUEST) send_away(visitor);
}
