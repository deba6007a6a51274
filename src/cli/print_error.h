// How a failure is told to the user, `error: …` with `  why: …` and `  fix: …` below it on stderr, and which exit code
// the command ends with.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace muster::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;  // the job failed, or anything without a code of its own
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
  std::string excerpt = {};  // lines of the user's file, printed as they are
  std::string why = {};
  std::string fix = {};
};

int exit_code(Reason reason);
/// Values that a server echoes ("…", {…}) cut after 200 bytes: the whole object is no help.
std::string with_short_values(std::string_view text);
/// The message is what failed; causes, where there are several, are why.
Failure failure_of(const Error& error);
Failure usage_failure(std::string what, std::string fix = {});

/// Ends with a newline. Lines after the first of each part are indented under it. Nothing that a terminal would obey.
std::string error_text(const Failure& failure);

/// The same as one line of JSON.
std::string error_json(const Failure& failure);

/// Prints on stderr; the exit code to end with.
int print_error(const Failure& failure);
int print_error(const Error& error);

}  // namespace muster::cli
