#include "control/runtime/executor.h"

#include <fmt/core.h>

#include "api/names.h"
#include "api/resource.h"
#include "base/check.h"
#include "control/runtime/child_index.h"
#include "reflect/reflect.h"

namespace muster::control {

namespace {

/// Requests of one plan under way at once.
constexpr std::size_t kWindow = 64;

client::ResourceName core_name(std::string_view plural) {
  const api::Resource* resource = api::find_resource("", "v1", plural);
  CHECK(resource != nullptr);
  return *resource;
}

template <typename T>
json::Document without_status(const T& object) {
  json::Document document = reflect::encode(object);
  document.as_object().erase("status");
  return document;
}

/// "pod mnist-worker-0".
std::string named(const client::ObjectName& object) {
  const auto& name = object.resource;
  const api::Resource* resource = api::find_resource(name.group, name.version, name.plural);
  return (resource == nullptr ? name.plural : resource->singular) + " " + object.name;
}

Error conflict(std::string message) {
  Error error;
  error.reason = Reason::kConflict;
  error.message = std::move(message);
  return error;
}

/// One plan being applied; keeps itself alive through its requests.
class Run : public std::enable_shared_from_this<Run> {
 public:
  Run(Loop& loop, client::ApiClient& client, EventRecorder& events, std::shared_ptr<const bool> alive,
      Application application, UniqueFunction<void(Applied)> done)
      : loop_(loop),
        client_(client),
        events_(events),
        alive_(std::move(alive)),
        todo_(std::move(application)),
        done_(std::move(done)) {}

  void start() {
    if (!todo_.status) {
      loop_.post([self = shared_from_this()] { self->advance(); });
      return;
    }
    client::ObjectName target = todo_.object;
    target.subresource = "status";
    const json::Document patch = json::Object{{"metadata", json::Object{{"resourceVersion", todo_.resource_version}}},
                                              {"status", *todo_.status}};
    client_.patch(target, client::PatchType::kMerge, patch, {}, [self = shared_from_this()](Result<json::Document> r) {
      if (!r) return self->finish(r.error());
      self->applied_.resource_version = r->string_at("metadata", "resourceVersion");
      self->advance();
    });
  }

 private:
  /// Starts what may run now: up to kWindow actions of the kind that is under way.
  void advance() {
    if (!*alive_) return;
    while (!failure_ && next_ < todo_.plan.actions.size() && under_way_ < kWindow) {
      const Action& action = todo_.plan.actions[next_];
      if (under_way_ > 0 && action.index() != kind_) break;
      kind_ = action.index();
      ++next_;
      perform(action);
    }
    const bool ended = failure_.has_value() || next_ == todo_.plan.actions.size();
    if (under_way_ > 0 || !ended) return;
    if (failure_) return finish(*failure_);
    finish(ok());
  }

  void perform(const Action& action) {
    if (const auto* event = std::get_if<EmitEvent>(&action)) {
      events_.record(todo_.reference, event->type, event->reason, event->message);
      return;
    }
    ++under_way_;
    if (const auto* create = std::get_if<CreatePod>(&action)) {
      create_child("pods", without_status(create->pod), create->pod.metadata);
    } else if (const auto* service = std::get_if<CreateService>(&action)) {
      create_child("services", without_status(service->service), service->service.metadata);
    } else if (const auto* pod = std::get_if<DeletePod>(&action)) {
      remove(child("pods", pod->name), pod->uid);
    } else if (const auto* gone = std::get_if<DeleteService>(&action)) {
      remove(child("services", gone->name), gone->uid);
    } else {
      remove(todo_.object, todo_.reference.uid);
    }
  }

  client::ObjectName child(std::string_view plural, const std::string& name) const {
    return {.resource = core_name(plural), .ns = todo_.object.ns, .name = name};
  }

  void create_child(std::string_view plural, const json::Document& document, const api::ObjectMeta& meta) {
    client_.create(core_name(plural), todo_.object.ns, document, {},
                   [self = shared_from_this(), object = child(plural, meta.name), meta](Result<json::Document> made) {
                     if (made) return self->action_done(ok());
                     if (made.error().reason == Reason::kAlreadyExists) return self->check_existing(object, meta);
                     self->action_done(in_context("create " + named(object), made.error()));
                   });
  }

  /// Somebody has the name. Fine if it is what we meant to create; else it has to go before ours can be made.
  void check_existing(const client::ObjectName& object, const api::ObjectMeta& meta) {
    client_.get(object, [self = shared_from_this(), object, meta](Result<json::Document> found) {
      if (!found) {
        if (found.error().reason != Reason::kNotFound) return self->action_done(found.error());
        return self->action_done(conflict("it has just gone"));
      }
      self->action_done(self->judge_existing(object, meta, *found));
    });
  }

  Status judge_existing(const client::ObjectName& object, const api::ObjectMeta& meta,
                        const json::Document& found) const {
    const auto existing = reflect::decode<api::ObjectMeta>(*found.find("metadata"));
    if (!existing) return existing.error();
    const auto* owner = controller_of(*existing);
    if (owner == nullptr || owner->uid != todo_.reference.uid) {
      const std::string holder = owner == nullptr ? "nobody" : owner->kind + "/" + owner->name;
      Error error = conflict(fmt::format(
          "{} exists already and belongs to {}; it has to go before this job can have its own", named(object), holder));
      error.reason = Reason::kAlreadyExists;
      return error;
    }
    const auto attempt = [](const api::ObjectMeta& m) {
      const auto label = m.labels.find(api::kAttemptLabel);
      return label == m.labels.end() ? std::string() : label->second;
    };
    if (attempt(*existing) == attempt(meta)) return ok();
    return conflict("an earlier attempt is still there");
  }

  void remove(const client::ObjectName& object, const std::string& uid) {
    client::DeleteOptions options;
    options.precondition_uid = uid;
    options.propagation_policy = "Background";
    client_.remove(object, options, [self = shared_from_this(), object](Result<json::Document> gone) {
      // Not found: done. Conflict: another object has the name now, so the one meant is gone.
      if (gone || gone.error().reason == Reason::kNotFound || gone.error().reason == Reason::kConflict) {
        return self->action_done(ok());
      }
      self->action_done(in_context("delete " + named(object), gone.error()));
    });
  }

  void action_done(Status status) {
    --under_way_;
    if (!status && !failure_) failure_ = status.error();
    advance();
  }

  void finish(Status status) {
    if (!*alive_) return;
    applied_.result = std::move(status);
    done_(std::move(applied_));
  }

  Loop& loop_;
  client::ApiClient& client_;
  EventRecorder& events_;
  std::shared_ptr<const bool> alive_;
  Application todo_;
  UniqueFunction<void(Applied)> done_;
  Applied applied_;
  std::size_t next_ = 0;
  std::size_t kind_ = 0;
  std::size_t under_way_ = 0;
  std::optional<Error> failure_;
};

}  // namespace

void apply_plan(Loop& loop, client::ApiClient& client, EventRecorder& events, std::shared_ptr<const bool> alive,
                Application application, UniqueFunction<void(Applied)> done) {
  std::make_shared<Run>(loop, client, events, std::move(alive), std::move(application), std::move(done))->start();
}

}  // namespace muster::control
