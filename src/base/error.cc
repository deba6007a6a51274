#include "base/error.h"

#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace muster {
namespace {

struct ReasonRow {
  Reason reason;
  std::string_view name;
  int code;
};

// The rows are in the order of the enum, so that a Reason is an index.
constexpr std::array kReasons = {
    ReasonRow{Reason::kBadRequest, "BadRequest", 400},
    ReasonRow{Reason::kUnauthorized, "Unauthorized", 401},
    ReasonRow{Reason::kForbidden, "Forbidden", 403},
    ReasonRow{Reason::kNotFound, "NotFound", 404},
    ReasonRow{Reason::kMethodNotAllowed, "MethodNotAllowed", 405},
    ReasonRow{Reason::kNotAcceptable, "NotAcceptable", 406},
    ReasonRow{Reason::kAlreadyExists, "AlreadyExists", 409},
    ReasonRow{Reason::kConflict, "Conflict", 409},
    ReasonRow{Reason::kExpired, "Expired", 410},
    ReasonRow{Reason::kRequestEntityTooLarge, "RequestEntityTooLarge", 413},
    ReasonRow{Reason::kUnsupportedMediaType, "UnsupportedMediaType", 415},
    ReasonRow{Reason::kInvalid, "Invalid", 422},
    ReasonRow{Reason::kTooManyRequests, "TooManyRequests", 429},
    ReasonRow{Reason::kInternalError, "InternalError", 500},
    ReasonRow{Reason::kBadGateway, "BadGateway", 502},
    ReasonRow{Reason::kServiceUnavailable, "ServiceUnavailable", 503},
    ReasonRow{Reason::kTimeout, "Timeout", 504},
    ReasonRow{Reason::kStorageFull, "StorageFull", 507},
};

constexpr bool rows_follow_the_enum() {
  for (std::size_t i = 0; i < kReasons.size(); ++i) {
    if (static_cast<std::size_t>(kReasons[i].reason) != i) return false;
  }
  return static_cast<std::size_t>(Reason::kStorageFull) + 1 == kReasons.size();
}
static_assert(rows_follow_the_enum());

const ReasonRow& row(Reason reason) {
  return kReasons[static_cast<std::size_t>(reason)];
}

Reason reason_of_errno(int errno_value) {
  switch (errno_value) {
    case ENOENT:
      return Reason::kNotFound;
    case EEXIST:
      return Reason::kAlreadyExists;
    case ENOSPC:
    case EDQUOT:
      return Reason::kStorageFull;
    case ETIMEDOUT:
      return Reason::kTimeout;
    case ECONNREFUSED:
    case ECONNRESET:
    case EPIPE:
    case EHOSTUNREACH:
    case ENETUNREACH:
      return Reason::kServiceUnavailable;
    default:
      return Reason::kInternalError;
  }
}

}  // namespace

std::string_view reason_name(Reason reason) {
  return row(reason).name;
}

Reason reason_from_name(std::string_view name) {
  for (const ReasonRow& r : kReasons) {
    if (r.name == name) return r.reason;
  }
  // Other API servers still send these older spellings.
  if (name == "Gone") return Reason::kExpired;
  if (name == "ServerTimeout") return Reason::kTimeout;
  return Reason::kInternalError;
}

int http_code(Reason reason) {
  return row(reason).code;
}

Reason reason_from_http_code(int code) {
  // A 409 without a body only says that the write lost, so it is read as Conflict and not as AlreadyExists.
  if (code == 409) return Reason::kConflict;
  for (const ReasonRow& r : kReasons) {
    if (r.code == code) return r.reason;
  }
  return code >= 400 && code < 500 ? Reason::kBadRequest : Reason::kInternalError;
}

Error in_context(std::string_view context, Error error) {
  error.message = fmt::format("{}: {}", context, error.message);
  return error;
}

Error errno_error(std::string_view what, int errno_value) {
  const char* name = strerrorname_np(errno_value);
  const char* text = strerrordesc_np(errno_value);
  Error error{.reason = reason_of_errno(errno_value)};
  if (name == nullptr || text == nullptr) {
    error.message = fmt::format("{}: errno {}", what, errno_value);
    return error;
  }
  std::string description = text;
  // Descriptions that start with an acronym, such as "RPC struct is bad", keep their capitals.
  const bool is_acronym = description.size() > 1 && description[1] >= 'A' && description[1] <= 'Z';
  if (!is_acronym && description[0] >= 'A' && description[0] <= 'Z') {
    description[0] = static_cast<char>(description[0] - 'A' + 'a');
  }
  error.message = fmt::format("{}: {} ({})", what, name, description);
  return error;
}

}  // namespace muster
