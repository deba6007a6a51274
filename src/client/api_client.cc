#include "client/api_client.h"

#include <algorithm>
#include <map>

#include "base/clamped_seconds.h"
#include "base/strings.h"
#include "client/watch_stream.h"

namespace muster::client {
namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kTable = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
// No server should return a longer list unless it is asked for in pages.
constexpr std::size_t kMaxBody = std::size_t{512} * 1024 * 1024;
constexpr std::size_t kMaxErrorBody = std::size_t{1024} * 1024;
constexpr std::size_t kMaxErrorText = 200;

/// Builds "?a=1&b=2"; values are encoded, empty ones left out.
class Query {
 public:
  Query& add(std::string_view name, std::string_view value) {
    if (value.empty()) return *this;
    text_ += text_.empty() ? '?' : '&';
    text_.append(name).append("=").append(net::percent_encode(value));
    return *this;
  }
  Query& add_if(std::string_view name, bool wanted) { return wanted ? add(name, "true") : *this; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

Query query_of(const WriteOptions& options, const std::string& manager) {
  Query query;
  query.add("fieldManager", options.field_manager.empty() ? manager : options.field_manager);
  query.add("fieldValidation", options.field_validation);
  query.add("dryRun", options.dry_run ? "All" : "").add_if("force", options.force);
  return query;
}

std::string_view content_type(PatchType type) {
  switch (type) {
    case PatchType::kMerge:
      return "application/merge-patch+json";
    case PatchType::kJson:
      return "application/json-patch+json";
    case PatchType::kStrategic:
      return "application/strategic-merge-patch+json";
    case PatchType::kApply:
      return "application/apply-patch+yaml";
  }
  CHECK(false);
}

/// The text of `299 - "text"`, the form in RFC 7234; "" for anything else.
std::string warning_text(std::string_view header) {
  const std::size_t open = header.find('"');
  if (!header.starts_with("299 ") || open == std::string_view::npos) return {};
  std::string out;
  for (std::size_t i = open + 1; i < header.size() && header[i] != '"'; ++i) {
    if (header[i] == '\\' && i + 1 < header.size()) ++i;
    out += header[i];
  }
  return out;
}

/// The error for a status of 400 or more, whatever the body is.
Error error_of(int status, const net::Headers& headers, const std::string& body) {
  Error error;
  const auto document = json::parse(body);
  if (document.has_value() && document->string_at("kind") == "Status") {
    error = error_from_status(*document, status);
  } else {
    error.reason = reason_from_http_code(status);
    const std::string_view text = trim(body);
    error.message = "the server answered with status " + std::to_string(status);
    if (!text.empty()) error.message += ": " + quote(text.substr(0, kMaxErrorText));
  }
  const auto seconds = parse_int(headers.get("Retry-After"));
  if (!error.retry_after && seconds && *seconds > 0) error.retry_after = clamped_seconds(*seconds);
  return error;
}

std::string encoded_join(std::initializer_list<std::string_view> segments) {
  std::string out;
  for (const std::string_view segment : segments) out.append("/").append(net::percent_encode(segment));
  return out;
}

json::Document delete_body(const DeleteOptions& options) {
  json::Object body;
  if (options.grace_period_seconds) body.append("gracePeriodSeconds", *options.grace_period_seconds);
  if (!options.propagation_policy.empty()) body.append("propagationPolicy", options.propagation_policy);
  json::Object preconditions;
  if (!options.precondition_uid.empty()) preconditions.append("uid", options.precondition_uid);
  if (!options.precondition_resource_version.empty()) {
    preconditions.append("resourceVersion", options.precondition_resource_version);
  }
  if (!preconditions.empty()) body.append("preconditions", std::move(preconditions));
  if (body.empty()) return nullptr;
  body.append("kind", "DeleteOptions");
  body.append("apiVersion", "v1");
  return body;
}

/// The head and body of a response being received. An error body is collected; other bodies go to the caller's sink.
struct Reply {
  int status = 0;
  net::Headers headers;
  std::string body;
  bool too_large = false;

  bool is_error() const { return status >= 400; }
  /// A long body that grows piece by piece would be copied again and again.
  void expect_body(std::size_t limit) {
    const auto length = parse_int(headers.get("Content-Length"));
    if (length && *length > 0) body.reserve(std::min(static_cast<std::size_t>(*length), limit));
  }
  void take(std::string_view bytes, std::size_t limit) {
    if (body.size() + bytes.size() > limit) {
      too_large = true;
    } else {
      body.append(bytes);
    }
  }
};

}  // namespace

std::string collection_path(const ResourceName& resource, const std::string& ns) {
  std::string path = resource.group.empty() ? encoded_join({"api", resource.version})
                                            : encoded_join({"apis", resource.group, resource.version});
  if (!ns.empty()) path += encoded_join({"namespaces", ns});
  return path + encoded_join({resource.plural});
}

std::string path_of(const ObjectName& object) {
  std::string path = collection_path(object.resource, object.ns) + encoded_join({object.name});
  if (!object.subresource.empty()) path += encoded_join({object.subresource});
  return path;
}

struct ApiClient::State : std::enable_shared_from_this<State> {
  State(net::Transport& t, std::string k) : transport(t), token(std::move(k)) {}

