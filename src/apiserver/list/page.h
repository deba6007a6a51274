// The part of a list that is asked for, and its revision: limit, continue, resourceVersion, resourceVersionMatch.
//
// All pages of a list show one state, that of the first page. A page is computed from the current state by undoing
// later changes (store::scan_at), so nothing is kept between pages. When the watch history no longer reaches back, the
// next page is 410 Expired, with a token that continues from the same place in the current state.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/resource.h"
#include "apiserver/context/context.h"
#include "apiserver/http/reply.h"
#include "apiserver/http/request.h"
#include "apiserver/list/read.h"
#include "json/document.h"

namespace muster::apiserver {

/// Where a list continues. Its text has the format of Kubernetes (base64 of JSON) and is opaque to clients.
struct ContinueToken {
  std::int64_t revision = 0;              // negative: continue in the current state
  std::string start;                      // the first name that may follow: "ns/name" or "name", with a NUL appended
  std::optional<std::int64_t> remaining;  // an addition of ours: saves counting again
};
std::string encode_token(const ContinueToken& token);
/// BadRequest with the messages of Kubernetes.
Result<ContinueToken> decode_token(std::string_view text);

struct Page {
  store::Revision revision = 0;
  std::int64_t limit = 0;  // 0: all
  std::optional<ContinueToken> from;
};
/// Reports everything wrong with the parameters of a list; `current` is the committed revision.
Result<Page> parse_page(const Query& query, store::Revision current);

struct Listed {
  std::vector<store::Bytes> items;
  json::Object metadata;  // of the list
};
/// Expired when the page's revision is no longer available. `keys` gets the keys of the items.
Result<Listed> list_page(const Context& context, const Selection& selection, const Page& page,
                         std::vector<store::Key>* keys = nullptr);
/// {"kind":"PodList",…}: concatenates stored bytes; nothing is parsed, serialised or copied.
net::Response list_response(const api::Resource& resource, Listed listed);
/// Sends the list as objects, as a Table or as metadata, as the client asked.
void send_list(const Context& context, const api::Resource& resource, Listed listed, const Reply& reply);

/// The response to a page that came too late: 410, with a token that continues in the current state where possible.
json::Document expired_list(const Page& page);

}  // namespace muster::apiserver
