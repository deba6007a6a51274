#include "mpi/last_words.h"

#include <gtest/gtest.h>

namespace muster::mpi {
namespace {

TEST(LastWords, TheExceptionOfTheLastTracebackCounts) {
  LastWords words;
  words.take("loading\nTraceback (most recent call last):\n  File \"t.py\", line 1, in <module>\n");
  words.take("    import horovod.torch as hvd\nModuleNotFoundError: No module named 'horovod'\nbye\n");
  EXPECT_EQ(words.exception(), "ModuleNotFoundError: No module named 'horovod'");
}

TEST(LastWords, NothingWithoutATraceback) {
  LastWords words;
  EXPECT_EQ(words.exception(), "");
  words.take("error: no such file\n");
  EXPECT_EQ(words.exception(), "");
  words.take("Traceback (most recent call last):");
  EXPECT_EQ(words.exception(), "");
  words.take("\n  File \"t.py\", line 1\n");
  EXPECT_EQ(words.exception(), "");
}

TEST(LastWords, OnlyTheEndIsKept) {
  LastWords words;
  words.take("Traceback (most recent call last):\n  File\nValueError: old\n");
  words.take(std::string(20000, 'x'));
  EXPECT_EQ(words.exception(), "");
  for (int i = 0; i < 3000; ++i) words.take("progress\r");
  words.take("\nTraceback (most recent call last):\n  File\nValueError: new");
  EXPECT_EQ(words.exception(), "ValueError: new");
}

}  // namespace
}  // namespace muster::mpi
