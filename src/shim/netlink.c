#define _GNU_SOURCE
#include "netlink.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The kernel's numbers and structures. */
enum { NLMSG_ERROR = 2, NLM_F_REQUEST_ACK = 5, ALIGNMENT = 4 };
struct netlink_error {
  struct netlink_header header;
  int32_t error;
};
struct attribute_head {
  uint16_t size, type;
};

struct netlink_request begin_request(uint16_t type, uint16_t flags, const void* fixed, size_t size) {
  struct netlink_request request = {
      .header = {.size = sizeof request.header, .type = type, .flags = NLM_F_REQUEST_ACK | flags}};
  put_bytes(&request, fixed, size);
  return request;
}

/* The rest of the last four bytes is zero, as all of the body was. */
void put_bytes(struct netlink_request* request, const void* bytes, size_t size) {
  memcpy((unsigned char*)request + request->header.size, bytes, size);
  request->header.size += (uint32_t)(size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void put_attribute(struct netlink_request* request, uint16_t type, const void* value, size_t size) {
  const struct attribute_head head = {(uint16_t)(sizeof head + size), type};
  put_bytes(request, &head, sizeof head);
  put_bytes(request, value, size);
}

void put_number(struct netlink_request* request, uint16_t type, uint32_t value) {
  put_attribute(request, type, &value, sizeof value);
}

uint32_t begin_nested(struct netlink_request* request, uint16_t type) {
  const uint32_t begin = request->header.size;
  put_attribute(request, type, "", 0);
  return begin;
}

void end_nested(struct netlink_request* request, uint32_t begin) {
  const uint16_t size = (uint16_t)(request->header.size - begin);
  memcpy((unsigned char*)request + begin, &size, sizeof size);
}

int open_netlink(int subject) {
  return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, subject);
}

int send_request(int netlink, const struct netlink_request* request) {
  struct netlink_error answer = {.error = -EIO};
  const int answered = send(netlink, request, request->header.size, 0) == (ssize_t)request->header.size &&
                       recv(netlink, &answer, sizeof answer, 0) >= (ssize_t)sizeof answer &&
                       answer.header.type == NLMSG_ERROR;
  errno = answered ? -answer.error : EIO;
  return answered && answer.error == 0 ? 0 : -1;
}

int send_request_here(int subject, const struct netlink_request* request) {
  const int netlink = open_netlink(subject);
  if (netlink < 0) return -1;
  const int result = send_request(netlink, request);
  const int error = errno;
  close(netlink);
  errno = error;
  return result;
}
