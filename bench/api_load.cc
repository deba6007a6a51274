// api_load: one load generator for every API server measured, ours and kube-apiserver alike. It uses TLS, keep-alive
// and one request at a time per connection, and prints one JSON line.
//
//   api_load KUBECONFIG create COUNT CONNECTIONS PREFIX
//       creates PyTorchJobs of 2.6 KB, PREFIX-0 … PREFIX-(COUNT-1)
//   api_load KUBECONFIG get COUNT CONNECTIONS NAME
//       gets one job
//   api_load KUBECONFIG list COUNT
//       reads the whole list COUNT times and counts the items of the last one
//   api_load KUBECONFIG watch SECONDS CONNECTIONS PREFIX WATCHERS
//       creates as above for that long, then waits until every watcher has seen every job, in order
//   api_load KUBECONFIG hold SECONDS WATCHERS
//       opens watchers that see no events
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "client/kubeconfig.h"
#include "json/document.h"
#include "net/event_loop.h"
#include "net/http_client.h"

namespace muster {
namespace {

constexpr const char* kCollection = "/apis/kubeflow.org/v1/namespaces/default/pytorchjobs";
constexpr std::size_t kBodyBytes = 2600;

/// The jobs are suspended, so that no controller acts on them: only the API is measured.
std::string job_body(const std::string& name, const std::string& label) {
  const std::string container =
      R"({"name":"pytorch","image":"registry.example/training/pytorch:2.1","command":["python",)"
      R"("train.py","--epochs","10"],"resources":{"limits":{"cpu":"4","memory":"8Gi"}}})";
  const std::string replica =
      R"({"replicas":1,"restartPolicy":"OnFailure","template":{"spec":{"containers":[)" + container + "]}}}";
  std::string body = R"({"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","metadata":{"name":")" + name +
                     R"(","namespace":"default","labels":{"bench":")" + label +
                     R"("},"annotations":{"note":"@"}},"spec":{"runPolicy":{"suspend":true},)" +
                     R"("pytorchReplicaSpecs":{"Master":)" + replica + R"(,"Worker":)" + replica + "}}}";
  const std::size_t at = body.find('@');
  body.replace(at, 1, std::string(kBodyBytes > body.size() ? kBodyBytes - body.size() : 1, 'x'));
  return body;
}

/// What one watcher has read. This program must not become the bottleneck: lines are scanned in place, every one for
/// its event, and only the last one of each read for its version.
struct Watcher {
  std::unique_ptr<net::HttpClient> connection;
  std::unique_ptr<net::Call> call;
  std::string piece;         // an incomplete line
  std::int64_t version = 0;  // of the last event
  std::size_t events = 0;
  int created = 0;
  int resumed = 0;

  Status take(std::string_view data) {
    std::string whole;
    std::string_view line;
    for (std::size_t end; (end = data.find('\n')) != std::string_view::npos; data.remove_prefix(end + 1)) {
      line = data.substr(0, end);
      if (!piece.empty()) line = whole = std::exchange(piece, {}).append(line);
      TRY(count(line));
    }
    piece.append(data);
    return line.empty() ? ok() : check_version(line);
  }

  Status count(std::string_view line) {
    const bool is_new = line.starts_with(R"({"type":"ADDED")");
    if (!is_new && !line.starts_with(R"({"type":"MODIFIED")")) return unexpected(line);
    ++events;
    if (is_new) ++created;
    return ok();
  }

  Status check_version(std::string_view line) {
    constexpr std::string_view kVersion = R"("resourceVersion":")";
    const std::size_t at = line.find(kVersion);
    if (at == std::string_view::npos) return unexpected(line);
    const std::size_t begin = at + kVersion.size();
    const auto next = parse_int(line.substr(begin, line.find('"', begin) - begin));
    if (!next || *next <= version) return unexpected(line);
    version = *next;
    return ok();
  }

  Error unexpected(std::string_view line) const {
    return Error{.reason = Reason::kInternalError,
                 .message = fmt::format("after version {} came {}", version, line.substr(0, 300))};
  }
};

