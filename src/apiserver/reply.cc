#include "apiserver/reply.h"

#include "apiserver/status_error.h"
#include "apiserver/table.h"
#include "apiserver/versions.h"

namespace muster::apiserver {
namespace {

/// The quoted string of RFC 7234: escapes quotes and backslashes, and drops what could end the header line.
std::string warning_header(std::string_view text) {
  std::string out = "299 - \"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) continue;
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
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
  for (const std::string& warning : warnings_) response.headers.add("Warning", warning_header(warning));
  response.headers.set("Cache-Control", "no-cache, private");
  exchange_->respond(std::move(response));
}

void Reply::fail(const Error& error) const {
  send(error_response(error));
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
    return json(net::Response{.status = code, .headers = {}, .body = {}, .pieces = {in_version(resource, bytes)}});
  }
  auto object = json::parse(*bytes);
  if (!object) return fail(object.error());
  to_asked_version(resource, *object);
  if (form_.as == As::kPartialMetadata) return json(code, json::serialize(partial_metadata(*object, form_.version)));
  json::Array rows;
  rows.push_back(table_row(resource, *object, form_.row_object, form_.version, context_->loop.now()));
  json::Object metadata;
  metadata.append("resourceVersion", object->string_at("metadata", "resourceVersion"));
  json(code, json::serialize(make_table(resource, form_, std::move(metadata), std::move(rows))));
}

}  // namespace muster::apiserver
