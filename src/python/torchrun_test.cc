#include "python/torchrun.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/strings.h"

namespace muster::python {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Torchrun, RunsTheFirstPythonInPath) {
  char name[] = "/tmp/muster-torchrun-XXXXXX";
  const std::string folder = ::mkdtemp(name);
  for (const char* program : {"/venv/python", "/usr/python3"}) {
    std::filesystem::create_directories(std::filesystem::path(folder + program).parent_path());
    std::filesystem::copy_file("/bin/true", folder + program);
  }
  EXPECT_THAT(torchrun_command({"--nproc-per-node", "2", "train.py"}, folder + "/venv:" + folder + "/usr"),
              ElementsAre(folder + "/venv/python", "-m", "torch.distributed.run", "--nproc-per-node", "2", "train.py"));
  EXPECT_THAT(torchrun_command({}, folder + "/usr"),
              ElementsAre(folder + "/usr/python3", "-m", "torch.distributed.run"));
  EXPECT_THAT(torchrun_command({}, folder), IsEmpty());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace muster::python