struct Load {
  net::EventLoop loop;
  client::Target target;
  std::vector<std::unique_ptr<net::HttpClient>> connections;
  std::vector<std::unique_ptr<net::Call>> calls;
  std::vector<double> latencies_ms;
  int sent = 0;
  int finished = 0;
  int count = 0;
  int errors = 0;
  double ended = 0;  // on the monotonic clock
  std::size_t bytes = 0;
  std::string last_body;
  bool keep_last = false;
  std::vector<std::unique_ptr<Watcher>> watchers;

  net::Request request(const std::string& method, const std::string& path, std::string body) const {
    net::Request made{.method = method, .target = path, .headers = {}, .body = std::move(body), .peer = {}};
    made.headers.set("Accept", "application/json");
    made.headers.set("Content-Type", "application/json");
    if (!target.token.empty()) made.headers.set("Authorization", "Bearer " + target.token);
    return made;
  }

  template <typename MakeRequest>
  void next(std::size_t connection, MakeRequest make) {
    if (sent == count) return;
    const MonoTime begin = loop.mono();
    auto body = std::make_shared<std::string>();
    auto status = std::make_shared<int>(0);
    net::ResponseSink sink;
    sink.on_head = [status](int code, const net::Headers&) { *status = code; };
    // Only the last of many large responses is kept: this program must not become the bottleneck.
    const bool keep = !keep_last || sent == count - 1;
    sink.on_data = [this, body, status, keep](std::string_view data) {
      bytes += data.size();
      if (keep || *status >= 300) body->append(data);
    };
    sink.on_end = [this, connection, make, begin, body, status](Status end) {
      latencies_ms.push_back(std::chrono::duration<double, std::milli>(loop.mono() - begin).count());
      ++finished;
      if (!end.has_value() || *status >= 300) {
        if (errors++ == 0) fmt::print(stderr, "api_load: {} {}\n", *status, end ? *body : end.error().message);
      }
      last_body = std::move(*body);
      stop_when_done();
      loop.post([this, connection, make] { next(connection, make); });
    };
    calls[connection] = connections[connection]->send(make(sent++), std::move(sink));
  }

  /// Sends one small request on each connection, so that TLS handshakes are not part of the measurement.
  void greet(std::size_t first) {
    std::size_t greeted = 0;
    for (std::size_t i = first; i < connections.size(); ++i) {
      net::ResponseSink sink;
      sink.on_end = [&greeted](Status) { ++greeted; };
      calls[i] = connections[i]->send(request("GET", "/version", ""), std::move(sink));
    }
    loop.run_until([&] { return greeted == connections.size() - first; });
  }

  template <typename MakeRequest>
  double run(int total, int parallel, MakeRequest make) {
    count = total;
    const std::size_t first = connections.size();
    for (int i = 0; i < parallel; ++i) connections.push_back(std::make_unique<net::HttpClient>(loop, target.endpoint));
    calls.resize(connections.size());
    greet(first);
    const MonoTime begin = loop.mono();
    for (std::size_t i = first; i < connections.size(); ++i) next(i, make);
    loop.run();
    const MonoTime end = loop.mono();
    ended = std::chrono::duration<double>(end.time_since_epoch()).count();
    return std::chrono::duration<double>(end - begin).count();
  }

  void stop_when_done() {
    const bool all_seen =
        std::ranges::all_of(watchers, [this](const auto& watcher) { return watcher->created >= count; });
    if (finished == count && all_seen) loop.stop();
  }

  void fail(const std::string& why) {
    if (errors++ == 0) fmt::print(stderr, "api_load: {}\n", why);
    loop.stop();
  }

  /// A watch that the server ends continues where it ended, as in every client.
  void watch(Watcher& watcher, const std::string& label, std::function<void()> begun) {
    net::ResponseSink sink;
    sink.on_head = [this, begun = std::move(begun)](int code, const net::Headers&) {
      if (code != 200) fail(fmt::format("a watch was answered with {}", code));
      begun();
    };
    sink.on_data = [this, &watcher](std::string_view data) {
      const int before = watcher.created;
      if (const Status read = watcher.take(data); !read) return fail(read.error().message);
      if (before < count && watcher.created >= count) stop_when_done();
    };
    sink.on_end = [this, &watcher, label](Status) {
      ++watcher.resumed;
      watcher.piece.clear();
      loop.post([this, &watcher, label] { watch(watcher, label, [] {}); });
    };
    std::string query = "?watch=true&timeoutSeconds=600&labelSelector=bench%3D" + label;
    if (watcher.version > 0) query += fmt::format("&resourceVersion={}", watcher.version);
    watcher.call = watcher.connection->send(request("GET", kCollection + query, ""), std::move(sink));
  }

