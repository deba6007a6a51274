#include "testing/fake_server.h"

#include <algorithm>
#include <optional>

#include "base/strings.h"
#include "json/patch.h"

namespace muster::cli {

namespace {

std::string parameter(const std::string& query, const std::string& name) {
  for (const std::string& pair : split(query, '&')) {
    if (pair.starts_with(name + "=")) return net::percent_decode(pair.substr(name.size() + 1), true).value_or("");
  }
  return "";
}

bool selected(const json::Document& object, const std::string& query) {
  const std::string field = parameter(query, "fieldSelector");
  if (field.starts_with("metadata.name=") && object.string_at("metadata", "name") != field.substr(14)) return false;
  const std::vector<std::string> labels = split(parameter(query, "labelSelector"), ',');
  return std::ranges::all_of(labels, [&](const std::string& label) {
    const std::size_t equals = label.find('=');
    if (equals == std::string::npos) return label.empty() || object.at("metadata", "labels", label) != nullptr;
    return object.string_at("metadata", "labels", label.substr(0, equals)) == label.substr(equals + 1);
  });
}

/// Returns the path without its namespace: that of the object in the collection over all namespaces.
std::string without_namespace(const std::string& path) {
  constexpr std::string_view kNamespaces = "/namespaces/";
  const std::size_t at = path.find(kNamespaces);
  const std::size_t end = at == std::string::npos ? at : path.find('/', at + kNamespaces.size());
  return end == std::string::npos ? path : path.substr(0, at) + path.substr(end);
}

bool is_item_of(const std::string& path, const std::string& collection) {
  const auto is_below = [&](const std::string& item) {
    return item.starts_with(collection + "/") && item.find('/', collection.size() + 1) == std::string::npos;
  };
  return is_below(path) || is_below(without_namespace(path));
}

json::Document status(int code, const std::string& reason, const std::string& message) {
  return json::Object{{"kind", "Status"}, {"apiVersion", "v1"}, {"status", "Failure"},
                      {"code", code},     {"reason", reason},   {"message", message}};
}

net::Response reply(int code, const json::Document& body) {
  return {.status = code, .headers = {{"Content-Type", "application/json"}}, .body = json::serialize(body)};
}

json::Document as_table(const json::Document& list) {
  json::Array rows;
  for (const json::Document& item : list.find("items")->as_array()) {
    json::Object row{
        {"cells", json::Array{item.string_at("metadata", "name"), item.string_at("status", "phase"), "node"}},
        {"object", json::Object{{"metadata", *item.find("metadata")}}}};
    rows.emplace_back(std::move(row));
  }
  const json::Array columns{json::Object{{"name", "Name"}, {"priority", 0}},
                            json::Object{{"name", "Phase"}, {"priority", 0}},
                            json::Object{{"name", "Node"}, {"priority", 1}}};
  return json::Object{{"kind", "Table"},
                      {"columnDefinitions", columns},
                      {"rows", std::move(rows)},
                      {"metadata", *list.find("metadata")}};
}

}  // namespace

struct FakeServer::Stream {
  net::ResponseSink sink;
  std::string collection;  // of a watch stream
  std::string query;
  std::string pod;  // of a log stream
  bool table = false;
  bool open = true;
  bool paused = false;
  std::string held;  // what came while it was paused
  std::optional<Status> held_end;

