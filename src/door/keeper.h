/* The door's own declarations; format.h describes the program. */
#pragma once

#include <stddef.h>

/* ---- visitors.c: who connects while the engine is away ---- */

/* More of them, slower ones and longer requests are cut off. */
enum { MAX_VISITORS = 64, VISIT_MS = 1000, MAX_REQUEST = 64 * 1024 };

struct visitor {
  int fd; /* -1: the place is free */
  size_t received;
  long long leaves;
};
long long milliseconds(void);
/* Accepts what waits, within limits; a newcomer takes the place of who has been there longest. Returns -1 when the
 * machine has no room for another connection. */
int admit_visitors(struct visitor* visitors, int listening);
/* Answers what has arrived. */
void hear_visitor(struct visitor* visitor, int stopped);
void send_away(struct visitor* visitor);

/* ---- pods.c ---- */

/* Whether a shim runs below the engine's folder. */
int pods_run(int folder);
