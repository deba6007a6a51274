// Builds the folders of interpreters in a temporary folder, as the usual tools lay them out.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace muster::python {

class PythonLayouts : public ::testing::Test {
 protected:
  PythonLayouts() {
    std::string pattern = ::testing::TempDir() + "python-XXXXXX";
    root = std::filesystem::canonical(::mkdtemp(pattern.data())).string();
    home = root + "/home";
  }
  ~PythonLayouts() override { std::filesystem::remove_all(root); }

  static void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
  }
  static void link(const std::string& path, const std::string& target) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::filesystem::create_symlink(target, path);
  }
  /// An installation as `make install`, pyenv and uv have it. The interpreter is some program of this machine.
  std::string install(const std::string& prefix) const {
    std::filesystem::create_directories(prefix + "/bin");
    std::filesystem::copy_file("/bin/true", prefix + "/bin/python3.12");
    link(prefix + "/bin/python3", "python3.12");
    link(prefix + "/bin/python", "python3");
    write(prefix + "/lib/python3.12/os.py", "");
    std::filesystem::create_directories(prefix + "/lib/python3.12/site-packages");
    return prefix + "/bin/python3.12";
  }
  /// A virtual environment, as venv and uv make it.
  std::string environment(const std::string& folder, const std::string& python,
                          const std::string& settings = "") const {
    const std::string bin = std::filesystem::path(python).parent_path().string();
    write(folder + "/pyvenv.cfg", "home = " + bin + "\n" + settings);
    link(folder + "/bin/python", python);
    std::filesystem::create_directories(folder + "/lib/python3.12/site-packages");
    return folder + "/bin/python";
  }

  std::string root;
  std::string home;
};

}  // namespace muster::python
