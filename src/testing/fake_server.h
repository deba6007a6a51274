// FakeServer: a minimal API server for the tests of commands. It keeps objects by path, lists by metadata.name and
// labels, watches, merge-patches (a status as well, unless it is stale) and deletes; a pod's log is a string.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/ports.h"
#include "json/document.h"
#include "net/http.h"

namespace muster::cli {

class FakeServer final : public net::Transport {
 public:
  explicit FakeServer(Loop& loop) : loop_(loop) {}

  /// Creates or replaces an object and notifies its watchers. `path` is the path in the API.
  void put(const std::string& path, json::Document object);
  void remove(const std::string& path);
  const json::Document* find(const std::string& path) const;
  /// Appends to a pod's log; followers receive the text at once. "pod/2" is the log of its attempt 2.
  void log(const std::string& pod, const std::string& text);
  /// Ends the run that writes the log, which ends the streams of its followers.
  void end_log(const std::string& pod);
  /// Starts the next run with an empty log.
  void new_log(const std::string& pod);
  /// Sends this response to the next request whose method and path match.
  void refuse(const std::string& method, const std::string& path, int status, json::Document body);
  /// Keeps the events of all watches back until they are let go.
  void hold_watches();
  void let_watches_go();
  /// Breaks every watch and log stream with an error.
  void break_streams();

  std::unique_ptr<net::Call> send(net::Request request, net::ResponseSink sink) override;

  std::vector<std::string> requests;  // "GET /api/v1/…?query"
  std::vector<std::string> bodies;    // of the same requests
  std::vector<net::Headers> heads;    // and their headers

 private:
  struct Stream;
  struct StreamCall;
  struct Log {
    std::string text;
    bool ended = false;
  };

  net::Response patch_status(const std::string& path, const json::Document& patch);
  net::Response answer(const net::Request& request, const std::string& path, const std::string& query);
  json::Document list_of(const std::string& collection, const std::string& query) const;
  void open_watch(const std::string& path, const std::string& query, std::shared_ptr<Stream> stream);
  void open_log(const std::string& path, const std::string& query, std::shared_ptr<Stream> stream);
  void notify(const std::string& path, const std::string& type, const json::Document& object);
  void send_event(const std::shared_ptr<Stream>& stream, const std::string& type, const json::Document& object);

  struct Refusal {
    std::string method;
    std::string path;
    net::Response response;
  };

  Loop& loop_;
  std::int64_t revision_ = 100;
  std::map<std::string, json::Document> objects_;
  std::map<std::string, Log> logs_;
  std::vector<Refusal> refusals_;
  std::vector<std::shared_ptr<Stream>> streams_;
  bool holds_watches_ = false;
  std::vector<std::pair<std::shared_ptr<Stream>, std::string>> held_events_;
};

/// Returns a minimal object: kind, and metadata with a uid.
json::Document make_object(const std::string& api_version, const std::string& kind, const std::string& name);

}  // namespace muster::cli
