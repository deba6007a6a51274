#define _GNU_SOURCE
#include <stdlib.h>

#include "shim.h"

int next_field(struct cursor* cursor, struct field* to) {
  if (cursor->left < 5) return 0;
  const unsigned char* p = (const unsigned char*)cursor->at;
  const size_t size = (size_t)p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16 | (size_t)p[3] << 24;
  if (size > cursor->left - 5 || cursor->at[4 + size] != 0) return 0;
  *to = (struct field){cursor->at + 4, size};
  cursor->at += size + 5;
  cursor->left -= size + 5;
  return 1;
}

void* grow(void* array, size_t count, size_t size) {
  if ((count & (count - 1)) != 0) return array; /* capacity is the next power of two */
  void* bigger = realloc(array, (count == 0 ? 1 : count * 2) * size);
  if (bigger == NULL) _Exit(70);
  return bigger;
}
