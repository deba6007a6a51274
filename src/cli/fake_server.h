// FakeServer: an API server small enough for the tests of commands. Keeps objects by path, lists by metadata.name and
// labels, watches, merge-patches, deletes; logs are texts by pod.
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

  /// Creates or replaces, and tells the watchers. `path` as in the API.
  void put(const std::string& path, json::Document object);
  void remove(const std::string& path);
  const json::Document* find(const std::string& path) const;
  /// Adds to a pod's log; a follower gets it at once.
  void log(const std::string& pod, const std::string& text);
  /// The run whose log it is has ended: followers are let go.
  void end_log(const std::string& pod);
  /// The next run begins with an empty log.
  void new_log(const std::string& pod);
  /// Answers the next request whose method and path match with this instead.
  void refuse(const std::string& method, const std::string& path, int status, json::Document body);
  /// Every watch and log stream breaks off with an error.
  void break_streams();

  std::unique_ptr<net::Call> send(net::Request request, net::ResponseSink sink) override;

  std::vector<std::string> requests;  // "GET /api/v1/…?query"
  std::vector<std::string> bodies;    // of the same

 private:
  struct Stream;
  struct StreamCall;
  struct Log {
    std::string text;
    bool ended = false;
  };

  net::Response answer(const net::Request& request, const std::string& path, const std::string& query);
  json::Document list_of(const std::string& collection, const std::string& query) const;
  void open_watch(const std::string& path, const std::string& query, std::shared_ptr<Stream> stream);
  void open_log(const std::string& path, const std::string& query, std::shared_ptr<Stream> stream);
  void notify(const std::string& path, const std::string& type, const json::Document& object);
  void send_event(Stream& stream, const std::string& type, const json::Document& object);

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
};

/// A minimal object: kind and metadata with uid.
json::Document make_object(const std::string& api_version, const std::string& kind, const std::string& name);

}  // namespace muster::cli
