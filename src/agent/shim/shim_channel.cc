#include "agent/shim/shim_channel.h"

#include <algorithm>

#include "agent/disk/paths.h"
#include "base/files.h"
#include "base/lifetime.h"
#include "base/log.h"
#include "base/strings.h"
#include "linux/packet_socket.h"
#include "shim/encode_fields.h"
#include "shim/format.h"

namespace muster::agent {
namespace {

using Fields = std::vector<std::string_view>;

struct Answer {
  Fields fields;  // after the id
  Fd fd;
};

/// A request that is not finished.
struct PendingRequest {
  UniqueFunction<void(Result<Answer>)> on_answer;  // empty once it was answered
  UniqueFunction<void(Result<Fields>)> on_ended;   // empty when one answer finishes the request
};

Error channel_closed() {
  return {.reason = Reason::kServiceUnavailable, .message = "the connection to the pod's shim has ended"};
}

std::int64_t number_at(const Fields& fields, std::size_t index) {
  return index < fields.size() ? parse_int(fields[index]).value_or(0) : 0;
}

Status without_value(const Result<Answer>& answer) {
  return answer ? ok() : Status(answer.error());
}

ShimStatistics statistics_of(const Fields& fields) {
  ShimStatistics statistics;
  statistics.init = static_cast<pid_t>(number_at(fields, 0));
  for (std::size_t i = 1; i + 1 < fields.size(); i += 2) {
    statistics.containers[std::string(fields[i])] = static_cast<pid_t>(number_at(fields, i + 1));
  }
  return statistics;
}

class Channel final : public ShimChannel {
 public:
  Channel(Loop& loop, std::string folder, Fd socket, Handlers handlers)
      : loop_(loop), folder_(std::move(folder)), socket_(std::move(socket)), handlers_(std::move(handlers)) {
    readable_id_ = loop_.on_readable(socket_.get(), [this] { read_packets(); });
  }
  ~Channel() override {
    if (readable_id_ != 0) loop_.cancel(readable_id_);
  }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  void start(const std::string& container, int run, Done done) override {
    request("start", {container, std::to_string(run)}, {}, finished_by(std::move(done)));
  }

  void kill_container(const std::string& container, int run, std::int64_t grace_seconds, Done done) override {
    request("kill-container", {container, std::to_string(run), std::to_string(grace_seconds)}, {},
            finished_by(std::move(done)));
  }

  void kill_for_memory(const std::string& container, int run, const std::string& why, Done done) override {
    request("kill-container", {container, std::to_string(run), "0", why}, {}, finished_by(std::move(done)));
  }

  void stop(std::int64_t grace_seconds, Done done) override {
    request("stop", {std::to_string(grace_seconds)}, {}, finished_by(std::move(done)));
  }

  std::uint64_t exec(const ExecRequest& command, ExecStreams streams, ExecHandlers handlers) override {
    std::string records;
    if (!command.cwd.empty()) shim::put_fields(records, {"cwd", command.cwd});
    if (command.user) put_user(records, *command.user);
    if (command.tty) shim::put_fields(records, {"tty"});
    for (const std::string& arg : command.args) shim::put_fields(records, {"arg", arg});
    for (const auto& [name, value] : command.env) shim::put_fields(records, {"env", name + "=" + value});
    PendingRequest pending;
    pending.on_answer = [on_started = std::move(handlers.on_started)](Result<Answer> answer) mutable {
      on_started(answer ? Result<Fd>(std::move(answer->fd)) : Result<Fd>(answer.error()));
    };
    pending.on_ended = [on_ended = std::move(handlers.on_ended)](Result<Fields> how) mutable {
      if (!how) return on_ended(how.error());
      on_ended(ExecEnd{static_cast<int>(number_at(*how, 0)), static_cast<int>(number_at(*how, 1))});
    };
    if (command.tty) return request("exec", {command.container}, {}, std::move(pending), records);
    return request("exec", {command.container}, {streams.in.get(), streams.out.get(), streams.err.get()},
                   std::move(pending), records);
  }

  void kill_exec(std::uint64_t id) override {
    request("kill", {std::to_string(id)}, {}, finished_by([](Status) {}));
  }

  void attach(const std::string& container, Fd out, Fd err, AttachHandlers handlers) override {
    PendingRequest pending;
    pending.on_answer = [on_started = std::move(handlers.on_started)](Result<Answer> answer) mutable {
      on_started(answer ? Result<Fd>(std::move(answer->fd)) : Result<Fd>(answer.error()));
    };
    pending.on_ended = [on_ended = std::move(handlers.on_ended)](Result<Fields> how) mutable {
      if (!how) return on_ended(how.error());
      const std::string_view why = how->size() > 2 ? (*how)[2] : "";
      on_ended(why.empty() ? ok() : Status(Error{.reason = Reason::kTimeout, .message = std::string(why)}));
    };
    if (err) {
      request("attach", {container}, {out.get(), err.get()}, std::move(pending));
    } else {
      request("attach", {container}, {out.get()}, std::move(pending));
    }
  }

  void resize(const std::string& container, int rows, int columns, Done done) override {
    request("resize", {container, std::to_string(rows), std::to_string(columns)}, {}, finished_by(std::move(done)));
  }

