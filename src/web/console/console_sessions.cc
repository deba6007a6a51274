#include "web/console/console_sessions.h"

#include <fmt/core.h>

#include "base/random.h"
#include "web/pages/signed_token.h"

namespace muster::web {
namespace {

constexpr Duration kSessionLife = std::chrono::hours(12);
constexpr std::string_view kPrefix = "console.";  // tells these tokens from those of service accounts

std::string session_purpose(std::string_view id) {
  return fmt::format("console {}", id);
}

}  // namespace

ConsoleSessions::Session ConsoleSessions::open() {
  const std::string id = make_token(rng_);
  const Time expires = clock_.now() + kSessionLife;
  return {.token = fmt::format("{}{}.{}", kPrefix, id, sign_until(key_, session_purpose(id), expires)),
          .expires = expires};
}

bool ConsoleSessions::is_open(std::string_view token) const {
  if (!token.starts_with(kPrefix) || closed_.contains(token)) return false;
  const std::string_view rest = token.substr(kPrefix.size());
  const auto dot = rest.find('.');
  return dot != std::string_view::npos &&
         is_signed(key_, session_purpose(rest.substr(0, dot)), rest.substr(dot + 1), clock_.now());
}

void ConsoleSessions::close(std::string_view token) {
  if (!is_open(token)) return;
  std::erase_if(closed_, [this](const auto& one) { return one.second <= clock_.now(); });
  closed_.emplace(token, clock_.now() + kSessionLife);
}

}  // namespace muster::web
