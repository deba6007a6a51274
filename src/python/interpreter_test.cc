#include "python/interpreter.h"

#include <gmock/gmock.h>

#include "python/python_layouts_for_tests.h"

namespace muster::python {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class InterpreterTest : public PythonLayouts {
 protected:
  Interpreter read(const std::string& program) const {
    auto found = read_interpreter(program, home);
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : Interpreter{};
  }
  std::string why_not(const std::string& program) const {
    const auto found = read_interpreter(program, home);
    return found ? "it can be used" : found.error().message;
  }
};

TEST_F(InterpreterTest, VirtualEnvironmentNeedsTheInstallationThatItCameFrom) {
  const std::string base = install(root + "/python");
  const Interpreter found = read(environment(root + "/project/.venv", base));
  EXPECT_EQ(found.environment, root + "/project/.venv");
  EXPECT_EQ(found.program, root + "/project/.venv/bin/python");
  EXPECT_THAT(found.folders, UnorderedElementsAre(root + "/project/.venv", root + "/python"));
  EXPECT_THAT(found.package_folders, ElementsAre(root + "/project/.venv/lib/python3.12/site-packages"));
}

TEST_F(InterpreterTest, EveryLinkOnTheWayIsNeeded) {
  install(root + "/uv/cpython-3.12.5");
  link(root + "/uv/cpython-3.12", "cpython-3.12.5");
  link(home + "/.local/bin/python3.12", root + "/uv/cpython-3.12/bin/python3.12");
  const Interpreter found = read(environment(root + "/p/.venv", home + "/.local/bin/python3.12"));
  EXPECT_THAT(found.folders, UnorderedElementsAre(root + "/p/.venv", home + "/.local/bin", root + "/uv/cpython-3.12",
                                                  root + "/uv/cpython-3.12.5"))
      << "not the rest of ~/.local";
}

TEST_F(InterpreterTest, InstallationIsStartedWhereItReallyLies) {
  const std::string real = install(root + "/versions/3.12.1");
  link(home + "/.local/bin/python", real);
  const Interpreter found = read(home + "/.local/bin/python");
  EXPECT_EQ(found.program, real);
  EXPECT_EQ(found.environment, "");
  EXPECT_THAT(found.folders, ElementsAre(root + "/versions/3.12.1"));
}

TEST_F(InterpreterTest, CondaEnvironmentNeedsItself) {
  install(root + "/miniconda/envs/ml");
  std::filesystem::create_directories(root + "/miniconda/envs/ml/conda-meta");
  const Interpreter found = read(root + "/miniconda/envs/ml/bin/python");
  EXPECT_EQ(found.environment, root + "/miniconda/envs/ml");
  EXPECT_THAT(found.folders, ElementsAre(root + "/miniconda/envs/ml"));
}

TEST_F(InterpreterTest, EditableInstallsAreNeeded) {
  const std::string python = environment(root + "/p/.venv", install(root + "/python"));
  const std::string packages = root + "/p/.venv/lib/python3.12/site-packages";
  for (const char* folder : {"/by-path/src", "/by-finder/pkg", "/by-link/pkg"}) {
    std::filesystem::create_directories(root + folder);
  }
  write(packages + "/a.pth", "# a comment\nimport sys; sys.x = 1\n" + root + "/by-path/src/\n" + root + "/gone\n" +
                                 home + "\n/\n/usr\n" + root + "\n");
  write(packages + "/__editable___b_0_finder.py", "MAPPING: dict[str, str] = {'pkg': '" + root + "/by-finder/pkg'}\n");
  link(packages + "/c", root + "/by-link/pkg");
  std::filesystem::create_directories(home);
  EXPECT_THAT(read(python).folders, UnorderedElementsAre(root + "/p/.venv", root + "/python", root + "/by-path/src",
                                                         root + "/by-finder/pkg", root + "/by-link/pkg"))
      << "but never a whole home or what contains it";
}

TEST_F(InterpreterTest, PackagesOfTheUserAreFoundOutsideOfEnvironmentsOnly) {
  const std::string base = install(root + "/python");
  const std::string of_user = home + "/.local/lib/python3.12/site-packages";
  std::filesystem::create_directories(of_user);
  EXPECT_EQ(read(base).user_base, home + "/.local");
  EXPECT_THAT(read(base).folders, Contains(of_user));
  EXPECT_EQ(read(environment(root + "/v1", base)).user_base, "");
  const Interpreter open = read(environment(root + "/v2", base, "include-system-site-packages = true\n"));
  EXPECT_EQ(open.user_base, home + "/.local");
  EXPECT_THAT(open.package_folders, Contains(root + "/python/lib/python3.12/site-packages"));
}

TEST_F(InterpreterTest, VersionOfAPackageComesFromItsMetadata) {
  const std::string python = environment(root + "/v", install(root + "/python"));
  std::filesystem::create_directories(root + "/v/lib/python3.12/site-packages/torch-2.5.1+cu121.dist-info");
  std::filesystem::create_directories(root + "/v/lib/python3.12/site-packages/torchvision-0.20.dist-info");
  EXPECT_EQ(package_version(read(python), "torch"), "2.5.1+cu121");
  EXPECT_EQ(package_version(read(python), "jax"), "");
}

TEST_F(InterpreterTest, WhatCannotRunIsRefusedWithTheReason) {
  link(root + "/gone/bin/python", root + "/removed/bin/python3.12");
  EXPECT_EQ(why_not(root + "/gone/bin/python"),
            root + "/gone/bin/python is a link to " + root + "/removed/bin/python3.12, which does not exist");
  EXPECT_THAT(why_not(root + "/nothing"), HasSubstr("does not exist"));
  link(root + "/a", "b");
  link(root + "/b", "a");
  EXPECT_THAT(why_not(root + "/a"), HasSubstr("is a link to itself"));
  EXPECT_THAT(why_not(root), HasSubstr("is a folder"));
  write(root + "/text", "hello");
  EXPECT_THAT(why_not(root + "/text"), HasSubstr("is not executable"));
  std::filesystem::permissions(root + "/text", std::filesystem::perms::owner_all);
  EXPECT_THAT(why_not(root + "/text"), HasSubstr("is not a program"));
  const std::string foreign = install(root + "/foreign");
  std::fstream file(foreign, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(18).write("\x08\x00", 2);  // MIPS
  file.close();
  EXPECT_THAT(why_not(foreign), HasSubstr("is a program of another processor architecture"));
}

}  // namespace
}  // namespace muster::python
