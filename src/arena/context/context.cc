#include "arena/context/context.h"

#include <fmt/core.h>

#include <ctime>

#include "base/strings.h"

namespace muster::arena {

UserConfig parse_user_config(std::string_view text) {
  UserConfig out;
  for (const std::string& line : split(text, '\n')) {
    const std::string_view entry = trim(line);
    const std::size_t equals = entry.find('=');
    if (entry.starts_with('#') || equals == std::string_view::npos) continue;
    const std::string_view key = trim(entry.substr(0, equals));
    const std::string value(trim(entry.substr(equals + 1)));
    if (key == "namespace") out.ns = value;
    if (key == "tfjob_role_sequence") out.tf_role_sequence = value;
    if (key == "imagePullSecrets" && !value.empty()) out.image_pull_secrets = split(value, ',');
  }
  return out;
}

cli::Failure Context::failure_of(const Error& error) const {
  const bool silent_server = error.reason == Reason::kServiceUnavailable && server;
  return silent_server ? cli::unreachable(*server, error) : cli::failure_of(error);
}

Layout layout_of(const std::string& output, const cli::Environment& environment) {
  if (environment.arena_layout == "modern") return Layout::kModern;
  if (environment.arena_layout == "classic") return Layout::kClassic;
  return output == "wide" ? Layout::kModern : Layout::kClassic;
}

std::optional<cli::Failure> check_output(const std::string& output) {
  if (output.empty() || output == "wide" || output == "json" || output == "yaml") return std::nullopt;
  return cli::Failure{.what = "unknown output format,only support:[wide|json|yaml]"};
}

namespace {

std::string local_time_text(Time time) {
  const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace

Viewer viewer_of(Context& context, const std::string& output) {
  return {.layout = layout_of(output, context.environment),
          .now = context.session.loop().now(),
          .local_time = local_time_text};
}

bool wait_for_refresh(Context& context) {
  constexpr Duration kRefresh = std::chrono::seconds(2);
  const auto waited = context.session.wait_until([] { return false; }, context.session.loop().mono() + kRefresh);
  return waited != cli::Session::Waited::kInterrupted;
}

}  // namespace muster::arena
