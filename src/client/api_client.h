// ApiClient: the Kubernetes API as calls. Controllers, agent, CLI and console know only this class. The Transport
// decides whether the server is in this process (LocalTransport of apiserver/api_server.h), on this machine or in a
// cluster; all requests take the same path.
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

/// The group, version and plural of a resource, from api::Resource or from discovery.
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
  bool full_rows = false;                    // a table's rows hold the whole object, not only its metadata
  std::optional<json::Excerpt> glance = {};  // only this is read of each item
};

struct WriteOptions {
  std::string field_manager = {};  // "": the client's own
  std::string field_validation;    // Strict, Warn, Ignore; "": the server's default
  bool dry_run = false;
  bool force = false;  // server-side apply: takes fields over from other managers
};

struct DeleteOptions {
  std::optional<std::int64_t> grace_period_seconds;
  std::string propagation_policy;  // Background, Foreground, Orphan
  std::string precondition_uid;
  std::string precondition_resource_version;
  bool dry_run = false;
};

enum class PatchType { kMerge, kJson, kStrategic, kApply };

/// An active watch; destroying the handle ends it.
using WatchHandle = std::unique_ptr<net::Call>;
struct WatchOptions {
  std::string label_selector;
  std::string field_selector;
  std::string resource_version;
  bool bookmarks = true;
  /// Starts with an ADDED event for each existing object and a bookmark after the last one. Servers may return Invalid.
  bool initial_events = false;
  bool as_table = false;
  int timeout_seconds = 0;              // 0: the server's default
  std::optional<json::Excerpt> glance;  // if the text is provided, only this is parsed
};
struct WatchEvent {
  std::string type;       // ADDED, MODIFIED, DELETED, BOOKMARK
  json::Document object;  // at least the glance, if `text` is set
  net::Bytes text;        // the server's own text if it is in this process; else null
};
struct WatchSink {
  /// An ERROR event is not delivered: it ends the watch with its Status as error.
  UniqueFunction<void(WatchEvent)> on_event;
  /// Called once: ok means a regular end (watch again from the last revision), Expired means list again.
  UniqueFunction<void(Status)> on_end;
};

using OnDocument = UniqueFunction<void(Result<json::Document>)>;

/// Loop thread only. Callbacks are never inline. Destroying the client drops the calls that are in progress.
class ApiClient {
 public:
  /// `token` may be "" (for a server in this process, a Unix socket or a client certificate).
  ApiClient(net::Transport& transport, std::string token);
  ~ApiClient();
  /// Sets the name under which the server records what this client writes; "muster" until then.
  void act_as(std::string manager);
  /// From now on the transport repeats no request that the server has answered, whatever the answer. For callers that
  /// wait themselves, and longer.
  void take_every_answer();
  /// How its requests travel.
  net::Transport& transport();

  void get(const ObjectName& object, OnDocument done);
  /// Returns the …List document. An empty `ns` lists all namespaces.
  void list(const ResourceName& resource, const std::string& ns, const ListOptions& options, OnDocument done);
  void create(const ResourceName& resource, const std::string& ns, const json::Document& object,
              const WriteOptions& options, OnDocument done);
  /// Sends a POST to a subresource, such as pods/binding.
  void create_subresource(const ObjectName& object, const json::Document& body, OnDocument done);
  void update(const ObjectName& object, const json::Document& to, const WriteOptions& options, OnDocument done);
  void patch(const ObjectName& object, PatchType type, const json::Document& patch, const WriteOptions& options,
             OnDocument done);
  void remove(const ObjectName& object, const DeleteOptions& options, OnDocument done);
  [[nodiscard]] WatchHandle watch(const ResourceName& resource, const std::string& ns, const WatchOptions& options,
                                  WatchSink sink);
  /// Sends any other request (discovery, logs, /version) and streams the response. A status of 400 or more becomes the
  /// error of on_end; on_head and on_data are then not called. The `extra` headers are added to the usual ones.
  [[nodiscard]] std::unique_ptr<net::Call> stream(const std::string& method, const std::string& target,
                                                  net::ResponseSink sink, const net::Headers& extra = {});
  /// The same for a PUT whose body the caller writes to the call that is returned.
  [[nodiscard]] std::unique_ptr<net::Call> upload(const std::string& target, net::ResponseSink sink,
                                                  const net::Headers& extra = {});

  /// Sets the receiver of Warning headers (RFC 7234, code 299) in responses; by default they are dropped.
  void on_warning(std::function<void(const std::string&)> sink);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

std::string path_of(const ObjectName& object);
std::string collection_path(const ResourceName& resource, const std::string& ns);

/// Converts a metav1.Status to an Error, and back.
Error error_from_status(const json::Document& status, int http_status);
json::Document status_from_error(const Error& error);

}  // namespace muster::client
