// Watches: streams of changes after a revision.
//
// A watcher first catches up on its own, as fast as its reader takes it: with the current objects, or with the history
// since its revision. From then on it belongs to an audience, the watchers of an account that chose the same objects in
// the same form: each event is matched and encoded once for all of them, and the events of one turn of the loop, or of
// a few milliseconds when they come fast, go out as one block of bytes that the streams share. A watcher that leaves
// more than 8 MiB unread, or more than its share when its account leaves too much unread (watch/backlog.h), is
// disconnected: it comes back with its last revision or lists again.
#pragma once

#include <map>
#include <memory>
#include <set>

#include "apiserver/context/context.h"
#include "apiserver/http/reply.h"
#include "apiserver/http/request.h"
#include "apiserver/watch/backlog.h"

namespace muster::apiserver {

class Watches {
 public:
  explicit Watches(Context& context);
  ~Watches();
  Watches(const Watches&) = delete;
  Watches& operator=(const Watches&) = delete;

  void open(const ResourceRequest& request, Reply reply);
  std::size_t count() const { return watchers_.size(); }

 private:
  struct Choice;
  struct Watcher;
  struct Audience;
  class Slice;

  void read_objects(Watcher& watcher);
  void on_early_event(Watcher& watcher, const store::Event& event);
  void produce(const std::shared_ptr<Watcher>& watcher);
  void produce_later(const std::shared_ptr<Watcher>& watcher);
  bool send_objects(Watcher& watcher);
  void follow(const std::shared_ptr<Watcher>& watcher);
  void send(Watcher& watcher, std::string_view type, const net::Bytes& object);
  bool keeps_up(Watcher& watcher);
  void fail(const std::shared_ptr<Watcher>& watcher, Error error);
  void schedule_bookmark(const std::shared_ptr<Watcher>& watcher);
  bool catch_up(Watcher& watcher);
  void bookmark(Watcher& watcher);
  void end(const std::shared_ptr<Watcher>& watcher);
  void close(const std::shared_ptr<Watcher>& watcher);

  void join(Watcher& watcher);
  void leave(Watcher& watcher);
  void on_event(Audience& audience, const store::Event& event);
  void flush_soon(Audience& audience);
  void flush(Audience& audience);

  Context& context_;
  Backlogs backlogs_;
  std::set<std::shared_ptr<Watcher>> watchers_;
  std::map<Choice, std::shared_ptr<Audience>> audiences_;
};

}  // namespace muster::apiserver
