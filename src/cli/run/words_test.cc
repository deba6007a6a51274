#include "cli/run/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "python/python_layouts_for_tests.h"

namespace muster::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ReadRunWords : public python::PythonLayouts {
 protected:
  ReadRunWords() : folder(root + "/work") {
    write(folder + "/train.py", "");
    write(folder + "/pkg/main.py", "");
    write(folder + "/app/__main__.py", "");
  }

  std::variant<RunCommand, Failure> read(const std::vector<std::string>& words, const std::string& module = "") {
    return read_run_words(words, module, {.working_dir = folder, .home = home, .path = "/usr/bin:/bin"}, folder);
  }
  RunCommand command(const std::vector<std::string>& words, const std::string& module = "") {
    auto out = read(words, module);
    if (const auto* failure = std::get_if<Failure>(&out)) {
      ADD_FAILURE() << failure->what;
      return {};
    }
    return std::get<0>(std::move(out));
  }
  static void executable(const std::string& path, const std::string& text) {
    write(path, text);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  std::string refusal(const std::vector<std::string>& words) {
    const auto out = read(words);
    const auto* failure = std::get_if<Failure>(&out);
    return failure == nullptr ? "" : failure->what + "; " + failure->fix;
  }

  std::string folder;
};

TEST_F(ReadRunWords, AScriptIsRunByPythonOrByItsShell) {
  EXPECT_THAT(command({"train.py", "--x"}).words, ElementsAre("python", "train.py", "--x"));
  EXPECT_EQ(command({"train.py"}).script, folder + "/train.py");
  write(folder + "/plain.sh", "echo\n");
  write(folder + "/arrays.sh", "#!/usr/bin/env bash\n");
  EXPECT_THAT(command({"plain.sh"}).words, ElementsAre("sh", "plain.sh"));
  EXPECT_THAT(command({"arrays.sh"}).words, ElementsAre("bash", "arrays.sh")) << "as its first line says";
  std::filesystem::permissions(folder + "/arrays.sh", std::filesystem::perms::owner_all);
  EXPECT_THAT(command({"arrays.sh"}).words, ElementsAre("./arrays.sh"));
}

TEST_F(ReadRunWords, AFolderIsRunIfPythonCanRunIt) {
  const RunCommand app = command({"app/", "1"});
  EXPECT_THAT(app.words, ElementsAre("python", "app", "1"));
  EXPECT_EQ(app.prefix, "app");
  EXPECT_EQ(refusal({"pkg"}), "pkg is a folder without a __main__.py; name the script in it; muster run pkg/main.py");
}

TEST_F(ReadRunWords, LaunchersAreKnownInAllForms) {
  const auto launcher = [&](const std::vector<std::string>& words, const std::string& module = "") {
    return command(words, module).launcher;
  };
  EXPECT_EQ(launcher({"torchrun", "train.py"}), "torchrun");
  EXPECT_EQ(launcher({"accelerate", "launch", "train.py"}), "accelerate");
  for (const char* program : {"deepspeed", "mpirun", "mpiexec", "horovodrun", "composer", "fabric", "colossalai"}) {
    EXPECT_EQ(launcher({program, "train.py"}), program);
  }
  EXPECT_EQ(launcher({"python", "-m", "torch.distributed.run", "train.py"}), "torch.distributed.run");
  EXPECT_EQ(launcher({"train.py"}, "torch.distributed.launch"), "torch.distributed.launch");
  EXPECT_EQ(launcher({"train.py"}, "pkg.train"), "");
  EXPECT_EQ(launcher({"python", "train.py"}), "");
}

TEST_F(ReadRunWords, AScriptThatDoesNotExistIsRefusedWithTheNearestName) {
  EXPECT_THAT(refusal({"trian.py"}), HasSubstr("trian.py: no such file in " + folder + "; did you mean \"train.py\"?"));
  EXPECT_THAT(refusal({"trian.py"}), HasSubstr("; muster run train.py"));
  EXPECT_THAT(refusal({"python", "absent.py"}), HasSubstr("absent.py: no such file in " + folder));
  EXPECT_THAT(refusal({"elsewhere/tool"}), HasSubstr("elsewhere/tool: no such file in"));
  EXPECT_EQ(refusal({"python", "-c", "absent.py"}), "");
}

TEST_F(ReadRunWords, AFileOutsideOfTheProjectKeepsItsWholePath) {
  write(root + "/other/tool.py", "");
  EXPECT_THAT(command({"../other/tool.py"}).words, ElementsAre("python", root + "/other/tool.py"));
}

TEST_F(ReadRunWords, APythonByItsPathIsTheOneThatRuns) {
  const std::string python = environment(root + "/venv", install(root + "/python"));
  const RunCommand named = command({python, "-u", "train.py", "-m"});
  EXPECT_TRUE(named.runs_python);
  EXPECT_EQ(named.python, python);
  EXPECT_EQ(named.prefix, "train");
  EXPECT_EQ(named.script, "") << "the interpreter is not a file of the project";
  EXPECT_THAT(named.words, ElementsAre("python", "-u", "train.py", "-m"));
  EXPECT_EQ(command({"python3.12", "train.py"}).python, "python3.12") << "looked up in PATH";
  EXPECT_EQ(command({"python3", "train.py"}).python, "") << "chosen as for train.py";
  std::filesystem::create_directories(folder + "/python");
  EXPECT_TRUE(command({"python", "train.py"}).runs_python) << "as in a shell, not the folder";
  executable(root + "/venv/bin/tool", "#!" + python + "\n");
  EXPECT_EQ(command({root + "/venv/bin/tool"}).python, python);
}

TEST_F(ReadRunWords, AProgramOfTheSystemNeedsNoMount) {
  const RunCommand env = command({"/usr/bin/env", "python3", "train.py"});
  EXPECT_THAT(env.words, ElementsAre("/usr/bin/env", "python3", "train.py"));
  EXPECT_EQ(env.script, "");
  EXPECT_EQ(env.start, folder) << "where its Python is looked for";
}

TEST_F(ReadRunWords, AnExecutableIsWhatTheSystemCanStart) {
  executable(folder + "/plain.sh", "echo\n");
  EXPECT_THAT(command({"plain.sh"}).words, ElementsAre("sh", "plain.sh"));
  executable(folder + "/noise", std::string("\0\1", 2));
  EXPECT_THAT(refusal({"./noise"}), HasSubstr("./noise is not a program: it is executable, but neither a binary"));
  executable(folder + "/windows", "#!/bin/sh\r\n");
  EXPECT_THAT(refusal({"./windows"}), HasSubstr("(CRLF), which no shell understands; sed -i 's/\\r$//' ./windows"));
  executable(folder + "/lost", "#!/no/such/sh -e\n");
  EXPECT_THAT(refusal({"./lost"}), HasSubstr("its first line names /no/such/sh, which is not a program"));
  executable(folder + "/typo", "#!/usr/bin/env -S NAME=x no-such-shell\n");
  EXPECT_THAT(refusal({"./typo"}), HasSubstr("its first line names no-such-shell, and there is no such program"));
}

TEST_F(ReadRunWords, TheScriptOfALauncherMustExistToo) {
  EXPECT_THAT(refusal({"torchrun", "--nproc-per-node", "2", "absent.py"}), HasSubstr("absent.py: no such file"));
  EXPECT_THAT(refusal({"mpirun", "-np", "2", "python", "absent.py"}), HasSubstr("absent.py: no such file"));
  EXPECT_THAT(refusal({"python3", "-m", "torch.distributed.run", "absent.py"}), HasSubstr("absent.py: no such file"));
  EXPECT_EQ(refusal({"python3", "-m", "pkg", "absent.py"}), "") << "an argument of the module";
  EXPECT_EQ(refusal({"torchrun", "train.py", "absent.py"}), "") << "an argument of the script";
  EXPECT_EQ(refusal({"torchrun", "-m", "train", "absent.py"}), "");
  EXPECT_EQ(refusal({"mpirun", "--wdir", "/elsewhere", "python", "absent.py"}), "");
}

TEST_F(ReadRunWords, DataIsNotAScript) {
  write(folder + "/data.csv", "1");
  EXPECT_THAT(refusal({"data.csv"}), HasSubstr("data.csv is not a program"));
}

}  // namespace
}  // namespace muster::cli
