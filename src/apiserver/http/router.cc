#include "apiserver/http/router.h"

#include <algorithm>

#include "apiserver/errors/status_error.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

using Named = std::map<std::string, std::string, std::less<>>;

std::optional<Named> match_segments(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
  Named at;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::string& segment = pattern[i];
    if (segment.ends_with("...}")) {
      const std::vector<std::string> rest(path.begin() + static_cast<std::ptrdiff_t>(std::min(i, path.size())),
                                          path.end());
      at[segment.substr(1, segment.size() - 5)] = join(rest, "/");
      return at;
    }
    if (i >= path.size()) return std::nullopt;
    if (segment.starts_with('{')) {
      at[segment.substr(1, segment.size() - 2)] = path[i];
    } else if (segment != path[i]) {
      return std::nullopt;
    }
  }
  return pattern.size() == path.size() ? std::optional(std::move(at)) : std::nullopt;
}

}  // namespace

void Router::add(std::vector<Route> routes) {
  for (Route& route : routes) entries_.push_back({split(route.pattern, '/'), std::move(route)});
}

Result<std::optional<Router::Match>> Router::find(const std::string& method,
                                                  const std::vector<std::string>& path) const {
  bool is_routed = false;
  for (const Entry& entry : entries_) {
    auto at = match_segments(entry.segments, path);
    if (!at) continue;
    is_routed = true;
    if (std::ranges::find(entry.route.methods, method) == entry.route.methods.end()) continue;
    return std::optional(Match{&entry.route, *std::move(at)});
  }
  if (is_routed) return method_not_allowed();
  return std::optional<Match>();
}

bool Router::streams_body(const net::Request& head) const {
  if (std::ranges::none_of(entries_, [](const Entry& entry) { return entry.route.streams_body; })) return false;
  const auto target = parse_target(head.target);
  if (!target) return false;
  const auto found = find(head.method, target->path);
  return found && *found && (*found)->route->streams_body;
}

}  // namespace muster::apiserver
