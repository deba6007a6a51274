#include "fixture.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/resource.h"
#include "base/sha256.h"
#include "json/yaml.h"

namespace muster::control {

namespace {

const api::Resource& resource_named(const std::string& plural) {
  for (const auto& resource : api::resources()) {
    if (resource.plural == plural) return resource;
  }
  ADD_FAILURE() << "no resource " << plural;
  return api::resources().front();
}

/// Returns the namespace in which the resource's objects are: "" for those of the whole cluster.
std::string namespace_for(const api::Resource& resource, const std::string& ns) {
  return resource.scope == api::Scope::kNamespaced ? ns : "";
}

class CloseWorlds : public ::testing::Environment {
 public:
  void TearDown() override { contract::close_worlds(); }
};
const auto* const kCloseWorlds = ::testing::AddGlobalTestEnvironment(new CloseWorlds);

}  // namespace

void ControllersTest::SetUp() {
  static int count = 0;
  world_ = contract::world(contract::Where::kInProcess).first;
  ASSERT_NE(world_, nullptr);
  client_ = std::make_unique<client::ApiClient>(world_->transport(), "");
  ns_ = fmt::format("t{}", ++count);
  create("{apiVersion: v1, kind: Namespace, metadata: {name: " + ns_ + "}}");
  if (count == 1) {
    create("{apiVersion: v1, kind: Node, metadata: {name: machine}}");
    patch("nodes", "machine",
          R"({"status": {"allocatable": {"cpu": "2", "memory": "8Gi", "pods": "300", "nvidia.com/gpu": "2"},
              "conditions": [{"type": "Ready", "status": "True"}]}})");
  }
  kubelet_ = std::make_unique<FakeKubelet>(world_->loop(), rng_, *client_);
  kubelet_->start();
  restart_controllers();
}

void ControllersTest::TearDown() {
  // Deletes everything, so that nothing of this test holds devices of the machine in the next one.
  for (const char* plural : {"crons", "pytorchtrainingjobs", "pytorchjobs", "deployments"}) {
    for (const char* name : {"a", "b"}) remove(plural, name);
  }
  wait_for("pods to go", [&] { return pod_names().empty(); });
  controllers_.reset();
  kubelet_.reset();
}

void ControllersTest::restart_controllers() {
  controllers_.reset();
  controllers_ = std::make_unique<Controllers>(
      world_->loop(), rng_, *client_, Where::kEngine, [](int) { return true; },
      TensorBoardOptions{.pages_url = "http://127.0.0.1:8766", .idle_after = std::chrono::hours(1)});
  controllers_->start();
}

void ControllersTest::wait_for(const std::string& what, const std::function<bool()>& done) {
  ASSERT_TRUE(world_->wait(done, std::chrono::seconds(120))) << "waited for " << what;
}

void ControllersTest::create(const std::string& yaml) {
  const auto parsed = json::parse_yaml(yaml);
  ASSERT_TRUE(parsed) << parsed.error().message;
  const json::Document& object = parsed->front().value;
  const auto* resource = api::find_kind(object.string_at("apiVersion"), object.string_at("kind"));
  ASSERT_NE(resource, nullptr);
  std::optional<Result<json::Document>> answer;
  client_->create(*resource, namespace_for(*resource, ns_), object, {},
                  [&](Result<json::Document> r) { answer = std::move(r); });
  wait_for("create", [&] { return answer.has_value(); });
  ASSERT_TRUE(answer->has_value()) << answer->error().message;
}

void ControllersTest::patch(const std::string& plural, const std::string& name, const std::string& merge) {
  const auto body = json::parse(merge);
  ASSERT_TRUE(body) << body.error().message;
  const auto& resource = resource_named(plural);
  client::ObjectName object{resource, namespace_for(resource, ns_), name};
  if (body->find("status") != nullptr) object.subresource = "status";
  std::optional<Result<json::Document>> answer;
  client_->patch(object, client::PatchType::kMerge, *body, {},
                 [&](Result<json::Document> r) { answer = std::move(r); });
  wait_for("patch", [&] { return answer.has_value(); });
  ASSERT_TRUE(answer->has_value()) << answer->error().message;
}

void ControllersTest::remove(const std::string& plural, const std::string& name) {
  bool answered = false;
  const auto& resource = resource_named(plural);
  client_->remove({resource, namespace_for(resource, ns_), name}, {}, [&](Result<json::Document>) { answered = true; });
  wait_for("delete", [&] { return answered; });
}

std::optional<json::Document> ControllersTest::get(const std::string& plural, const std::string& name) {
  std::optional<Result<json::Document>> answer;
  const auto& resource = resource_named(plural);
  client_->get({resource, namespace_for(resource, ns_), name},
               [&](Result<json::Document> r) { answer = std::move(r); });
  EXPECT_TRUE(world_->wait([&] { return answer.has_value(); }));
  if (!answer || !answer->has_value()) return std::nullopt;
  return **answer;
}

std::vector<std::string> ControllersTest::pod_names() {
  std::vector<std::string> names;
  for (const auto& [key, pod] : kubelet_->pods().cache()) {
    if (key.first == ns_) names.push_back(key.second);
  }
  return names;
}

std::string ControllersTest::job_phase(const std::string& name) {
  const auto job = get("pytorchtrainingjobs", name);
  return job ? job->string_at("status", "phase") : "gone";
}

std::vector<std::string> ControllersTest::events_about(const std::string& name) {
  std::optional<Result<json::Document>> answer;
  client::ListOptions options;
  options.field_selector = "involvedObject.name=" + name;
  client_->list(resource_named("events"), ns_, options, [&](Result<json::Document> r) { answer = std::move(r); });
  EXPECT_TRUE(world_->wait([&] { return answer.has_value(); }));
  std::vector<std::string> events;
  for (const auto& event : (*answer)->find("items")->as_array()) {
    events.push_back(fmt::format("{} x{}", event.string_at("reason"), event.int_at("count")));
  }
  std::ranges::sort(events);
  return events;
}

void ControllersTest::wait_for_event(const std::string& about, const std::string& event) {
  wait_for("event " + event, [&] { return std::ranges::count(events_about(about), event) == 1; });
}

std::string ControllersTest::training_job(const std::string& name, int replicas, const std::string& more,
                                          const std::string& container_extra) const {
  return fmt::format(
      "apiVersion: batch.tensorstack.dev/v1beta1\nkind: PyTorchTrainingJob\nmetadata: {{name: {}}}\nspec:\n{}"
      "  replicaSpecs:\n  - type: worker\n    replicas: {}\n    template: {{spec: {{containers: [{{name: pytorch, "
      "image: "
      "torch, command: [python]{}}}]}}}}\n",
      name, more, replicas, container_extra);
}

std::string ControllersTest::pod_of(const std::string& job, const std::string& replica) {
  const auto object = get("pytorchtrainingjobs", job);
  if (!object) return "";
  return job + "-" + sha256_hex(object->string_at("metadata", "uid")).substr(0, 5) + "-" + replica;
}

}  // namespace muster::control
