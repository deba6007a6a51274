#include "contract_fixture.h"

#include <fmt/core.h>

namespace muster::contract {

std::vector<std::string> Answer::causes() const {
  std::vector<std::string> out;
  const Document& list = at(body, "details", "causes");
  if (!list.is_array()) return out;
  for (const Document& cause : list.as_array()) {
    out.push_back(cause.string_at("reason") + " " + cause.string_at("field"));
  }
  return out;
}

WatchEvent WatchTail::next() {
  const bool came = world_.wait([this] { return !events_.empty() || ended_; });
  if (!came || events_.empty()) {
    ADD_FAILURE() << (ended_ ? "the watch ended" : "no event came");
    return {};
  }
  WatchEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

bool WatchTail::ended() {
  return world_.wait([this] { return ended_; });
}

int WatchTail::code() {
  world_.wait([this] { return code_ != 0 || ended_; });
  return code_;
}

void ApiContract::SetUp() {
  const auto [found, why_not] = world(GetParam());
  if (found == nullptr) GTEST_SKIP() << why_not;
  world_ = found;
  const Answer made = post("/api/v1/namespaces", R"({"metadata":{"generateName":"contract-"}})");
  ASSERT_EQ(made.code, 201) << made.text;
  ns_ = made.body.string_at("metadata", "name");
}

void ApiContract::TearDown() {
  if (world_ != nullptr && !ns_.empty()) remove("/api/v1/namespaces/" + ns_);
}

Answer ApiContract::call(const std::string& method, const std::string& target, const std::string& body,
                         const std::string& content_type, const std::string& accept) {
  net::Request request;
  request.method = method;
  request.target = target;
  request.body = body;
  if (!body.empty()) request.headers.set("Content-Type", content_type);
  request.headers.set("Accept", accept);
  return send(std::move(request));
}

Answer ApiContract::send(net::Request request) {
  const std::string what = request.method + " " + request.target;
  if (!world_->token().empty()) request.headers.set("Authorization", "Bearer " + world_->token());
  Answer answer;
  bool ended = false;
  net::ResponseSink sink;
  sink.on_head = [&](int code, const net::Headers& headers) {
    answer.code = code;
    answer.headers = headers;
  };
  sink.on_data = [&](std::string_view text) { answer.text += text; };
  sink.on_end = [&](Status status) {
    ended = true;
    if (!status) ADD_FAILURE() << what << ": " << status.error().message;
  };
  const auto under_way = world_->transport().send(std::move(request), std::move(sink));
  EXPECT_TRUE(world_->wait([&] { return ended; })) << what << ": no answer";
  if (auto parsed = json::parse(answer.text)) answer.body = *std::move(parsed);
  return answer;
}

Answer ApiContract::table(const std::string& target) {
  return call("GET", target, "", kJson, "application/json;as=Table;v=v1;g=meta.k8s.io,application/json");
}

std::unique_ptr<WatchTail> ApiContract::watch(const std::string& target, const std::string& accept) {
  std::unique_ptr<WatchTail> tail(new WatchTail(*world_));
  net::Request request;
  request.method = "GET";
  request.target = target;
  request.headers.set("Accept", accept);
  if (!world_->token().empty()) request.headers.set("Authorization", "Bearer " + world_->token());
  net::ResponseSink sink;
  WatchTail* raw = tail.get();
  sink.on_head = [raw](int code, const net::Headers&) { raw->code_ = code; };
  sink.on_data = [raw](std::string_view text) {
    raw->partial_ += text;
    std::size_t end = 0;
    while ((end = raw->partial_.find('\n')) != std::string::npos) {
      auto event = json::parse(std::string_view(raw->partial_).substr(0, end));
      raw->partial_.erase(0, end + 1);
      if (event) raw->events_.push_back({event->string_at("type"), at(*event, "object")});
    }
  };
  sink.on_end = [raw](Status) { raw->ended_ = true; };
  tail->call_ = world_->transport().send(std::move(request), std::move(sink));
  return tail;
}

Answer ApiContract::get_until(const std::string& target, const std::function<bool(const Answer&)>& done) {
  return ask_until([&] { return get(target); }, done);
}

Answer ApiContract::ask_until(const std::function<Answer()>& ask, const std::function<bool(const Answer&)>& done) {
  Answer answer = ask();
  for (int tries = 0; tries < 300 && !done(answer); ++tries) {
    bool passed = false;
    world_->loop().after(std::chrono::milliseconds(100), [&passed] { passed = true; });
    world_->wait([&] { return passed; });
    answer = ask();
  }
  EXPECT_TRUE(done(answer)) << answer.text;
  return answer;
}

void ApiContract::forget_history() {
  if (!is_ours()) return world_->forget_history();
  // These are more writes than our server is configured to remember.
  for (int i = 0; i < 2100; ++i) {
    ASSERT_EQ(
        patch("/api/v1/namespaces/" + ns_, R"({"metadata":{"labels":{"n":")" + std::to_string(i) + R"("}}})").code,
        200);
  }
}

std::string ApiContract::pod(const std::string& name, const std::string& labels) {
  return fmt::format(R"({{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"{}","labels":{}}},)"
                     R"("spec":{{"containers":[{{"name":"main","image":"busybox:1"}}]}}}})",
                     name, labels);
}

std::string ApiContract::pod_with(const std::string& spec, const std::string& container) {
  return fmt::format(R"({{"metadata":{{"name":"p"}},"spec":{{"containers":[{{"name":"a","image":"i"{}}}]{}}}}})",
                     container, spec);
}

std::string ApiContract::config_map(const std::string& name, const std::string& labels) {
  return fmt::format(
      R"({{"kind":"ConfigMap","apiVersion":"v1","metadata":{{"name":"{}","labels":{}}},"data":{{"a":"1"}}}})", name,
      labels);
}

std::string ApiContract::pytorch_job(const std::string& name) {
  return fmt::format(
      R"({{"kind":"PyTorchJob","apiVersion":"kubeflow.org/v1","metadata":{{"name":"{}"}},"spec":{{)"
      R"("pytorchReplicaSpecs":{{"Master":{{"template":{{"spec":{{"containers":[{{"name":"pytorch","image":"i"}}]}}}}}},)"
      R"("Worker":{{"replicas":2,"restartPolicy":"OnFailure","template":{{"spec":{{"containers":[)"
      R"({{"name":"pytorch","image":"i"}}]}}}}}}}}}}}})",
      name);
}

std::string ApiContract::training_job(const std::string& name) {
  return fmt::format(
      R"({{"kind":"PyTorchTrainingJob","apiVersion":"batch.tensorstack.dev/v1beta1","metadata":{{"name":"{}"}},)"
      R"("spec":{{"replicaSpecs":[{{"type":"worker","template":{{"spec":{{"containers":[)"
      R"({{"name":"pytorch","image":"i"}}]}}}}}}]}}}})",
      name);
}

}  // namespace muster::contract
