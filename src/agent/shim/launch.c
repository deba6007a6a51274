#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "shim.h"

struct cursor {
  char* at;
  size_t left;
};

struct field {
  char* text;
  size_t size;
};

/* Returns 0 at the end of the bytes, also when they are truncated. */
static int next_field(struct cursor* cursor, struct field* to) {
  if (cursor->left < 5) return 0;
  const unsigned char* p = (const unsigned char*)cursor->at;
  const size_t size = (size_t)p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16 | (size_t)p[3] << 24;
  if (size > cursor->left - 5 || cursor->at[4 + size] != 0) return 0;
  *to = (struct field){cursor->at + 4, size};
  cursor->at += size + 5;
  cursor->left -= size + 5;
  return 1;
}

/* Makes room for one more element at the end of an array. Running out of memory here is fatal: nothing has run yet. */
static void* grow(void* array, size_t count, size_t size) {
  if ((count & (count - 1)) != 0) return array; /* capacity is the next power of two */
  void* bigger = realloc(array, (count == 0 ? 1 : count * 2) * size);
  if (bigger == NULL) _Exit(70);
  return bigger;
}
#define ADD(array, count, ...)                              \
  do {                                                      \
    (array) = grow((array), (count), sizeof *(array));      \
    (array)[(count)++] = (__typeof__(*(array)))__VA_ARGS__; \
  } while (0)

static const struct {
  const char* tag;
  int fields;
} kTags[] = {{"hostname", 1},  {"hosts", 1}, {"grace", 1}, {"hide", 1},  {"through", 1},
             {"link", 2},      {"bind", 2},  {"tmpfs", 2}, {"files", 1}, {"file", 3},
             {"container", 2}, {"cwd", 1},   {"arg", 1},   {"env", 1},   {"mount", 4}};

static int fields_of(const char* tag) {
  for (size_t i = 0; i < sizeof kTags / sizeof kTags[0]; ++i) {
    if (strcmp(kTags[i].tag, tag) == 0) return kTags[i].fields;
  }
  return -1;
}

static const char* take_container_record(const char* tag, const struct field* f, struct launch* to) {
  if (to->container_count == 0) return "launch: a container's record comes before the container";
  struct container* c = &to->containers[to->container_count - 1];
  if (strcmp(tag, "cwd") == 0) {
    c->cwd = f[0].text;
  } else if (strcmp(tag, "arg") == 0) {
    ADD(c->argv, c->args, f[0].text);
  } else if (strcmp(tag, "env") == 0) {
    ADD(c->envp, c->envs, f[0].text);
  } else {
    ADD(c->mounts, c->mount_count, {f[0].text, f[1].text, f[2].text, strcmp(f[3].text, "ro") == 0});
  }
  return NULL;
}

static const char* take_record(const char* tag, const struct field* f, struct launch* to) {
  if (strcmp(tag, "hostname") == 0) {
    to->hostname = f[0].text;
  } else if (strcmp(tag, "hosts") == 0) {
    to->hosts = f[0].text;
  } else if (strcmp(tag, "grace") == 0) {
    to->grace = atol(f[0].text);
  } else if (strcmp(tag, "hide") == 0) {
    ADD(to->hidden, to->hidden_count, f[0].text);
  } else if (strcmp(tag, "through") == 0) {
    ADD(to->through, to->through_count, f[0].text);
  } else if (strcmp(tag, "link") == 0) {
    ADD(to->links, to->link_count, {f[0].text, f[1].text});
  } else if (strcmp(tag, "bind") == 0) {
    ADD(to->volumes, to->volume_count, {f[0].text, VOLUME_BIND, f[1].text, 0, 0});
  } else if (strcmp(tag, "tmpfs") == 0) {
    ADD(to->volumes, to->volume_count, {f[0].text, VOLUME_TMPFS, f[1].text, 0, 0});
  } else if (strcmp(tag, "files") == 0) {
    ADD(to->volumes, to->volume_count, {f[0].text, VOLUME_FILES, "", to->file_count, 0});
  } else if (strcmp(tag, "file") == 0) {
    if (to->volume_count == 0) return "launch: a file comes before its volume";
    ADD(to->files, to->file_count, {f[0].text, (mode_t)strtol(f[1].text, NULL, 8), f[2].text, f[2].size});
    ++to->volumes[to->volume_count - 1].files;
  } else if (strcmp(tag, "container") == 0) {
    ADD(to->containers, to->container_count,
        {.name = f[0].text, .is_init = strcmp(f[1].text, "init") == 0, .cwd = "/"});
  } else {
    return take_container_record(tag, f, to);
  }
  return NULL;
}

const char* parse_launch(char* bytes, size_t size, struct launch* to) {
  *to = (struct launch){.hostname = "", .hosts = "", .grace = 30};
  struct cursor cursor = {bytes, size};
  struct field field;
  if (!next_field(&cursor, &field) || strcmp(field.text, MUSTER_LAUNCH_MAGIC) != 0) {
    return "launch: the file is not of this version (" MUSTER_LAUNCH_MAGIC ")";
  }
  while (next_field(&cursor, &field)) {
    struct field f[4];
    const int count = fields_of(field.text);
    if (count < 0) return "launch: unknown record";
    for (int i = 0; i < count; ++i) {
      if (!next_field(&cursor, &f[i])) return "launch: the file is cut off";
    }
    const char* problem = take_record(field.text, f, to);
    if (problem != NULL) return problem;
  }
  if (cursor.left != 0) return "launch: the file is cut off";
  if (to->container_count == 0) return "launch: no container";
  for (size_t i = 0; i < to->container_count; ++i) {
    struct container* c = &to->containers[i];
    if (c->args == 0) return "launch: a container has no command";
    ADD(c->argv, c->args, NULL);
    ADD(c->envp, c->envs, NULL);
    for (size_t m = 0; m < c->mount_count; ++m) {
      if (find_volume(to, c->mounts[m].volume) == NULL) return "launch: a mount names no volume";
    }
  }
  return NULL;
}

const struct volume* find_volume(const struct launch* launch, const char* name) {
  for (size_t i = 0; i < launch->volume_count; ++i) {
    if (strcmp(launch->volumes[i].name, name) == 0) return &launch->volumes[i];
  }
  return NULL;
}
