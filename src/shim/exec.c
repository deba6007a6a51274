/* Commands that connections run in containers. Init starts them; here is who asked, and what is answered. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim.h"

static void ask_to_kill(const struct shim* shim, const struct exec* exec) {
  const struct message message = {.type = MESSAGE_KILL, .container = exec->container, .exec = exec->number};
  send_packet(shim->report, &message, sizeof message, "", 1, NULL, 0, MSG_DONTWAIT);
}

static void free_exec(struct exec* exec) {
  close_all(&exec->master, 1);
  exec->number = 0;
}

void begin_exec(struct shim* shim, int connection, const char* id, uint32_t container, const struct cursor* records,
                const struct packet* packet) {
  struct exec* exec = shim->execs;
  while (exec < shim->execs + MAX_EXECS && exec->number != 0) ++exec;
  if (exec == shim->execs + MAX_EXECS) {
    answer_failed(shim, connection, id, "too many commands run in the pod");
    return;
  }
  *exec = (struct exec){.number = ++shim->last_exec, .container = container, .connection = connection, .master = -1};
  snprintf(exec->id, sizeof exec->id, "%s", id);
  const struct message message = {.type = MESSAGE_EXEC, .container = container, .exec = exec->number};
  if (send_packet(shim->report, &message, sizeof message, records->at, records->left, packet->fds, packet->fd_count,
                  MSG_DONTWAIT) == 0)
    return;
  free_exec(exec);
  answer_failed(shim, connection, id, "the pod's init is busy, or the request is too long");
}

const char* kill_exec(struct shim* shim, int connection, const char* id) {
  for (struct exec* exec = shim->execs; exec < shim->execs + MAX_EXECS; ++exec) {
    if (exec->number == 0 || exec->connection != connection || strcmp(exec->id, id) != 0) continue;
    ask_to_kill(shim, exec);
    return NULL;
  }
  return "there is no such command";
}

/* Nobody is left to see how they end. */
void end_execs_of(struct shim* shim, int connection) {
  for (struct exec* exec = shim->execs; exec < shim->execs + MAX_EXECS; ++exec) {
    if (exec->number == 0 || exec->connection != connection) continue;
    ask_to_kill(shim, exec);
    exec->connection = -1;
    close_all(&exec->master, 1);
  }
}

static void answer_ended(struct shim* shim, const struct exec* exec, int wait_status) {
  const int signal_number = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
  struct answer answer = make_answer("ended", exec->id);
  add_number(&answer, signal_number != 0 ? 128 + signal_number : WEXITSTATUS(wait_status));
  add_number(&answer, signal_number);
  add_field(&answer, "");
  send_answer(shim, exec->connection, &answer, -1);
}

void take_exec_message(struct shim* shim, const struct message* message, const char* text, int fd) {
  struct exec* exec = shim->execs;
  while (exec < shim->execs + MAX_EXECS && exec->number != message->exec) ++exec;
  if (exec == shim->execs + MAX_EXECS) return;
  if (message->type == MESSAGE_HERE) {
    if (fd >= 0) exec->master = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (exec->connection < 0) ask_to_kill(shim, exec); /* it may have begun after the connection had ended */
  } else if (message->type == MESSAGE_STARTED) {
    const struct answer answer = make_answer("ok", exec->id);
    send_answer(shim, exec->connection, &answer, exec->master);
    close_all(&exec->master, 1);
  } else if (message->type == MESSAGE_FAILED) {
    exec->failed = 1;
    answer_failed(shim, exec->connection, exec->id, text);
  } else if (message->type == MESSAGE_EXITED) {
    if (!exec->failed) answer_ended(shim, exec, message->wait_status);
    free_exec(exec);
  }
}
