// api_load: one load program for every API server measured, ours and kube-apiserver alike. TLS, keep-alive, one request
// under way per connection. Prints one JSON line.
//
//   api_load KUBECONFIG create COUNT CONNECTIONS PREFIX    POST of 2.6 KB PyTorchJobs, PREFIX-0 … PREFIX-(COUNT-1)
//   api_load KUBECONFIG list COUNT                          COUNT times the whole list, counted and checked
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
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

/// Suspended, so that no controller acts on it: only the API is measured.
std::string job_body(const std::string& name) {
  const std::string container =
      R"({"name":"pytorch","image":"registry.example/training/pytorch:2.1","command":["python",)"
      R"("train.py","--epochs","10"],"resources":{"limits":{"cpu":"4","memory":"8Gi"}}})";
  const std::string replica =
      R"({"replicas":1,"restartPolicy":"OnFailure","template":{"spec":{"containers":[)" + container + "]}}}";
  std::string body = R"({"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","metadata":{"name":")" + name +
                     R"(","namespace":"default","annotations":{"note":"@"}},"spec":{"runPolicy":{"suspend":true},)" +
                     R"("pytorchReplicaSpecs":{"Master":)" + replica + R"(,"Worker":)" + replica + "}}}";
  const std::size_t at = body.find('@');
  body.replace(at, 1, std::string(kBodyBytes > body.size() ? kBodyBytes - body.size() : 1, 'x'));
  return body;
}

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
  std::size_t bytes = 0;
  std::string last_body;

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
    sink.on_data = [body](std::string_view data) { body->append(data); };
    sink.on_end = [this, connection, make, begin, body, status](Status end) {
      latencies_ms.push_back(std::chrono::duration<double, std::milli>(loop.mono() - begin).count());
      bytes += body->size();
      ++finished;
      if (!end.has_value() || *status >= 300) {
        if (errors++ == 0) fmt::print(stderr, "api_load: {} {}\n", *status, end ? *body : end.error().message);
      }
      last_body = std::move(*body);
      if (finished == count) return loop.stop();
      loop.post([this, connection, make] { next(connection, make); });
    };
    calls[connection] = connections[connection]->send(make(sent++), std::move(sink));
  }

  template <typename MakeRequest>
  double run(int total, int parallel, MakeRequest make) {
    count = total;
    for (int i = 0; i < parallel; ++i) connections.push_back(std::make_unique<net::HttpClient>(loop, target.endpoint));
    calls.resize(connections.size());
    const MonoTime begin = loop.mono();
    for (std::size_t i = 0; i < connections.size(); ++i) next(i, make);
    loop.run();
    return std::chrono::duration<double>(loop.mono() - begin).count();
  }

  double percentile(double p) {
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
  const int count = static_cast<int>(parse_int(args[2]).value_or(1));
  double seconds = 0;
  std::size_t items = 0;
  if (args[1] == "create") {
    seconds = load.run(count, static_cast<int>(parse_int(args[3]).value_or(1)), [&load, prefix = args[4]](int i) {
      return load.request("POST", kCollection, job_body(fmt::format("{}-{}", prefix, i)));
    });
  } else {
    seconds = load.run(count, 1, [&load](int) { return load.request("GET", kCollection, ""); });
    if (auto list = json::parse(load.last_body); list && list->find("items") != nullptr) {
      items = list->find("items")->as_array().size();
    }
  }
  fmt::print(
      "{{\"seconds\":{:.4f},\"rate\":{:.1f},\"p50_ms\":{:.3f},\"p99_ms\":{:.3f},\"bytes\":{},\"items\":{},\"errors\":{}"
      "}}\n",
      seconds, load.count / seconds, load.percentile(0.5), load.percentile(0.99), load.bytes, items, load.errors);
  return load.errors == 0 ? 0 : 1;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() < 3 || (args[1] == "create" && args.size() < 5)) {
    fmt::print(stderr, "usage: api_load KUBECONFIG create COUNT CONNECTIONS PREFIX | list COUNT\n");
    return 2;
  }
  return muster::run(args);
}
