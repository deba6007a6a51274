/* Requests to the kernel about links, routes and rules of a network. musl has none of the kernel's headers, so its
 * structures and numbers are named where they are used. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { NETLINK_EXISTING = 0, NETLINK_NEW = 0x600 /* NLM_F_CREATE and NLM_F_EXCL */ };

struct netlink_header {
  uint32_t size;
  uint16_t type, flags;
  uint32_t sequence, port;
};
struct netlink_request {
  struct netlink_header header;
  unsigned char body[240];
};

/* Begins with the structure that this type of request has before its attributes. */
struct netlink_request begin_request(uint16_t type, uint16_t flags, const void* fixed, size_t size);
void put_bytes(struct netlink_request* request, const void* bytes, size_t size);
void put_attribute(struct netlink_request* request, uint16_t type, const void* value, size_t size);
void put_number(struct netlink_request* request, uint16_t type, uint32_t value);
/* What is put from then on belongs to this attribute, until end_nested is called with the result. */
uint32_t begin_nested(struct netlink_request* request, uint16_t type);
void end_nested(struct netlink_request* request, uint32_t begin);

/* What requests are about. */
enum { NETLINK_OF_ROUTES = 0, NETLINK_OF_POLICIES = 6 };
/* Returns a socket for requests about the network of this thread. */
int open_netlink(int subject);
/* Returns -1 with the kernel's errno when it refuses. */
int send_request(int netlink, const struct netlink_request* request);
/* The same, about the network of this thread. */
int send_request_here(int subject, const struct netlink_request* request);
