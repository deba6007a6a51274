// How a failure is reported to the user: `error: …` with `  why: …` and `  fix: …` below it on stderr, and the exit
// code of the command.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace muster::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;  // the job failed, or any error without a code of its own
inline constexpr int kExitUsage = 2;
inline constexpr int kExitNotFound = 3;
inline constexpr int kExitConflict = 4;
inline constexpr int kExitUnreachable = 6;
inline constexpr int kExitForbidden = 7;
inline constexpr int kExitTimedOut = 124;
inline constexpr int kExitInterrupted = 130;

struct Failure {
  int code = kExitFailed;
  std::string what;
  std::string excerpt = {};  // lines of the user's file, printed unchanged
  std::string why = {};
  std::string fix = {};
};

int exit_code(Reason reason);
/// Cuts values that a server echoes ("…", {…}) after 200 bytes: the whole object does not help the user.
std::string with_short_values(std::string_view text);
/// The message becomes `what`; several causes become `why`.
Failure failure_of(const Error& error);
Failure usage_failure(std::string what, std::string fix = {});

/// The text ends with a newline. Continuation lines are indented, and control characters are escaped.
std::string error_text(const Failure& failure);

/// Returns the same as one line of JSON.
std::string error_json(const Failure& failure);

/// Prints to stderr and returns the exit code.
int print_error(const Failure& failure);

}  // namespace muster::cli
