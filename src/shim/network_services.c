/* Where the owner of a network listens for Services: in a second network, so that no socket of ours takes a port that
 * a pod of the first one wants to listen at, on its own address or on every one.
 *
 * A pair of links joins the two. In the network of the pods, a route leads each address that a Service has there into
 * the link, and all others of loopback stay the pods' own. In the other one these addresses are local, and all others
 * of loopback are behind the link. Nobody but the owner listens there, and it has no way to anywhere else, so that pods
 * reach the ports of Services and nothing more.
 *
 * The link has no address, because libraries such as NCCL and Gloo connect by every interface that has one. */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "netlink.h"
#include "network.h"

/* Of both ends of the link, so that no other interface of the pods' network has it. */
#define LINK_NAME "muster-services"
enum { LINK_INDEX = 1000 };
static const unsigned char kLoopback[4] = {127, 0, 0, 0}, kSource[4] = {127, 0, 0, 1};

/* By the keeper: -1 until the network for Services is made. */
static int g_space = -1;   /* the network */
static int g_netlink = -1; /* a socket of it */

/* ---- sockets of another network ---- */

struct opening {
  int space; /* -1: a new network */
  int domain, type, protocol;
  int fd, error;
};

static void* open_there(void* argument) {
  struct opening* opening = argument;
  const int entered = opening->space < 0 ? unshare(CLONE_NEWNET) : setns(opening->space, CLONE_NEWNET);
  opening->fd = entered == 0 ? socket(opening->domain, opening->type | SOCK_CLOEXEC, opening->protocol) : -1;
  opening->error = errno;
  return NULL;
}

/* A thread enters it: pasta and shims may look at any time which network the process is in. */
static int open_socket_in(int space, int domain, int type, int protocol) {
  struct opening opening = {.space = space, .domain = domain, .type = type, .protocol = protocol, .fd = -1};
  pthread_t thread;
  errno = pthread_create(&thread, NULL, open_there, &opening);
  if (errno != 0) return -1;
  pthread_join(thread, NULL);
  errno = opening.error;
  return opening.fd;
}

int open_services_socket(int domain, int type, int protocol) {
  errno = ENONET;
  return g_space < 0 ? -1 : open_socket_in(g_space, domain, type, protocol);
}

/* ---- the link ---- */

/* The kernel's struct ifinfomsg, and its numbers. */
enum {
  RTM_NEWLINK = 16,
  LINK_UP = 1,
  LINK_WITHOUT_ARP = 1 << 7,
  IFLA_ADDRESS = 1,
  IFLA_IFNAME = 3,
  IFLA_LINKINFO = 18,
  IFLA_INFO_KIND = 1,
  IFLA_INFO_DATA = 2,
  VETH_INFO_PEER = 1,
  IFLA_AF_SPEC = 26,
  IFLA_INET_CONF = 1,
  FORWARDING = 1,
  WITHOUT_POLICIES = 15,
  ROUTE_LOCALNET = 26,
  IFLA_INET6_ADDR_GEN_MODE = 8,
  ADDR_GEN_MODE_NONE = 1,
  IFLA_NET_NS_FD = 28,
};
struct link_head {
  uint8_t family, padding;
  uint16_t type;
  int32_t index;
  uint32_t flags, change;
};

/* Who does not ask for the hardware address of the other end sends to its own, so both have the same. ARP would depend
 * on settings that a new network has from the host, such as arp_ignore. */
static void describe_end(struct netlink_request* request) {
  static const unsigned char kHardware[6] = {2, 0, 0, 0, 0, 1};
  put_attribute(request, IFLA_IFNAME, LINK_NAME, sizeof LINK_NAME);
  put_attribute(request, IFLA_ADDRESS, kHardware, sizeof kHardware);
}

static int make_link(int space) {
  const struct link_head head = {.index = LINK_INDEX};
  struct netlink_request request = begin_request(RTM_NEWLINK, NETLINK_NEW, &head, sizeof head);
  describe_end(&request);
  const uint32_t info = begin_nested(&request, IFLA_LINKINFO);
  put_attribute(&request, IFLA_INFO_KIND, "veth", sizeof "veth");
  const uint32_t data = begin_nested(&request, IFLA_INFO_DATA);
  const uint32_t peer = begin_nested(&request, VETH_INFO_PEER);
  put_bytes(&request, &head, sizeof head);
  describe_end(&request);
  put_number(&request, IFLA_NET_NS_FD, (uint32_t)space);
  end_nested(&request, peer);
  end_nested(&request, data);
  end_nested(&request, info);
  return send_request_here(NETLINK_OF_ROUTES, &request);
}

static struct netlink_request change_link(uint32_t flags) {
  const struct link_head head = {.index = LINK_INDEX, .flags = flags, .change = flags};
  return begin_request(RTM_NEWLINK, NETLINK_EXISTING, &head, sizeof head);
}

/* Packets from and to addresses of loopback pass; by other interfaces the kernel drops them. A new network has
 * forwarding from the host. By netlink, because /proc/sys is read-only in many containers. */
static int let_loopback_pass(int netlink) {
  struct netlink_request request = change_link(0);
  const uint32_t families = begin_nested(&request, IFLA_AF_SPEC);
  const uint32_t family = begin_nested(&request, AF_INET);
  const uint32_t settings = begin_nested(&request, IFLA_INET_CONF);
  put_number(&request, ROUTE_LOCALNET, 1);
  put_number(&request, FORWARDING, 0);
  put_number(&request, WITHOUT_POLICIES, 1); /* which close off loopback beyond this link */
  end_nested(&request, settings);
  end_nested(&request, family);
  end_nested(&request, families);
  return send_request(netlink, &request);
}

