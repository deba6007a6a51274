#include "web/claims/claim_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "api/resource.h"
#include "apiserver/admission/owner_claims.h"
#include "apiserver/errors/status_error.h"
#include "apiserver/http/conditional.h"
#include "apiserver/verbs/verbs.h"
#include "apiserver/verbs/write.h"
#include "base/log.h"
#include "base/strings.h"
#include "client/api_client.h"
#include "json/utf8.h"

namespace muster::web {
namespace {

using apiserver::bad_request;
using apiserver::ByteRange;
using apiserver::Context;
using apiserver::error_response;
using apiserver::Query;
using apiserver::Route;
using apiserver::RoutedRequest;
using json::Document;
using json::Object;
using node::ClaimFiles;
using node::FileEntry;
using node::FilePlace;
using node::FileType;
using ExchangePtr = std::shared_ptr<net::Exchange>;

constexpr std::size_t kChunk = 256 * 1024;
// Reading a file pauses while this much of it waits for a slow client, and taking one while this much waits for the
// disk.
constexpr std::size_t kMostInMemory = std::size_t{1} << 20;
constexpr std::int64_t kUsualPage = 1000;
constexpr std::int64_t kLargestPage = 10000;

/// A request for a file, with all that it needs.
struct FileRequest {
  RoutedRequest request;
  FilePlace place;
  ClaimFiles& files;
  ExchangePtr exchange;
};

std::string_view type_name(FileType type) {
  switch (type) {
    case FileType::kFile:
      return "file";
    case FileType::kFolder:
      return "folder";
    case FileType::kLink:
      return "link";
    case FileType::kOther:
      return "other";
  }
  return "other";
}

Object entry_object(const FileEntry& entry) {
  Object out{{"name", entry.name},
             {"type", std::string(type_name(entry.type))},
             {"size", entry.size},
             {"modified", format_rfc3339_nano(entry.modified)},
             {"mode", fmt::format("{:04o}", entry.mode)},
             {"etag", entry.etag}};
  // JSON shows such a name with replacement characters, which cannot be used as an address.
  if (json::find_invalid_utf8(entry.name) != std::string_view::npos) {
    out.append("encodedName", net::percent_encode(entry.name));
  }
  return out;
}

Document file_document(const std::string& path, const FileEntry& entry) {
  Object out{{"apiVersion", "muster.dev/v1"}, {"kind", "File"}, {"path", path}};
  for (const json::Member& member : entry_object(entry)) out.append(member.key, member.value);
  return out;
}

net::Response document_response(int status, const Document& body) {
  net::Response response;
  response.status = status;
  response.headers.set("Content-Type", "application/json");
  response.headers.set("Cache-Control", "no-cache, private");
  response.body = json::serialize(body);
  return response;
}

/// The response that has nothing else to say.
net::Response success_response() {
  net::Response response = document_response(200, {});
  response.body = apiserver::success_status({}, 200);
  return response;
}

ClaimFiles::OnDone report_to(ExchangePtr exchange) {
  return [exchange = std::move(exchange)](const Status& how) {
    exchange->respond(how ? success_response() : error_response(how.error()));
  };
}

// ---- reading ----

/// A file being sent. The exchange holds it until the end or until the client disconnects.
struct Download : std::enable_shared_from_this<Download> {
  ExchangePtr exchange;
  std::unique_ptr<node::FileReading> file;
  std::int64_t at = 0;
  std::int64_t end = 0;

  void next() {
    if (!exchange) return;
    if (at == end) {
      exchange->finish();
      return release();
    }
    const auto size = static_cast<std::size_t>(std::min<std::int64_t>(kChunk, end - at));
    file->read(at, size,
               [self = shared_from_this(), size](Result<std::string> bytes) { self->send(size, std::move(bytes)); });
  }

