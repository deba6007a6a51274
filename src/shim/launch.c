#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

static const struct {
  const char* tag;
  int fields;
} kTags[] = {
    {"hostname", 1}, {"group", 1},    {"hosts", 1},    {"grace", 1},     {"restart", 1},     {"log", 2},
    {"hide", 1},     {"through", 1},  {"link", 2},     {"bind", 3},      {"tmpfs", 2},       {"files", 1},
    {"file", 3},     {"run", 1},      {"cwd", 1},      {"container", 2}, {"user", 3},        {"stdin", 1},
    {"tty", 0},      {"readonly", 0}, {"arg", 1},      {"env", 1},       {"termination", 1}, {"mount", 4},
    {"device", 1},   {"join", 1},     {"cgroup", 1},   {"oom", 1},       {"processes", 1},   {"capabilities", 1},
    {"memory", 1},   {"rootfs", 1},   {"writable", 1}, {"show", 2},      {"network", 2},     {"resolver", 1}};

static int fields_of(const char* tag) {
  for (size_t i = 0; i < sizeof kTags / sizeof kTags[0]; ++i) {
    if (strcmp(kTags[i].tag, tag) == 0) return kTags[i].fields;
  }
  return -1;
}

static struct user user_of(const struct field* f) {
  struct user user = {
      .given = 1, .uid = (uid_t)strtoul(f[0].text, NULL, 10), .gid = (gid_t)strtoul(f[1].text, NULL, 10)};
  for (char* p = f[2].text; *p != 0;) {
    ADD(user.groups, user.group_count, (gid_t)strtoul(p, &p, 10));
    p += *p == ',' ? 1 : strlen(p);
  }
  return user;
}

/* Returns 0 when the record is not one of a command. */
static int take_command_record(const char* tag, const struct field* f, struct command* to) {
  if (strcmp(tag, "cwd") == 0) {
    to->cwd = f[0].text;
  } else if (strcmp(tag, "arg") == 0) {
    ADD(to->argv, to->args, f[0].text);
  } else if (strcmp(tag, "env") == 0) {
    ADD(to->envp, to->envs, f[0].text);
  } else if (strcmp(tag, "user") == 0) {
    to->user = user_of(f);
  } else if (strcmp(tag, "tty") == 0) {
    to->tty = 1;
  } else {
    return 0;
  }
  return 1;
}

static const char* take_container_record(const char* tag, const struct field* f, struct launch* to) {
  if (to->container_count == 0) return "launch: a container's record comes before the container";
  struct container* c = &to->containers[to->container_count - 1];
  if (take_command_record(tag, f, &c->command)) return NULL;
  if (strcmp(tag, "run") == 0) {
    c->run = atoi(f[0].text);
  } else if (strcmp(tag, "stdin") == 0) {
    c->input = strcmp(f[0].text, "once") == 0 ? INPUT_ONCE : INPUT_ALWAYS;
  } else if (strcmp(tag, "capabilities") == 0) {
    c->command.capabilities = strtoull(f[0].text, NULL, 16);
  } else if (strcmp(tag, "rootfs") == 0) {
    c->rootfs = f[0].text;
  } else if (strcmp(tag, "writable") == 0) {
    ADD(c->writable, c->writable_count, f[0].text);
  } else if (strcmp(tag, "show") == 0) {
    ADD(c->shown, c->shown_count, {f[0].text, f[1].text});
  } else if (strcmp(tag, "readonly") == 0) {
    c->read_only = 1;
  } else if (strcmp(tag, "termination") == 0) {
    c->termination = f[0].text;
  } else if (strcmp(tag, "device") == 0) {
    ADD(c->devices, c->device_count, f[0].text);
  } else if (strcmp(tag, "join") == 0) {
    ADD(c->joins, c->join_count, f[0].text);
  } else if (strcmp(tag, "cgroup") == 0) {
    c->cgroup = f[0].text;
  } else if (strcmp(tag, "oom") == 0) {
    c->oom_file = f[0].text;
  } else if (strcmp(tag, "processes") == 0) {
    c->processes = atol(f[0].text);
  } else if (strcmp(tag, "memory") == 0) {
    c->memory = atoll(f[0].text);
  } else {
    ADD(c->mounts, c->mount_count, {f[0].text, f[1].text, f[2].text, strcmp(f[3].text, "ro") == 0});
  }
  return NULL;
}

static enum restart restart_of(const char* text) {
  if (strcmp(text, "Always") == 0) return RESTART_ALWAYS;
  return strcmp(text, "OnFailure") == 0 ? RESTART_ON_FAILURE : RESTART_NEVER;
}

static enum volume_origin origin_of(const char* text) {
  if (strcmp(text, "named") == 0) return ORIGIN_NAMED;
  return strcmp(text, "host") == 0 ? ORIGIN_HOST : ORIGIN_OWN;
}

