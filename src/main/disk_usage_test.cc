#include "main/disk_usage.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>

#include "base/files.h"

namespace muster {
namespace {

using ::testing::IsEmpty;

TEST(DiskUse, IsShownByPurpose) {
  EXPECT_EQ(disk_use_text({{"database", 1'258'291}, {"logs", 12}, {"volumes", std::int64_t{3} << 30, true}}),
            "database 1.2 MiB, logs 12 B, volumes more than 3.0 GiB");
  EXPECT_EQ(disk_use_text({}), "");
}

TEST(DiskUse, CountsAllFilesOfAFolder) {
  std::string pattern = std::filesystem::temp_directory_path() / "muster-disk-XXXXXX";
  const std::string folder = ::mkdtemp(pattern.data());
  EXPECT_THAT(disk_use(folder), IsEmpty());
  ASSERT_TRUE(make_directories(folder + "/pods/u/logs", 0700));
  ASSERT_TRUE(write_file_atomically(folder + "/pods/u/logs/a", std::string(100'000, 'x'), 0600));
  const auto uses = disk_use(folder);
  ASSERT_EQ(uses.size(), 1U);
  EXPECT_EQ(uses[0].what, "logs");
  EXPECT_GE(uses[0].bytes, 100'000);
  EXPECT_FALSE(uses[0].has_more);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace muster
