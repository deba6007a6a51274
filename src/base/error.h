// Error: what went wrong, with a reason from Kubernetes' closed list. HTTP codes, exit codes and retry policy are total
// functions of Reason; no code matches message text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace muster {

enum class Reason {
  kBadRequest,
  kUnauthorized,
  kForbidden,
  kNotFound,
  kMethodNotAllowed,
  kNotAcceptable,
  kAlreadyExists,
  kConflict,
  kExpired,  // 410: the requested revision is no longer kept
  kRequestEntityTooLarge,
  kUnsupportedMediaType,
  kInvalid,
  kTooManyRequests,
  kInternalError,
  kBadGateway,  // 502: not a Kubernetes reason; the peer does not answer in HTTP
  kServiceUnavailable,
  kTimeout,      // 504
  kStorageFull,  // 507: not a Kubernetes reason; the disk is full
};

/// "NotFound", "AlreadyExists", …: as in metav1.Status.reason.
std::string_view reason_name(Reason reason);
/// The inverse of reason_name; kInternalError for an unknown name.
Reason reason_from_name(std::string_view name);
int http_code(Reason reason);
/// Maps the code of a server that sends no Status body.
Reason reason_from_http_code(int code);

/// One invalid field, as in metav1.Status.details.causes.
struct FieldCause {
  std::string reason;   // "FieldValueInvalid", "FieldValueRequired", …
  std::string message;  // "Invalid value: 0: must be at least 1"
  std::string field;    // "spec.replicaSpecs[0].replicas"
  bool operator==(const FieldCause&) const = default;
};

struct Error {
  Reason reason = Reason::kInternalError;
  std::string message;  // lower case, no trailing period: where: what, got value; how to fix
  std::vector<FieldCause> causes;
  std::optional<Duration> retry_after;
  // These are metav1.Status.details; they are set when the error is about one object.
  std::string group;
  std::string kind;
  std::string name;
};

/// The same error with "context: " before its message.
Error in_context(std::string_view context, Error error);

/// An error for a failed system call: `mount "/proc": EPERM (operation not permitted)`. Callers act on some reasons:
/// NotFound, AlreadyExists, StorageFull, Timeout, ServiceUnavailable (peer gone); all others are InternalError.
Error errno_error(std::string_view what, int errno_value);

}  // namespace muster
