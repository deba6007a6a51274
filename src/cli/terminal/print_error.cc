#include "cli/terminal/print_error.h"

#include <cstdio>

#include "base/strings.h"
#include "base/visible_text.h"
#include "json/document.h"

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

/// Returns where the quoted or bracketed value that starts at `begin` ends, or npos when it does not end.
std::size_t end_of_value(std::string_view text, std::size_t begin) {
  bool quoted = false;
  std::size_t depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '{' || c == '[')) {
      ++depth;
    } else if (!quoted && (c == '}' || c == ']') && depth > 0) {
      --depth;
    }
    if (!quoted && depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

}  // namespace

std::string with_short_values(std::string_view text) {
  constexpr std::size_t kEchoed = 200;
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const bool opens = text[i] == '"' || text[i] == '{';  // text in [] is the reason, not an echoed value
    const std::size_t end = opens ? end_of_value(text, i) : std::string_view::npos;
    if (end == std::string_view::npos) {
      out += text[i++];
      continue;
    }
    std::string_view value = text.substr(i, end - i);
    const bool too_long = value.size() > kEchoed;
    if (too_long) {
      value = value.substr(0, kEchoed);
      while (!value.empty() && (value.back() & 0xC0) == 0x80) value.remove_suffix(1);  // keep characters whole
      if (!value.empty() && (value.back() & 0x80) != 0) value.remove_suffix(1);
    }
    out += value;
    if (too_long) out += "…";
    i = end;
  }
  return out;
}

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
    case Reason::kBadGateway:
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
  Failure out{.code = exit_code(error.reason), .what = with_short_values(error.message)};
  // The server's form of an error without an object, for example when a patch produces an invalid one.
  constexpr std::string_view kNameless = " \"\" is invalid: ";
  if (out.what.starts_with(kNameless)) out.what = "the request is invalid: " + out.what.substr(kNameless.size());
  // A single cause is already part of the server's message.
  if (error.causes.size() > 1) {
    std::vector<std::string> lines;
    for (const FieldCause& cause : error.causes) {
      const std::string message = with_short_values(cause.message);
      lines.push_back(cause.field.empty() ? message : cause.field + ": " + message);
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
  return visible(out);
}

std::string error_json(const Failure& failure) {
  json::Object out{{"error", failure.what}};
  if (!failure.excerpt.empty()) out.set("excerpt", failure.excerpt);
  if (!failure.why.empty()) out.set("why", failure.why);
  if (!failure.fix.empty()) out.set("fix", failure.fix);
  out.set("exitCode", failure.code);
  return json::serialize(out) + "\n";
}

int print_error(const Failure& failure) {
  std::fputs(error_text(failure).c_str(), stderr);
  return failure.code;
}

}  // namespace muster::cli
