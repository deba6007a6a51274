#include "linux/memory_folders.h"

#include <gmock/gmock.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/files.h"

namespace muster::linux_os {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(MemoryFolders, AreFoundByTheirSourceOnceForEachDevice) {
  constexpr const char* kText =
      "36 35 0:50 / / rw,relatime - overlay muster rw\n"
      "37 36 0:51 /tmp /tmp rw,nosuid,nodev shared:7 master:1 - tmpfs muster rw,size=1k\n"
      "38 36 0:51 /var-tmp /var/tmp rw - tmpfs muster rw\n"
      "39 36 0:52 / /dev/shm rw - tmpfs tmpfs rw\n"
      "40 36 0:53 / /with\\040blank rw - tmpfs muster rw\n"
      "41 36 0:54 / /cut\n";
  EXPECT_THAT(parse_mounted_memory(kText, "muster"),
              ElementsAre(MountedMemory{makedev(0, 51), "/tmp"}, MountedMemory{makedev(0, 53), "/with blank"}));
  EXPECT_THAT(parse_mounted_memory("", "muster"), IsEmpty());
}

TEST(MemoryFolders, WhatIsThereInsteadDoesNotCount) {
  EXPECT_FALSE(bytes_in(::getpid(), {makedev(0, 0), "/"})) << "another device";
  EXPECT_FALSE(bytes_in(::getpid(), {makedev(0, 0), "/no/such/folder"}));
  EXPECT_THAT(mounted_memory(::getpid(), "no such source"), IsEmpty());
}

}  // namespace
}  // namespace muster::linux_os
