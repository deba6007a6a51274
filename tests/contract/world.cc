#include "world.h"

#include <fmt/core.h>
#include <stdlib.h>

#include <filesystem>
#include <map>

#include "api/resource.h"
#include "apiserver/api_server.h"
#include "apiserver/list/attributes.h"
#include "base/random.h"
#include "base/strings.h"
#include "client/kubeconfig.h"
#include "net/http_client.h"
#include "net/http_server.h"
#include "net/pki.h"
#include "store/store.h"

namespace muster::contract {
namespace {

/// Our server with its own store in a temporary directory.
class OurWorld final : public World {
 public:
  explicit OurWorld(bool over_https) {
    std::string pattern = (std::filesystem::temp_directory_path() / "muster-contract.XXXXXX").string();
    CHECK(::mkdtemp(pattern.data()) != nullptr);
    directory_ = pattern;
    store::Options options;
    options.directory = directory_;
    options.extract = apiserver::extract_attributes;
    options.on_fatal = [](const Error& error) {
      fmt::print(stderr, "store: {}\n", error.message);
      ::abort();
    };
    // The history is small, so that a test can make a revision expire.
    options.history_events = 2000;
    auto opened = store::Store::open(loop_, std::move(options));
    CHECK(opened.has_value());
    store_ = *std::move(opened);
    const std::string secret = make_token(rng_);
    if (over_https) token_ = secret;
    server_ = std::make_unique<apiserver::ApiServer>(
        loop_, rng_, *store_,
        apiserver::Options{.token = secret, .allowed_hosts = {"127.0.0.1"}, .is_acted_on = [](const api::Resource& r) {
                             return r.kind != "TFJob";
                           }});
    server_->start();
    if (over_https) {
      listen();
    } else {
      transport_ = std::make_unique<apiserver::LocalTransport>(loop_, *server_);
    }
  }

  ~OurWorld() override {
    transport_.reset();
    http_.reset();
    server_.reset();
    store_->close();
    store_.reset();
    std::filesystem::remove_all(directory_);
  }

  net::EventLoop& loop() override { return loop_; }
  net::Transport& transport() override { return *transport_; }
  const std::string& token() const override { return token_; }
  void set_node(node::NodeApi* node) override { server_->set_node(node); }

 private:
  void listen() {
    const auto ca = net::make_ca(loop_.now());
    CHECK(ca.has_value());
    const auto certificate = net::make_server_certificate(*ca, {"127.0.0.1"}, loop_.now());
    CHECK(certificate.has_value());
    http_ = std::make_unique<net::HttpServer>(
        loop_, net::ServerTls{.certificate_pem = certificate->certificate_pem, .key_pem = certificate->key_pem},
        [this](net::Request request, std::shared_ptr<net::Exchange> exchange) {
          server_->handle(std::move(request), std::move(exchange));
        },
        net::ServerLimits{}, [this](const net::Request& head) { return server_->knows_sender(head); });
    const auto port = http_->listen("127.0.0.1", 0);
    CHECK(port.has_value());
    net::Endpoint endpoint;
    endpoint.host = "127.0.0.1";
    endpoint.port = *port;
    endpoint.ca_pem = ca->certificate_pem;
    transport_ = std::make_unique<net::HttpClient>(loop_, std::move(endpoint));
  }

  std::string directory_;
  net::EventLoop loop_;
  SystemRng rng_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<apiserver::ApiServer> server_;
  std::unique_ptr<net::HttpServer> http_;
  std::unique_ptr<net::Transport> transport_;
  std::string token_;
};

class KubernetesWorld final : public World {
 public:
  explicit KubernetesWorld(const client::Target& target)
      : token_(target.token), transport_(std::make_unique<net::HttpClient>(loop_, target.endpoint)) {}

  net::EventLoop& loop() override { return loop_; }
  net::Transport& transport() override { return *transport_; }
  const std::string& token() const override { return token_; }

  /// etcd drops everything but the current state.
  void forget_history() override {
    const char* port = ::getenv("MUSTER_CONTRACT_ETCD_PORT");
    CHECK(port != nullptr);
    net::Endpoint endpoint;
    endpoint.host = "127.0.0.1";
    endpoint.port = static_cast<int>(parse_int(port).value_or(0));
    endpoint.tls = false;
    net::HttpClient etcd(loop_, std::move(endpoint));
    const auto ask = [&](const std::string& target, std::string body) {
      net::Request request{.method = "POST", .target = target, .headers = {}, .body = std::move(body), .peer = {}};
      std::string text;
      bool ended = false;
      net::ResponseSink sink;
      sink.on_data = [&](std::string_view more) { text += more; };
      sink.on_end = [&](Status) { ended = true; };
      const auto under_way = etcd.send(std::move(request), std::move(sink));
      CHECK(wait([&] { return ended; }));
      const auto answer = json::parse(text);
      CHECK(answer.has_value());
      return *answer;
    };
    const std::string now = ask("/v3/kv/range", R"({"key":"AA=="})").string_at("header", "revision");
    ask("/v3/kv/compaction", R"({"revision":")" + now + R"("})");
  }

 private:
  net::EventLoop loop_;
  std::string token_;
  std::unique_ptr<net::HttpClient> transport_;
};

std::map<Where, std::unique_ptr<World>>& worlds() {
  static std::map<Where, std::unique_ptr<World>> all;
  return all;
}

}  // namespace

std::string where_name(Where where) {
  switch (where) {
    case Where::kInProcess:
      return "InProcess";
    case Where::kOverHttps:
      return "OverHttps";
    case Where::kKubernetes:
      return "Kubernetes";
  }
  return "";
}

bool World::wait(const std::function<bool()>& done, Duration limit) {
  auto late = std::make_shared<bool>(false);
  const Loop::Id timer = loop().after(limit, [late] { *late = true; });
  loop().run_until([&] { return done() || *late; });
  loop().cancel(timer);
  return done();
}

std::pair<World*, std::string> world(Where where) {
  auto& slot = worlds()[where];
  if (slot) return {slot.get(), ""};
  if (where != Where::kKubernetes) {
    slot = std::make_unique<OurWorld>(where == Where::kOverHttps);
    return {slot.get(), ""};
  }
  const char* path = ::getenv("MUSTER_CONTRACT_KUBECONFIG");
  if (path == nullptr || *path == '\0') {
    return {nullptr, "MUSTER_CONTRACT_KUBECONFIG is not set; run under tests/contract/real_kubernetes.sh"};
  }
  const auto target = client::load_kubeconfig(path, "");
  if (!target) return {nullptr, target.error().message};
  slot = std::make_unique<KubernetesWorld>(*target);
  return {slot.get(), ""};
}

void close_worlds() {
  worlds().clear();
}

}  // namespace muster::contract
