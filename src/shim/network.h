/* The network of a job: its owner process (network_owner.c), what it makes (network_spaces.c), and how a pod's shim
 * gets into it (network_join.c). format.h describes the protocol. */
#pragma once

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
};
/* Makes the namespaces: loopback only, every port for everyone, no way to the host's own addresses. */
int start_keeper(struct keeper* keeper, struct fault* fault);
/* Returns a new socket of the network, or -1 with errno. */
int take_socket(const struct keeper* keeper, int domain, int type, int protocol);
/* Whose namespaces they are: an id that no pod has if the engine is root. */
int become_owner(void);

/* ---- network_owner.c ---- */

/* The process that outlives the server. `pasta` connects the network with the outside; "" leaves it alone. It serves
 * the host's resolver at the address `resolver`, unless that is "". */
_Noreturn void own_network(const char* folder, const char* pasta, const char* resolver);

/* ---- network_join.c ---- */

/* Asks the owner of the network in that folder for its namespaces. */
int ask_for_spaces(const char* folder, int spaces[SPACES], struct fault* fault);
/* Enters the namespaces of network and IPC; `with_user` enters the user namespace first, which an ordinary user must.
 */
int enter_spaces(const int spaces[SPACES], int with_user);
