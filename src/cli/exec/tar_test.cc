#include "cli/exec/tar.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

class Tar : public ::testing::Test {
 protected:
  Tar() {
    std::string pattern = (fs::temp_directory_path() / "muster-tar.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Tar() override { fs::remove_all(folder_); }
  Tar(const Tar&) = delete;
  Tar& operator=(const Tar&) = delete;

  /// Packs `base` under the name `name`. Returns the names in the archive and the targets of its links.
  std::string packed(const std::string& base, const std::string& name) {
    std::vector<std::string> pack{"-cf", "-"};
    for (const std::string& option : tar_rename(base, name)) pack.push_back(option);
    pack.insert(pack.end(), {"-C", folder_.string(), "--", base});
    auto tar = LocalTar::start(pack);
    std::string archive;
    char buffer[4096];
    for (ssize_t n = 0; (n = ::read(tar->fd(), buffer, sizeof buffer)) > 0;) {
      archive.append(buffer, static_cast<std::size_t>(n));
    }
    EXPECT_EQ(tar->finish(), 0);
    return archive;
  }

  fs::path folder_;
};

TEST_F(Tar, RenamesTheTopAndNothingElse) {
  const std::string base = "a.b*[1]$ &;x";
  fs::create_directories(folder_ / base / base);
  std::ofstream(folder_ / base / base / "file") << "text";
  fs::create_symlink(base + "/file", folder_ / base / "link");
  const std::string archive = packed(base, R"(new & \1;name)");
  EXPECT_NE(archive.find(R"(new & \1;name/)" + base + "/file"), std::string::npos);
  EXPECT_NE(archive.find("2" + base + "/file"), std::string::npos) << "the target of the link, after its type";
}

TEST_F(Tar, TheSameNameNeedsNoRule) {
  EXPECT_TRUE(tar_rename("a", "a").empty());
}

TEST_F(Tar, AProgramThatEndsEarlyIsNoticedByItsExitCode) {
  auto tar = LocalTar::start({"-cf", "-", "-C", folder_.string(), "--", "missing"});
  ASSERT_TRUE(tar);
  char buffer[16384];
  while (::read(tar->fd(), buffer, sizeof buffer) > 0) {
  }
  EXPECT_EQ(tar->finish(), 2);
}

}  // namespace
}  // namespace muster::cli
