/* The engine's door: a small process that outlives the engine and holds its listening sockets, so that no other program
 * can listen there while the engine is away. Meanwhile it answers there that the engine is not running. This is the
 * protocol between the two. Included from C (the door) and C++ (door/door.cc).
 *
 *   DIR/door-HASH   the program, 0700
 *   DIR/door.lock   held (flock) by the door for as long as it lives; the door ends when the file was removed
 *   DIR/door.sock   the door's SOCK_SEQPACKET socket, 0600
 *
 * The engine starts the door with argv[1] = DIR (absolute) and the descriptors below: one end of its own connection,
 * the listening door.sock, and door.lock, which is locked already. The door needs no answer and no folder to be ready.
 *
 * Packets are words separated by a space; sockets travel as SCM_RIGHTS. From the engine, over its connection:
 *
 *   hold         with sockets: the door holds these, and no others
 *   drop         the door closes its sockets; answered with `dropped`
 *   stopped      the engine ends on purpose, while pods run: the door says so, and ends with the last pod
 *   end          the door closes the sockets and ends
 *
 * Over door.sock, from a peer who knows the owner's token (DIR/token). Its user namespace would say less: an engine's
 * cannot be read, because the engine is not dumpable.
 *
 *   take TOKEN   answered with `sockets` and all of them. The connection is the engine's from now on.
 *   end TOKEN    as above
 *
 * While the engine's connection is open, only the engine accepts connections. */
#pragma once

#define MUSTER_DOOR_LOCK "door.lock"
#define MUSTER_DOOR_SOCKET "door.sock"
#define MUSTER_DOOR_ENGINE_FD 3
#define MUSTER_DOOR_SOCKET_FD 4
#define MUSTER_DOOR_LOCK_FD 5
#define MUSTER_DOOR_PACKET_MAX 512