  void statistics(UniqueFunction<void(Result<ShimStatistics>)> done) override {
    PendingRequest pending;
    pending.on_answer = [done = std::move(done)](Result<Answer> answer) mutable {
      done(answer ? Result<ShimStatistics>(statistics_of(answer->fields)) : Result<ShimStatistics>(answer.error()));
    };
    request("statistics", {}, {}, std::move(pending));
  }

 private:
  static PendingRequest finished_by(Done done) {
    PendingRequest pending;
    pending.on_answer = [done = std::move(done)](Result<Answer> answer) mutable { done(without_value(answer)); };
    return pending;
  }

  std::uint64_t request(std::string_view verb, std::initializer_list<std::string_view> fields,
                        std::initializer_list<int> fds, PendingRequest pending, std::string_view records = {}) {
    const std::uint64_t id = ++last_id_;
    std::string bytes;
    shim::put_fields(bytes, {verb, std::to_string(id)});
    shim::put_fields(bytes, fields);
    bytes.append(records);
    pending_.emplace(id, std::move(pending));
    Status sent = socket_ ? ok() : Status(channel_closed());
    if (bytes.size() > MUSTER_PACKET_MAX) {
      sent = Error{.reason = Reason::kRequestEntityTooLarge,
                   .message = "the command with its variables is too long for the pod's shim, got " +
                              std::to_string(bytes.size()) + " bytes of " + std::to_string(MUSTER_PACKET_MAX)};
    }
    if (sent) sent = linux_os::send_packet(socket_, bytes, fds);
    if (!sent) fail_later(id, sent.error());
    return id;
  }

  void fail_later(std::uint64_t id, Error error) {
    loop_.post(lifetime_.guard([this, id, error = std::move(error)] { finish(id, error); }));
  }

  /// Ends the request with the error, by the callback that is still to be called.
  void finish(std::uint64_t id, const Error& error) {
    auto node = pending_.extract(id);
    if (node.empty()) return;
    PendingRequest request = std::move(node.mapped());
    if (request.on_answer) {
      request.on_answer(error);
    } else {
      request.on_ended(error);
    }
  }

  void read_packets() {
    const auto life = lifetime_.watch();
    while (!life.over()) {
      auto packet = linux_os::receive_packet(socket_, MUSTER_PACKET_MAX);
      if (!packet) return close();
      if (!*packet) return;
      take(**packet);
    }
  }

  void take(linux_os::Packet& packet) {
    Fields fields = shim::split_fields(packet.bytes);
    if (fields.size() < 2) return;
    const std::string_view verb = fields[0];
    if (verb == "state") return take_state(fields[1]);
    if (verb == "hello") return;  // later versions only add
    const auto id = static_cast<std::uint64_t>(number_at(fields, 1));
    fields.erase(fields.begin(), fields.begin() + 2);
    if (verb == "ok") return take_answer(id, {std::move(fields), packet.fds.empty() ? Fd() : std::move(packet.fds[0])});
    if (verb == "ended") return take_end(id, std::move(fields));
    if (verb == "failed") {
      finish(id, Error{.reason = Reason::kConflict, .message = std::string(fields.empty() ? "" : fields[0])});
    }
  }

  void take_state(std::string_view text) {
    std::string from_file;
    if (text.empty()) {  // it is too long for a packet
      from_file = read_file(folder_ + kStateFile).value_or("");
      text = from_file;
    }
    auto record = parse_record(text);
    if (!record) {
      LOG_WARN("pod's state not understood", {"folder", folder_}, {"error", record.error().message});
      return;
    }
    const auto life = lifetime_.watch();
    auto on_state = std::move(handlers_.on_state);  // it may destroy the channel, but not itself
    on_state(*std::move(record));
    if (!life.over()) handlers_.on_state = std::move(on_state);
  }

  void take_answer(std::uint64_t id, Answer answer) {
    const auto found = pending_.find(id);
    if (found == pending_.end() || !found->second.on_answer) return;
    auto on_answer = std::exchange(found->second.on_answer, nullptr);
    if (!found->second.on_ended) pending_.erase(found);
    on_answer(std::move(answer));
  }

  void take_end(std::uint64_t id, Fields how) {
    auto node = pending_.extract(id);
    if (!node.empty() && node.mapped().on_ended) node.mapped().on_ended(std::move(how));
  }

  void close() {
    loop_.cancel(std::exchange(readable_id_, 0));
    socket_.reset();
    const auto life = lifetime_.watch();
    while (!pending_.empty()) {
      finish(pending_.begin()->first, channel_closed());
      if (life.over()) return;
    }
    if (auto on_closed = std::exchange(handlers_.on_closed, nullptr)) on_closed();
  }

  Loop& loop_;
  std::string folder_;
  Fd socket_;
  Handlers handlers_;
  Loop::Id readable_id_ = 0;
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, PendingRequest> pending_;
  Lifetime lifetime_;
};

}  // namespace

Result<std::unique_ptr<ShimChannel>> ShimChannel::connect(Loop& loop, const std::string& folder, Handlers handlers) {
  TRY_ASSIGN(Fd socket, linux_os::connect_packet_socket(folder, MUSTER_CONTROL));
  return std::unique_ptr<ShimChannel>(std::make_unique<Channel>(loop, folder, std::move(socket), std::move(handlers)));
}

}  // namespace muster::agent