/* Otherwise the link gets an address of IPv6. Fails if the kernel has no IPv6. */
static int give_no_address(int netlink) {
  static const unsigned char kMode = ADDR_GEN_MODE_NONE;
  struct netlink_request request = change_link(0);
  const uint32_t families = begin_nested(&request, IFLA_AF_SPEC);
  const uint32_t family = begin_nested(&request, AF_INET6);
  put_attribute(&request, IFLA_INET6_ADDR_GEN_MODE, &kMode, sizeof kMode);
  end_nested(&request, family);
  end_nested(&request, families);
  return send_request(netlink, &request);
}

static int set_up_end(int netlink) {
  const struct netlink_request up = change_link(LINK_UP | LINK_WITHOUT_ARP);
  (void)!give_no_address(netlink);
  return let_loopback_pass(netlink) == 0 ? send_request(netlink, &up) : -1;
}

/* ---- routes ---- */

/* The kernel's struct rtmsg, and its numbers. */
enum {
  RTM_NEWROUTE = 24,
  RTM_DELROUTE = 25,
  RTA_DST = 1,
  RTA_OIF = 4,
  RTA_PREFSRC = 7,
  TABLE_MAIN = 254,
  TABLE_LOCAL = 255, /* comes first, and has all of loopback as a shorter prefix */
  FROM_STATIC = 4,
  SCOPE_LINK = 253,
  SCOPE_HOST = 254,
  UNICAST = 1,
  OWN = 2,
};
struct route {
  uint8_t family, dst_size, src_size, tos, table, protocol, scope, type;
  uint32_t flags;
};

static struct netlink_request route_request(int is_added, const struct route* route, const unsigned char to[4]) {
  struct netlink_request request = begin_request(is_added ? RTM_NEWROUTE : RTM_DELROUTE,
                                                 is_added ? NETLINK_NEW : NETLINK_EXISTING, route, sizeof *route);
  put_attribute(&request, RTA_DST, to, 4);
  put_number(&request, RTA_OIF, LINK_INDEX);
  return request;
}

/* There: behind the link is what is not local. */
static int lead_back(void) {
  static const struct route kRoute = {.family = AF_INET,
                                      .dst_size = 8,
                                      .table = TABLE_MAIN,
                                      .protocol = FROM_STATIC,
                                      .scope = SCOPE_LINK,
                                      .type = UNICAST};
  const struct netlink_request request = route_request(1, &kRoute, kLoopback);
  return send_request(g_netlink, &request);
}

static int make_own_there(const unsigned char address[4], int is_own) {
  static const struct route kRoute = {.family = AF_INET,
                                      .dst_size = 32,
                                      .table = TABLE_LOCAL,
                                      .protocol = FROM_STATIC,
                                      .scope = SCOPE_HOST,
                                      .type = OWN};
  const struct netlink_request request = route_request(is_own, &kRoute, address);
  return send_request(g_netlink, &request) == 0 || errno == (is_own ? EEXIST : ESRCH) ? 0 : -1;
}

/* In the network of the pods. A socket that has no address yet gets one of loopback, as for every other pod. */
static int lead_there(const unsigned char address[4], int is_led) {
  static const struct route kRoute = {.family = AF_INET,
                                      .dst_size = 32,
                                      .table = TABLE_LOCAL,
                                      .protocol = FROM_STATIC,
                                      .scope = SCOPE_LINK,
                                      .type = UNICAST};
  struct netlink_request request = route_request(is_led, &kRoute, address);
  if (is_led) put_attribute(&request, RTA_PREFSRC, kSource, sizeof kSource);
  return send_request_here(NETLINK_OF_ROUTES, &request) == 0 || errno == (is_led ? EEXIST : ESRCH) ? 0 : -1;
}

/* ---- the network for Services ---- */

static int configure(void) {
  g_netlink = open_socket_in(-1, AF_NETLINK, SOCK_RAW, 0);
  /* SIOCGSKNS of <linux/sockios.h>: the network of a socket. */
  g_space = g_netlink < 0 ? -1 : ioctl(g_netlink, 0x894C);
  if (g_space < 0 || make_link(g_space) != 0) return -1;
  int here = open_netlink(NETLINK_OF_ROUTES);
  const int result = here >= 0 && set_up_end(here) == 0 && set_up_end(g_netlink) == 0 ? lead_back() : -1;
  const int error = errno;
  close_all(&here, 1);
  errno = error;
  return result;
}

/* Only when a Service needs it: most networks have none. The link ends with what keeps the network. A failure is for
 * good: an address must not lead there for one port while another one is listened at in the network of the pods. */
static int make_services(void) {
  static int failed;
  if (g_space < 0 && failed == 0 && configure() != 0) {
    failed = errno;
    close_all(&g_netlink, 1);
    close_all(&g_space, 1);
  }
  errno = failed;
  return failed == 0 ? 0 : -1;
}

int lead_to_services(const struct host_address* address, int is_led) {
  if (!is_led)
    return g_space < 0 || (lead_there(address->bytes, 0) == 0 && make_own_there(address->bytes, 0) == 0) ? 0 : -1;
  if (make_services() != 0 || make_own_there(address->bytes, 1) != 0) return -1;
  return lead_there(address->bytes, 1);
}
