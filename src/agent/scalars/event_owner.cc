#include "agent/scalars/event_owner.h"

#include <algorithm>

#include "base/strings.h"

namespace muster::agent {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string_view without_digits(std::string_view text) {
  while (!text.empty() && is_digit(text.front())) text.remove_prefix(1);
  return text;
}

/// Returns what follows "tfevents.TIME."; "" when nothing does.
std::string_view after_time(std::string_view file) {
  constexpr std::string_view kMark = "tfevents.";
  const std::size_t mark = file.find(kMark);
  if (mark == std::string_view::npos) return "";
  const std::string_view rest = without_digits(file.substr(mark + kMark.size()));
  return rest.starts_with('.') ? rest.substr(1) : "";
}

/// "v2" is the version that Keras writes at the end.
bool begins_with_host(std::string_view rest) {
  const std::string_view label = rest.substr(0, rest.find('.'));
  return label != "v2" && std::ranges::any_of(label, is_letter);
}

bool is_host(std::string_view rest, std::string_view host) {
  if (!rest.starts_with(host)) return false;
  rest.remove_prefix(host.size());
  if (host.ends_with('-')) {
    if (rest.empty() || !is_digit(rest.front())) return false;
    rest = without_digits(rest);
  }
  // What people append themselves follows without a dot.
  return rest.empty() || (!is_letter(rest.front()) && !is_digit(rest.front()) && rest.front() != '-');
}

}  // namespace

bool is_of_owner(const node::EventOwner& owner, std::string_view file, Time modified) {
  // Also a file with the right host may be of an earlier job of the same name.
  if (modified < owner.since) return false;
  const std::string_view rest = after_time(file);
  if (!owner.hosts.empty() && begins_with_host(rest)) {
    return std::ranges::any_of(owner.hosts, [&](const std::string& host) { return is_host(rest, host); });
  }
  return !owner.until || modified <= *owner.until;
}

}  // namespace muster::agent