  void data(const std::string& text) {
    if (paused) {
      held += text;
    } else if (open && !text.empty()) {
      sink.on_data(text);
    }
  }
  void end(Status how) {
    if (!open) return;
    if (paused) {
      held_end = std::move(how);
      return;
    }
    open = false;
    net::ResponseSink last = std::exchange(sink, {});  // it may hold the call, which holds this
    last.on_end(std::move(how));
  }
  void resume() {
    paused = false;
    data(std::exchange(held, {}));
    if (!paused && held_end) end(*std::exchange(held_end, std::nullopt));
  }
};

struct FakeServer::StreamCall final : net::Call {
  StreamCall(Loop& l, std::shared_ptr<Stream> s) : loop(l), stream(std::move(s)) {}
  ~StreamCall() override { stream->open = false; }
  void pause_input() override { stream->paused = true; }
  void resume_input() override {
    loop.post([stream = stream] { stream->resume(); });
  }
  Loop& loop;
  std::shared_ptr<Stream> stream;
};

void FakeServer::put(const std::string& path, json::Document object) {
  const bool is_new = !objects_.contains(path);
  object["metadata"]["resourceVersion"] = std::to_string(++revision_);
  objects_[path] = std::move(object);
  notify(path, is_new ? "ADDED" : "MODIFIED", objects_[path]);
}

void FakeServer::remove(const std::string& path) {
  json::Document last = objects_.at(path);
  objects_.erase(path);
  last["metadata"]["resourceVersion"] = std::to_string(++revision_);
  notify(path, "DELETED", last);
}

const json::Document* FakeServer::find(const std::string& path) const {
  const auto found = objects_.find(path);
  return found == objects_.end() ? nullptr : &found->second;
}

void FakeServer::log(const std::string& pod, const std::string& text) {
  logs_[pod].text += text;
  for (const auto& stream : std::vector(streams_)) {
    if (stream->open && stream->pod == pod) stream->data(text);
  }
}

void FakeServer::end_log(const std::string& pod) {
  logs_[pod].ended = true;
  for (const auto& stream : std::vector(streams_)) {
    if (stream->pod == pod) stream->end(ok());
  }
}

void FakeServer::new_log(const std::string& pod) {
  logs_[pod] = {};
}

void FakeServer::refuse(const std::string& method, const std::string& path, int code, json::Document body) {
  refusals_.push_back({method, path, reply(code, body)});
}

void FakeServer::break_streams() {
  for (const auto& stream : std::vector(streams_)) {
    stream->end(Error{.reason = Reason::kServiceUnavailable, .message = "connection reset"});
  }
}

void FakeServer::notify(const std::string& path, const std::string& type, const json::Document& object) {
  for (const auto& stream : std::vector(streams_)) {
    const bool wanted = stream->open && !stream->collection.empty() && is_item_of(path, stream->collection);
    if (wanted && selected(object, stream->query)) send_event(stream, type, object);
  }
}

void FakeServer::send_event(const std::shared_ptr<Stream>& stream, const std::string& type,
                            const json::Document& object) {
  json::Document shown = object;
  if (stream->table) {
    shown = as_table(json::Object{{"items", json::Array{object}}, {"metadata", json::Object{}}});
    shown.as_object().erase("columnDefinitions");
  }
  std::string line = json::serialize(json::Object{{"type", type}, {"object", shown}}) + "\n";
  if (!holds_watches_) return stream->sink.on_data(line);
  held_events_.emplace_back(stream, std::move(line));
}

void FakeServer::hold_watches() {
  holds_watches_ = true;
}

void FakeServer::let_watches_go() {
  holds_watches_ = false;
  for (const auto& [stream, line] : std::exchange(held_events_, {})) {
    if (stream->open) stream->sink.on_data(line);
  }
}

json::Document FakeServer::list_of(const std::string& collection, const std::string& query) const {
  json::Array items;
  for (const auto& [path, object] : objects_) {
    if (is_item_of(path, collection) && selected(object, query)) items.push_back(object);
  }
  return json::Object{{"kind", "List"},
                      {"metadata", json::Object{{"resourceVersion", std::to_string(revision_)}}},
                      {"items", std::move(items)}};
}

net::Response FakeServer::patch_status(const std::string& path, const json::Document& patch) {
  const auto object = objects_.find(path);
  if (object == objects_.end()) return reply(404, status(404, "NotFound", path + " not found"));
  const std::string& based_on = patch.string_at("metadata", "resourceVersion");
  if (!based_on.empty() && based_on != object->second.string_at("metadata", "resourceVersion")) {
    return reply(409, status(409, "Conflict", "the object has been modified"));
  }
  json::Document changed = object->second;
  json::merge_patch(changed, patch);
  put(path, std::move(changed));
  return reply(200, objects_.at(path));
}

net::Response FakeServer::answer(const net::Request& request, const std::string& path, const std::string& query) {
  for (auto refusal = refusals_.begin(); refusal != refusals_.end(); ++refusal) {
    if (refusal->method != request.method || refusal->path != path) continue;
    net::Response out = refusal->response;
    refusals_.erase(refusal);
    return out;
  }
  constexpr std::string_view kStatus = "/status";
  const bool is_status = request.method == "PATCH" && path.ends_with(kStatus);
  if (is_status) return patch_status(path.substr(0, path.size() - kStatus.size()), *json::parse(request.body));
  const auto object = objects_.find(path);
  if (request.method == "POST") {
    json::Document body = *json::parse(request.body);
    const std::string prefix = body.string_at("metadata", "generateName");
    if (!prefix.empty()) body["metadata"]["name"] = prefix + std::to_string(objects_.size());
    const std::string at = path + "/" + body.string_at("metadata", "name");
    if (objects_.contains(at)) return reply(409, status(409, "AlreadyExists", "already exists"));
    body["metadata"]["uid"] = "uid-" + body.string_at("metadata", "name");
    put(at, std::move(body));
    return reply(201, objects_.at(at));
  }
  const auto segments = split(path, '/');
  const bool is_collection = segments.size() % 2 == (segments[1] == "api" ? 0 : 1);
  if (request.method == "GET" && object == objects_.end() && is_collection) {
    const json::Document list = list_of(path, query);
    const bool table = request.headers.get("Accept").find("as=Table") != std::string_view::npos;
    return reply(200, table ? as_table(list) : list);
  }
  const bool applies = request.headers.get("Content-Type").find("apply-patch") != std::string_view::npos;
  if (request.method == "PATCH" && applies && object == objects_.end()) {
    const json::Document made = *json::parse(request.body);
    if (parameter(query, "dryRun").empty()) put(path, made);
    return reply(201, made);
  }
  if (object == objects_.end()) return reply(404, status(404, "NotFound", segments.back() + " not found"));
  if (request.method == "PATCH") {
    json::Document changed = object->second;
    json::merge_patch(changed, *json::parse(request.body));
    put(path, std::move(changed));
  } else if (request.method == "PUT") {
    json::Document body = *json::parse(request.body);
    const std::string& version = body.string_at("metadata", "resourceVersion");
    if (!version.empty() && version != object->second.string_at("metadata", "resourceVersion")) {
      return reply(409, status(409, "Conflict", "the object has been modified"));
    }
    put(path, std::move(body));
  } else if (request.method == "DELETE") {
    json::Document going = object->second;
    going["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
    put(path, std::move(going));
  }
  return reply(200, objects_.at(path));
}

void FakeServer::open_watch(const std::string& path, const std::string& query, std::shared_ptr<Stream> stream) {
  stream->collection = path;
  stream->query = query;
  stream->sink.on_head(200, {});
  const auto since = parse_int(parameter(query, "resourceVersion")).value_or(0);
  for (const auto& [at, object] : objects_) {
    const auto revision = parse_int(object.string_at("metadata", "resourceVersion")).value_or(0);
    if (is_item_of(at, path) && revision > since && selected(object, query)) send_event(stream, "MODIFIED", object);
  }
  if (parameter(query, "sendInitialEvents") != "true") return;
  const json::Object annotations{{"k8s.io/initial-events-end", "true"}};
  send_event(stream, "BOOKMARK",
             json::Object{{"metadata", json::Object{{"resourceVersion", std::to_string(revision_)},
                                                    {"annotations", annotations}}}});
}

void FakeServer::open_log(const std::string& path, const std::string& query, std::shared_ptr<Stream> stream) {
  const auto segments = split(path, '/');
  const bool is_attempt = segments.size() > 4 && segments[segments.size() - 3] == "attempts";
  stream->pod =
      is_attempt ? segments[segments.size() - 4] + "/" + segments[segments.size() - 2] : segments[segments.size() - 2];
  const Log& log = logs_[stream->pod];
  stream->sink.on_head(200, {});
  stream->data(log.text);
  if (parameter(query, "follow") != "true" || log.ended) stream->end(ok());
}

std::unique_ptr<net::Call> FakeServer::send(net::Request request, net::ResponseSink sink) {
  requests.push_back(request.method + " " + request.target);
  bodies.push_back(request.body);
  heads.push_back(request.headers);
  auto stream = std::make_shared<Stream>();
  stream->sink = std::move(sink);
  streams_.push_back(stream);
  loop_.post([this, stream, request = std::move(request)] {
    if (!stream->open) return;
    const std::size_t mark = request.target.find('?');
    const std::string path = request.target.substr(0, mark);
    const std::string query = mark == std::string::npos ? "" : request.target.substr(mark + 1);
    stream->table = request.headers.get("Accept").find("as=Table") != std::string_view::npos;
    if (parameter(query, "watch") == "true") return open_watch(path, query, stream);
    if (path.ends_with("/log")) return open_log(path, query, stream);
    const net::Response response = answer(request, path, query);
    stream->sink.on_head(response.status, response.headers);
    stream->sink.on_data(response.body);
    stream->end(ok());
  });
  return std::make_unique<StreamCall>(loop_, std::move(stream));
}

json::Document make_object(const std::string& api_version, const std::string& kind, const std::string& name) {
  return json::Object{{"apiVersion", api_version},
                      {"kind", kind},
                      {"metadata", json::Object{{"name", name}, {"namespace", "default"}, {"uid", "uid-" + name}}}};
}

}  // namespace muster::cli
