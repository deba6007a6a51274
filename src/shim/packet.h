/* Packets with descriptors, for the programs in C. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "format.h"

enum { MAX_FDS = 8 };
struct packet {
  char bytes[MUSTER_PACKET_MAX + 1]; /* followed by a NUL */
  size_t size;
  int fds[MAX_FDS];
  size_t fd_count;
  pid_t sender; /* 0 unless the socket passes credentials */
};
/* Returns 0 when there is none, -1 at the end of the stream. */
int receive_packet(int socket, struct packet* to, int flags);
/* Sends two pieces as one packet. Returns 0, or -1 with errno. The descriptors stay open. */
int send_packet(int socket, const void* head, size_t head_size, const void* tail, size_t tail_size, const int* fds,
                size_t fd_count, int flags);
void close_all(int* fds, size_t count);
