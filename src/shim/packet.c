#define _GNU_SOURCE
#include "packet.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* Room for the descriptors and the credentials of one packet. */
union control {
  struct cmsghdr align;
  char bytes[CMSG_SPACE(MAX_FDS * sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
};

void close_all(int* fds, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (fds[i] >= 0) close(fds[i]);
    fds[i] = -1;
  }
}

/* Closes those that no packet has. */
static void take_fds(const struct cmsghdr* c, struct packet* to) {
  const size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  for (size_t i = 0; i < count; ++i) {
    int fd;
    memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
    if (to->fd_count < MAX_FDS) {
      to->fds[to->fd_count++] = fd;
    } else {
      close(fd);
    }
  }
}

static void take_control(struct msghdr* header, struct packet* to) {
  for (struct cmsghdr* c = CMSG_FIRSTHDR(header); c != NULL; c = CMSG_NXTHDR(header, c)) {
    if (c->cmsg_level != SOL_SOCKET) continue;
    if (c->cmsg_type == SCM_RIGHTS) {
      take_fds(c, to);
    } else if (c->cmsg_type == SCM_CREDENTIALS) {
      struct ucred sender;
      memcpy(&sender, CMSG_DATA(c), sizeof sender);
      to->sender = sender.pid;
    }
  }
}

int receive_packet(int socket, struct packet* to, int flags) {
  to->fd_count = 0;
  to->sender = 0;
  union control control;
  struct iovec bytes = {to->bytes, MUSTER_PACKET_MAX};
  struct msghdr header = {
      .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  ssize_t n;
  do {
    n = recvmsg(socket, &header, flags | MSG_CMSG_CLOEXEC);
  } while (n < 0 && errno == EINTR);
  if (n < 0 && errno == EAGAIN) return 0;
  if (n <= 0) return -1;
  to->size = (size_t)n;
  to->bytes[n] = 0;
  take_control(&header, to);
  return 1;
}

int send_packet(int socket, const void* head, size_t head_size, const void* tail, size_t tail_size, const int* fds,
                size_t fd_count, int flags) {
  union control control = {0};
  struct iovec pieces[2] = {{(void*)head, head_size}, {(void*)tail, tail_size}};
  struct msghdr header = {.msg_iov = pieces, .msg_iovlen = 2};
  if (fd_count > 0) {
    header.msg_control = control.bytes;
    header.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
    struct cmsghdr* c = CMSG_FIRSTHDR(&header);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(fd_count * sizeof(int));
    memcpy(CMSG_DATA(c), fds, fd_count * sizeof(int));
  }
  ssize_t n;
  do {
    n = sendmsg(socket, &header, flags | MSG_NOSIGNAL);
  } while (n < 0 && errno == EINTR);
  return n < 0 ? -1 : 0;
}
