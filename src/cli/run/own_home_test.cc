#include "cli/run/own_home.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "python/python_layouts_for_tests.h"

namespace muster::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class OwnHomeTest : public python::PythonLayouts {
 protected:
  OwnHomeTest() {
    for (const char* folder : {"/.cache", "/.local/bin", "/.local/share/muster", "/.local/share/jupyter"})
      std::filesystem::create_directories(home + folder);
    link(home + "/data", "/srv");
  }
  static std::vector<std::string> paths_of(const OwnHome& of) {
    std::vector<std::string> out;
    for (const MountedFolder& folder : of.folders) out.push_back(folder.path);
    return out;
  }
};

TEST_F(OwnHomeTest, IsOneFolder) {
  const OwnHome own = own_home(home, "/srv/muster");
  EXPECT_THAT(paths_of(own), ElementsAre(home));
  EXPECT_THAT(own.note, EndsWith("your home folder " + home + " with its credentials"));
}

TEST_F(OwnHomeTest, IsWhatLiesAroundTheEngine) {
  const OwnHome own = own_home(home, home + "/.local/share/muster");
  EXPECT_THAT(paths_of(own), ElementsAre(home + "/.cache", home + "/.local/bin", home + "/.local/share/jupyter"));
  EXPECT_THAT(own.note, HasSubstr("except the files directly in it and the engine's folder"));
}

}  // namespace
}  // namespace muster::cli
