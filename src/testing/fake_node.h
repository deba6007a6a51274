// A node for tests of the API server: it records what is asked of it, and the test plays the containers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "node/node_api.h"

namespace muster::testing {

class FakeNode final : public node::NodeApi {
 public:
  // ---- logs ----

  Result<std::unique_ptr<node::LogStream>> read_log(const node::LogRequest& request,
                                                    UniqueFunction<void(std::string_view)> on_text,
                                                    UniqueFunction<void(Status)> on_end) override {
    asked = request;
    say = std::move(on_text);
    end = std::move(on_end);
    return std::unique_ptr<node::LogStream>(std::make_unique<Stream>(*this));
  }

  node::LogRequest asked;
  UniqueFunction<void(std::string_view)> say;
  UniqueFunction<void(Status)> end;
  int open = 0;
  int paused = 0;
  int resumed = 0;

  // ---- exec and attach ----

  /// A program that runs until the test ends it or its session is destroyed.
  struct Program {
    node::ExecRequest request;
    node::ExecSink sink;
    bool attached = false;
    std::string input;
    bool input_closed = false;
    std::vector<node::TerminalSize> sizes;
    std::size_t unread = 0;  // of the input; the test says how much
    std::size_t room = 0;
    Task on_room;
    bool paused = false;
    bool dropped = false;  // the session is destroyed

    /// Reads all but so much of its input.
    void read_until(std::size_t left) {
      unread = left;
      if (on_room && unread <= room) std::exchange(on_room, nullptr)();
    }
  };

  Result<std::unique_ptr<node::ExecSession>> exec(const node::ExecRequest& request, node::ExecSink sink) override {
    return run(request, std::move(sink), false);
  }
  Result<std::unique_ptr<node::ExecSession>> attach(const node::ExecRequest& request, node::ExecSink sink) override {
    return run(request, std::move(sink), true);
  }

  // ---- connections to ports ----

  /// A connection that lasts until its session is destroyed.
  struct Connection {
    node::PortRequest request;
    node::PortSink sink;
    std::string input;
    bool input_finished = false;
    std::size_t unread = 0;  // of the input; the test says how much
    std::size_t room = 0;
    Task on_room;
    bool paused = false;
    bool dropped = false;  // the session is destroyed

    void read_until(std::size_t left) {
      unread = left;
      if (on_room && unread <= room) std::exchange(on_room, nullptr)();
    }
  };

  Result<std::unique_ptr<node::PortSession>> connect(const node::PortRequest& request, node::PortSink sink) override {
    if (refusal) return *std::exchange(refusal, std::nullopt);
    auto connection = std::make_shared<Connection>();
    connection->request = request;
    connection->sink = std::move(sink);
    connections.push_back(connection);
    return std::unique_ptr<node::PortSession>(std::make_unique<Port>(connection));
  }

  std::vector<std::shared_ptr<Connection>> connections;

  std::vector<std::shared_ptr<Program>> programs;
  std::optional<Error> refusal;  // of the next program or connection
  std::function<void(Program&)> on_program;

 private:
  struct Stream final : node::LogStream {
    explicit Stream(FakeNode& owner) : node(owner) { ++node.open; }
    ~Stream() override { --node.open; }
    void pause() override { ++node.paused; }
    void resume() override { ++node.resumed; }
    FakeNode& node;
  };

  struct Session final : node::ExecSession {
    explicit Session(std::shared_ptr<Program> started) : program(std::move(started)) {}
    ~Session() override { program->dropped = true; }
    void write_stdin(std::string_view bytes) override { program->input += bytes; }
    void close_stdin() override { program->input_closed = true; }
    void resize(node::TerminalSize size) override { program->sizes.push_back(size); }
    std::size_t unsent_stdin() const override { return program->unread; }
    void when_stdin_room(std::size_t bytes, Task task) override {
      program->room = bytes;
      program->on_room = std::move(task);
    }
    void pause_output() override { program->paused = true; }
    void resume_output() override { program->paused = false; }
    std::shared_ptr<Program> program;
  };

  struct Port final : node::PortSession {
    explicit Port(std::shared_ptr<Connection> made) : connection(std::move(made)) {}
    ~Port() override { connection->dropped = true; }
    void write(std::string_view bytes) override { connection->input += bytes; }
    void finish() override { connection->input_finished = true; }
    std::size_t unsent() const override { return connection->unread; }
    void when_room(std::size_t bytes, Task task) override {
      connection->room = bytes;
      connection->on_room = std::move(task);
    }
    void pause() override { connection->paused = true; }
    void resume() override { connection->paused = false; }
    std::shared_ptr<Connection> connection;
  };

  Result<std::unique_ptr<node::ExecSession>> run(const node::ExecRequest& request, node::ExecSink sink, bool attached) {
    if (refusal) return *std::exchange(refusal, std::nullopt);
    auto program = std::make_shared<Program>();
    program->request = request;
    program->sink = std::move(sink);
    program->attached = attached;
    programs.push_back(program);
    if (on_program) on_program(*program);
    return std::unique_ptr<node::ExecSession>(std::make_unique<Session>(program));
  }
};

}  // namespace muster::testing
