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
    return read_run_words(words, module, {.working_dir = folder, .home = home}, folder);
  }
  RunCommand command(const std::vector<std::string>& words, const std::string& module = "") {
    auto out = read(words, module);
    if (const auto* failure = std::get_if<Failure>(&out)) {
      ADD_FAILURE() << failure->what;
      return {};
    }
    return std::get<0>(std::move(out));
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

TEST_F(ReadRunWords, DataIsNotAScript) {
  write(folder + "/data.csv", "1");
  EXPECT_THAT(refusal({"data.csv"}), HasSubstr("data.csv is not a program"));
}

}  // namespace
}  // namespace muster::cli
