// The files of the console as one block of bytes, which console/scripts/pack.mjs writes and the build embeds:
//
//   muster-console 1
//   PATH TYPE ENCODING SIZE       one line for each file and encoding: identity, gzip or br
//   (an empty line)
//   the bytes of all of them, in this order
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http.h"

namespace muster::web {

struct Asset {
  std::string type;                                      // for Content-Type
  std::map<std::string, net::Bytes, std::less<>> forms;  // by encoding; "identity" is always there
};

using AssetPack = std::map<std::string, Asset, std::less<>>;

/// Returns no assets for an empty text: this build has no console.
Result<AssetPack> parse_asset_pack(std::string_view text);

/// What was embedded in this binary; "" when the console was not built.
std::string_view embedded_console();

}  // namespace muster::web
