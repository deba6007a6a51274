#include "web/console/asset_pack.h"

#include <fmt/core.h>

#include "base/strings.h"

namespace muster::web {
namespace {

constexpr std::string_view kFirstLine = "muster-console 1";

Error bad_pack(std::string_view what) {
  return {.reason = Reason::kInternalError, .message = fmt::format("console: the embedded files are broken: {}", what)};
}

/// Cuts the text up to the next line end off, and returns it.
std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

}  // namespace

Result<AssetPack> parse_asset_pack(std::string_view text) {
  AssetPack pack;
  if (text.empty()) return pack;
  if (take_line(text) != kFirstLine) return bad_pack("unknown first line");
  std::vector<std::vector<std::string>> index;
  for (std::string_view line = take_line(text); !line.empty(); line = take_line(text)) {
    index.push_back(split(line, ' '));
    if (index.back().size() != 4) return bad_pack(quote(line));
  }
  for (const auto& entry : index) {
    const auto size = parse_int(entry[3]);
    if (!size || *size < 0 || static_cast<std::size_t>(*size) > text.size()) return bad_pack("size of " + entry[0]);
    Asset& asset = pack[entry[0]];
    asset.type = entry[1];
    asset.forms[entry[2]] = std::make_shared<const std::string>(text.substr(0, static_cast<std::size_t>(*size)));
    text.remove_prefix(static_cast<std::size_t>(*size));
  }
  for (const auto& [path, asset] : pack) {
    if (!asset.forms.contains("identity")) return bad_pack(path + " has no plain form");
  }
  return pack;
}

}  // namespace muster::web