  /// Opens watchers and waits until the server has started all of them.
  void open_watches(int number, const std::string& label) {
    int begun = 0;
    for (int i = 0; i < number; ++i) {
      watchers.push_back(std::make_unique<Watcher>());
      watchers.back()->connection = std::make_unique<net::HttpClient>(loop, target.endpoint);
      watch(*watchers.back(), label, [&begun] { ++begun; });
    }
    loop.run_until([&] { return begun == number; });
  }

  double percentile(double p) {
    if (latencies_ms.empty()) return 0;
    std::ranges::sort(latencies_ms);
    return latencies_ms[static_cast<std::size_t>(p * static_cast<double>(latencies_ms.size() - 1))];
  }
};

int run(const std::vector<std::string>& args) {
  Load load;
  auto target = client::load_kubeconfig(args[0], "");
  if (!target) {
    fmt::print(stderr, "api_load: {}\n", target.error().message);
    return 1;
  }
  load.target = *target;
  const auto number = [&args](std::size_t i) { return static_cast<int>(parse_int(args[i]).value_or(1)); };
  const std::string& mode = args[1];
  const int count = number(2);
  double seconds = 0;
  std::size_t items = 0;
  const auto create = [&load, &args](int i) {
    return load.request("POST", kCollection, job_body(fmt::format("{}-{}", args[4], i), args[4]));
  };
  if (mode == "create") {
    seconds = load.run(count, number(3), create);
  } else if (mode == "watch") {
    load.open_watches(number(5), args[4]);
    load.loop.after(std::chrono::seconds(count), [&load] {
      load.count = load.sent;
      load.stop_when_done();  // no request may be in progress here
    });
    seconds = load.run(std::numeric_limits<int>::max(), number(3), create);
  } else if (mode == "get") {
    seconds = load.run(count, number(3), [&load, path = std::string(kCollection) + "/" + args[4]](int) {
      return load.request("GET", path, "");
    });
  } else if (mode == "hold") {
    load.open_watches(number(3), "nothing");
    fmt::print(stderr, "held\n");
    load.loop.after(std::chrono::seconds(count), [&load] { load.loop.stop(); });
    load.loop.run();
  } else {
    load.keep_last = true;
    seconds = load.run(count, 1, [&load](int) { return load.request("GET", kCollection, ""); });
    if (auto list = json::parse(load.last_body); list && list->find("items") != nullptr) {
      items = list->find("items")->as_array().size();
    }
  }
  std::size_t events = 0;
  int resumed = 0;
  for (const auto& watcher : load.watchers) {
    events += watcher->events;
    resumed += watcher->resumed;
  }
  fmt::print(
      "{{\"seconds\":{:.4f},\"rate\":{:.1f},\"p50_ms\":{:.3f},\"p99_ms\":{:.3f},\"bytes\":{},\"items\":{},\"events\":{}"
      ",\"resumed\":{},\"errors\":{},\"ended\":{:.4f}}}\n",
      seconds, load.count / seconds, load.percentile(0.5), load.percentile(0.99), load.bytes, items, events, resumed,
      load.errors, load.ended);
  return load.errors == 0 ? 0 : 1;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  const std::size_t needed = args.size() < 2      ? 3
                             : args[1] == "watch" ? 6
                             : args[1] == "hold"  ? 4
                             : args[1] == "list"  ? 3
                                                  : 5;
  if (args.size() < needed) {
    fmt::print(stderr, "usage: api_load KUBECONFIG create|get|list|watch|hold …; the head of its source says more\n");
    return 2;
  }
  return muster::run(args);
}
