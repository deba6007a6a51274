#include "api/host_folders.h"

#include <gtest/gtest.h>

namespace muster::api {
namespace {

constexpr const char* kData = "/home/me/.local/share/muster";

TEST(HostFolders, ANamedFolderIsAbsoluteAndClean) {
  EXPECT_EQ(named_folder_problem("/data/sets", kData), "");
  EXPECT_EQ(named_folder_problem("/data/", kData), "");
  EXPECT_EQ(named_folder_problem("data", kData), "must be an absolute path");
  for (const char* path : {"/data/../etc", "/data/..", "/./data", "//data", "/data//sets"}) {
    EXPECT_EQ(named_folder_problem(path, kData), "must not contain '..', '.' or '//'") << path;
  }
}

TEST(HostFolders, WhatTheKernelShowsAndTheWholeMachineAreRefused) {
  for (const char* path : {"/", "/proc", "/proc/1/root", "/dev", "/dev/shm", "/sys/", "/sys/fs"}) {
    EXPECT_EQ(named_folder_problem(path, kData), "must not be / or lie in /proc, /dev or /sys") << path;
  }
  EXPECT_EQ(named_folder_problem("/devices", kData), "");
}

TEST(HostFolders, TheDataDirectoryIsRefusedAndWhatContainsItAndWhatLiesInIt) {
  for (const char* path : {"/home", "/home/me", "/home/me/.local/share/muster/", "/home/me/.local/share/muster/pki"}) {
    EXPECT_EQ(named_folder_problem(path, kData),
              std::string("must not be the engine's data directory \"") + kData + "\", contain it or lie in it")
        << path;
  }
  EXPECT_EQ(named_folder_problem("/home/me/.local/share/muster2", kData), "");
  EXPECT_EQ(named_folder_problem("/home/me/project", kData), "");
}

TEST(HostFolders, HostPathLiesInAnAllowedFolder) {
  const HostFolders folders{.data_dir = kData, .allowed = {"/data"}};
  EXPECT_EQ(host_path_problem("/data", folders), "");
  EXPECT_EQ(host_path_problem("/data/sets", folders), "");
  EXPECT_EQ(host_path_problem("/proc", folders), "must not be / or lie in /proc, /dev or /sys");
  EXPECT_EQ(host_path_problem("/database", folders),
            "must lie in a folder that the configuration allows; add it to `hostPaths` in config.yaml and restart the "
            "engine, or name it in the annotation muster.dev/path of a claim");
}

}  // namespace
}  // namespace muster::api
