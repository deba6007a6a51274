/* The network of a job: its owner process (network_owner.c), what it makes (network_spaces.c), and how a pod's shim
 * gets into it (network_join.c). format.h describes the protocol. */
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/types.h>

#include "shim.h"

/* The namespaces of a network, in the order of the answer to `spaces`. */
enum { SPACE_USER, SPACE_NET, SPACE_IPC, SPACES };

/* ---- network_spaces.c ---- */

/* The process that lives in the namespaces, so that they exist while no pod is in them. */
struct keeper {
  pid_t pid;
  int channel; /* for take_socket */
  int spaces[SPACES];
  int ipv6_is_closed; /* as of close_off_neighbours */
};
/* What the owner of a network is told. */
struct network_plan {
  const char* folder;
  const char* pasta;    /* connects the network with the outside; "": nothing does */
  const char* resolver; /* where pasta serves the host's resolver; "": nowhere */
  long long memory;     /* bytes that the pods share at /dev/shm */
  int own_network;      /* or the pods stay in the host's, and share the rest */
};

/* Makes the namespaces; the network has loopback only, every port for everyone, no way to neighbours. The
 * memory that the pods share is mounted where only the keeper sees it. */
int start_keeper(struct keeper* keeper, const struct network_plan* plan, struct fault* fault);
/* With a family: a socket of the network for Services, which only the owner asks for. */
enum { FOR_SERVICES = 1 << 16 };
/* Returns a new socket of the keeper's network, or -1 with errno. `channel` is the keeper's or one of add_channel. */
int ask_keeper(int channel, int domain, int type, int protocol);
/* Returns a detached tree of the shared memory, or -1 with errno. */
int ask_keeper_for_memory(int channel);
/* Returns another channel to the keeper, for somebody else, or -1 with errno. */
int add_channel(const struct keeper* keeper);
struct host_address;
enum change { ADDRESS_OPEN, ADDRESS_CLOSED, ADDRESS_OWN, ADDRESS_OF_SERVICE };
/* Closes an address off in the network or opens it again; leads it to the network for Services or makes it local again.
 */
int tell_keeper(int channel, const struct host_address* address, enum change change);
/* Whose namespaces they are: an id that no pod has if the engine is root. */
int become_owner(void);

/* ---- network_closed.c ---- */

enum { MAX_HOST_ADDRESSES = 1024 };
struct host_address {
  int family;
  unsigned char bytes[16];
};
struct host_addresses {
  struct host_address list[MAX_HOST_ADDRESSES];
  int count;
};
/* In the network, by the keeper: closes the address off, or opens it again. */
int change_closed(const struct host_address* address, int closed);
/* In the network, by the keeper: closes off what only neighbours of the host may reach. Returns 0 when that is not
 * possible for IPv6, which the network must then not have. */
int close_off_neighbours(void);
/* A socket that is readable when the addresses of the host have changed; -1: not possible. */
int watch_addresses(void);
/* By the owner: closes off the addresses that the host has now and did not have when `known` was filled in. */
int close_off_host(struct keeper* keeper, struct host_addresses* known, struct fault* fault);
/* The same after a change. */
void follow_addresses(struct keeper* keeper, int changes, struct host_addresses* known);

/* ---- network_services.c ---- */

/* By the keeper: packets to an address of loopback leave for the network where the owner listens for Services, or stay.
 */
int lead_to_services(const struct host_address* address, int is_led);
/* By the keeper: returns a socket of that network, or -1 with errno. */
int open_services_socket(int domain, int type, int protocol);

/* ---- network_owner.c ---- */

/* The process that outlives the server. */
_Noreturn void own_network(const struct network_plan* plan);

/* Returns a TCP socket that listens at an address inside, or -1. `where` is 0 or FOR_SERVICES. */
int listen_inside(const struct keeper* keeper, int where, const struct sockaddr_in* address, int backlog,
                  struct fault* fault);

/* ---- network_forward.c ---- */

enum { MAX_FORWARDS = 256, MAX_FORWARDED = 512, MAX_FORWARD_POLLS = MAX_FORWARDS + 2 * MAX_FORWARDED };

/* The keeper is that of the network where all of them listen. */
void init_forwards(const struct keeper* keeper);
/* Passes connections to `at` inside on to `to` in the network of the keeper behind `channel`, which it takes over;
 * -1: in the host's. An earlier forward of that address ends; its connections stay. */
int begin_forward(const struct sockaddr_in* at, const struct sockaddr_in* to, int channel, struct fault* fault);
void end_forward(const struct sockaddr_in* at);
/* When there is work without an event, or NEVER. */
long long next_release(void);
/* Fills in what to wait for and returns its number; serve_forwards takes the same array. */
size_t poll_forwards(struct pollfd* polled);
void serve_forwards(const struct pollfd* polled);

/* ---- network_join.c ---- */

/* Asks the owner of the network in that folder for its namespaces. */
int ask_for_spaces(const char* folder, int spaces[SPACES], struct fault* fault);
/* Asks it for a detached tree of the memory that the pods share; -1: each pod has its own. */
int ask_for_memory(const char* folder, struct fault* fault);
/* Enters the namespaces of network, unless that is the host's, and IPC; `with_user` enters the user namespace first,
 * which an ordinary user must.
 */
int enter_spaces(const int spaces[SPACES], int with_user);
