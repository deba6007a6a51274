/* The protocol between server and shim. Included from C (the shim) and C++ (agent/launch_file.cc, agent/record.cc).
 *
 * The server starts the shim with argv[1] = the attempt's folder (absolute) and a stream socket as fd 0. The folder:
 *
 *   launch       server -> shim   what to run; 0600, because it holds secrets; the shim removes it after reading
 *   grace        server -> shim   seconds between SIGTERM and SIGKILL, read when the shim receives SIGTERM; optional
 *   stopped      muster down -> server   the attempt was ended on purpose and is to be restarted; not read by the shim
 *   lock         held (flock) by the shim, and only by it, for as long as it lives
 *   shim.json    the shim's identity: {version, pid, starttime, boot_id, pidns}
 *   state.json   the current state of the containers; replaced at every change
 *   exit.json    the containers' results; synced; when it exists, no process of the attempt is running
 *   NAME.log     lines of container NAME: "TIME stdout|stderr F|P TEXT\n", P when the next piece continues the line
 *   root, scratch, volumes   mount points and the pod's own folders
 *
 * On fd 0 the shim sends MUSTER_READY, then waits for MUSTER_GO. Anything else, or the end of the stream, means that
 * user code must never run: the shim writes exit.json with "ran": false and exits.
 *
 * Signals to the shim: SIGTERM stops gracefully (SIGTERM to the containers, SIGKILL to all after the grace period),
 * SIGUSR1 kills at once. A second SIGTERM reads `grace` again.
 *
 * The launch file is a sequence of fields. A field is its length (4 bytes, little endian), that many bytes, and a NUL
 * that is not counted, so the shim uses strings in place and contents may hold NULs. The first field is the magic
 * string with the version; then come records, each a tag followed by the tag's fields:
 *
 *   hostname NAME               of the UTS namespace
 *   hosts PATH                  bound at /etc/hosts
 *   grace SECONDS
 *   hide PATH                   hidden behind an empty folder
 *   through PATH                visible read-only at the same path although a parent is hidden
 *   link PATH TARGET            a symbolic link created inside the pod
 *   bind NAME PATH              a volume that is a folder or file of the host
 *   tmpfs NAME OPTIONS          a volume in memory, shared by the pod's containers
 *   files NAME                  a volume that consists of the `file` records that follow
 *   file PATH MODE CONTENT      MODE in octal
 *   container NAME init|main    the records below belong to it
 *   cwd PATH
 *   arg TEXT
 *   env NAME=VALUE
 *   mount VOLUME SUBPATH TARGET rw|ro
 */
#pragma once

#define MUSTER_LAUNCH_MAGIC "muster launch 1"
#define MUSTER_SHIM_VERSION 1
#define MUSTER_READY "ready\n"
#define MUSTER_GO "go\n"
/* A line longer than this is written in pieces. */
#define MUSTER_LOG_PIECE 16384