  net::Request request(std::string method, std::string target, std::string_view accept) const;
  net::Request plain_request(const std::string& method, const std::string& target, const net::Headers& extra) const;
  /// Streams the response to the sink; one with a status of 400 or more becomes the error of on_end.
  std::unique_ptr<net::Call> stream(net::Request request, net::ResponseSink sink);
  /// Sends the request and passes the response's document or error to `done`; the call is kept until then. With a
  /// glance, the response is a list of which only that is read.
  void call(net::Request request, OnDocument done, std::optional<json::Excerpt> glance = {});
  void call(net::Request request, const json::Document& body, std::string_view body_type, OnDocument done);
  void note_warnings(const net::Headers& headers) const;

  net::Transport& transport;
  std::string token;
  std::string manager = "muster";
  bool takes_every_answer = false;
  std::function<void(const std::string&)> warning_sink;
  std::uint64_t last_call = 0;
  std::map<std::uint64_t, std::unique_ptr<net::Call>> calls;
};

net::Request ApiClient::State::request(std::string method, std::string target, std::string_view accept) const {
  net::Request out{.method = std::move(method), .target = std::move(target), .one_answer = takes_every_answer};
  out.headers.add("Accept", std::string(accept));
  out.headers.add("User-Agent", manager);
  if (!token.empty()) out.headers.add("Authorization", "Bearer " + token);
  return out;
}

void ApiClient::State::note_warnings(const net::Headers& headers) const {
  if (!warning_sink) return;
  for (const auto& [name, value] : headers) {
    if (to_lower(name) != "warning") continue;
    if (const std::string text = warning_text(value); !text.empty()) warning_sink(text);
  }
}

void ApiClient::State::call(net::Request request, OnDocument done, std::optional<json::Excerpt> glance) {
  const std::uint64_t id = ++last_call;
  auto reply = std::make_shared<Reply>();
  net::ResponseSink sink;
  sink.on_head = [reply, weak = weak_from_this()](int status, const net::Headers& headers) {
    reply->status = status;
    reply->headers = headers;
    reply->expect_body(kMaxBody);
    if (const auto self = weak.lock()) self->note_warnings(headers);
  };
  sink.on_data = [reply](std::string_view bytes) { reply->take(bytes, kMaxBody); };
  sink.on_end = [reply, id, weak = weak_from_this(), d = std::move(done),
                 only = std::move(glance)](Status status) mutable {
    const auto self = weak.lock();
    if (self == nullptr) return;
    const auto node = self->calls.extract(id);  // destroyed at the end of this callback
    if (!status.has_value()) {
      d(std::move(status).error());
    } else if (reply->too_large) {
      d(Error{.reason = Reason::kRequestEntityTooLarge,
              .message = "the answer has more than " + std::to_string(kMaxBody) + " bytes; list in pages"});
    } else if (reply->is_error()) {
      d(error_of(reply->status, reply->headers, reply->body));
    } else {
      auto document = only ? only->read_list(reply->body) : json::parse(reply->body);
      if (document.has_value()) {
        d(std::move(document));
      } else {
        d(Error{.reason = Reason::kInternalError,
                .message = "the server's answer is not JSON: " + document.error().message});
      }
    }
  };
  auto started = transport.send(std::move(request), std::move(sink));
  calls.emplace(id, std::move(started));
}

void ApiClient::State::call(net::Request request, const json::Document& body, std::string_view body_type,
                            OnDocument done) {
  request.body = json::serialize(body);
  request.headers.add("Content-Type", std::string(body_type));
  call(std::move(request), std::move(done));
}

ApiClient::ApiClient(net::Transport& transport, std::string token)
    : state_(std::make_shared<State>(transport, std::move(token))) {}

ApiClient::~ApiClient() = default;

void ApiClient::act_as(std::string manager) {
  state_->manager = std::move(manager);
}

void ApiClient::take_every_answer() {
  state_->takes_every_answer = true;
}

net::Transport& ApiClient::transport() {
  return state_->transport;
}

void ApiClient::get(const ObjectName& object, OnDocument done) {
  state_->call(state_->request("GET", path_of(object), kJson), std::move(done));
}

void ApiClient::list(const ResourceName& resource, const std::string& ns, const ListOptions& options, OnDocument done) {
  Query query;
  query.add("labelSelector", options.label_selector).add("fieldSelector", options.field_selector);
  if (options.limit > 0) query.add("limit", std::to_string(options.limit));
  query.add("continue", options.continue_token).add("resourceVersion", options.resource_version);
  if (options.as_table && options.full_rows) query.add("includeObject", "Object");
  state_->call(state_->request("GET", collection_path(resource, ns) + query.text(), options.as_table ? kTable : kJson),
               std::move(done), options.glance);
}

void ApiClient::create(const ResourceName& resource, const std::string& ns, const json::Document& object,
                       const WriteOptions& options, OnDocument done) {
  state_->call(
      state_->request("POST", collection_path(resource, ns) + query_of(options, state_->manager).text(), kJson), object,
      kJson, std::move(done));
}

void ApiClient::create_subresource(const ObjectName& object, const json::Document& body, OnDocument done) {
  state_->call(state_->request("POST", path_of(object), kJson), body, kJson, std::move(done));
}

void ApiClient::update(const ObjectName& object, const json::Document& to, const WriteOptions& options,
                       OnDocument done) {
  net::Request request = state_->request("PUT", path_of(object) + query_of(options, state_->manager).text(), kJson);
  request.repeatable = !to.string_at("metadata", "resourceVersion").empty();  // a repeated update is a Conflict
  state_->call(std::move(request), to, kJson, std::move(done));
}

void ApiClient::patch(const ObjectName& object, PatchType type, const json::Document& patch,
                      const WriteOptions& options, OnDocument done) {
  state_->call(state_->request("PATCH", path_of(object) + query_of(options, state_->manager).text(), kJson), patch,
               content_type(type), std::move(done));
}

void ApiClient::remove(const ObjectName& object, const DeleteOptions& options, OnDocument done) {
  const json::Document body = delete_body(options);
  net::Request request = state_->request("DELETE", path_of(object) + (options.dry_run ? "?dryRun=All" : ""), kJson);
  request.repeatable = !options.precondition_uid.empty() || !options.precondition_resource_version.empty();
  if (body.is_null()) {
    state_->call(std::move(request), std::move(done));
  } else {
    state_->call(std::move(request), body, kJson, std::move(done));
  }
}

namespace {

/// The handle that the caller of watch() holds.
class WatchCall final : public net::Call {
 public:
  explicit WatchCall(std::shared_ptr<WatchStream> stream) : stream_(std::move(stream)) {}
  ~WatchCall() override { stream_->cancel(); }