  void send(std::size_t wanted, Result<std::string> bytes) {
    if (!exchange) return;
    // The head has announced more: a regular end would mean that the file is complete.
    if (!bytes || bytes->size() < wanted) {
      LOG_WARN("a file of a claim ends before its end",
               {"error", bytes ? "it became shorter while it was read" : bytes.error().message});
      exchange->abort();
      return release();
    }
    at += static_cast<std::int64_t>(wanted);
    exchange->write(std::make_shared<const std::string>(*std::move(bytes)));
    if (exchange->unsent() <= kMostInMemory) return next();
    exchange->when_room(kMostInMemory / 2, [self = shared_from_this()] { self->next(); });
  }

  void release() {
    file.reset();
    exchange.reset();
  }
};

/// Programs in pods write these files. A browser must neither guess their type nor run them.
net::Headers file_headers(const FileEntry& entry) {
  return {{"Content-Type", "application/octet-stream"},
          {"X-Content-Type-Options", "nosniff"},
          {"Accept-Ranges", "bytes"},
          {"Cache-Control", "no-cache, private"},
          {"ETag", entry.etag}};
}

net::Response no_such_range(const Error& error, std::int64_t file_size) {
  Document status = client::status_from_error(error);
  constexpr int kRangeNotSatisfiable = 416;
  status["code"] = kRangeNotSatisfiable;
  net::Response response = document_response(kRangeNotSatisfiable, status);
  response.headers.set("Content-Range", fmt::format("bytes */{}", file_size));
  return response;
}

void send_file(const net::Request& request, std::unique_ptr<node::FileReading> file, const ExchangePtr& exchange) {
  const net::Headers& asked = request.headers;
  const FileEntry& entry = file->entry();
  net::Headers headers = file_headers(entry);
  if (apiserver::names_etag(asked.get("If-None-Match"), entry.etag)) {
    return exchange->respond({.status = 304, .headers = std::move(headers), .body = {}});
  }
  const bool is_current = !asked.has("If-Range") || asked.get("If-Range") == entry.etag;
  const auto range = apiserver::parse_range(is_current ? asked.get("Range") : "", entry.size);
  if (!range) return exchange->respond(no_such_range(range.error(), entry.size));
  const ByteRange part = range->value_or(ByteRange{.first = 0, .size = entry.size});
  headers.set("Content-Length", std::to_string(part.size));
  if (*range) {
    headers.set("Content-Range", fmt::format("bytes {}-{}/{}", part.first, part.first + part.size - 1, entry.size));
  }
  exchange->begin(*range ? 206 : 200, std::move(headers));
  if (request.method == "HEAD") return exchange->finish();
  const auto download = std::make_shared<Download>();
  download->exchange = exchange;
  download->file = std::move(file);
  download->at = part.first;
  download->end = part.first + part.size;
  exchange->on_gone([download] { download->release(); });
  download->next();
}

Object usage_object(const node::ClaimUse& use) {
  return Object{{"bytes", use.bytes},
                {"entries", use.entries},
                {"complete", use.is_complete},
                {"measured", format_rfc3339(use.measured)}};
}

Document list_document(const std::string& path, const node::FilePage& page) {
  json::Array items;
  for (const FileEntry& entry : page.entries) items.emplace_back(entry_object(entry));
  Object metadata;
  // A name may be any bytes, which JSON cannot hold; the token has all of them.
  if (!page.is_last && !page.entries.empty()) {
    metadata.append("continue", net::percent_encode(page.entries.back().name));
  }
  Object list{{"apiVersion", "muster.dev/v1"}, {"kind", "FileList"}, {"metadata", std::move(metadata)}, {"path", path}};
  if (page.use) list.append("usage", usage_object(*page.use));
  list.append("items", std::move(items));
  return list;
}

void list_folder(const FileRequest& at) {
  const auto limit = at.request.query.number("limit");
  if (!limit) return at.exchange->respond(error_response(limit.error()));
  const std::int64_t entries = limit->value_or(kUsualPage);
  if (entries < 1) return at.exchange->respond(error_response(bad_request("limit: must be at least 1")));
  const auto after = net::percent_decode(at.request.query.get("continue"), false);
  if (!after) return at.exchange->respond(error_response(bad_request("continue: must be the token of a page before")));
  node::PageRequest page{.after = *after, .limit = static_cast<std::size_t>(std::min(entries, kLargestPage))};
  at.files.list(at.place, std::move(page),
                [exchange = at.exchange, path = at.place.path](const Result<node::FilePage>& listed) {
                  if (!listed) return exchange->respond(error_response(listed.error()));
                  exchange->respond(document_response(200, list_document(path, *listed)));
                });
}

void read_file_or_folder(const std::shared_ptr<FileRequest>& at) {
  const bool only_stat = at->request.query.flag("stat");
  at->files.stat(at->place, [at, only_stat](const Result<FileEntry>& found) {
    if (!found) return at->exchange->respond(error_response(found.error()));
    if (only_stat) return at->exchange->respond(document_response(200, file_document(at->place.path, *found)));
    if (found->type == FileType::kFolder) return list_folder(*at);
    at->files.open(at->place, [at](Result<std::unique_ptr<node::FileReading>> opened) {
      if (!opened) return at->exchange->respond(error_response(opened.error()));
      send_file(at->request.http, *std::move(opened), at->exchange);
    });
  });
}

// ---- writing ----

/// A file being received. The exchange holds it until the end or until the client disconnects.
struct Upload : std::enable_shared_from_this<Upload> {
  ExchangePtr exchange;
  std::string path;
  std::unique_ptr<node::FileWriting> file;
  std::string waiting;
  bool is_writing = false;
  bool is_complete = false;
  bool is_paused = false;

