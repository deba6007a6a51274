/* What a process of the pod may not ask the kernel for, whatever its user: services that reach past the pod or have
 * often been a way out of it, and setuid and setgid bits. The pod's root may be root on the disk of a volume, so that a
 * setuid file there would be root's on the host (systemd's RestrictSUIDSGID does the same). Refusals are EPERM; where
 * the kernel cannot look behind a pointer, the call does not exist (ENOSYS), and libraries use an older one. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "shim.h"

/* From <linux/filter.h>, <linux/seccomp.h> and <linux/audit.h>, which musl's include folder does not have. */
struct instruction {
  uint16_t code;
  uint8_t jump_if;
  uint8_t jump_unless;
  uint32_t value;
};
struct program {
  unsigned short size;
  const struct instruction* instructions;
};
enum { LOAD = 0x20, JUMP_EQUAL = 0x15, JUMP_SET = 0x45, JUMP_ABOVE = 0x25, RETURN = 0x06 };
enum { AT_NUMBER = 0, AT_ARCHITECTURE = 4, AT_ARGUMENTS = 16 };
#define ANSWER_ALLOW 0x7fff0000U
#define ANSWER_ERROR 0x00050000U
#define ANSWER_KILL 0x80000000U
enum { MODE_FILTER = 2 };

#if defined(__x86_64__)
#define ARCHITECTURE 0xc000003eU
#elif defined(__aarch64__)
#define ARCHITECTURE 0xc00000b7U
#else
#error "the system calls of this architecture are not known here"
#endif

/* Calls from 424 on have the same number everywhere, and may be younger than musl's headers. */
enum {
  IO_URING_SETUP = 425,
  IO_URING_ENTER = 426,
  IO_URING_REGISTER = 427,
  OPEN_TREE = 428,
  MOVE_MOUNT = 429,
  FSOPEN = 430,
  FSCONFIG = 431,
  FSMOUNT = 432,
  FSPICK = 433,
  CLONE3 = 435,
  OPENAT2 = 437,
  MOUNT_SETATTR = 442,
  FCHMODAT2 = 452,
  OPEN_TREE_ATTR = 467
};

static const int kDenied[] = {
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    IO_URING_SETUP,
    IO_URING_ENTER,
    IO_URING_REGISTER,
    SYS_userfaultfd,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_kexec_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    OPEN_TREE,
    MOVE_MOUNT,
    FSOPEN,
    FSCONFIG,
    FSMOUNT,
    FSPICK,
    MOUNT_SETATTR,
    OPEN_TREE_ATTR,
    SYS_setns,
    SYS_acct,
    SYS_open_by_handle_at,
    SYS_swapon,
    SYS_swapoff,
    SYS_reboot,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
};
static const int kMissing[] = {CLONE3, OPENAT2};

#define SPECIAL_BITS 06000U
#define NEW_USER 0x10000000U /* CLONE_NEWUSER */
/* O_CREAT, and the bit of O_TMPFILE that is its own. */
#define MAKES_FILE (0100U | 020000000U)
#define ENQUEUE_INPUT 0x5412U /* TIOCSTI */

/* Denied when one of the bits is set in that argument. */
static const struct {
  int call;
  int argument;
  uint32_t bits;
} kBits[] = {
    {SYS_unshare, 0, NEW_USER},      {SYS_clone, 0, NEW_USER},     {SYS_fchmod, 1, SPECIAL_BITS},
    {SYS_fchmodat, 2, SPECIAL_BITS}, {FCHMODAT2, 2, SPECIAL_BITS}, {SYS_mknodat, 2, SPECIAL_BITS},
    {SYS_mkdirat, 2, SPECIAL_BITS},
#ifdef SYS_chmod
    {SYS_chmod, 1, SPECIAL_BITS},    {SYS_creat, 1, SPECIAL_BITS}, {SYS_mknod, 1, SPECIAL_BITS},
    {SYS_mkdir, 1, SPECIAL_BITS},
#endif
};
/* Opening: the mode, which follows the flags, counts only when a file is made. */
static const struct {
  int call;
  int flags;
} kOpens[] = {
    {SYS_openat, 2},
#ifdef SYS_open
    {SYS_open, 1},
#endif
};

enum { MAX_INSTRUCTIONS = 256 };
static struct instruction g_filter[MAX_INSTRUCTIONS];
static size_t g_size;

static void put(uint16_t code, uint32_t value, uint8_t jump_if, uint8_t jump_unless) {
  if (g_size < MAX_INSTRUCTIONS) g_filter[g_size] = (struct instruction){code, jump_if, jump_unless, value};
  ++g_size;
}

/* The lower half of an argument, which is all that the kernel reads of the ones above. Both machines are little
 * endian. */