 private:
  std::shared_ptr<WatchStream> stream_;
};

}  // namespace

WatchHandle ApiClient::watch(const ResourceName& resource, const std::string& ns, const WatchOptions& options,
                             WatchSink sink) {
  Query query;
  query.add("watch", "true").add_if("allowWatchBookmarks", options.bookmarks);
  query.add("labelSelector", options.label_selector).add("fieldSelector", options.field_selector);
  query.add("resourceVersion", options.resource_version);
  query.add_if("sendInitialEvents", options.initial_events);
  query.add("resourceVersionMatch", options.initial_events ? "NotOlderThan" : "");
  if (options.timeout_seconds > 0) query.add("timeoutSeconds", std::to_string(options.timeout_seconds));
  const auto stream = std::make_shared<WatchStream>(std::move(sink), options.glance);
  const std::weak_ptr<WatchStream> weak = stream;
  auto reply = std::make_shared<Reply>();
  net::ResponseSink raw;
  raw.on_head = [reply, owner = std::weak_ptr(state_)](int status, const net::Headers& headers) {
    reply->status = status;
    reply->headers = headers;
    if (const auto state = owner.lock()) state->note_warnings(headers);
  };
  raw.on_data = [reply, weak](std::string_view bytes) {
    if (reply->is_error()) {
      reply->take(bytes, kMaxErrorBody);
    } else if (const auto s = weak.lock()) {
      s->on_data(bytes);
    }
  };
  raw.on_shared = [weak](std::string_view type, const net::Bytes& object) {
    if (const auto s = weak.lock()) s->on_event(type, object);
  };
  raw.on_end = [reply, weak](Status status) {
    const auto s = weak.lock();
    if (s == nullptr) return;
    if (status.has_value() && reply->is_error()) status = error_of(reply->status, reply->headers, reply->body);
    s->on_end(std::move(status));
  };
  net::Request request =
      state_->request("GET", collection_path(resource, ns) + query.text(), options.as_table ? kTable : kJson);
  stream->set_call(state_->transport.send(std::move(request), std::move(raw)));
  return std::make_unique<WatchCall>(stream);
}

net::Request ApiClient::State::plain_request(const std::string& method, const std::string& target,
                                             const net::Headers& extra) const {
  net::Request out = request(method, target, "application/json, */*");
  for (const auto& [name, value] : extra) out.headers.add(name, value);
  return out;
}

std::unique_ptr<net::Call> ApiClient::State::stream(net::Request request, net::ResponseSink sink) {
  auto reply = std::make_shared<Reply>();
  auto to = std::make_shared<net::ResponseSink>(std::move(sink));
  net::ResponseSink raw;
  raw.on_head = [reply, to, owner = weak_from_this()](int status, const net::Headers& headers) {
    reply->status = status;
    reply->headers = headers;
    if (const auto state = owner.lock()) state->note_warnings(headers);
    if (!reply->is_error() && to->on_head) to->on_head(status, headers);
  };
  raw.on_data = [reply, to](std::string_view bytes) {
    if (reply->is_error()) {
      reply->take(bytes, kMaxErrorBody);
    } else if (to->on_data) {
      to->on_data(bytes);
    }
  };
  raw.on_end = [reply, to](Status status) {
    if (status.has_value() && reply->is_error()) status = error_of(reply->status, reply->headers, reply->body);
    if (to->on_end) to->on_end(std::move(status));
  };
  return transport.send(std::move(request), std::move(raw));
}

std::unique_ptr<net::Call> ApiClient::stream(const std::string& method, const std::string& target,
                                             net::ResponseSink sink, const net::Headers& extra) {
  return state_->stream(state_->plain_request(method, target, extra), std::move(sink));
}

std::unique_ptr<net::Call> ApiClient::upload(const std::string& target, net::ResponseSink sink,
                                             const net::Headers& extra) {
  net::Request request = state_->plain_request("PUT", target, extra);
  request.streams_body = true;
  return state_->stream(std::move(request), std::move(sink));
}

void ApiClient::on_warning(std::function<void(const std::string&)> sink) {
  state_->warning_sink = std::move(sink);
}

}  // namespace muster::client
