#include "cli/volumes/volume_files.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "base/lifetime.h"
#include "base/strings.h"

namespace muster::cli {

namespace {

constexpr std::size_t kReadSize = std::size_t{256} << 10;
constexpr std::size_t kMostUnsentBytes = std::size_t{1} << 20;

unsigned parse_octal(const std::string& text) {
  unsigned mode = 0;
  std::from_chars(text.data(), text.data() + text.size(), mode, 8);
  return mode;
}

/// A name that is not valid text comes encoded.
std::string name_in(const json::Document& entry) {
  const std::string& encoded = entry.string_at("encodedName");
  return encoded.empty() ? entry.string_at("name") : net::percent_decode(encoded, false).value_or("");
}

VolumeFile file_of(const json::Document& entry) {
  return {.name = name_in(entry),
          .type = entry.string_at("type"),
          .size = entry.int_at("size"),
          .modified = entry.string_at("modified"),
          .mode = parse_octal(entry.string_at("mode"))};
}

Status write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error("write", errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return ok();
}

Error interrupted() {
  return {.reason = Reason::kTimeout, .message = "interrupted"};
}

/// Sends a descriptor as a request's body, no faster than the server takes it.
class BodyPump {
 public:
  BodyPump(Loop& loop, int fd, const VolumeFiles::OnProgress& on_progress)
      : loop_(loop), fd_(fd), on_progress_(on_progress) {}

  void start(net::Call& call) {
    call_ = &call;
    schedule();
  }
  /// The server has answered: nothing more is sent.
  void stop() { call_ = nullptr; }
  const std::optional<Error>& failure() const { return failure_; }

 private:
  void schedule() {
    loop_.post(lifetime_.guard([this] { step(); }));
  }

  /// Reading blocks: this command has nothing else to do meanwhile.
  void step() {
    if (call_ == nullptr) return;
    std::string bytes(kReadSize, '\0');
    const ssize_t n = ::read(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) return schedule();
    if (n < 0) {
      failure_ = errno_error("read", errno);
      return;
    }
    if (n == 0) return call_->finish();
    bytes.resize(static_cast<std::size_t>(n));
    sent_ += n;
    on_progress_(sent_);
    call_->write(std::make_shared<const std::string>(std::move(bytes)));
    if (call_->unsent() <= kMostUnsentBytes) return schedule();
    call_->when_room(kMostUnsentBytes / 2, lifetime_.guard([this] { step(); }));
  }

  Loop& loop_;
  int fd_;
  const VolumeFiles::OnProgress& on_progress_;
  net::Call* call_ = nullptr;
  std::int64_t sent_ = 0;
  std::optional<Error> failure_;
  Lifetime lifetime_;
};

}  // namespace

std::string VolumeFiles::target(const std::string& path, std::string_view query) const {
  std::string out = client::path_of({{"muster.dev", "v1", "persistentvolumeclaims"}, ns_, claim_, "files"});
  for (const std::string& part : split(path, '/')) {
    if (!part.empty()) out += "/" + net::percent_encode(part);
  }
  return query.empty() ? out : fmt::format("{}?{}", out, query);
}

Result<std::string> VolumeFiles::call(const std::string& method, const std::string& target) {
  std::string body;
  std::optional<Status> end;
  net::ResponseSink sink;
  sink.on_data = [&](std::string_view bytes) { body += bytes; };
  sink.on_end = [&](Status status) { end = std::move(status); };
  const auto call = session_.api().stream(method, target, std::move(sink));
  if (session_.wait_until([&] { return end.has_value(); }) != Session::Waited::kDone) return interrupted();
  TRY(*end);
  return body;
}

Result<VolumeFile> VolumeFiles::stat(const std::string& path) {
  TRY_ASSIGN(const std::string body, call("GET", target(path, "stat=true")));
  TRY_ASSIGN(const json::Document entry, json::parse(body));
  return file_of(entry);
}

Result<std::vector<VolumeFile>> VolumeFiles::list(const std::string& path) {
  std::vector<VolumeFile> out;
  std::string next;
  do {
    const std::string query = next.empty() ? "" : "continue=" + net::percent_encode(next);
    TRY_ASSIGN(const std::string body, call("GET", target(path, query)));
    TRY_ASSIGN(const json::Document page, json::parse(body));
    for (const json::Document& entry : page.array_at("items")) out.push_back(file_of(entry));
    next = page.string_at("metadata", "continue");
  } while (!next.empty());
  return out;
}

Status VolumeFiles::make_folder(const std::string& path) {
  TRY(call("POST", target(path, "makeFolder=true")));
  return ok();
}

Status VolumeFiles::remove(const std::string& path, Depth depth) {
  TRY(call("DELETE", target(path, depth == Depth::kAll ? "recursive=true" : "")));
  return ok();
}

Status VolumeFiles::download(const std::string& path, int to, const OnProgress& on_progress) {
  std::int64_t received = 0;
  std::optional<Status> end;
  net::ResponseSink sink;
  sink.on_data = [&](std::string_view bytes) {
    if (end) return;
    if (auto written = write_all(to, bytes); !written) end = std::move(written);
    received += static_cast<std::int64_t>(bytes.size());
    on_progress(received);
  };
  sink.on_end = [&](Status status) {
    if (!end) end = std::move(status);
  };
  const auto call = session_.api().stream("GET", target(path), std::move(sink));
  if (session_.wait_until([&] { return end.has_value(); }) != Session::Waited::kDone) return interrupted();
  return *std::move(end);
}

Status VolumeFiles::upload(const std::string& path, int from, std::optional<unsigned> mode,
                           const OnProgress& on_progress) {
  BodyPump pump(session_.loop(), from, on_progress);
  std::optional<Status> end;
  net::ResponseSink sink;
  sink.on_end = [&](Status status) {
    pump.stop();
    end = std::move(status);
  };
  const std::string query = mode ? fmt::format("mode={:o}", *mode) : "";
  const auto call = session_.api().upload(target(path, query), std::move(sink));
  pump.start(*call);
  const auto over = [&] { return end.has_value() || pump.failure().has_value(); };
  if (session_.wait_until(over) != Session::Waited::kDone) return interrupted();
  if (pump.failure()) return *pump.failure();
  return *std::move(end);
}

}  // namespace muster::cli
