#include "web/console/console_sessions.h"

#include <fmt/core.h>

#include <optional>

#include "base/files.h"
#include "base/random.h"
#include "base/strings.h"
#include "json/document.h"
#include "web/pages/signed_token.h"

namespace muster::web {
namespace {

constexpr Duration kSessionLife = std::chrono::hours(12);
constexpr std::string_view kPrefix = "console.";  // tells these tokens from those of service accounts
constexpr std::size_t kMostClosed = 1000;

std::string session_purpose(std::string_view id) {
  return fmt::format("console {}", id);
}

struct SessionToken {
  std::string_view id;
  std::string_view signature;  // with the time of expiry in front
};

std::optional<SessionToken> parse_session_token(std::string_view token) {
  if (!token.starts_with(kPrefix)) return std::nullopt;
  const std::string_view rest = token.substr(kPrefix.size());
  const auto dot = rest.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  return SessionToken{.id = rest.substr(0, dot), .signature = rest.substr(dot + 1)};
}

Time issued_at(const SessionToken& token) {
  const auto expires = parse_int(token.signature.substr(0, token.signature.find('.')));
  return Time(std::chrono::seconds(expires.value_or(0))) - kSessionLife;
}

}  // namespace

Status ConsoleSessions::keep_in(std::string file) {
  file_ = std::move(file);
  const auto text = read_file(file_);
  if (!text && text.error().reason == Reason::kNotFound) return ok();
  if (!text) return text.error();
  const auto kept = json::parse(*text);
  if (!kept) return in_context(file_, kept.error());
  const auto all = parse_rfc3339(kept->string_at("allUntil"));
  if (!all) return Error{.reason = Reason::kInternalError, .message = file_ + ": allUntil must be a time"};
  all_closed_at_ = *all;
  for (const json::Document& one : kept->array_at("sessions")) {
    const auto until = parse_rfc3339(one.string_at("until"));
    if (!until || one.string_at("id").empty()) {
      return Error{.reason = Reason::kInternalError, .message = file_ + ": each session must have an id and a time"};
    }
    closed_.emplace(one.string_at("id"), *until);
  }
  return ok();
}

ConsoleSessions::Session ConsoleSessions::open() {
  return session_of(make_token(rng_));
}

ConsoleSessions::Session ConsoleSessions::session_of(const std::string& id) const {
  const Time expires = clock_.now() + kSessionLife;
  return {.token = fmt::format("{}{}.{}", kPrefix, id, sign_until(key_, session_purpose(id), expires)),
          .expires = expires};
}

bool ConsoleSessions::is_open(std::string_view token) const {
  const auto parsed = parse_session_token(token);
  return parsed && !closed_.contains(parsed->id) &&
         is_signed(key_, session_purpose(parsed->id), parsed->signature, clock_.now()) &&
         issued_at(*parsed) > all_closed_at_;
}

Result<ConsoleSessions::Session> ConsoleSessions::renew(std::string_view token) {
  if (!is_open(token)) {
    return Error{.reason = Reason::kUnauthorized, .message = "only a browser that is logged in has a session to renew"};
  }
  return session_of(std::string(parse_session_token(token)->id));
}

Status ConsoleSessions::close(std::string_view token) {
  if (!is_open(token)) return ok();
  std::erase_if(closed_, [this](const auto& one) { return one.second <= clock_.now(); });
  if (closed_.size() >= kMostClosed) {
    // Too many to remember each: all browsers have to log in again.
    closed_.clear();
    all_closed_at_ = clock_.now();
  } else {
    closed_.emplace(parse_session_token(token)->id, clock_.now() + kSessionLife);
  }
  return save();
}

Status ConsoleSessions::save() const {
  if (file_.empty()) return ok();
  json::Array sessions;
  for (const auto& [id, until] : closed_) {
    sessions.emplace_back(json::Object{{"id", id}, {"until", format_rfc3339(until)}});
  }
  const json::Document kept =
      json::Object{{"allUntil", format_rfc3339(all_closed_at_)}, {"sessions", std::move(sessions)}};
  return write_file_atomically(file_, json::serialize(kept) + "\n", 0600);
}

}  // namespace muster::web
