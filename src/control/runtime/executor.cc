#include "control/runtime/executor.h"

#include <fmt/core.h>

#include <algorithm>

#include "api/muster/names.h"
#include "api/owners.h"
#include "api/resource.h"
#include "base/check.h"
#include "base/overloaded.h"

namespace muster::control {

namespace {

/// The limit on concurrent requests of one plan.
constexpr std::size_t kWindow = 64;

/// Returns how many writes may run at once when so many have succeeded: a quota that is used up on the way refuses few.
std::size_t window_after(std::size_t written) {
  return written == 0 ? 1 : std::clamp<std::size_t>(written / 8, 3, kWindow);
}

client::ResourceName resource_of(const std::string& api_version, const std::string& kind) {
  const api::Resource* resource = api::find_kind(api_version, kind);
  CHECK(resource != nullptr);
  return *resource;
}

/// Identifies the actions that may run concurrently: those of one type on one kind of child.
struct Batch {
  std::size_t alternative = 0;
  std::string kind;
  bool operator==(const Batch&) const = default;
};

Batch batch_of(const Action& action) {
  return {.alternative = action.index(),
          .kind = std::visit(Overloaded{
                                 [](const Create& create) { return create.object.string_at("kind"); },
                                 [](const Update& update) { return update.child.kind; },
                                 [](const Delete& gone) { return gone.child.kind; },
                                 [](const EmitEvent&) { return std::string(); },
                                 [](const DeletePrimary&) { return std::string(); },
                             },
                             action)};
}

/// Returns "pod mnist-worker-0", for example.
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

/// One plan that is being applied. Its pending requests keep it alive.
class Run : public std::enable_shared_from_this<Run> {
 public:
  Run(Loop& loop, client::ApiClient& client, client::EventRecorder& events, Lifetime::Watch caller,
      Application application, UniqueFunction<void(Applied)> done)
      : loop_(loop),
        client_(client),
        events_(events),
        caller_(std::move(caller)),
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
      if (!r) {
        self->applied_.failed = 1;
        self->applied_.is_stale = r.error().reason == Reason::kConflict;
        return self->finish(r.error());
      }
      self->applied_.resource_version = r->string_at("metadata", "resourceVersion");
      self->advance();
    });
  }

 private:
  /// Starts the actions of the current batch that may run now.
  void advance() {
    if (caller_.over()) return;
    while (!failure_ && next_ < todo_.actions.size()) {
      const Action& action = todo_.actions[next_];
      Batch batch = batch_of(action);
      if (batch != batch_) {
        if (under_way_ > 0) break;
        batch_ = std::move(batch);
        written_of_batch_ = todo_.written_before;
      }
      if (under_way_ >= window_after(written_of_batch_)) break;
      ++next_;
      perform(action);
    }
    const bool ended = failure_.has_value() || next_ == todo_.actions.size();
    if (under_way_ > 0 || !ended) return;
    if (failure_) return finish(*failure_);
    finish(ok());
  }

  void perform(const Action& action) {
    std::visit(Overloaded{
                   [this](const Create& todo) { todo.may_exist ? look_up(todo.object) : create(todo.object); },
                   [this](const Update& todo) { update(todo); },
                   [this](const Delete& todo) { remove(object_name(todo.child), todo.child.uid); },
                   [this](const EmitEvent& event) {
                     events_.record(todo_.reference, event.type, event.reason, event.message);
                   },
                   [this](const DeletePrimary&) { remove(todo_.object, todo_.reference.uid); },
               },
               action);
  }

  client::ObjectName object_name(const ChildRef& child) const {
    return {.resource = resource_of(child.api_version, child.kind), .ns = todo_.object.ns, .name = child.name};
  }

  client::ObjectName name_of(const json::Document& object) const {
    return {.resource = resource_of(object.string_at("apiVersion"), object.string_at("kind")),
            .ns = todo_.object.ns,
            .name = object.string_at("metadata", "name")};
  }

  /// Creates the object unless it exists. The right to do so may be missing for kinds with secrets.
  void look_up(const json::Document& object) {
    ++under_way_;
    const client::ObjectName name = name_of(object);
    client_.get(name, [self = shared_from_this(), name, object](Result<json::Document> found) {
      if (found) return self->action_done(self->judge_existing(name, "", *found));
      if (found.error().reason != Reason::kNotFound) return self->action_done(denied("get", name, found.error()));
      self->client_.create(name.resource, name.ns, object, {}, [self, name](Result<json::Document> made) {
        self->action_done(made ? ok() : Status(denied("create", name, made.error())));
      });
    });
  }

  static Error denied(std::string_view verb, const client::ObjectName& name, const Error& why) {
    Error error = in_context(fmt::format("{} {}", verb, named(name)), why);
    if (error.reason == Reason::kForbidden) {
      error.message += fmt::format("; give the operator the rights get and create on {}", name.resource.plural);
    }
    return error;
  }

  void create(const json::Document& object) {
    ++under_way_;
    const client::ObjectName name = name_of(object);
    std::string attempt = object.string_at("metadata", "labels", api::kAttemptLabel);
    client_.create(name.resource, name.ns, object, {},
                   [self = shared_from_this(), name, attempt = std::move(attempt)](Result<json::Document> made) {
                     if (made) {
                       ++self->applied_.made;
                       return self->written(name, *made);
                     }
                     if (made.error().reason == Reason::kAlreadyExists) return self->check_existing(name, attempt);
                     self->refused(name, made.error());
                   });
  }

  void update(const Update& todo) {
    ++under_way_;
    json::Document patch = todo.patch;
    patch["metadata"]["resourceVersion"] = todo.resource_version;
    patch["metadata"]["uid"] = todo.child.uid;
    const client::ObjectName name = object_name(todo.child);
    client_.patch(name, client::PatchType::kMerge, patch, {},
                  [self = shared_from_this(), name](Result<json::Document> updated) {
                    if (updated) return self->written(name, *updated);
                    self->action_done(in_context("update " + named(name), updated.error()));
                  });
  }

  /// The name is taken. That is fine if the object is the one we meant to create; otherwise it has to go first.
  void check_existing(const client::ObjectName& object, const std::string& attempt) {
    client_.get(object, [self = shared_from_this(), object, attempt](Result<json::Document> found) {
      if (!found) {
        if (found.error().reason != Reason::kNotFound) return self->action_done(found.error());
        return self->action_done(conflict("it was just deleted"));
      }
      const Status judged = self->judge_existing(object, attempt, *found);
      if (judged) return self->written(object, *found);
      if (judged.error().reason == Reason::kAlreadyExists) return self->refused(object, judged.error());
      self->action_done(judged);
    });
  }

  void refused(const client::ObjectName& object, const Error& error) {
    // Of those that were under way together the same one is named each time, whichever answer comes first.
    if (auto refusal = refusal_of(error, named(object), object.ns);
        refusal && (!applied_.refused || named(object) < first_refused_)) {
      applied_.refused = std::move(refusal);
      first_refused_ = named(object);
    }
    // What has a reason of its own names the object itself.
    action_done(error.reason == Reason::kAlreadyExists ? error : in_context("create " + named(object), error));
  }

  /// Notes that the child is now as it is here.
  void written(const client::ObjectName& object, const json::Document& now) {
    note(object, now.string_at("metadata", "uid"), now.string_at("metadata", "resourceVersion"));
    action_done(ok());
  }

  void note(const client::ObjectName& object, const std::string& uid, const std::string& version) {
    const api::Resource* resource =
        api::find_resource(object.resource.group, object.resource.version, object.resource.plural);
    CHECK(resource != nullptr);
    ++written_of_batch_;
    applied_.writes.push_back({.api_version = resource->api_version(),
                               .kind = resource->kind,
                               .name = object.name,
                               .uid = uid,
                               .version = version});
  }

  Status judge_existing(const client::ObjectName& object, const std::string& attempt,
                        const json::Document& found) const {
    if (!api::is_controlled_by(found, todo_.reference.uid)) {
      const json::Document* owner = api::controller_of(found);
      const std::string holder =
          owner == nullptr ? "nobody" : owner->string_at("kind") + "/" + owner->string_at("name");
      Error error =
          conflict(fmt::format("{} already exists and belongs to {}; delete it so that {}/{} can create its own",
                               named(object), holder, todo_.reference.kind, todo_.reference.name));
      error.reason = Reason::kAlreadyExists;
      return error;
    }
    if (found.string_at("metadata", "labels", api::kAttemptLabel) == attempt) return ok();
    return conflict("a pod of an earlier attempt still exists");
  }

  void remove(const client::ObjectName& object, const std::string& uid) {
    ++under_way_;
    client::DeleteOptions options;
    options.precondition_uid = uid;
    options.propagation_policy = "Background";
    client_.remove(object, options, [self = shared_from_this(), object, uid](Result<json::Document> gone) {
      // NotFound: the deletion is complete. Conflict: another object has the name now, so the intended one is gone.
      if (gone || gone.error().reason == Reason::kNotFound || gone.error().reason == Reason::kConflict) {
        self->note(object, uid, "");
        return self->action_done(ok());
      }
      self->action_done(in_context("delete " + named(object), gone.error()));
    });
  }

  void action_done(Status status) {
    --under_way_;
    if (!status) ++applied_.failed;
    if (!status && !failure_) failure_ = status.error();
    advance();
  }

  void finish(Status status) {
    if (caller_.over()) return;
    applied_.result = std::move(status);
    done_(std::move(applied_));
  }

  Loop& loop_;
  client::ApiClient& client_;
  client::EventRecorder& events_;
  Lifetime::Watch caller_;
  Application todo_;
  UniqueFunction<void(Applied)> done_;
  Applied applied_;
  std::size_t next_ = 0;
  Batch batch_;
  std::size_t written_of_batch_ = 0;
  std::string first_refused_;  // by name
  std::size_t under_way_ = 0;
  std::optional<Error> failure_;
};

}  // namespace

void apply_plan(Loop& loop, client::ApiClient& client, client::EventRecorder& events, Lifetime::Watch caller,
                Application application, UniqueFunction<void(Applied)> done) {
  std::make_shared<Run>(loop, client, events, std::move(caller), std::move(application), std::move(done))->start();
}

}  // namespace muster::control
