/* The protocol between server and shim, version 2. Included from C (the shim) and C++ (agent/launch/launch_file.cc,
 * agent/pod/record.cc, agent/shim/shim_channel.cc).
 *
 * A pod's folder holds one folder per launch (0, 1, …: one per shim; normally a pod has one for its whole life, and its
 * containers restart inside it) and `logs`. The server starts the shim with argv[1] = the launch's folder (absolute),
 * a stream socket as fd 0 and a memfd with the launch description as fd 3. The description never lies in a file,
 * because it holds secrets. The launch's folder:
 *
 *   grace        server -> shim   seconds between SIGTERM and SIGKILL, read when the shim receives SIGTERM; optional
 *   stopped      muster down -> server   the pod was ended on purpose and is to be restarted; not read by the shim
 *   lock         held (flock) by the shim, and only by it, for as long as it lives
 *   control      the shim's socket, see below
 *   shim.json    the shim's identity: {version, pid, starttime, boot_id, pidns}
 *   state.json   the current state of the containers; replaced at every change
 *   exit.json    the containers' results; when it exists, no process of the pod is running
 *   root, shm, scratch, volumes   mount points and the pod's own folders
 *
 *   ../logs/CONTAINER/RUN.SEGMENT.log   lines "TIME stdout|stderr F|P TEXT\n", P when the next piece continues the
 * line. RUN is the container's restart count. SEGMENT counts from 0: the next one is created before the first line is
 * written to it, and nothing is written to an earlier one afterwards; the oldest are removed.
 * Of a line that is written over by carriage returns, as a progress bar is, the log has the last state only.
 *
 *   ../logs/CONTAINER/RUN.state   what such a line shows now: for stdout and stderr a slot of MUSTER_STATE_SLOT bytes
 * with a line as in the log, kind P, and NULs behind it; only NULs when there is none. Written over at most five times
 * a second.
 *
 * The three records are replaced by rename and not synced. A record is one line of JSON followed by a line with the
 * checksum of the first (muster_checksum, 16 hexadecimal digits), so that a file torn by a power failure is recognised.
 *
 * On fd 0 the shim sends MUSTER_READY, then waits for MUSTER_GO. Anything else, or the end of the stream, means that
 * user code must never run: the shim writes exit.json with "ran": false and exits.
 *
 * After "go" the shim runs the init containers one by one, then all the others, without the server's help. It exits
 * when it was stopped, or when nothing runs and by the restart policy nothing will: with Never once all main containers
 * have ended or an init container has failed, with OnFailure once all main containers have ended with code 0.
 * Otherwise it waits for `start` or `stop`.
 *
 * Signals to the shim: SIGTERM stops gracefully (SIGTERM to the containers, SIGKILL to all after the grace period),
 * SIGUSR1 kills at once. A second SIGTERM reads `grace` again.
 *
 * ---- fields ----
 *
 * The launch description and the packets of the control socket are sequences of fields. A field is its length (4 bytes,
 * little endian), that many bytes, and a NUL that is not counted, so the shim uses strings in place and contents may
 * hold NULs.
 *
 * ---- the launch description ----
 *
 * The first field is the magic string with the version; then come records, each a tag followed by the tag's fields:
 *
 *   hostname NAME               of the UTS namespace
 *   hosts PATH                  bound at /etc/hosts
 *   resolver TEXT               of /etc/resolv.conf
 *   network FOLDER own|host     of the owner of the IPC namespace and the memory that the pod shares with its job;
 *                               `own`: and of the network that it is in. Without `own`: the host's network
 *   grace SECONDS
 *   group ID                    the group of the volumes (fsGroup)
 *   restart Never|OnFailure|Always
 *   log BYTES SEGMENTS          the size of a log segment, and how many are kept per run
 *   hide PATH                   hidden behind an empty folder
 *   through PATH                visible read-only at the same path although a parent is hidden
 *   link PATH TARGET            a symbolic link created inside the pod
 *   bind NAME PATH own|named|host   a volume that is a folder or file of the host: one of the engine's own, one that
 *                               its owner has named, in which the pod's root is root if root owns the folder, or
 *                               another one. PATH has no symbolic links.
 *   tmpfs NAME OPTIONS          a volume in memory, shared by the pod's containers
 *   files NAME                  a volume that consists of the `file` records that follow
 *   file PATH MODE CONTENT      MODE in octal
 *   container NAME init|main    the records below belong to it
 *   run NUMBER                  the restart count with which it starts
 *   cwd PATH
 *   user UID GID GROUPS         GROUPS separated by commas
 *   stdin always|once           it has a standard input; `once`: which ends with the first attachment to it
 *   tty                         its standard streams are a terminal
 *   readonly                    its own folders (/root, /tmp, …) are read-only
 *   device PATH                 a node or folder of /dev that it sees besides the harmless ones
 *   join FILE                   its processes write "0" there before their exec, to be in its control group (version 1)
 *   cgroup FOLDER               its processes begin in this control group (version 2)
 *   oom FILE                    counts the processes of its control group that were killed for lack of memory
 *   processes NUMBER            the most processes and threads that its user may have in the pod
 *   memory BYTES                its limit: its temporary folders and the pod's shared memory are not larger
 *   capabilities BITS           in hexadecimal: what it keeps of those that a pod can have
 *   rootfs PATH                 a folder whose entries it sees in place of the host's system folders
 *   writable PATH               what it changes below PATH, or in the rootfs with "/", vanishes with it
 *   show PATH TARGET            the host's TARGET is visible read-only at PATH
 *   termination PATH            the file in the container whose last bytes become the record's `termination`
 *   arg TEXT
 *   env NAME=VALUE
 *   mount VOLUME SUBPATH TARGET rw|ro
 *
 * ---- the control socket ----
 *
 * `control` is a SOCK_SEQPACKET socket. It exists before "ready" and is served after "go", so a server may connect as
 * soon as it has said "go", and again after its own restart. Its path can be longer than a socket address allows: bind
 * and connect by /proc/self/fd/DIR/control. Peers must have the shim's user id, or be root, and be in its PID
 * namespace; there may be several. A packet has at most MUSTER_PACKET_MAX bytes. A connection whose peer does not read
 * is closed.
 *
 * Shim to server, unasked: first `hello VERSION`, then `state RECORD`, and `state` again after every change. RECORD is
 * the content of state.json, or empty when it is too long for a packet; the peer then reads the file.
 *
 * Requests start with a verb and an ID that the peer chooses and does not use twice; descriptors travel as SCM_RIGHTS:
 *
 *   start ID CONTAINER RUN      starts a container that has ended again, or an init container that has failed; the
 *                               sequence then continues by itself. Succeeds without effect when this RUN was started
 *                               before, so that it can be repeated.
 *   kill-container ID CONTAINER RUN SECONDS [TEXT]   ends one run of a container: SIGTERM now, SIGKILL after SECONDS;
 *                               again with fewer seconds: shortens it. Succeeds without effect when that run is over.
 *                               The record marks a run that ended so as `killed`, and `restart OnFailure` starts it
 *                               again whatever its code. With TEXT it ends for lack of memory: unless its code is 0,
 *                               the record has `oom`, and TEXT as its termination message if it has none. Shims of
 *                               before this request answer `failed`, and those of before TEXT ignore it.
 *   stop ID SECONDS             as SIGTERM with this grace period; again with fewer seconds: shortens it; 0: kills
 *   exec ID CONTAINER records   runs a command in a running container. Records: cwd, user, tty, arg and env as above;
 *                               env adds to the container's. Without tty: with three descriptors, which become its
 *                               standard streams. The end of the connection kills the command.
 *   kill ID EXEC-ID             kills that command
 *   attach ID CONTAINER         with two descriptors, to which the container's further output is copied (with a tty
 *                               only to the first). They are made non-blocking; the attachment ends when one is full.
 *                               The first attachment to a run with `stdin once` or a terminal also receives what
 *                               was written before it, unless that is more than 1 MiB in more than ten seconds.
 *   resize ID CONTAINER ROWS COLUMNS
 *   statistics ID
 *
 * Every request gets one answer, and exec and attach a final one later if the first was `ok`:
 *
 *   ok ID                       to exec, with tty: with the terminal's master, for bytes and window size. To attach:
 *                               with the writing end of the container's standard input if it has one (the terminal's
 *                               master with tty, of which only the shim reads). To statistics: followed by the pid of
 *                               init, then NAME PID for each running container, as seen by the shim.
 *   failed ID TEXT              TEXT says why
 *   ended ID CODE SIGNAL TEXT   of exec: its exit status. Of attach: TEXT says why, or is empty when the container
 *                               has ended.
 *
 * ---- the network ----
 *
 * The pods of a job share a network and an IPC namespace. One process per network owns them: the same program, started
 * as `muster-shim network FOLDER PASTA RESOLVER BYTES own|host` with fd 0 = a listening SOCK_SEQPACKET socket, bound to
 * FOLDER/control. PASTA is the program that connects the network with the outside, or empty; RESOLVER the address at
 * which it serves the host's resolver, or empty; BYTES the size of the /dev/shm that the pods share. With
 * `host` the pods stay in the host's network and share only the rest. It outlives the server and trusts the same peers
 * as a shim. Requests and answers are as above, with an ID:
 *
 *   spaces ID                   ok ID, with three descriptors: the user, network and IPC namespaces
 *   memory ID                   ok ID, with a detached tree of the memory that the pods share
 *   socket ID DOMAIN TYPE PROTOCOL   ok ID, with a new socket of the network
 *   listen ID ADDRESS PORT      ok ID, with a TCP socket that listens there inside; the same one for the same address
 *   channel ID                  ok ID, with a channel to the network's keeper, for `forward` to another network
 *   forward ID ADDRESS PORT ADDRESS2 PORT2   with such a channel: passes connections to ADDRESS PORT inside on to
 *                               ADDRESS2 PORT2 there. ADDRESS is a pod's of the other network: it leads to such ports
 *                               alone until all of them are unforwarded and their connections have ended.
 *                               Owners of before that listen in the network itself.
 *   forward-to-machine ID ADDRESS PORT ADDRESS2 PORT2   the same, to the host. Not `forward` without a channel: the
 *                               kernel drops descriptors for which a process has no room
 *   unforward ID ADDRESS PORT   ends that
 *   end ID                      ok ID; the owner ends, and with it pasta and, once no pod is left, the network
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define MUSTER_LAUNCH_MAGIC "muster launch 2"
#define MUSTER_SHIM_VERSION 2
#define MUSTER_LAUNCH_FD 3
#define MUSTER_READY "ready\n"
#define MUSTER_GO "go\n"
#define MUSTER_CONTROL "control"
#define MUSTER_PACKET_MAX 65536
/* The user and group id that a pod's root has on the host when the engine is root, also in the folders of claims. */
#define MUSTER_POD_ROOT 100000
/* The source of the folders in memory that the shim mounts, by which /proc/PID/mountinfo tells them from others. */
#define MUSTER_MEMORY_FOLDER "muster"
/* A line longer than this is written in pieces. */
#define MUSTER_LOG_PIECE 16384
/* Of the file RUN.state: one slot for stdout, then one for stderr. */
#define MUSTER_STATE_SLOT 1024
/* The most bytes of a termination message that are kept, as in Kubernetes. */
#define MUSTER_TERMINATION_MAX 4096

/* FNV-1a. It recognises torn files; it does not protect against anyone. */
static inline uint64_t muster_checksum(const char* bytes, size_t size) {
  uint64_t value = 0xcbf29ce484222325ULL;
  for (size_t i = 0; i < size; ++i) {
    value ^= (unsigned char)bytes[i]; /* NOLINT: also compiled as C */
    value *= 0x100000001b3ULL;
  }
  return value;
}
