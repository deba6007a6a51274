#include "sim_engine.h"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "apiserver/list/attributes.h"
#include "base/check.h"
#include "base/sha256.h"

namespace muster::control {

void LockstepLoop::post(Task task) {
  if (std::this_thread::get_id() == owner_) return sim_.post(in_step(std::move(task)));
  const std::lock_guard lock(mutex_);
  from_writer_.push_back(std::move(task));
  changed_.notify_all();
}

Task LockstepLoop::in_step(Task task) {
  return [this, task = std::move(task)]() mutable {
    task();
    wait_for_writer();
  };
}

void LockstepLoop::wait_for_writer() {
  while (store_ != nullptr && store_->pending_writes() > 0) {
    Task outcome;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !from_writer_.empty(); });
      outcome = std::move(from_writer_.front());
      from_writer_.pop_front();
    }
    outcome();
  }
}

SimEngine::SimEngine(std::uint64_t seed) : rng_(seed) {
  // In memory if possible, because every write is synced.
  folder_ = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm/muster-sim-XXXXXX" : "/tmp/muster-sim-XXXXXX";
  CHECK(::mkdtemp(folder_.data()) != nullptr);
  loop_ = std::make_unique<LockstepLoop>();
  open();
}

SimEngine::~SimEngine() {
  close();
  std::filesystem::remove_all(folder_);
}

void SimEngine::open() {
  store::Options options;
  options.directory = folder_;
  options.extract = apiserver::extract_attributes;
  options.ballast_bytes = 0;
  options.on_fatal = [](const Error&) { CHECK(!"the store has failed"); };
  auto opened = store::Store::open(*loop_, std::move(options));
  CHECK(opened.has_value());
  store_ = *std::move(opened);
  loop_->keep_step_with(store_.get());
  server_ = std::make_unique<apiserver::ApiServer>(*loop_, rng_, *store_, apiserver::Options{});
  transport_ = std::make_unique<apiserver::LocalTransport>(*loop_, *server_);
  client_ = std::make_unique<client::ApiClient>(*transport_, "");
  faulty_ = std::make_unique<FaultyTransport>(*loop_, rng_, *transport_);
  faulty_->has_faults = !is_healed_;
  controllers_client_ = std::make_unique<client::ApiClient>(*faulty_, "");
  loop_->post([this] { server_->start(); });
  loop_->advance(Duration(0));
  start_controllers();
}

void SimEngine::close() {
  loop_->forget();
  controllers_.reset();
  controllers_client_.reset();
  faulty_.reset();
  client_.reset();
  transport_.reset();
  server_.reset();
  loop_->keep_step_with(nullptr);
  store_.reset();
  loop_->forget();
}

void SimEngine::crash() {
  close();
  const Duration passed = loop_->mono().time_since_epoch();
  loop_ = std::make_unique<LockstepLoop>();
  loop_->advance(passed);
  open();
}

void SimEngine::start_controllers() {
  controllers_ = std::make_unique<Controllers>(
      *loop_, rng_, *controllers_client_, Where::kEngine, [](int) { return true; },
      TensorBoardOptions{.pages_url = "http://127.0.0.1:8766", .idle_after = std::chrono::hours(1)});
  controllers_->start();
}

void SimEngine::crash_controllers() {
  controllers_.reset();
  start_controllers();
}

void SimEngine::heal() {
  is_healed_ = true;
  faulty_->has_faults = false;
}

std::map<store::Key, SimEngine::Object> SimEngine::all(const std::string& resource) {
  std::map<store::Key, Object> objects;
  store_->scan(resource, "", [&](const store::Key& key, const store::Entry& entry) {
    auto& [revision, object] = parsed_[key];
    if (object == nullptr || revision != entry.revision) {
      revision = entry.revision;
      object = std::make_shared<const json::Document>(*json::parse(*entry.bytes));
    }
    objects[key] = object;
  });
  return objects;
}

std::string SimEngine::digest() {
  std::string text;
  for (const api::Resource& resource : api::resources()) {
    store_->scan(resource.qualified_name(), "", [&](const store::Key& key, const store::Entry& entry) {
      text += key.ns + "/" + key.name + " " + *entry.bytes + "\n";
    });
  }
  return sha256_hex(text);
}

}  // namespace muster::control
