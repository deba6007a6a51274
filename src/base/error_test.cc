#include "base/error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace muster {
namespace {

constexpr int kReasonCount = static_cast<int>(Reason::kStorageFull) + 1;

TEST(ErrorReasons, NamesReadBack) {
  for (int i = 0; i < kReasonCount; ++i) {
    const auto reason = static_cast<Reason>(i);
    EXPECT_EQ(reason_from_name(reason_name(reason)), reason) << reason_name(reason);
  }
}

TEST(ErrorReasons, NamesAreThoseOfKubernetes) {
  EXPECT_EQ(reason_name(Reason::kNotFound), "NotFound");
  EXPECT_EQ(reason_name(Reason::kRequestEntityTooLarge), "RequestEntityTooLarge");
  EXPECT_EQ(reason_from_name("Gone"), Reason::kExpired);
  EXPECT_EQ(reason_from_name("ServerTimeout"), Reason::kTimeout);
  EXPECT_EQ(reason_from_name("SomethingNew"), Reason::kInternalError);
}

TEST(ErrorReasons, CodesReadBackWhereTheyAreDistinct) {
  for (int i = 0; i < kReasonCount; ++i) {
    const auto reason = static_cast<Reason>(i);
    if (reason == Reason::kAlreadyExists) continue;  // 409 is read as Conflict
    EXPECT_EQ(reason_from_http_code(http_code(reason)), reason) << reason_name(reason);
  }
  EXPECT_EQ(reason_from_http_code(418), Reason::kBadRequest);
  EXPECT_EQ(reason_from_http_code(501), Reason::kInternalError);
  EXPECT_EQ(reason_from_http_code(302), Reason::kInternalError);
}

TEST(InContext, PrependsAndKeepsTheRest) {
  const Error error =
      in_context("pod/ns/w-0", Error{.reason = Reason::kConflict, .message = "was changed", .name = "w-0"});
  EXPECT_EQ(error.message, "pod/ns/w-0: was changed");
  EXPECT_EQ(error.reason, Reason::kConflict);
  EXPECT_EQ(error.name, "w-0");
}

TEST(ErrnoError, NamesTheCallAndTheCause) {
  EXPECT_EQ(errno_error("mount \"/proc\"", EPERM).message, "mount \"/proc\": EPERM (operation not permitted)");
  EXPECT_EQ(errno_error("read", EIO).message, "read: EIO (input/output error)");
  EXPECT_EQ(errno_error("read", 99999).message, "read: errno 99999");
}

TEST(ErrnoError, ReasonsSeparateTheCasesThatCallersActOn) {
  EXPECT_EQ(errno_error("open", ENOENT).reason, Reason::kNotFound);
  EXPECT_EQ(errno_error("mkdir", EEXIST).reason, Reason::kAlreadyExists);
  EXPECT_EQ(errno_error("write", ENOSPC).reason, Reason::kStorageFull);
  EXPECT_EQ(errno_error("connect", ECONNREFUSED).reason, Reason::kServiceUnavailable);
  EXPECT_EQ(errno_error("mount", EPERM).reason, Reason::kInternalError);
}

}  // namespace
}  // namespace muster
