#include "cli/flags/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::cli {
namespace {

using ::testing::ElementsAre;
using namespace std::chrono_literals;

struct Parsed {
  std::vector<std::string> files;
  std::string output;
  bool watch = false;
  bool wait = true;
  std::optional<std::int64_t> tail;
  std::optional<Duration> timeout;
  std::string cascade = "background";
  std::vector<std::string> words;
  std::string error;
};

Flags table(Parsed& to) {
  Flags flags;
  flags.add("filename", &to.files, "files", 'f');
  flags.add("output", &to.output, "format", 'o');
  flags.add("watch", &to.watch, "print changes", 'w');
  flags.add("wait", &to.wait, "wait for the end");
  flags.add("tail", &to.tail, "lines");
  flags.add("timeout", &to.timeout, "how long");
  flags.add("cascade", &to.cascade, "what happens to children");
  flags.set_implied("cascade", "background");
  return flags;
}

Parsed parse(const std::vector<std::string>& args) {
  Parsed out;
  Flags flags = table(out);
  auto words = flags.parse(args);
  if (words) {
    out.words = *words;
  } else {
    EXPECT_EQ(words.error().reason, Reason::kBadRequest);
    out.error = words.error().message;
  }
  return out;
}

TEST(Flags, TakesEveryFormOfAValue) {
  EXPECT_THAT(parse({"-f", "a.yaml"}).files, ElementsAre("a.yaml"));
  EXPECT_THAT(parse({"-fa.yaml"}).files, ElementsAre("a.yaml"));
  EXPECT_THAT(parse({"-f=a.yaml"}).files, ElementsAre("a.yaml"));
  EXPECT_THAT(parse({"--filename", "a.yaml"}).files, ElementsAre("a.yaml"));
  EXPECT_THAT(parse({"--filename=a.yaml"}).files, ElementsAre("a.yaml"));
  EXPECT_THAT(parse({"-f", "-"}).files, ElementsAre("-"));
}

TEST(Flags, CollectsRepeatedAndJoinedValues) {
  EXPECT_THAT(parse({"-f", "a", "-f", "b,c"}).files, ElementsAre("a", "b", "c"));
}

TEST(Flags, MixesFlagsAndWords) {
  const Parsed parsed = parse({"pods", "-o", "yaml", "x", "-w", "y"});
  EXPECT_THAT(parsed.words, ElementsAre("pods", "x", "y"));
  EXPECT_EQ(parsed.output, "yaml");
  EXPECT_TRUE(parsed.watch);
}

TEST(Flags, JoinsLetters) {
  const Parsed parsed = parse({"-wo", "yaml"});
  EXPECT_TRUE(parsed.watch);
  EXPECT_EQ(parsed.output, "yaml");
  EXPECT_EQ(parse({"-wojson"}).output, "json");
}

TEST(Flags, StopsAtTwoDashes) {
  const Parsed parsed = parse({"-w", "--", "-o", "yaml"});
  EXPECT_THAT(parsed.words, ElementsAre("-o", "yaml"));
  EXPECT_EQ(parsed.output, "");
}

TEST(Flags, TakesASingleDashAsAWord) {
  EXPECT_THAT(parse({"-"}).words, ElementsAre("-"));
}

TEST(Flags, SwitchesBooleansOff) {
  EXPECT_TRUE(parse({}).wait);
  EXPECT_FALSE(parse({"--wait=false"}).wait);
  EXPECT_FALSE(parse({"-w=false"}).watch);
  // A boolean takes its value only after '='; the next argument is an ordinary word.
  EXPECT_THAT(parse({"--wait", "false"}).words, ElementsAre("false"));
}

TEST(Flags, TakesImpliedValues) {
  EXPECT_EQ(parse({"--cascade"}).cascade, "background");
  EXPECT_EQ(parse({"--cascade=orphan"}).cascade, "orphan");
}

TEST(Flags, ReadsNumbersAndDurations) {
  EXPECT_EQ(parse({"--tail=-1"}).tail, -1);
  EXPECT_EQ(parse({"--tail", "-1"}).tail, -1);
  EXPECT_EQ(parse({"--timeout", "1h30m"}).timeout, 90min);
  EXPECT_EQ(parse({"--timeout=45"}).timeout, 45s);
  EXPECT_EQ(parse({"--timeout=0"}).timeout, 0s);
}

TEST(Flags, NamesWhatIsWrong) {
  EXPECT_EQ(parse({"--ouptut=yaml"}).error, "unknown flag --ouptut; did you mean --output?");
  EXPECT_EQ(parse({"--zzz"}).error, "unknown flag --zzz");
  EXPECT_EQ(parse({"-wx"}).error, R"(unknown flag -x in "-wx")");
  EXPECT_EQ(parse({"-o"}).error, "flag -o (--output) needs a value");
  EXPECT_EQ(parse({"--output"}).error, "flag --output needs a value");
  EXPECT_EQ(parse({"--tail=many"}).error, R"(flag --tail: must be a whole number, got "many")");
  EXPECT_EQ(parse({"--timeout=soon"}).error,
            R"(flag --timeout: must be a duration such as 30s, 5m or 1h30m, got "soon")");
  EXPECT_EQ(parse({"--watch=maybe"}).error, R"(flag --watch: must be true or false, got "maybe")");
}

TEST(Flags, SeesTheWishForHelp) {
  const Flags flags;
  EXPECT_TRUE(flags.asks_for_help({"get", "--help"}));
  EXPECT_TRUE(flags.asks_for_help({"-h"}));
  EXPECT_FALSE(flags.asks_for_help({"exec", "pod", "--", "ls", "--help"}));
}

TEST(Flags, ListsThemselves) {
  Parsed unused;
  EXPECT_EQ(table(unused).help(),
            "  -f, --filename VALUE         files\n"
            "  -o, --output VALUE           format\n"
            "  -w, --watch                  print changes\n"
            "      --wait                   wait for the end (default true)\n"
            "      --tail VALUE             lines\n"
            "      --timeout VALUE          how long\n"
            "      --cascade[=VALUE]        what happens to children (default background)\n");
}

TEST(Flags, AfterTheFirstWordBelongToThatWord) {
  std::string name;
  Flags flags;
  flags.add("name", &name, "a name", 'x');
  flags.end_at_first_word();
  EXPECT_THAT(*flags.parse({"--name", "a", "train.py", "--name", "b", "--", "-h"}),
              ElementsAre("train.py", "--name", "b", "--", "-h"));
  EXPECT_EQ(name, "a");
  EXPECT_FALSE(flags.asks_for_help({"-x", "a", "train.py", "--help"}));
  EXPECT_TRUE(flags.asks_for_help({"--name", "a", "--help", "train.py"}));
}

TEST(Flags, AfterAFlagThatEndsThemBelongToItsValue) {
  std::string module;
  std::string name;
  Flags flags;
  flags.add("module", &module, "a module", 'm');
  flags.add("name", &name, "a name");
  flags.end_at_first_word();
  flags.end_after("module");
  for (const std::vector<std::string>& start : {std::vector<std::string>{"-m", "pkg"}, {"-mpkg"}, {"--module=pkg"}}) {
    std::vector<std::string> args = {"--name", "a"};
    args.insert(args.end(), start.begin(), start.end());
    args.insert(args.end(), {"--name", "b", "-h", "--", "x"});
    EXPECT_THAT(*flags.parse(args), ElementsAre("--name", "b", "-h", "--", "x"));
    EXPECT_EQ(module + name, "pkga");
    EXPECT_FALSE(flags.asks_for_help(args));
  }
}

TEST(FlagWord, FindsTheFlagAndTheValueInTheSameWord) {
  const std::vector<Flags::Listed> known{{.name = "all"}, {.name = "name", .letter = 'n', .takes_word = true}};
  for (const char* word : {"--name=x=y", "-n=x=y", "-nx=y"}) {
    const FlagWord found = flag_word(word, known);
    EXPECT_EQ(found.flag, &known[1]) << word;
    EXPECT_EQ(found.value, "x=y") << word;
  }
  EXPECT_TRUE(flag_word("-n", known).takes_next_word());
  EXPECT_FALSE(flag_word("--all", known).takes_next_word());
  for (const char* word : {"", "-", "--", "a", "an", "--nam", "-x"}) {
    EXPECT_EQ(flag_word(word, known).flag, nullptr) << word;
  }
}

}  // namespace
}  // namespace muster::cli
