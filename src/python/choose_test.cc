#include "python/choose.h"

#include <gmock/gmock.h>

#include "python/python_layouts_for_tests.h"

namespace muster::python {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ChoosePython : public PythonLayouts {
 protected:
  ChoosePython() {
    install(root + "/first");
    install(root + "/second");
    search = {.start = home + "/work/project/src", .home = home, .path = root + "/first/bin:" + root + "/second/bin"};
    std::filesystem::create_directories(search.start);
  }
  std::string said() const {
    const auto found = choose_python(search);
    return found ? describe(*found) : "error: " + found.error().message;
  }
  std::string shim(const std::string& folder, const std::string& script) const {
    write(folder + "/python", "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(folder + "/python", std::filesystem::perms::owner_all);
    return folder;
  }
  Search search;
};

TEST_F(ChoosePython, NamedOneComesFirst) {
  environment(root + "/active", root + "/first/bin/python3.12");
  search.active = root + "/active";
  search.named = root + "/second/bin/python3";
  EXPECT_EQ(said(), root + "/second/bin/python3.12 (--python)");
  search.named = "python3";
  EXPECT_EQ(said(), root + "/first/bin/python3.12 (--python)") << "a name is looked up in PATH";
  search.named = root + "/active/";
  EXPECT_EQ(said(), root + "/active/bin/python (--python)") << "an environment is as good as its interpreter";
  search.named = shim(root + "/shims", "echo " + root + "/second/bin/python3") + "/python";
  EXPECT_EQ(said(), root + "/second/bin/python3.12 (--python)") << "what a shim finds";
  search.named = shim(root + "/broken", "exit 127") + "/python";
  EXPECT_THAT(said(), HasSubstr(root + "/broken/python is a script that finds no Python here (--python)"));
  search.named = "python3.99";
  EXPECT_THAT(said(), HasSubstr("there is no python3.99 in PATH (--python)"));
  search.named = root + "/no/python";
  EXPECT_EQ(said(), "error: " + root +
                        "/no/python does not exist (--python); name an interpreter or the folder of an environment");
}

TEST_F(ChoosePython, ActiveEnvironmentComesBeforeTheOneOfTheProject) {
  environment(home + "/work/project/.venv", root + "/second/bin/python3.12");
  EXPECT_EQ(said(), home + "/work/project/.venv/bin/python (environment of " + home + "/work/project)");
  environment(root + "/active", root + "/first/bin/python3.12");
  search.active = root + "/active";
  EXPECT_EQ(said(), root + "/active/bin/python (active virtual environment)");
}

TEST_F(ChoosePython, EnvironmentOfTheWholeHomeIsNotOneOfAProject) {
  environment(home + "/.venv", root + "/second/bin/python3.12");
  EXPECT_EQ(said(), root + "/first/bin/python3.12 (first in PATH)");
}

TEST_F(ChoosePython, BrokenEnvironmentIsNotReplacedByAnotherPython) {
  environment(home + "/work/project/.venv", root + "/removed/bin/python3.12");
  EXPECT_THAT(said(), StartsWith("error: " + home + "/work/project/.venv/bin/python is a link to " + root +
                                 "/removed/bin/python3.12, which does not exist"));
  EXPECT_THAT(said(), HasSubstr("--python"));
}

TEST_F(ChoosePython, ShimIsAskedForItsInterpreter) {
  search.path = shim(root + "/shims", "echo " + root + "/second/bin/python3.12") + ":" + root + "/first/bin";
  EXPECT_EQ(said(), root + "/second/bin/python3.12 (first in PATH)");
  shim(root + "/shims", "echo no version is set >&2; exit 127");
  EXPECT_EQ(said(), root + "/first/bin/python3.12 (first in PATH)");
}

TEST_F(ChoosePython, FoldersOfPathThatAreRelativeAreSkipped) {
  search.path = ".:" + root + "/second/bin";
  EXPECT_EQ(said(), root + "/second/bin/python3.12 (first in PATH)");
}

TEST_F(ChoosePython, VersionOfTorchIsSaid) {
  std::filesystem::create_directories(root + "/first/lib/python3.12/site-packages/torch-2.5.1.dist-info");
  EXPECT_EQ(said(), root + "/first/bin/python3.12 (first in PATH), torch 2.5.1");
}

}  // namespace
}  // namespace muster::python
