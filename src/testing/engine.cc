#include "testing/engine.h"

#include <cstdio>
#include <cstdlib>

#include "apiserver/list/attributes.h"
#include "base/files.h"

namespace muster::testing {
namespace {

constexpr Duration kPatience = std::chrono::minutes(1);

client::ResourceName core(const std::string& plural) {
  return {"", "v1", plural};
}

}  // namespace

Engine::Engine(const std::string& directory) {
  store::Options options;
  options.directory = directory + "/store";
  options.extract = apiserver::extract_attributes;
  options.on_fatal = [](const Error& error) {
    std::fprintf(stderr, "store: %s\n", error.message.c_str());
    std::abort();
  };
  CHECK(make_directories(options.directory, 0700).has_value());
  auto store = store::Store::open(loop_, std::move(options));
  CHECK(store.has_value());
  store_ = *std::move(store);
  server_ = std::make_unique<apiserver::ApiServer>(loop_, rng_, *store_, apiserver::Options{});
  server_->start();
  transport_ = std::make_unique<apiserver::LocalTransport>(loop_, *server_);
  client_ = std::make_unique<client::ApiClient>(*transport_, "");
}

Engine::~Engine() {
  client_.reset();
  transport_.reset();
  server_.reset();
  store_->close();
}

bool Engine::run_until(const std::function<bool()>& condition) {
  bool late = false;
  const Loop::Id timer = loop_.after(kPatience, [&late] { late = true; });
  loop_.run_until([&] { return late || condition(); });
  loop_.cancel(timer);
  return !late;
}

Result<json::Document> Engine::wait(const std::function<void(client::OnDocument)>& call) {
  std::optional<Result<json::Document>> answer;
  call([&answer](Result<json::Document> result) { answer.emplace(std::move(result)); });
  if (!run_until([&answer] { return answer.has_value(); })) {
    return Error{.reason = Reason::kTimeout, .message = "no answer"};
  }
  return *std::move(answer);
}

Result<json::Document> Engine::create(const std::string& plural, const std::string& ns, const json::Document& object) {
  return wait([&](client::OnDocument done) { client_->create(core(plural), ns, object, {}, std::move(done)); });
}

Result<json::Document> Engine::get(const std::string& plural, const std::string& ns, const std::string& name) {
  return wait([&](client::OnDocument done) { client_->get({core(plural), ns, name}, std::move(done)); });
}

Result<json::Document> Engine::remove(const std::string& plural, const std::string& ns, const std::string& name) {
  return wait([&](client::OnDocument done) { client_->remove({core(plural), ns, name}, {}, std::move(done)); });
}

json::Array Engine::list(const std::string& plural, const std::string& ns) {
  const auto found = wait([&](client::OnDocument done) { client_->list(core(plural), ns, {}, std::move(done)); });
  return found ? found->array_at("items") : json::Array{};
}

}  // namespace muster::testing
