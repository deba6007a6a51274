#include "apiserver/admission/queue_rules.h"

#include "base/strings.h"
#include "reflect/causes.h"

namespace muster::apiserver {
namespace {

constexpr const char* kQueues = "queues.scheduler.tensorstack.dev";

std::vector<std::string> queue_names(const store::Store& store) {
  std::vector<std::string> names;
  store.scan(kQueues, "", [&](const store::Key& key, const store::Entry&) { names.push_back(key.name); });
  return names;
}

}  // namespace

std::vector<FieldCause> check_queues(const Context& context, const json::Document* before,
                                     const json::Document& object) {
  std::vector<FieldCause> causes;
  const auto check = [&](const std::string& queue, const std::string& queue_before, const char* path) {
    if (queue.empty() || queue == queue_before) return;
    if (context.store.latest({kQueues, "", queue}) != nullptr) return;
    FieldCause cause = reflect::not_found_cause(path, queue);
    if (const auto near = did_you_mean(queue, queue_names(context.store))) {
      cause.message += "; did you mean " + quote(*near) + "?";
    }
    causes.push_back(std::move(cause));
  };
  static const json::Document none;
  const json::Document& old = before == nullptr ? none : *before;
  check(object.string_at("spec", "scheduler", "t9kScheduler", "queue"),
        old.string_at("spec", "scheduler", "t9kScheduler", "queue"), "spec.scheduler.t9kScheduler.queue");
  check(object.string_at("spec", "tensorboardSpec", "scheduler", "t9kScheduler", "queue"),
        old.string_at("spec", "tensorboardSpec", "scheduler", "t9kScheduler", "queue"),
        "spec.tensorboardSpec.scheduler.t9kScheduler.queue");
  return causes;
}

}  // namespace muster::apiserver