static void load_argument(int argument) {
  put(LOAD, AT_ARGUMENTS + 8 * (uint32_t)argument, 0, 0);
}

static void refuse_call(int call, int error) {
  put(JUMP_EQUAL, (uint32_t)call, 0, 1);
  put(RETURN, ANSWER_ERROR | (uint32_t)error, 0, 0);
}

static void refuse_bits(int call, int argument, uint32_t bits) {
  put(JUMP_EQUAL, (uint32_t)call, 0, 4);
  load_argument(argument);
  put(JUMP_SET, bits, 0, 1);
  put(RETURN, ANSWER_ERROR | EPERM, 0, 0);
  put(RETURN, ANSWER_ALLOW, 0, 0);
}

static void refuse_open(int call, int flags) {
  put(JUMP_EQUAL, (uint32_t)call, 0, 6);
  load_argument(flags);
  put(JUMP_SET, MAKES_FILE, 0, 3);
  load_argument(flags + 1);
  put(JUMP_SET, SPECIAL_BITS, 0, 1);
  put(RETURN, ANSWER_ERROR | EPERM, 0, 0);
  put(RETURN, ANSWER_ALLOW, 0, 0);
}

static void refuse_input(void) {
  put(JUMP_EQUAL, SYS_ioctl, 0, 4);
  load_argument(1);
  put(JUMP_EQUAL, ENQUEUE_INPUT, 0, 1);
  put(RETURN, ANSWER_ERROR | EPERM, 0, 0);
  put(RETURN, ANSWER_ALLOW, 0, 0);
}

/* Options by which a socket sends through an interface that it names, whatever the routes say. */
static void refuse_interfaces(void) {
  static const struct {
    uint32_t level, option;
  } kOptions[] = {{1, 25}, {1, 62}, {0, 50}, {41, 76}}; /* SO_BINDTODEVICE, SO_BINDTOIFINDEX, IP(V6)_UNICAST_IF */
  enum { COUNT = sizeof kOptions / sizeof kOptions[0] };
  put(JUMP_EQUAL, SYS_setsockopt, 0, 5 * COUNT + 1);
  for (size_t i = 0; i < COUNT; ++i) {
    load_argument(1);
    put(JUMP_EQUAL, kOptions[i].level, 0, 3);
    load_argument(2);
    put(JUMP_EQUAL, kOptions[i].option, 0, 1);
    put(RETURN, ANSWER_ERROR | EPERM, 0, 0);
  }
  put(RETURN, ANSWER_ALLOW, 0, 0);
}

/* Sockets of virtual machines belong to no network namespace: they would be the machine's. */
static void refuse_vsock(void) {
  enum { DOMAIN = 40 };
  put(JUMP_EQUAL, SYS_socket, 0, 4);
  load_argument(0);
  put(JUMP_EQUAL, DOMAIN, 0, 1);
  put(RETURN, ANSWER_ERROR | EAFNOSUPPORT, 0, 0);
  put(RETURN, ANSWER_ALLOW, 0, 0);
}

static void build_filter(void) {
  /* The calls of another architecture have other numbers, which would pass the filter. */
  put(LOAD, AT_ARCHITECTURE, 0, 0);
  put(JUMP_EQUAL, ARCHITECTURE, 1, 0);
  put(RETURN, ANSWER_KILL, 0, 0);
  put(LOAD, AT_NUMBER, 0, 0);
#if defined(__x86_64__)
  put(JUMP_ABOVE, 0x3fffffff, 0, 1); /* x32 */
  put(RETURN, ANSWER_ERROR | ENOSYS, 0, 0);
#endif
  for (size_t i = 0; i < sizeof kDenied / sizeof kDenied[0]; ++i) refuse_call(kDenied[i], EPERM);
  for (size_t i = 0; i < sizeof kMissing / sizeof kMissing[0]; ++i) refuse_call(kMissing[i], ENOSYS);
  for (size_t i = 0; i < sizeof kBits / sizeof kBits[0]; ++i)
    refuse_bits(kBits[i].call, kBits[i].argument, kBits[i].bits);
  for (size_t i = 0; i < sizeof kOpens / sizeof kOpens[0]; ++i) refuse_open(kOpens[i].call, kOpens[i].flags);
  refuse_input();
  refuse_interfaces();
  refuse_vsock();
  put(RETURN, ANSWER_ALLOW, 0, 0);
}

int filter_system_calls(struct fault* fault) {
  build_filter();
  const struct program program = {(unsigned short)g_size, g_filter};
  if (g_size > MAX_INSTRUCTIONS) {
    errno = E2BIG;
  } else if (prctl(PR_SET_SECCOMP, MODE_FILTER, &program, 0, 0) == 0) {
    return 0;
  }
  return fail(fault, "filter system calls");
}
