#include "base/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

namespace muster {
namespace {

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = std::filesystem::temp_directory_path() / "muster-files-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string directory_;
};

TEST_F(Files, WhatIsWrittenIsRead) {
  const std::string path = directory_ + "/a";
  ASSERT_TRUE(write_file_atomically(path, "one", 0600));
  ASSERT_TRUE(write_file_atomically(path, "two", 0600));
  EXPECT_EQ(*read_file(path), "two");
  struct stat st {};
  ASSERT_EQ(::stat(path.c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777u, 0600u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), {}), 1);
}

TEST_F(Files, AMissingFileIsNotFound) {
  auto content = read_file(directory_ + "/none");
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().reason, Reason::kNotFound);
}

TEST_F(Files, MakesAllFoldersOfAPath) {
  ASSERT_TRUE(make_directories(directory_ + "/a/b/c", 0700));
  EXPECT_TRUE(std::filesystem::is_directory(directory_ + "/a/b/c"));
  ASSERT_TRUE(write_file_atomically(directory_ + "/f", "", 0600));
  EXPECT_FALSE(make_directories(directory_ + "/f/x", 0700));
}

}  // namespace
}  // namespace muster
