#include "cli/terminal/print_error.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

TEST(ExitCode, FollowsTheReason) {
  EXPECT_EQ(exit_code(Reason::kBadRequest), 2);
  EXPECT_EQ(exit_code(Reason::kNotFound), 3);
  EXPECT_EQ(exit_code(Reason::kAlreadyExists), 4);
  EXPECT_EQ(exit_code(Reason::kConflict), 4);
  EXPECT_EQ(exit_code(Reason::kServiceUnavailable), 6);
  EXPECT_EQ(exit_code(Reason::kTimeout), 6);
  EXPECT_EQ(exit_code(Reason::kForbidden), 7);
  EXPECT_EQ(exit_code(Reason::kUnauthorized), 7);
  EXPECT_EQ(exit_code(Reason::kInvalid), 1);
  EXPECT_EQ(exit_code(Reason::kInternalError), 1);
}

TEST(ErrorText, HasWhatWhyAndFix) {
  EXPECT_EQ(
      error_text({.what = "no API server to talk to", .why = "no engine is running\nand no file", .fix = "muster up"}),
      "error: no API server to talk to\n"
      "  why: no engine is running\n"
      "       and no file\n"
      "  fix: muster up\n");
}

TEST(ErrorText, ShowsSeveralCausesUnderWhy) {
  const Error error{.reason = Reason::kInvalid,
                    .message = "PyTorchJob \"a\" is invalid",
                    .causes = {{"FieldValueInvalid", "must be at least 1", "spec.x"}, {"", "no field", ""}}};
  EXPECT_EQ(error_text(failure_of(error)),
            "error: PyTorchJob \"a\" is invalid\n  why: spec.x: must be at least 1\n       no field\n");
  EXPECT_EQ(failure_of(error).code, 1);
}

TEST(ErrorText, EchoesNoMoreThanAFewWordsOfAValue) {
  EXPECT_EQ(with_short_values(R"(a "b \" c" {"d": [1]} it's)"), R"(a "b \" c" {"d": [1]} it's)");
  const std::string inside(300, 'x');
  EXPECT_EQ(with_short_values("patch: \"" + inside + "\": no"), "patch: \"" + std::string(199, 'x') + "…: no");
  EXPECT_EQ(with_short_values("{\"a\":\"}" + inside + "\"}: no"), "{\"a\":\"}" + std::string(193, 'x') + "…: no");
  EXPECT_EQ(with_short_values("\"" + std::string(198, 'x') + "é" + inside + "\""), "\"" + std::string(198, 'x') + "…");
  EXPECT_EQ(with_short_values("[" + inside + "]"), "[" + inside + "]");
  EXPECT_EQ(with_short_values("5\" left open"), "5\" left open");
}

TEST(ErrorText, IsJsonForWhoAsksForJson) {
  EXPECT_EQ(error_json({.code = kExitNotFound, .what = "no \"a\"", .fix = "muster up"}),
            "{\"error\":\"no \\\"a\\\"\",\"fix\":\"muster up\",\"exitCode\":3}\n");
}

}  // namespace
}  // namespace muster::cli
