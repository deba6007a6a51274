// A file whose bytes the build puts into this binary.
#pragma once

/// Defines the bytes between `NAME_begin` and `NAME_end`. `file` is a path, as a literal.
#define MUSTER_EMBED(name, file)        \
  __asm__(                              \
      ".pushsection .rodata\n"          \
      ".balign 16\n"                    \
      ".globl " #name "_begin\n" #name  \
      "_begin:\n"                       \
      ".incbin \"" file                 \
      "\"\n"                            \
      ".globl " #name "_end\n" #name    \
      "_end:\n"                         \
      ".popsection\n");                 \
  extern "C" const char name##_begin[]; \
  extern "C" const char name##_end[]
