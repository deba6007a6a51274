// ApiClient: the Kubernetes API as calls. Controllers, agent, CLI and console know only this; whether the server is in
// this process (LocalTransport of apiserver/api_server.h), on this machine or a cluster is the Transport's business,
// and all take the same request path.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/resource.h"
#include "base/ports.h"
#include "base/result.h"
#include "json/document.h"
#include "json/excerpt.h"
#include "net/http.h"

namespace muster::client {

/// group, version and plural of a resource; made from api::Resource or from discovery.
struct ResourceName {
  std::string group;
  std::string version;
  std::string plural;

  ResourceName() = default;
  ResourceName(std::string g, std::string v, std::string p)
      : group(std::move(g)), version(std::move(v)), plural(std::move(p)) {}
  ResourceName(const api::Resource& r)
      : group(r.group), version(r.version), plural(r.plural) {}  // NOLINT(google-explicit-constructor)
};

struct ObjectName {
  ResourceName resource;
  std::string ns;  // "" for cluster scope
  std::string name;
  std::string subresource = {};  // "status", "binding", …
};

struct ListOptions {
  std::string label_selector;
  std::string field_selector;
  int limit = 0;
  std::string continue_token;
  std::string resource_version;
  bool as_table = false;
  bool full_rows = false;  // a table's rows hold the whole object, not only its metadata
};

struct WriteOptions {
  std::string field_manager = "muster";
  std::string field_validation;  // Strict, Warn, Ignore; "" leaves it to the server
  bool dry_run = false;
  bool force = false;  // server-side apply: take fields over from other managers
};

struct DeleteOptions {
  std::optional<std::int64_t> grace_period_seconds;
  std::string propagation_policy;  // Background, Foreground, Orphan
  std::string precondition_uid;
  std::string precondition_resource_version;
  bool dry_run = false;
};

enum class PatchType { kMerge, kJson, kStrategic, kApply };

/// A watch under way; destroying it ends it.
using WatchHandle = std::unique_ptr<net::Call>;
struct WatchOptions {
  std::string label_selector;
  std::string field_selector;
  std::string resource_version;
  bool bookmarks = true;
  /// Begin with an ADDED event for everything there is and a bookmark that ends them. Servers may answer Invalid.
  bool initial_events = false;
  bool as_table = false;
  int timeout_seconds = 0;              // 0 leaves it to the server
  std::optional<json::Excerpt> glance;  // read no more than this of an object that comes with its text
};
struct WatchEvent {
  std::string type;       // ADDED, MODIFIED, DELETED, BOOKMARK
  json::Document object;  // at least what was to be glanced at, where there is text
  net::Bytes text;        // the object as the server has it, where it is in this process; else null
};
struct WatchSink {
  /// An ERROR event ends the watch with its Status as error.
  UniqueFunction<void(WatchEvent)> on_event;
  /// Once: ok when the server ended it in order (watch again from the last revision), Expired: list again.
  UniqueFunction<void(Status)> on_end;
};

using OnDocument = UniqueFunction<void(Result<json::Document>)>;

/// Loop thread only. Callbacks are never inline. Calls still under way when the client is destroyed are dropped.
class ApiClient {
 public:
  /// `token` may be "" (in process, Unix socket, client certificate).
  ApiClient(net::Transport& transport, std::string token);
  ~ApiClient();

  void get(const ObjectName& object, OnDocument done);
  /// The …List document. ns "" lists all namespaces.
  void list(const ResourceName& resource, const std::string& ns, const ListOptions& options, OnDocument done);
  void create(const ResourceName& resource, const std::string& ns, const json::Document& object,
              const WriteOptions& options, OnDocument done);
  /// POST to a subresource, such as pods/binding.
  void create_subresource(const ObjectName& object, const json::Document& body, OnDocument done);
  void update(const ObjectName& object, const json::Document& to, const WriteOptions& options, OnDocument done);
  void patch(const ObjectName& object, PatchType type, const json::Document& patch, const WriteOptions& options,
             OnDocument done);
  void remove(const ObjectName& object, const DeleteOptions& options, OnDocument done);
  [[nodiscard]] WatchHandle watch(const ResourceName& resource, const std::string& ns, const WatchOptions& options,
                                  WatchSink sink);
  /// Anything else: discovery, logs, /version. Streams; a status of 400 or more becomes the error of on_end, and then
  /// on_head and on_data are not called.
  [[nodiscard]] std::unique_ptr<net::Call> stream(const std::string& method, const std::string& target,
                                                  net::ResponseSink sink);

  /// Warning headers of replies (RFC 7234 299) go here; by default nowhere.
  void on_warning(std::function<void(const std::string&)> sink);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

std::string path_of(const ObjectName& object);
std::string collection_path(const ResourceName& resource, const std::string& ns);

/// The Error inside a metav1.Status, and back.
Error error_from_status(const json::Document& status, int http_status);
json::Document status_from_error(const Error& error);

}  // namespace muster::client
