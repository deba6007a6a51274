#include "cli/print_error.h"

#include <cstdio>

#include "base/strings.h"

namespace muster::cli {

namespace {

void append_part(std::string& out, std::string_view label, std::string_view text) {
  if (text.empty()) return;
  out += label;
  for (const char c : text) {
    out += c;
    if (c == '\n') out.append(label.size(), ' ');
  }
  out += '\n';
}

}  // namespace

int exit_code(Reason reason) {
  switch (reason) {
    case Reason::kBadRequest:
      return kExitUsage;
    case Reason::kUnauthorized:
    case Reason::kForbidden:
      return kExitForbidden;
    case Reason::kNotFound:
      return kExitNotFound;
    case Reason::kAlreadyExists:
    case Reason::kConflict:
      return kExitConflict;
    case Reason::kServiceUnavailable:
    case Reason::kTimeout:
      return kExitUnreachable;
    case Reason::kMethodNotAllowed:
    case Reason::kNotAcceptable:
    case Reason::kExpired:
    case Reason::kRequestEntityTooLarge:
    case Reason::kUnsupportedMediaType:
    case Reason::kInvalid:
    case Reason::kTooManyRequests:
    case Reason::kInternalError:
    case Reason::kStorageFull:
      return kExitFailed;
  }
  return kExitFailed;
}

Failure failure_of(const Error& error) {
  Failure out{.code = exit_code(error.reason), .what = error.message};
  // The server's form when it knows no object: a patch that makes nonsense of one, for instance.
  constexpr std::string_view kNameless = " \"\" is invalid: ";
  if (out.what.starts_with(kNameless)) out.what = "the request is invalid: " + out.what.substr(kNameless.size());
  // With one cause the server's message already says it.
  if (error.causes.size() > 1) {
    std::vector<std::string> lines;
    for (const FieldCause& cause : error.causes) {
      lines.push_back(cause.field.empty() ? cause.message : cause.field + ": " + cause.message);
    }
    out.why = join(lines, "\n");
  }
  return out;
}

Failure usage_failure(std::string what, std::string fix) {
  return {.code = kExitUsage, .what = std::move(what), .fix = std::move(fix)};
}

std::string error_text(const Failure& failure) {
  std::string out;
  append_part(out, "error: ", failure.what);
  out += failure.excerpt;
  append_part(out, "  why: ", failure.why);
  append_part(out, "  fix: ", failure.fix);
  return out;
}

int print_error(const Failure& failure) {
  std::fputs(error_text(failure).c_str(), stderr);
  return failure.code;
}

int print_error(const Error& error) {
  return print_error(failure_of(error));
}

}  // namespace muster::cli
