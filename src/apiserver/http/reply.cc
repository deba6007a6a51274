#include "apiserver/http/reply.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/versions.h"
#include "apiserver/errors/status_error.h"
#include "apiserver/print/table.h"
#include "base/shortened.h"

namespace muster::apiserver {
namespace {

/// Formats a quoted string of RFC 7234: escapes quotes and backslashes, and drops bytes that could end the header line.
std::string warning_header(std::string_view text) {
  std::string out = "299 - \"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) continue;
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

/// Adds at most 4 KiB of warnings, like Kubernetes: proxies and clients reject much longer heads.
void add_warnings(const std::vector<std::string>& warnings, net::Headers& headers) {
  constexpr std::size_t kMostBytes = 4096;
  constexpr std::size_t kLongest = 256;
  constexpr std::size_t kMostHeaders = 50;  // Python's http.client accepts at most 100 headers in total
  std::size_t total = 0;
  for (const std::string& warning : warnings) total += warning.size();
  std::size_t used = 0;
  for (std::size_t i = 0; i < warnings.size(); ++i) {
    const std::string text = total <= kMostBytes ? warnings[i] : shortened(warnings[i], kLongest);
    used += text.size();
    if (used > kMostBytes || i == kMostHeaders) {
      return headers.add("Warning", warning_header(fmt::format("{} more warnings", warnings.size() - i)));
    }
    headers.add("Warning", warning_header(text));
  }
}

}  // namespace

net::Response text_response(std::string body) {
  net::Response response;
  response.headers.set("Content-Type", "text/plain; charset=utf-8");
  response.headers.set("X-Content-Type-Options", "nosniff");
  response.headers.set("Cache-Control", "no-cache, private");
  response.body = std::move(body);
  return response;
}

void Reply::send(net::Response response) const {
  add_warnings(warnings_, response.headers);
  response.headers.set("Cache-Control", "no-cache, private");
  exchange_->respond(std::move(response));
}

void Reply::fail(const Error& error) const {
  Error shown = error;
  if (hides_body_) shown.message.erase(std::min(shown.message.find('\n'), shown.message.size()));
  send(error_response(shown));
}

void Reply::json(int code, std::string body) const {
  json(net::Response{.status = code, .headers = {}, .body = std::move(body)});
}

void Reply::json(net::Response response) const {
  response.headers.set("Content-Type", "application/json");
  send(std::move(response));
}

void Reply::object(int code, const api::Resource& resource, const net::Bytes& bytes) const {
  if (form_.as == As::kObject) {
    return json(net::Response{.status = code, .headers = {}, .body = {}, .pieces = {api::in_version(resource, bytes)}});
  }
  auto object = json::parse(*bytes);
  if (!object) return fail(object.error());
  api::to_asked_version(resource, *object);
  if (form_.as == As::kPartialMetadata) return json(code, json::serialize(partial_metadata(*object, form_.version)));
  json::Array rows;
  rows.push_back(table_row(resource, *object, form_.row_object, form_.version, clock_->now()));
  json::Object metadata;
  metadata.append("resourceVersion", object->string_at("metadata", "resourceVersion"));
  json(code, json::serialize(make_table(resource, form_, std::move(metadata), std::move(rows))));
}

}  // namespace muster::apiserver