static const char* take_record(const char* tag, const struct field* f, struct launch* to) {
  if (strcmp(tag, "hostname") == 0) {
    to->hostname = f[0].text;
  } else if (strcmp(tag, "hosts") == 0) {
    to->hosts = f[0].text;
  } else if (strcmp(tag, "network") == 0) {
    to->network = f[0].text;
    to->own_network = strcmp(f[1].text, "own") == 0;
  } else if (strcmp(tag, "resolver") == 0) {
    to->resolver = f[0].text;
  } else if (strcmp(tag, "grace") == 0) {
    to->grace = atol(f[0].text);
  } else if (strcmp(tag, "group") == 0) {
    to->group = atol(f[0].text);
  } else if (strcmp(tag, "restart") == 0) {
    to->restart = restart_of(f[0].text);
  } else if (strcmp(tag, "log") == 0) {
    to->segment_bytes = atoll(f[0].text);
    to->segments = atoi(f[1].text);
  } else if (strcmp(tag, "hide") == 0) {
    ADD(to->hidden, to->hidden_count, f[0].text);
  } else if (strcmp(tag, "through") == 0) {
    ADD(to->through, to->through_count, f[0].text);
  } else if (strcmp(tag, "link") == 0) {
    ADD(to->links, to->link_count, {f[0].text, f[1].text});
  } else if (strcmp(tag, "bind") == 0) {
    ADD(to->volumes, to->volume_count, {f[0].text, VOLUME_BIND, f[1].text, 0, 0, origin_of(f[2].text)});
  } else if (strcmp(tag, "tmpfs") == 0) {
    ADD(to->volumes, to->volume_count, {f[0].text, VOLUME_TMPFS, f[1].text, 0, 0, ORIGIN_OWN});
  } else if (strcmp(tag, "files") == 0) {
    ADD(to->volumes, to->volume_count, {f[0].text, VOLUME_FILES, "", to->file_count, 0, ORIGIN_OWN});
  } else if (strcmp(tag, "file") == 0) {
    if (to->volume_count == 0) return "launch: a file comes before its volume";
    ADD(to->files, to->file_count, {f[0].text, (mode_t)strtol(f[1].text, NULL, 8), f[2].text, f[2].size});
    ++to->volumes[to->volume_count - 1].files;
  } else if (strcmp(tag, "container") == 0) {
    ADD(to->containers, to->container_count,
        {.name = f[0].text,
         .is_init = strcmp(f[1].text, "init") == 0,
         .command.cwd = "/",
         .command.capabilities = ~MAY_LOCK_MEMORY,
         .rootfs = "",
         .termination = "",
         .cgroup = "",
         .oom_file = ""});
  } else {
    return take_container_record(tag, f, to);
  }
  return NULL;
}

/* Reads one record: its tag and up to four fields. Returns 0 at the end of the bytes. */
static int next_record(struct cursor* cursor, struct field* tag, struct field f[4], const char** problem) {
  if (!next_field(cursor, tag)) return 0;
  const int count = fields_of(tag->text);
  if (count < 0) *problem = "launch: unknown record";
  for (int i = 0; i < count; ++i) {
    if (!next_field(cursor, &f[i])) *problem = "launch: it is cut off";
  }
  return *problem == NULL;
}

static const char* complete(struct launch* launch) {
  for (size_t i = 0; i < launch->container_count; ++i) {
    struct container* c = &launch->containers[i];
    if (c->command.args == 0) return "launch: a container has no command";
    ADD(c->command.argv, c->command.args, NULL);
    ADD(c->command.envp, c->command.envs, NULL);
    for (size_t m = 0; m < c->mount_count; ++m) {
      if (find_volume(launch, c->mounts[m].volume) == NULL) return "launch: a mount names no volume";
    }
  }
  return NULL;
}

const char* parse_launch(char* bytes, size_t size, struct launch* to) {
  *to = (struct launch){.hostname = "",
                        .hosts = "",
                        .network = "",
                        .resolver = "",
                        .grace = 30,
                        .group = -1,
                        .segment_bytes = 10 << 20,
                        .segments = 5};
  struct cursor cursor = {bytes, size};
  struct field tag, f[4];
  if (!next_field(&cursor, &tag) || strcmp(tag.text, MUSTER_LAUNCH_MAGIC) != 0) {
    return "launch: it is not of this version (" MUSTER_LAUNCH_MAGIC ")";
  }
  const char* problem = NULL;
  while (problem == NULL && next_record(&cursor, &tag, f, &problem)) problem = take_record(tag.text, f, to);
  if (problem != NULL) return problem;
  if (cursor.left != 0) return "launch: it is cut off";
  if (to->container_count == 0) return "launch: no container";
  return complete(to);
}

/* A later definition of a variable replaces an earlier one, because getenv returns the first. */
static void put_variable(struct command* to, char* definition) {
  const size_t name = strcspn(definition, "=") + 1;
  for (size_t i = 0; i < to->envs; ++i) {
    if (strncmp(to->envp[i], definition, name) == 0) {
      to->envp[i] = definition;
      return;
    }
  }
  ADD(to->envp, to->envs, definition);
}

const char* parse_command(struct cursor* cursor, const struct container* container, struct command* to) {
  const struct command* own = &container->command;
  *to = (struct command){.cwd = own->cwd, .user = own->user, .capabilities = own->capabilities};
  for (size_t i = 0; own->envp[i] != NULL; ++i) ADD(to->envp, to->envs, own->envp[i]);
  struct field tag, f[4];
  const char* problem = NULL;
  while (next_record(cursor, &tag, f, &problem)) {
    if (strcmp(tag.text, "env") == 0) {
      put_variable(to, f[0].text);
    } else if (!take_command_record(tag.text, f, to)) {
      return "exec: unknown record";
    }
  }
  if (problem != NULL || cursor->left != 0) return "exec: the request is cut off";
  if (to->args == 0) return "exec: no command";
  ADD(to->argv, to->args, NULL);
  ADD(to->envp, to->envs, NULL);
  return NULL;
}

const struct volume* find_volume(const struct launch* launch, const char* name) {
  for (size_t i = 0; i < launch->volume_count; ++i) {
    if (strcmp(launch->volumes[i].name, name) == 0) return &launch->volumes[i];
  }
  return NULL;
}
