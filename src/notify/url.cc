#include "notify/url.h"

#include <algorithm>

#include "base/strings.h"

namespace muster::notify {

std::optional<Url> parse_url(std::string_view text) {
  Url url;
  if (text.starts_with("https://")) {
    text.remove_prefix(8);
  } else if (text.starts_with("http://")) {
    text.remove_prefix(7);
    url.tls = false;
    url.port = 80;
  } else {
    return std::nullopt;
  }
  const bool is_printable = std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7f; });
  if (!is_printable) return std::nullopt;
  text = text.substr(0, text.find('#'));
  const std::size_t path = text.find_first_of("/?");
  std::string_view authority = text.substr(0, path);
  url.target = path == std::string_view::npos ? "/" : std::string(text.substr(path));
  if (url.target.starts_with('?')) url.target.insert(0, "/");
  if (authority.find('@') != std::string_view::npos) return std::nullopt;
  const std::size_t colon = authority.rfind(':');
  const std::size_t bracket = authority.rfind(']');
  const bool has_port = colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  if (has_port) {
    const auto port = parse_int(authority.substr(colon + 1));
    if (!port || *port < 1 || *port > 65535) return std::nullopt;
    url.port = static_cast<int>(*port);
    authority = authority.substr(0, colon);
  }
  if (authority.starts_with('[') && authority.ends_with(']')) authority = authority.substr(1, authority.size() - 2);
  url.host = to_lower(authority);
  if (url.host.empty()) return std::nullopt;
  return url;
}

}  // namespace muster::notify
