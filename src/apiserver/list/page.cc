#include "apiserver/list/page.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/versions.h"
#include "apiserver/errors/status_error.h"
#include "base/strings.h"
#include "client/api_client.h"

namespace muster::apiserver {
namespace {

constexpr std::string_view kTokenVersion = "meta.k8s.io/v1";

constexpr const char* kTokenTooOld =
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without "
    "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. "
    "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or "
    "deleted between the time the first chunk was returned and now may show up in the list.";
constexpr const char* kRevisionTooOld = "The resourceVersion for the provided list is too old.";

Error invalid_token(std::string_view why) {
  return bad_request(fmt::format("invalid continue token: continue key is not valid: {}", why));
}

/// Converts base64 to the alphabet for URLs, without padding.
std::string to_url_alphabet(std::string text) {
  text.erase(std::ranges::find(text, '='), text.end());
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return text;
}
std::string from_url_alphabet(std::string text) {
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  return text;
}

std::vector<FieldCause> check_match(const Query& query, std::string_view revision) {
  const std::string_view match = query.get("resourceVersionMatch");
  const std::string field = "resourceVersionMatch";
  std::vector<FieldCause> causes;
  if (!match.empty()) {
    if (revision.empty()) {
      causes.push_back(forbidden_value(field, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
    }
    if (!query.get("continue").empty()) {
      causes.push_back(forbidden_value(field, "resourceVersionMatch is forbidden when continue is provided"));
    }
    if (match != "Exact" && match != "NotOlderThan") {
      causes.push_back(unsupported_value(field, quote(match), {"Exact", "NotOlderThan", ""}));
    }
    if (match == "Exact" && revision == "0") {
      causes.push_back(forbidden_value(field, R"(resourceVersionMatch "exact" is forbidden for resourceVersion "0")"));
    }
  }
  if (query.has("sendInitialEvents")) {
    causes.push_back(forbidden_value("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  return causes;
}

/// The selection's range, beginning at the start of the page.
store::Range range_of(const Selection& selection, const Page& page) {
  store::Range range{selection.resource, selection.ns, selection.ns, ""};
  if (!page.from) return range;
  std::string_view start = page.from->start;
  if (start.starts_with('/')) start.remove_prefix(1);
  const std::size_t slash = start.find('/');
  if (selection.cluster_scope || !selection.ns.empty() || slash == std::string_view::npos) {
    // In a list over all namespaces, a start without a name is the start of a namespace.
    (selection.cluster_scope || !selection.ns.empty() ? range.from_name : range.from_ns) = std::string(start);
    return range;
  }
  range.from_ns = std::string(start.substr(0, slash));
  range.from_name = std::string(start.substr(slash + 1));
  return range;
}

std::string start_after(const Selection& selection, const store::Key& key) {
  const bool names_alone = selection.cluster_scope || !selection.ns.empty();
  return (names_alone ? key.name : key.ns + "/" + key.name) + '\0';
}

Result<std::int64_t> count_from(const Context& context, const store::Range& range, store::Revision at) {
  std::int64_t count = 0;
  TRY(context.store.scan_at(range, at, [&](const store::Key&, const store::Entry&) {
    ++count;
    return true;
  }));
  return count;
}

/// Only for a list without selectors: one that skips objects cannot know how many follow.
Result<std::int64_t> count_remaining(const Context& context, const Selection& selection, const Page& page,
                                     const Listed& listed, const std::string& start) {
  const auto shown = static_cast<std::int64_t>(listed.items.size());
  if (page.from && page.from->remaining) return *page.from->remaining - shown;
  const bool whole = !page.from && selection.ns.empty() && page.revision == context.store.revision();
  if (whole) return static_cast<std::int64_t>(context.store.count(selection.resource)) - shown;
  Page rest = page;
  rest.from = ContinueToken{.revision = 0, .start = start, .remaining = {}};
  return count_from(context, range_of(selection, rest), page.revision);
}

}  // namespace

std::string encode_token(const ContinueToken& token) {
  json::Object object;
  object.append("v", std::string(kTokenVersion));
  object.append("rv", token.revision);
  object.append("start", token.start);
  if (token.remaining) object.append("n", *token.remaining);
  return to_url_alphabet(base64_encode(json::serialize(object)));
}

Result<ContinueToken> decode_token(std::string_view text) {
  const bool padded = text.find('=') != std::string_view::npos;
  const auto bytes = padded ? std::nullopt : base64_decode(from_url_alphabet(std::string(text)));
  if (!bytes) return invalid_token("illegal base64 data");
  const auto object = json::parse(*bytes);
  if (!object || !object->is_object()) return invalid_token("not an object inside");
  const std::string& version = object->string_at("v");
  if (version != kTokenVersion) {
    return invalid_token(fmt::format("server does not recognize this encoded version {}", version));
  }
  ContinueToken token;
  token.revision = object->int_at("rv");
  token.start = object->string_at("start");
  if (token.revision == 0) return invalid_token("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  if (token.start.empty()) return invalid_token("encoded start key empty (version meta.k8s.io/v1)");
  if (token.start.find("../") != std::string::npos) return invalid_token(quote(token.start));
  if (const json::Document* remaining = object->find("n"); remaining != nullptr && remaining->is_int()) {
    token.remaining = remaining->as_int();
  }
  return token;
}

Result<Page> parse_page(const Query& query, store::Revision current) {
  Page page;
  page.revision = current;
  TRY_ASSIGN(const auto limit, query.number("limit"));
  page.limit = std::max<std::int64_t>(limit.value_or(0), 0);
  TRY(query.number("timeoutSeconds"));
  const std::string_view given = query.get("resourceVersion");
  if (std::vector<FieldCause> causes = check_match(query, given); !causes.empty()) {
    return invalid_options("ListOptions", std::move(causes));
  }
  TRY_ASSIGN(const auto revision, parse_revision(query));
  if (const std::string_view text = query.get("continue"); !text.empty()) {
    TRY_ASSIGN(page.from, decode_token(text));
    if (revision.value_or(0) != 0) return bad_request("specifying resource version is not allowed when using continue");
    if (page.from->revision < 0) return page;
    page.revision = static_cast<store::Revision>(page.from->revision);
    if (page.revision > current) return too_large(page.revision, current);
    return page;
  }
  if (revision && *revision > current) return too_large(*revision, current);
  if (revision == store::Revision(0)) {
    page.limit = 0;  // "any revision" is answered whole, as by Kubernetes' cache
    return page;
  }
  const std::string_view match = query.get("resourceVersionMatch");
  // Before resourceVersionMatch existed, a limit made the revision an exact one.
  if (match == "Exact" || (match.empty() && page.limit > 0 && revision)) page.revision = *revision;
  return page;
}

Result<Listed> list_page(const Context& context, const Selection& selection, const Page& page,
                         std::vector<store::Key>* keys) {
  Listed listed;
  store::Key last;
  bool more = false;
  store::Range range = range_of(selection, page);
  // A single name is looked up, not searched for.
  const bool one = !selection.name.empty() && (selection.cluster_scope || !selection.ns.empty());
  if (one) range.from_name = std::max(range.from_name, selection.name);
  const auto full = [&] { return page.limit > 0 && listed.items.size() >= static_cast<std::size_t>(page.limit); };
  TRY(context.store.scan_at(range, page.revision, [&](const store::Key& key, const store::Entry& entry) {
    if (one && key.name != selection.name) return false;
    more = full();
    if (more) return false;
    if (!selection.matches(key, *entry.attributes)) return true;
    listed.items.push_back(entry.bytes);
    if (keys != nullptr) keys->push_back(key);
    if (page.limit > 0) last = key;
    return true;
  }));
  listed.metadata.append("resourceVersion", std::to_string(page.revision));
  if (!more) return listed;
  ContinueToken next{
      .revision = static_cast<std::int64_t>(page.revision), .start = start_after(selection, last), .remaining = {}};
  if (selection.selector.empty()) {
    TRY_ASSIGN(next.remaining, count_remaining(context, selection, page, listed, next.start));
  }
  listed.metadata.append("continue", encode_token(next));
  if (next.remaining) listed.metadata.append("remainingItemCount", *next.remaining);
  return listed;
}

net::Response list_response(const api::Resource& resource, Listed listed) {
  static const auto comma = std::make_shared<const std::string>(",");
  static const auto end = std::make_shared<const std::string>("]}");
  net::Response response;
  response.body = fmt::format(R"({{"kind":"{}List","apiVersion":"{}","metadata":{},"items":[)", resource.kind,
                              resource.api_version(), json::serialize(listed.metadata));
  response.pieces.reserve(listed.items.size() * 2);
  for (store::Bytes& item : listed.items) {
    if (!response.pieces.empty()) response.pieces.push_back(comma);
    response.pieces.push_back(api::in_version(resource, std::move(item)));
  }
  response.pieces.push_back(end);
  return response;
}

json::Document expired_list(const Page& page) {
  json::Document status = client::status_from_error(expired(page.from ? kTokenTooOld : kRevisionTooOld));
  if (page.from) {
    ContinueToken onward{.revision = -1, .start = page.from->start, .remaining = {}};
    status["metadata"] = json::Object{{"continue", encode_token(onward)}};
  }
  return status;
}

}  // namespace muster::apiserver
