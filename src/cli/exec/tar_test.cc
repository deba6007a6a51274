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

  /// Packs `base` under the name `name`, and unpacks it elsewhere.
  fs::path copy(const std::string& base, const std::string& name) {
    std::vector<std::string> pack{"-cf", "-"};
    for (const std::string& option : tar_rename(base, name)) pack.push_back(option);
    pack.insert(pack.end(), {"-C", folder_.string(), "--", base});
    auto from = LocalTar::start(pack, LocalTar::Archive::kWritten);
    const fs::path target = folder_ / "target";
    fs::create_directory(target);
    auto to = LocalTar::start({"-xmf", "-", "-C", target.string()}, LocalTar::Archive::kRead);
    char buffer[4096];
    for (ssize_t n = 0; (n = ::read(from->fd(), buffer, sizeof buffer)) > 0;) {
      to->write({buffer, static_cast<std::size_t>(n)});
    }
    EXPECT_EQ(from->finish(), 0);
    EXPECT_EQ(to->finish(), 0);
    return target;
  }

  fs::path folder_;
};

TEST_F(Tar, RenamesTheTopAndNothingElse) {
  const std::string base = "a.b*[1]$ &;x";
  fs::create_directories(folder_ / base / base);
  std::ofstream(folder_ / base / base / "file") << "text";
  fs::create_symlink(base + "/file", folder_ / base / "link");
  const fs::path target = copy(base, R"(new & \1;name)");
  EXPECT_TRUE(fs::exists(target / R"(new & \1;name)" / base / "file"));
  EXPECT_EQ(fs::read_symlink(target / R"(new & \1;name)" / "link"), base + "/file");
}

TEST_F(Tar, TheSameNameNeedsNoRule) {
  EXPECT_TRUE(tar_rename("a", "a").empty());
}

TEST_F(Tar, AProgramThatEndsEarlyIsNoticedByItsExitCode) {
  auto tar = LocalTar::start({"-cf", "-", "-C", folder_.string(), "--", "missing"}, LocalTar::Archive::kWritten);
  ASSERT_TRUE(tar);
  char buffer[16384];
  while (::read(tar->fd(), buffer, sizeof buffer) > 0) {
  }
  EXPECT_EQ(tar->finish(), 2);
}

}  // namespace
}  // namespace muster::cli
