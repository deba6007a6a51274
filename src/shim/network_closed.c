/* What pods in a network of their own must not reach although pasta would carry their packets there: the addresses of
 * the host, which are local where pasta runs, and what only neighbours of the host may ask. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/route.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "netlink.h"
#include "network.h"

/* ---- IPv4: routes and policies ---- */

/* The kernel's struct xfrm_userpolicy_info, which begins with what a policy applies to, and its numbers. */
enum { XFRM_MSG_NEWPOLICY = 0x13, XFRM_MSG_DELPOLICY = 0x14, POLICY_OUT = 1, POLICY_BLOCK = 1 };
struct policy_selector {
  unsigned char to[16], from[16];
  uint16_t ports[4];
  uint16_t family;
  uint8_t to_size, from_size, protocol;
  int32_t interface;
  uint32_t user;
};
struct policy {
  struct policy_selector selector;
  uint64_t most[4], times[4], used[4];
  uint32_t priority, index;
  uint8_t direction, action, flags, share;
};
struct policy_name {
  struct policy_selector selector;
  uint32_t index;
  uint8_t direction;
};

/* A program that names an interface is not stopped by a route: the kernel then takes any address that it has no route
 * for as one of a neighbour. Policies hold for such packets as well; loopback has none. Without IPsec in the kernel the
 * filter of system calls (seccomp.c) is what is left. */
static int change_policy(const unsigned char bytes[4], uint8_t size, int closed) {
  struct policy_selector selector = {.family = AF_INET, .to_size = size};
  memcpy(selector.to, bytes, 4);
  struct policy policy = {.selector = selector, .direction = POLICY_OUT, .action = POLICY_BLOCK};
  memset(policy.most, 0xff, sizeof policy.most); /* it never expires */
  const struct policy_name name = {.selector = selector, .direction = POLICY_OUT};
  const struct netlink_request request = closed
                                             ? begin_request(XFRM_MSG_NEWPOLICY, NETLINK_NEW, &policy, sizeof policy)
                                             : begin_request(XFRM_MSG_DELPOLICY, NETLINK_EXISTING, &name, sizeof name);
  if (send_request_here(NETLINK_OF_POLICIES, &request) == 0) return 0;
  return errno == EPROTONOSUPPORT || errno == (closed ? EEXIST : ENOENT) ? 0 : -1;
}

/* Packets get "no route to host". */
static int change_route(const unsigned char bytes[4], const char* mask, int closed) {
  struct rtentry route = {.rt_flags = RTF_UP | RTF_REJECT};
  struct sockaddr_in to = {.sin_family = AF_INET}, covers = {.sin_family = AF_INET};
  memcpy(&to.sin_addr, bytes, sizeof to.sin_addr);
  inet_pton(AF_INET, mask, &covers.sin_addr);
  memcpy(&route.rt_dst, &to, sizeof to);
  memcpy(&route.rt_genmask, &covers, sizeof covers);
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const int failed = fd < 0 || ioctl(fd, closed ? SIOCADDRT : SIOCDELRT, &route) != 0 ? errno : 0;
  if (fd >= 0) close(fd);
  return failed == 0 || failed == (closed ? EEXIST : ESRCH) ? 0 : (errno = failed, -1);
}

/* ---- IPv6: rules ----
 *
 * A rule holds whatever interface a program names, which a route does not, and link-local addresses always have one.
 * The order: */

enum { BEFORE_LOCAL = 1, LOCAL = 2, AFTER_LOCAL = 3 };

/* The kernel's struct fib_rule_hdr, and its numbers. */
enum {
  RTM_NEWRULE = 32,
  RTM_DELRULE = 33,
  FR_ACT_TO_TABLE = 1,
  FR_ACT_UNREACHABLE = 7,
  FRA_DST = 1,
  FRA_IIFNAME = 3,
  FRA_PRIORITY = 6,
  TABLE_LOCAL = 255,
};
struct rule {
  uint8_t family, dst_size, src_size, tos, table, res1, res2, action;
  uint32_t flags;
};
struct netlink_address {
  uint16_t family, padding;
  uint32_t port, groups;
};

static struct netlink_request make_rule(int is_new, const struct rule* rule) {
  return begin_request(is_new ? RTM_NEWRULE : RTM_DELRULE, is_new ? NETLINK_NEW : NETLINK_EXISTING, rule, sizeof *rule);
}

static int change_rule(const unsigned char bytes[16], uint8_t size, uint32_t priority, int closed) {
  const struct rule rule = {.family = AF_INET6, .dst_size = size, .action = FR_ACT_UNREACHABLE};
  struct netlink_request request = make_rule(closed, &rule);
  put_attribute(&request, FRA_DST, bytes, 16);
  put_number(&request, FRA_PRIORITY, priority);
  /* What arrives here is not meant: neighbours are found by multicast. */
  if (priority == BEFORE_LOCAL) put_attribute(&request, FRA_IIFNAME, "lo", sizeof "lo");
  return send_request_here(NETLINK_OF_ROUTES, &request) == 0 || errno == (closed ? EEXIST : ENOENT) ? 0 : -1;
}

/* The rule for the network's own addresses, to which multicast belongs, is the very first one otherwise. */
static int move_local_rule(void) {
  const struct rule rule = {.family = AF_INET6, .table = TABLE_LOCAL, .action = FR_ACT_TO_TABLE};
  struct netlink_request added = make_rule(1, &rule), removed = make_rule(0, &rule);
  put_number(&added, FRA_PRIORITY, LOCAL);
  put_number(&removed, FRA_PRIORITY, 0);
  return send_request_here(NETLINK_OF_ROUTES, &added) == 0 ? send_request_here(NETLINK_OF_ROUTES, &removed) : -1;
}