  void begin() {
    net::InputSink sink;
    sink.on_data = [weak = weak_from_this()](std::string_view bytes) {
      if (const auto self = weak.lock()) self->take(bytes);
    };
    sink.on_end = [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (!self) return;
      self->is_complete = true;
      self->next();
    };
    exchange->read_input(std::move(sink));
  }

  void take(std::string_view bytes) {
    if (!file) return;
    waiting += bytes;
    if (waiting.size() > kMostInMemory && !is_paused) {
      is_paused = true;
      exchange->pause_input();
    }
    next();
  }

  void next() {
    if (!file || is_writing) return;
    if (!waiting.empty()) {
      is_writing = true;
      file->write(std::exchange(waiting, {}),
                  [self = shared_from_this()](const Status& how) { self->on_written(how); });
    } else if (is_complete) {
      is_writing = true;
      file->commit([self = shared_from_this()](const Result<node::FileWriting::Written>& how) { self->end(how); });
    }
  }

  void on_written(const Status& how) {
    is_writing = false;
    if (!exchange) return;
    if (!how) return end(how.error());
    if (std::exchange(is_paused, false)) exchange->resume_input();
    next();
  }

  void end(const Result<node::FileWriting::Written>& how) {
    if (!exchange) return;
    if (how) {
      net::Response response = document_response(how->is_new ? 201 : 200, file_document(path, how->entry));
      response.headers.set("ETag", how->entry.etag);
      exchange->respond(std::move(response));
    } else {
      exchange->respond(error_response(how.error()));
    }
    release();
  }

