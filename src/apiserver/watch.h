// Watches: streams of changes after a revision.
//
// The store tells every watcher of a resource about the same event object, one after the other; rendered bytes are kept
// for that moment, so an event is serialised once per form (plain, Table, …) and the buffer is shared by all streams. A
// watcher that leaves more than 8 MiB unread is cut off: it comes back with its last revision or lists again.
#pragma once

#include <memory>
#include <set>

#include "apiserver/context.h"
#include "apiserver/reply.h"
#include "apiserver/request.h"

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
  struct Watcher;
  struct Rendered;

  void send(Watcher& watcher, std::string_view type, const std::shared_ptr<const store::Event>& event);
  void send_initial(const std::shared_ptr<Watcher>& watcher, const store::Range& range);
  void follow(const std::shared_ptr<Watcher>& watcher);
  void fail(const std::shared_ptr<Watcher>& watcher, Error error);
  void on_event(Watcher& watcher, const std::shared_ptr<const store::Event>& event);
  void bookmark(Watcher& watcher, store::Revision revision, bool initial_end);
  void schedule_bookmark(const std::shared_ptr<Watcher>& watcher);
  void end(const std::shared_ptr<Watcher>& watcher);
  void close(const std::shared_ptr<Watcher>& watcher);
  static void write(Watcher& watcher, net::Bytes line);
  static bool share(Watcher& watcher, std::string_view type, const net::Bytes& object);
  net::Bytes render(const Watcher& watcher, std::string_view type, const net::Bytes& object) const;

  Context& context_;
  std::set<std::shared_ptr<Watcher>> watchers_;
  std::unique_ptr<Rendered> rendered_;
};

}  // namespace muster::apiserver
