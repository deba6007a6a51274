#include "client/exec_plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/document.h"
#include "testing/sim_loop.h"

namespace muster::client {
namespace {

using ::testing::HasSubstr;

constexpr const char* kV1 = "client.authentication.k8s.io/v1";

ExecPlugin plugin() {
  return {.api_version = kV1,
          .command = "get-token",
          .args = {},
          .env = {},
          .install_hint = "see example.org",
          .interactive_mode = "Never",
          .cluster_info_json = ""};
}

std::string credential(const std::string& status, const std::string& version = kV1) {
  return R"({"kind":"ExecCredential","apiVersion":")" + version + R"(","status":)" + status + "}";
}

std::string why_not(const std::string& text) {
  const auto parsed = parse_exec_credential(plugin(), text);
  return parsed ? "" : parsed.error().message;
}

TEST(ExecPlugin, ReadsTokenCertificateAndExpiry) {
  const auto read =
      parse_exec_credential(plugin(), credential(R"({"token":"t","clientCertificateData":"C","clientKeyData":"K",)"
                                                 R"("expirationTimestamp":"2026-01-01T00:00:00Z"})"));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->shown.token, "t");
  EXPECT_EQ(read->shown.client_certificate_pem, "C");
  EXPECT_EQ(read->shown.client_key_pem, "K");
  EXPECT_EQ(read->expires, parse_rfc3339("2026-01-01T00:00:00Z"));
}

TEST(ExecPlugin, ReportsWhatIsWrongWithTheOutput) {
  EXPECT_EQ(why_not("nonsense"), "credential plugin \"get-token\": did not print an ExecCredential in JSON");
  EXPECT_THAT(why_not(R"({"kind":"Pod"})"), HasSubstr("must print kind ExecCredential, got \"Pod\""));
  EXPECT_THAT(why_not(credential(R"({"token":"t"})", "client.authentication.k8s.io/v1beta1")),
              HasSubstr("is set up for client.authentication.k8s.io/v1, but printed"));
  EXPECT_THAT(why_not(credential("{}")), HasSubstr("neither status.token nor"));
  EXPECT_THAT(why_not(credential(R"({"clientKeyData":"K"})")), HasSubstr("must be given together"));
  EXPECT_THAT(why_not(credential(R"({"token":"t","expirationTimestamp":"soon"})")), HasSubstr("RFC 3339"));
}

TEST(ExecPlugin, GetsInfoAboutItselfAndTheCluster) {
  ExecPlugin asking = plugin();
  asking.cluster_info_json = R"({"server":"https://h:1"})";
  const auto told = json::parse(exec_info(asking, true));
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->string_at("apiVersion"), kV1);
  EXPECT_EQ(told->string_at("spec", "cluster", "server"), "https://h:1");
  EXPECT_TRUE(told->bool_at("spec", "interactive"));
}

TEST(ExecPlugin, RunsAgainOnlyWhenTheCredentialIsAboutToExpire) {
  testing::SimLoop clock;  // begins at 2026-01-01T00:00:00Z
  int runs = 0;
  ExecSource source(plugin(), [&](const ExecPlugin&, const std::string& info) -> Result<std::string> {
    EXPECT_THAT(info, HasSubstr(R"("interactive":false)"));
    ++runs;
    return credential(R"({"token":"t)" + std::to_string(runs) + R"(","expirationTimestamp":"2026-01-01T0)" +
                      std::to_string(runs) + R"(:00:00Z"})");
  });
  EXPECT_EQ(source.get(clock)->token, "t1");
  clock.advance(std::chrono::minutes(59));
  EXPECT_EQ(source.get(clock)->token, "t1");
  EXPECT_EQ(runs, 1);
  clock.advance(std::chrono::seconds(55));
  EXPECT_EQ(source.get(clock)->token, "t2");
  EXPECT_EQ(runs, 2);
}

TEST(ExecPlugin, RunsAgainWhenTheServerRefusesItsCredential) {
  testing::SimLoop clock;
  int runs = 0;
  ExecSource source(
      plugin(),
      [&](const ExecPlugin&, const std::string&) -> Result<std::string> {
        ++runs;
        if (runs == 3) return Error{.message = "cannot"};
        return credential(R"({"token":"t)" + std::to_string(std::min(runs, 2)) + R"("})");
      },
      ExecCredential{.shown = {.token = "t0"}, .expires = std::nullopt});
  const Credential first = *source.get(clock);
  EXPECT_EQ(first.token, "t0");
  EXPECT_EQ(runs, 0) << "what it printed before is still good";
  EXPECT_TRUE(*source.renew(first, clock));
  EXPECT_TRUE(*source.renew(first, clock)) << "a second request that showed the old one";
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(source.get(clock)->token, "t1");
  EXPECT_TRUE(*source.renew(*source.get(clock), clock));
  EXPECT_EQ(source.renew(*source.get(clock), clock).error().message, "cannot");
  EXPECT_EQ(source.get(clock)->token, "t2");
  EXPECT_FALSE(*source.renew(*source.get(clock), clock)) << "the same again: no use to show it";
}

TEST(ExecPlugin, RunsARealProgram) {
  ExecPlugin echo = plugin();
  echo.command = "sh";
  echo.env = {{"WORD", "hello"}};
  echo.args = {"-c", "printf '%s %s' \"$WORD\" \"$KUBERNETES_EXEC_INFO\""};
  const auto printed = run_plugin(echo, "INFO");
  ASSERT_TRUE(printed.has_value()) << printed.error().message;
  EXPECT_EQ(*printed, "hello INFO");
  echo.args = {"-c", "exit 3"};
  EXPECT_EQ(run_plugin(echo, "").error().message, "credential plugin \"sh\": failed with exit code 3");
  echo.command = "muster-no-such-plugin";
  const auto missing = run_plugin(echo, "");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().reason, Reason::kNotFound);
  EXPECT_THAT(missing.error().message,
              HasSubstr("the program does not exist; install it or put it on the PATH\nsee example.org"));
}

}  // namespace
}  // namespace muster::client
