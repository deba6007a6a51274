// What went wrong, in Kubernetes' closed list of reasons. HTTP codes, exit codes and retry policy are total functions
// of Reason; nobody matches message text.
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
  kExpired,  // 410: the revision asked for is no longer kept
  kRequestEntityTooLarge,
  kUnsupportedMediaType,
  kInvalid,
  kTooManyRequests,
  kInternalError,
  kServiceUnavailable,
  kTimeout,      // 504
  kStorageFull,  // 507: ours, the disk holds no more
};

/// "NotFound", "AlreadyExists", …: as in metav1.Status.reason.
std::string_view reason_name(Reason reason);
/// The inverse; kInternalError for a word we do not know.
Reason reason_from_name(std::string_view name);
int http_code(Reason reason);
/// For servers that send a code without a Status body.
Reason reason_from_http_code(int code);

/// One wrong field, as in metav1.Status.details.causes.
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
  // metav1.Status.details, where the error is about one object.
  std::string group;
  std::string kind;
  std::string name;
};

/// The same error with "context: " before its message.
Error in_context(std::string_view context, Error error);

/// An error for a failed system call: `mount "/proc": EPERM (operation not permitted)`. The reason tells apart what
/// callers act on: NotFound, AlreadyExists, StorageFull, Timeout, ServiceUnavailable (peer gone); else InternalError.
Error errno_error(std::string_view what, int errno_value);

}  // namespace muster
