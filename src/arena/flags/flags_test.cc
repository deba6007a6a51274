#include "arena/flags/flags.h"

#include <gmock/gmock.h>

namespace muster::arena {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FlagsTest : public ::testing::Test {
 protected:
  FlagsTest() {
    flags_.add("name", &name_, "the name");
    flags_.add("gpus", &gpus_, "how many");
    flags_.add("tensorboard", &tensorboard_, "with TensorBoard");
    flags_.add("all", &all_, "all of them", 'A');
    flags_.add("env", &envs_, "variables", 'e');
    flags_.add("timeout", &timeout_, "how long");
    flags_.add("working-dir", &working_dir_, "where");
    flags_.add_old_name("working-dir", "workingDir");
  }

  Flags::Parsed parsed(const std::vector<std::string>& args) {
    auto result = flags_.parse(args);
    const auto* failure = std::get_if<cli::Failure>(&result);
    EXPECT_EQ(failure, nullptr) << failure->what;
    return failure == nullptr ? std::get<Flags::Parsed>(result) : Flags::Parsed{};
  }
  cli::Failure failure(const std::vector<std::string>& args) {
    auto result = flags_.parse(args);
    const auto* found = std::get_if<cli::Failure>(&result);
    return found == nullptr ? cli::Failure{.what = "none"} : *found;
  }

  Flags flags_;
  std::string name_;
  std::int64_t gpus_ = 0;
  bool tensorboard_ = false;
  bool all_ = false;
  std::vector<std::string> envs_;
  Duration timeout_{0};
  std::string working_dir_ = "/root";
};

TEST_F(FlagsTest, TakesFlagsAndWordsInAnyOrder) {
  const auto result = parsed({"--name=a", "train", "-A", "--gpus", "2", "-eA=1,2", "--env", "B=2", "now"});
  EXPECT_THAT(result.words, ElementsAre("train", "now"));
  EXPECT_EQ(name_, "a");
  EXPECT_EQ(gpus_, 2);
  EXPECT_TRUE(all_);
  EXPECT_THAT(envs_, ElementsAre("A=1,2", "B=2"));  // a comma is part of the value
}

TEST_F(FlagsTest, ReadsEverythingAfterTwoDashesAsWords) {
  EXPECT_THAT(parsed({"--gpus=1", "--", "python", "--gpus", "-x"}).words, ElementsAre("python", "--gpus", "-x"));
  EXPECT_EQ(gpus_, 1);
}

TEST_F(FlagsTest, WarnsOfAnOldSpelling) {
  const auto result = parsed({"--workingDir", "/work"});
  EXPECT_EQ(working_dir_, "/work");
  EXPECT_THAT(result.warnings, ElementsAre("Flag --workingDir has been deprecated, please use --working-dir instead"));
}

TEST_F(FlagsTest, ReadsAWordAfterABoolFlagAsItsValueUnlessItIsTheCommand) {
  auto result = parsed({"--tensorboard", "false", "python train.py"});
  EXPECT_FALSE(tensorboard_);
  EXPECT_THAT(result.words, ElementsAre("python train.py"));
  EXPECT_THAT(result.warnings, ElementsAre("--tensorboard false was read as --tensorboard=false"));
  result = parsed({"--tensorboard", "true"});
  EXPECT_THAT(result.words, ElementsAre("true"));
  EXPECT_THAT(result.warnings, IsEmpty());
}

TEST_F(FlagsTest, HasPflagsTextsForWrongFlags) {
  EXPECT_EQ(failure({"--gpu", "1"}).what, "unknown flag: --gpu");
  EXPECT_EQ(failure({"--gpu", "1"}).fix, "did you mean --gpus?");
  EXPECT_EQ(failure({"-x"}).what, "unknown shorthand flag: 'x' in -x");
  EXPECT_EQ(failure({"-Axy"}).what, "unknown shorthand flag: 'x' in -Axy");
  EXPECT_EQ(failure({"--gpus"}).what, "flag needs an argument: --gpus");
  EXPECT_EQ(failure({"-e"}).what, "flag needs an argument: 'e' in -e");
  EXPECT_EQ(failure({"--=x"}).what, "bad flag syntax: --=x");
  EXPECT_EQ(failure({"--gpus", "x"}).what,
            "invalid argument \"x\" for \"--gpus\" flag: strconv.ParseInt: parsing \"x\": invalid syntax");
  EXPECT_THAT(failure({"--gpus", "99999999999999999999"}).what, HasSubstr("value out of range"));
  EXPECT_THAT(failure({"--gpus", "++1"}).what, HasSubstr("invalid syntax"));
  EXPECT_EQ(
      failure({"--tensorboard=maybe"}).what,
      "invalid argument \"maybe\" for \"--tensorboard\" flag: strconv.ParseBool: parsing \"maybe\": invalid syntax");
  EXPECT_EQ(failure({"--timeout", "1d"}).what,
            "invalid argument \"1d\" for \"--timeout\" flag: time: invalid duration \"1d\"");
}

TEST_F(FlagsTest, NamesAllRequiredFlagsThatAreMissing) {
  flags_.require("name");
  EXPECT_EQ(failure({"train"}).what, "required flag(s) \"name\" not set");
  flags_.require("gpus");
  EXPECT_EQ(failure({"train"}).what, "required flag(s) \"name\", \"gpus\" not set");
}

TEST(WordsOfFlag, AssumesAValueForFlagsItDoesNotKnow) {
  const std::vector<Flags::Listed> known{{.name = "help", .letter = 'h'}, {.name = "loglevel", .takes_word = true}};
  EXPECT_EQ(words_of_flag({"--loglevel", "info"}, 0, known), 2u);
  EXPECT_EQ(words_of_flag({"--loglevel=info", "x"}, 0, known), 1u);
  EXPECT_EQ(words_of_flag({"--help", "x"}, 0, known), 1u);
  EXPECT_EQ(words_of_flag({"-h", "x"}, 0, known), 1u);
  EXPECT_EQ(words_of_flag({"--other", "x"}, 0, known), 2u);
  EXPECT_EQ(words_of_flag({"--other"}, 0, known), 1u);
}

}  // namespace
}  // namespace muster::arena
