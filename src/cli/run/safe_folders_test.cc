#include "cli/run/safe_folders.h"

#include <gtest/gtest.h>

#include "python/python_layouts_for_tests.h"

namespace muster::cli {
namespace {

class SafeFoldersTest : public python::PythonLayouts {
 protected:
  SafeFoldersTest() {
    std::filesystem::create_directories(home + "/.ssh");
    std::filesystem::create_directories(home + "/work/src");
  }
  SafeFolders folders() const {
    return {{.working_dir = root, .home = home, .data_dir = home + "/.local/share/muster"},
            "root:x:0:0:root:/root:/bin/bash\nann:x:1000:1000::/people/ann/:/bin/sh\n"
            "www:x:33:33::/var/www:/bin/sh\nnobody:x:65534:65534::/nowhere:/bin/sh\nbroken line\n"};
  }
};

TEST_F(SafeFoldersTest, NeverAHomeNorWhatHoldsOne) {
  EXPECT_EQ(folders().why_never("/"), "it is the whole machine");
  EXPECT_EQ(folders().why_never(home + "/"), "it is your home folder");
  EXPECT_EQ(folders().why_never(root), "home folders lie in it");
  EXPECT_EQ(folders().why_never("/people/ann"), "it is the home folder of a user");
  EXPECT_EQ(folders().why_never("/people"), "home folders lie in it");
  EXPECT_EQ(folders().why_never("/people/ann/data"), "");
  EXPECT_EQ(folders().why_never(home + "/work"), "");
  EXPECT_EQ(folders().why_never("/var/www"), "") << "a service has no home in this sense";
}

TEST_F(SafeFoldersTest, NeverCredentialsNorTheEngine) {
  EXPECT_EQ(folders().why_never(home + "/.ssh"), home + "/.ssh holds credentials");
  EXPECT_EQ(folders().why_never(home + "/.ssh/keys"), home + "/.ssh holds credentials");
  EXPECT_EQ(folders().why_never(home + "/.local/share/muster/volumes"), "it is the engine's");
  EXPECT_EQ(folders().why_never(home + "/.local"), "the engine's folder " + home + "/.local/share/muster lies in it");
  EXPECT_EQ(folders().why_never("/proc/1"), "it belongs to the kernel");
}

TEST_F(SafeFoldersTest, NeverWhatAnotherEngineOrTheMachinesServicesKeep) {
  write(root + "/other/engine/store/muster.db", "");
  EXPECT_EQ(folders().why_never(root + "/other/engine"), root + "/other/engine is the folder of an engine");
  EXPECT_EQ(folders().why_never(root + "/other/engine/volumes"), root + "/other/engine is the folder of an engine");
  for (const char* folder : {"/var", "/var/lib", "/var/log", "/var/spool/cron"}) {
    EXPECT_EQ(folders().why_never(folder), "it belongs to the services of the machine");
  }
  EXPECT_EQ(folders().why_never("/var/lib/datasets"), "");
}

TEST_F(SafeFoldersTest, ALinkIsJudgedByWhereItLeads) {
  link(root + "/keys", home + "/.ssh");
  link(root + "/me", "home");
  EXPECT_EQ(folders().why_never(root + "/keys"), home + "/.ssh holds credentials");
  EXPECT_EQ(folders().why_never(root + "/me"), "it is your home folder");
}

TEST_F(SafeFoldersTest, TheProjectIsTheRepositoryUnlessThatHoldsTooMuch) {
  EXPECT_EQ(project_of(home + "/work/src", folders()), home + "/work/src");
  std::filesystem::create_directories(home + "/.git");
  EXPECT_EQ(project_of(home + "/work/src", folders()), home + "/work/src") << "dotfiles of a home in git";
  write(home + "/work/.git", "gitdir: elsewhere\n");
  EXPECT_EQ(project_of(home + "/work/src", folders()), home + "/work") << "a worktree";
}

}  // namespace
}  // namespace muster::cli
