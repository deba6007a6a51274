// What every command of Arena works with: the session, the log, the user's configuration and the chosen server.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arena/context/log.h"
#include "arena/output/tables.h"
#include "cli/connect/connect.h"
#include "cli/connect/environment.h"
#include "cli/connect/session.h"

namespace muster::arena {

/// What ~/.arena/config says.
struct UserConfig {
  std::string ns;
  std::vector<std::string> image_pull_secrets;
  std::string tf_role_sequence;
};
/// Reads lines of key=value; unknown keys and comments are skipped.
UserConfig parse_user_config(std::string_view text);

struct Context {
  cli::Session& session;
  Log& log;
  const UserConfig& config;
  const cli::Environment& environment;
  std::optional<cli::Choice> server = {};  // the one that was chosen

  /// Returns how to show an error of a request.
  cli::Failure failure_of(const Error& error) const;
  /// Prints Arena's error line and returns the exit code, which is always 1.
  int fail(const cli::Failure& failure) { return session.fail(failure) == 0 ? 0 : 1; }
  int fail(const Error& error) { return session.fail(error) == 0 ? 0 : 1; }
};

/// Returns the layout that -o and $ARENA_LAYOUT choose.
Layout layout_of(const std::string& output, const cli::Environment& environment);
/// Returns the failure for a value of -o that is not wide, json or yaml.
std::optional<cli::Failure> check_output(const std::string& output);
Viewer viewer_of(Context& context, const std::string& output);
/// Waits until a command that shows something continuously shows it again. Returns false when the user interrupted it.
bool wait_for_refresh(Context& context);

}  // namespace muster::arena
