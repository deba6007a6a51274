#include "agent/volumes/volume_folders.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

namespace muster::agent {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class NamedFolder : public ::testing::Test {
 protected:
  NamedFolder() {
    std::string pattern = ::testing::TempDir() + "folders-XXXXXX";
    top = ::mkdtemp(pattern.data());
    std::filesystem::create_directory(top + "/datasets");
    std::ofstream(top + "/notes") << "";
  }
  ~NamedFolder() override { std::filesystem::remove_all(top); }

  std::string top;
};

TEST_F(NamedFolder, ThatExistsIsRight) {
  EXPECT_EQ(missing_folder_problem(top + "/datasets"), "");
}

TEST_F(NamedFolder, ThatIsMistypedIsAnsweredWithWhatMayBeMeantAndHowToMakeIt) {
  EXPECT_EQ(missing_folder_problem(top + "/dataset/"), "must be a folder that exists (to make it: mkdir -p " + top +
                                                           "/dataset); did you mean \"" + top + "/datasets\"?");
  EXPECT_EQ(missing_folder_problem(top + "/models"),
            "must be a folder that exists (to make it: mkdir -p " + top + "/models)");
  EXPECT_THAT(missing_folder_problem(top + "/a/b"), EndsWith("mkdir -p " + top + "/a/b)"));
}

TEST_F(NamedFolder, OfAHostPathMustBeWhatItsTypeSays) {
  EXPECT_EQ(host_path_type_problem(top + "/datasets", "Directory"), "");
  EXPECT_EQ(host_path_type_problem(top + "/notes", "File"), "");
  EXPECT_EQ(host_path_type_problem("/dev/null", "CharDevice"), "");
  EXPECT_EQ(host_path_type_problem(top + "/none", ""), "");
  EXPECT_EQ(host_path_type_problem(top + "/notes", "Directory"),
            "must be a folder that exists, because the type of the hostPath is Directory");
  EXPECT_EQ(host_path_type_problem(top + "/datasets", "Socket"),
            "must be a socket that exists, because the type of the hostPath is Socket");
  EXPECT_EQ(host_path_type_problem(top + "/none", "File"),
            "must be a file that exists, because the type of the hostPath is File");
}

TEST_F(NamedFolder, IsNoFile) {
  EXPECT_THAT(missing_folder_problem(top + "/notes"), HasSubstr("must be a folder"));
}

}  // namespace
}  // namespace muster::agent
