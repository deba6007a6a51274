// Runs the server over a real store on virtual time, and plays the client of its exchanges.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <thread>

#include "apiserver/api_server.h"
#include "apiserver/list/attributes.h"
#include "store/disk.h"
#include "testing/seeded_rng.h"
#include "testing/sim_loop.h"

namespace muster::apiserver {

/// Records the server's response.
class Recorder final : public net::Exchange {
 public:
  void respond(net::Response response) override {
    headers = response.headers;
    status = response.status;
    body = std::move(response.body);
    for (const net::Bytes& piece : response.pieces) body += *piece;
    ended = true;
    if (on_response) on_response();
  }
  void begin(int code, net::Headers head) override {
    status = code;
    headers = std::move(head);
  }
  void write(net::Bytes bytes) override {
    body += *bytes;
    written.push_back(std::move(bytes));
  }
  void finish() override { ended = true; }
  std::size_t unsent() const override { return backlog; }
  void when_room(std::size_t bytes, Task task) override {
    room = bytes;
    on_room = std::move(task);
  }
  void read_input(net::InputSink sink) override { input = std::move(sink); }
  void pause_input() override { input_paused = true; }
  void resume_input() override { input_paused = false; }
  void abort() override { aborted = true; }
  void on_gone(Task task) override { gone = std::move(task); }

  /// The client reads all but these bytes.
  void read_until(std::size_t left) {
    backlog = left;
    if (on_room && backlog <= room) std::exchange(on_room, nullptr)();
  }

  int status = 0;
  net::Headers headers;
  std::string body;
  std::vector<net::Bytes> written;
  bool ended = false;
  bool aborted = false;
  std::size_t backlog = 0;
  std::size_t room = 0;
  Task on_room;
  Task gone;
  net::InputSink input;
  bool input_paused = false;
  std::function<void()> on_response;  // runs while the server is still sending the response
};

/// A disk without space for changes while the test says so.
class FullDisk final : public store::Disk {
 public:
  int before(const store::DiskCall& call) override {
    using Kind = store::DiskCall::Kind;
    const bool grows = call.kind == Kind::kReserve || (call.kind == Kind::kWrite && call.path.ends_with("-wal"));
    return full && grows ? ENOSPC : 0;
  }
  std::atomic<bool> full = false;
};

class Engine : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "muster-apiserver.XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    open();
  }
  void TearDown() override {
    close();
    std::filesystem::remove_all(directory_);
  }

  void open() {
    store::Options options;
    options.directory = directory_;
    options.extract = extract_attributes;
    options.disk = &disk_;
    options.on_fatal = [](const Error& error) { FAIL() << error.message; };
    auto opened = store::Store::open(loop_, std::move(options));
    ASSERT_TRUE(opened.has_value()) << opened.error().message;
    store_ = *std::move(opened);
    server_ = std::make_unique<ApiServer>(loop_, rng_, *store_, server_options_);
    server_->start();
    until([&] { return store_->count("namespaces") == 3; });
  }
  void close() {
    server_.reset();
    store_->close();
    store_.reset();
  }

  /// Runs the writer thread and the loop until `done` returns true.
  template <typename Done>
  void until(Done done) {
    while (!done()) {
      loop_.settle();
      std::this_thread::yield();
    }
  }

  /// Removes the object directly in the store, bypassing the server.
  void remove_unseen(const store::Key& key) {
    bool removed = false;
    store_->remove(
        key, store_->latest(key)->revision,
        [](store::Revision) {
          return store::Rendered{"{}", {}};
        },
        [&](Result<store::Entry>) { removed = true; });
    until([&] { return removed; });
  }

  /// Sends a request as if over the network.
  std::shared_ptr<Recorder> start_remote(const std::string& method, const std::string& target,
                                         const std::string& body = "") {
    auto exchange = std::make_shared<Recorder>();
    net::Request request{.method = method, .target = target, .headers = {}, .body = body, .peer = {.tls = true}};
    request.headers.set("Authorization", "Bearer t");
    request.headers.set("Host", "here");
    server_->handle(std::move(request), exchange);
    return exchange;
  }
  std::shared_ptr<Recorder> start(const std::string& method, const std::string& target, const std::string& body = "",
                                  const std::string& accept = "") {
    auto exchange = std::make_shared<Recorder>();
    net::Request request;
    request.method = method;
    request.target = target;
    request.body = body;
    if (!accept.empty()) request.headers.set("Accept", accept);
    request.peer.in_process = true;
    if (method == "PATCH") request.headers.set("Content-Type", "application/merge-patch+json");
    server_->handle(std::move(request), exchange);
    return exchange;
  }
  std::shared_ptr<Recorder> call(const std::string& method, const std::string& target, const std::string& body = "") {
    auto exchange = start(method, target, body);
    until([&] { return exchange->ended; });
    return exchange;
  }

  std::string directory_;
  FullDisk disk_;
  testing::SimLoop loop_;
  testing::SeededRng rng_{1};
  Options server_options_{.token = "t", .allowed_hosts = {"here"}};
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<ApiServer> server_;
};

inline constexpr const char* kConfigMaps = "/api/v1/namespaces/default/configmaps";
inline constexpr const char* kPods = "/api/v1/namespaces/default/pods";

}  // namespace muster::apiserver