int change_closed(const struct host_address* address, int closed) {
  if (address->family != AF_INET) return change_rule(address->bytes, 128, AFTER_LOCAL, closed);
  const int has_route = change_route(address->bytes, "255.255.255.255", closed);
  return change_policy(address->bytes, 32, closed) == 0 ? has_route : -1;
}

/* ---- what is closed in every network ---- */

/* Where clouds tell a machine its credentials. */
static void close_off_metadata(void) {
  static const char* const kServices[] = {"169.254.169.254", "169.254.170.2",   "169.254.170.23",
                                          "169.254.0.23",    "100.100.100.200", "168.63.129.16"};
  static const char* const kServices6[] = {"fd00:ec2::254", "fd00:ec2::23"};
  for (size_t i = 0; i < sizeof kServices / sizeof kServices[0]; ++i) {
    struct host_address address = {.family = AF_INET};
    if (inet_pton(AF_INET, kServices[i], address.bytes) == 1) (void)!change_closed(&address, 1);
  }
  for (size_t i = 0; i < sizeof kServices6 / sizeof kServices6[0]; ++i) {
    struct host_address address = {.family = AF_INET6};
    if (inet_pton(AF_INET6, kServices6[i], address.bytes) == 1) (void)!change_closed(&address, 1);
  }
}

static int close_off_prefix(const char* prefix, uint8_t size, uint32_t priority) {
  unsigned char bytes[16];
  return inet_pton(AF_INET6, prefix, bytes) == 1 ? change_rule(bytes, size, priority, 1) : -1;
}

/* Link-local addresses are those of neighbours, of which the host is one, and multicast reaches its programs too. */
int close_off_neighbours(void) {
  static const unsigned char kMulticast[4] = {224, 0, 0, 0}, kLoopback[4] = {127, 0, 0, 0};
  (void)!change_route(kMulticast, "240.0.0.0", 1);
  (void)!change_policy(kMulticast, 4, 1);
  (void)!change_policy(kLoopback, 8, 1);
  close_off_metadata();
  return access("/proc/sys/net/ipv6", F_OK) != 0 ||
         (move_local_rule() == 0 && close_off_prefix("ff00::", 8, BEFORE_LOCAL) == 0 &&
          close_off_prefix("fe80::", 10, AFTER_LOCAL) == 0 && close_off_prefix("::1", 128, AFTER_LOCAL) == 0);
}

/* ---- the host's addresses, on the owner's side ---- */

/* Those that never leave a machine are each network's own, and a rule covers those of neighbours. */
static int take_address(const struct ifaddrs* at, struct host_address* to) {
  if (at->ifa_addr == NULL) return 0;
  memset(to, 0, sizeof *to);
  to->family = at->ifa_addr->sa_family;
  if (to->family == AF_INET) {
    memcpy(to->bytes, &((struct sockaddr_in*)at->ifa_addr)->sin_addr, 4);
    return to->bytes[0] != 127;
  }
  if (to->family != AF_INET6) return 0;
  const struct in6_addr* address = &((struct sockaddr_in6*)at->ifa_addr)->sin6_addr;
  memcpy(to->bytes, address, sizeof *address);
  return !IN6_IS_ADDR_LOOPBACK(address) && !IN6_IS_ADDR_LINKLOCAL(address);
}

static int holds(const struct host_addresses* all, const struct host_address* one) {
  for (int i = 0; i < all->count; ++i) {
    if (memcmp(&all->list[i], one, sizeof *one) == 0) return 1;
  }
  return 0;
}

static int list_addresses(struct host_addresses* to) {
  struct ifaddrs* found = NULL;
  to->count = 0;
  if (getifaddrs(&found) != 0) return -1;
  for (const struct ifaddrs* at = found; at != NULL && to->count < MAX_HOST_ADDRESSES; at = at->ifa_next) {
    if (take_address(at, &to->list[to->count]) && !holds(to, &to->list[to->count])) ++to->count;
  }
  freeifaddrs(found);
  return 0;
}

int watch_addresses(void) {
  enum { RTMGRP_IPV4_IFADDR = 0x10, RTMGRP_IPV6_IFADDR = 0x100 };
  const struct netlink_address groups = {.family = AF_NETLINK, .groups = RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR};
  const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0 && bind(fd, (const struct sockaddr*)&groups, sizeof groups) == 0) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

int close_off_host(struct keeper* keeper, struct host_addresses* known, struct fault* fault) {
  static struct host_addresses now;
  if (list_addresses(&now) != 0) return fail(fault, "list the addresses of the host");
  for (int i = 0; i < now.count; ++i) {
    if (holds(known, &now.list[i]) || tell_keeper(keeper->channel, &now.list[i], ADDRESS_CLOSED) == 0) continue;
    if (now.list[i].family == AF_INET) return fail(fault, "close off the addresses of the host");
    keeper->ipv6_is_closed = 0;
  }
  /* What is the host's no longer may be another machine's now. */
  for (int i = 0; i < known->count; ++i) {
    if (!holds(&now, &known->list[i])) (void)!tell_keeper(keeper->channel, &known->list[i], ADDRESS_OPEN);
  }
  *known = now;
  return 0;
}

void follow_addresses(struct keeper* keeper, int changes, struct host_addresses* known) {
  static char bytes[64 * 1024];
  struct fault ignored; /* the next change tries again */
  while (recv(changes, bytes, sizeof bytes, MSG_DONTWAIT) > 0 || errno == ENOBUFS) {
  }
  (void)!close_off_host(keeper, known, &ignored);
}