  void release() {
    file.reset();
    exchange.reset();
  }
};

/// Permissions in octal, without setuid, setgid and sticky bits: they have no place in a claim.
Result<std::optional<unsigned>> parse_mode(std::string_view text) {
  if (text.empty()) return std::optional<unsigned>();
  unsigned mode = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
  if (error != std::errc() || end != text.data() + text.size() || mode > 0777) {
    return bad_request(fmt::format("mode: must be octal, from 0 to 0777, got {}", quote(text)));
  }
  return std::optional(mode);
}

Result<node::FileWriteOptions> write_options(const RoutedRequest& request) {
  node::FileWriteOptions options;
  TRY_ASSIGN(options.mode, parse_mode(request.query.get("mode")));
  options.if_match = request.http.headers.get("If-Match");
  const std::string_view unlike = request.http.headers.get("If-None-Match");
  if (!unlike.empty() && unlike != "*") return bad_request("If-None-Match: a write honours only *");
  options.only_new = unlike == "*";
  return options;
}

void write_file(const std::shared_ptr<FileRequest>& at) {
  auto options = write_options(at->request);
  if (!options) return at->exchange->respond(error_response(options.error()));
  at->files.create(at->place, *std::move(options), [at](Result<std::unique_ptr<node::FileWriting>> created) {
    if (!created) return at->exchange->respond(error_response(created.error()));
    const auto upload = std::make_shared<Upload>();
    upload->exchange = at->exchange;
    upload->path = at->place.path;
    upload->file = *std::move(created);
    at->exchange->on_gone([upload] { upload->release(); });
    upload->begin();
  });
}

// ---- the rest ----

Status check_path(std::string_view name, std::string_view path) {
  const std::vector<std::string> parts = split(path, '/');
  const bool is_clean = std::ranges::none_of(parts, [](const std::string& part) {
    return part.empty() || part == "." || part == ".." || part.find('\0') != std::string::npos;
  });
  if (path.empty() || is_clean) return ok();
  return bad_request(fmt::format("{}: must be relative and clean, got {}", name, quote(path)));
}

void make_or_move(const FileRequest& at) {
  const Query& query = at.request.query;
  if (query.flag("makeFolder")) return at.files.make_folder(at.place, report_to(at.exchange));
  const std::string to(query.get("moveTo"));
  if (to.empty()) {
    return at.exchange->respond(error_response(bad_request("POST: add makeFolder=true or moveTo=PATH to the query")));
  }
  if (const auto clean = check_path("moveTo", to); !clean) return at.exchange->respond(error_response(clean.error()));
  at.files.move(at.place, to, query.flag("overwrite") ? ClaimFiles::Existing::kReplaced : ClaimFiles::Existing::kKept,
                report_to(at.exchange));
}

void remove_file(const FileRequest& at) {
  const auto depth = at.request.query.flag("recursive") ? ClaimFiles::Depth::kAll : ClaimFiles::Depth::kOne;
  at.files.remove(at.place, depth, std::string(at.request.http.headers.get("If-Match")), report_to(at.exchange));
}

Result<Document> find_claim(const Context& context, const std::string& ns, const std::string& name) {
  const api::Resource& claims = *api::find_kind("v1", "PersistentVolumeClaim");
  const store::Entry* entry = context.store.get(apiserver::key_of(claims, ns, name));
  if (entry == nullptr) return apiserver::not_found(claims, name);
  return json::parse(*entry->bytes);
}

void answer(const Context& context, ClaimFiles& files, RoutedRequest request, const ExchangePtr& exchange) {
  auto claim = find_claim(context, request.at.at("namespace"), request.at.at("name"));
  if (!claim) return exchange->respond(error_response(claim.error()));
  if (const auto may = apiserver::check_claim_files(request.sender, *claim); !may) {
    return exchange->respond(error_response(may.error()));
  }
  const std::string path = request.at.at("path");
  if (const auto clean = check_path("path", path); !clean) return exchange->respond(error_response(clean.error()));
  const std::string method = request.http.method;
  const auto at = std::make_shared<FileRequest>(
      FileRequest{std::move(request), {.claim = *std::move(claim), .path = path}, files, exchange});
  if (method == "PUT") return write_file(at);
  if (method == "POST") return make_or_move(*at);
  if (method == "DELETE") return remove_file(*at);
  read_file_or_folder(at);
}

}  // namespace

std::vector<Route> claim_files_routes(const Context& context, ClaimFiles& files) {
  const Route route{
      .pattern = "apis/muster.dev/v1/namespaces/{namespace}/persistentvolumeclaims/{name}/files/{path...}",
      .methods = {"GET", "HEAD", "POST", "DELETE"},
      .handle = [&context, &files](
                    RoutedRequest request,
                    const ExchangePtr& exchange) { answer(context, files, std::move(request), exchange); },
      .streams_body = false};
  Route writes = route;
  writes.methods = {"PUT"};
  writes.streams_body = true;
  return {route, writes};
}

}  // namespace muster::web
