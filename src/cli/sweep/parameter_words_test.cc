#include "cli/sweep/parameter_words.h"

#include <gmock/gmock.h>

namespace muster::cli {
namespace {

using ::testing::ElementsAre;

struct Fixture {
  std::int64_t ranks = 1;
  bool detach = false;
  std::string module;
  Flags flags;
  Fixture() {
    flags.add("ranks", &ranks, "");
    flags.add("detach", &detach, "", 'd');
    flags.add("module", &module, "", 'm');
    flags.end_after("module");
  }
  Result<std::vector<std::string>> read(const std::vector<std::string>& args) const {
    return with_parameter_flags(args, flags.list());
  }
};

TEST(ParameterWords, UnknownFlagsBeforeTheScriptAreParameters) {
  EXPECT_THAT(*Fixture().read({"--lr", "0.1,0.01", "--ranks", "2", "-d", "--seed=1..3", "--", "train.py", "--x", "1"}),
              ElementsAre("--param", "lr=0.1,0.01", "--ranks", "2", "-d", "--param", "seed=1..3", "--", "train.py",
                          "--x", "1"));
  EXPECT_THAT(*Fixture().read({"--lr", "1", "train.py", "--x", "1"}),
              ElementsAre("--param", "lr=1", "train.py", "--x", "1"));
  EXPECT_THAT(*Fixture().read({"--lr", "1", "-m", "pkg.train", "--x"}),
              ElementsAre("--param", "lr=1", "-m", "pkg.train", "--x"));
}

TEST(ParameterWords, AMistypedFlagIsNoParameter) {
  EXPECT_EQ(Fixture().read({"--rank", "4,8", "--", "train.py"}).error().message,
            "unknown flag --rank; did you mean --ranks? a parameter of this name is --param rank=VALUES");
}

TEST(ParameterWords, AParameterNeedsValues) {
  EXPECT_EQ(Fixture().read({"--lr", "--", "train.py"}).error().message,
            "parameter --lr needs values, such as 0.1,0.01 or 1..3");
}

}  // namespace
}  // namespace muster::cli
