// Which part of a list is asked for, and as of which revision: limit, continue, resourceVersion, resourceVersionMatch.
//
// All pages of a list show one state, that of the first. A page is made from what is there now by undoing the changes
// since (store::scan_at), so nothing is kept between pages; once the watch history no longer reaches back, the next
// page is 410 Expired, with a token that goes on from the same place in the present.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/resource.h"
#include "apiserver/context.h"
#include "apiserver/read.h"
#include "apiserver/request.h"
#include "json/document.h"

namespace muster::apiserver {

/// Where a list goes on. Its text is Kubernetes' (base64 of JSON) and opaque to clients.
struct ContinueToken {
  std::int64_t revision = 0;              // below 0: go on in the present
  std::string start;                      // the first name that may follow: "ns/name" or "name", made greater by a NUL
  std::optional<std::int64_t> remaining;  // ours: saves counting again what follows
};
std::string encode_token(const ContinueToken& token);
/// BadRequest in Kubernetes' words.
Result<ContinueToken> decode_token(std::string_view text);

struct Page {
  store::Revision revision = 0;
  std::int64_t limit = 0;  // 0: all
  std::optional<ContinueToken> from;
};
/// Everything wrong with the parameters of a list; `current` is the committed revision.
Result<Page> parse_page(const Query& query, store::Revision current);

struct Listed {
  std::vector<store::Bytes> items;
  json::Object metadata;  // of the list
};
/// Expired when the page's revision is no longer known. `keys` gets the names of the items.
Result<Listed> list_page(const Context& context, const Selection& selection, const Page& page,
                         std::vector<store::Key>* keys = nullptr);
/// {"kind":"PodList",…}: stored bytes one after the other, nothing is parsed, serialised or copied.
net::Response list_response(const api::Resource& resource, Listed listed);

/// The answer to a page that came too late: 410, with a token that goes on in the present where there can be one.
json::Document expired_list(const Page& page);

}  // namespace muster::apiserver
