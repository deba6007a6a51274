#include "main/operator_options.h"

#include <gmock/gmock.h>

namespace muster {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Parsed {
  OperatorOptions options;
  std::string error;
};

Parsed parse(const std::vector<std::string>& args) {
  Parsed parsed;
  cli::Flags flags;
  parsed.options.add_flags(flags);
  const auto words = flags.parse(args);
  if (!words) {
    parsed.error = words.error().message;
  } else if (const Status checked = parsed.options.check(); !checked) {
    parsed.error = checked.error().message;
  }
  return parsed;
}

TEST(OperatorOptionsTest, DefaultsAreThoseOfClientGo) {
  const OperatorOptions options = parse({}).options;
  EXPECT_EQ(parse({}).error, "");
  EXPECT_EQ(options.address()->host, "");
  EXPECT_EQ(options.address()->port, 8080);
  EXPECT_EQ(options.times.lease_duration, std::chrono::seconds(15));
  EXPECT_EQ(options.times.renew_deadline, std::chrono::seconds(10));
  EXPECT_EQ(options.times.retry_period, std::chrono::seconds(2));
}

TEST(OperatorOptionsTest, OperatorsInPodsElectALeader) {
  EXPECT_TRUE(parse({}).options.elects(true));
  EXPECT_FALSE(parse({}).options.elects(false));
  for (const bool in_pod : {true, false}) {
    EXPECT_TRUE(parse({"--leader-elect"}).options.elects(in_pod));
    EXPECT_TRUE(parse({"--leader-elect=true"}).options.elects(in_pod));
    EXPECT_FALSE(parse({"--leader-elect=false"}).options.elects(in_pod));
  }
}

TEST(OperatorOptionsTest, AnEmptyAddressTurnsThePortOff) {
  EXPECT_FALSE(parse({"--listen", ""}).options.address());
  EXPECT_EQ(parse({"--listen", "127.0.0.1:0"}).options.address()->host, "127.0.0.1");
}

TEST(OperatorOptionsTest, MistakesAreNamed) {
  EXPECT_EQ(parse({"--listen", "8080"}).error, "--listen: must be HOST:PORT, :PORT or \"\", got \"8080\"; write :8080");
  EXPECT_EQ(parse({"--leader-elect=maybe"}).error, "--leader-elect: must be true, false or auto, got \"maybe\"");
  EXPECT_EQ(parse({"--log-format", "xml"}).error, "--log-format: must be text or json, got \"xml\"");
  EXPECT_THAT(parse({"--lease-duration", "5s"}).error,
              StartsWith("--lease-duration: must be more than --renew-deadline"));
  EXPECT_EQ(parse({"--namespaces", "team-a,Team"}).error,
            "--namespaces: \"Team\" is not the name of a namespace; write A,B");
  EXPECT_THAT(parse({"--kinds", "torchjobs"}).error, HasSubstr("there is no kind \"torchjobs\""));
}

}  // namespace
}  // namespace muster
