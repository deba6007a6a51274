// pause, resume, stop, rerun and scale: what people do with a job of any kind, named by its name alone.
#include <fmt/core.h>

#include "api/names.h"
#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/objects/find_job.h"
#include "cli/objects/job_state.h"

namespace muster::cli {

namespace {

using json::Document;

bool is_tensorstack(const Selected& job) {
  return job.kind.resource.group == "batch.tensorstack.dev";
}

bool has_ended(const Document& object) {
  return job_end(object) != JobEnd::kUnfinished;
}

Failure already_ended(const FoundJob& found, const std::string& verb) {
  const std::string& name = found.job.name;
  return {.code = kExitFailed,
          .what = fmt::format("cannot {} {}: the job has ended ({})", verb, name, job_phase(found.object)),
          .why = job_message(found.object),
          .fix = fmt::format("muster rerun {}", name)};
}

int patch_job(Session& session, const client::ObjectName& object, const Document& patch, const std::string& done_line) {
  const auto patched = session.await([&](client::OnDocument done) {
    session.api().patch(object, client::PatchType::kMerge, patch, {}, std::move(done));
  });
  if (!patched) return session.fail(patched.error());
  session.out(done_line + "\n");
  return kExitOk;
}

class JobVerb : public Command {
 public:
  explicit JobVerb(std::string verb) : verb_(std::move(verb)) {}
  void add_flags(Flags&) override {}

  int run(Session& session, const std::vector<std::string>& words) override {
    auto found = find_job(session, words, fmt::format("muster {} JOB", verb_));
    if (auto* failure = std::get_if<Failure>(&found)) return session.fail(*failure);
    return act(session, std::get<0>(found));
  }

 protected:
  virtual int act(Session& session, const FoundJob& found) = 0;
  const std::string& verb() const { return verb_; }

 private:
  std::string verb_;
};

bool is_paused(const FoundJob& found) {
  if (is_tensorstack(found.job)) return found.object.bool_at("spec", "runMode", "pause", "enabled");
  return found.object.bool_at("spec", "runPolicy", "suspend");
}

class Pause final : public JobVerb {
 public:
  explicit Pause(bool pause) : JobVerb(pause ? "pause" : "resume"), pause_(pause) {}

 protected:
  int act(Session& session, const FoundJob& found) override {
    if (has_ended(found.object)) return session.fail(already_ended(found, verb()));
    if (is_paused(found) == pause_) {
      session.out(fmt::format("{} is {}paused\n", found.job.label(), pause_ ? "already " : "not "));
      return kExitOk;
    }
    return patch_job(session, found.job.object(), patch(found.job),
                     fmt::format("{} {}", found.job.label(), pause_ ? "paused" : "resumed"));
  }

 private:
  Document patch(const Selected& job) const {
    json::Object spec;
    if (is_tensorstack(job)) {
      spec.append("runMode", json::Object{{"pause", json::Object{{"enabled", pause_}}}});
    } else {
      spec.append("runPolicy", json::Object{{"suspend", pause_}});
    }
    return json::Object{{"spec", std::move(spec)}};
  }

  bool pause_;
};

class Stop final : public JobVerb {
 public:
  Stop() : JobVerb("stop") {}

 protected:
  int act(Session& session, const FoundJob& found) override {
    if (has_ended(found.object)) {
      session.out(fmt::format("{} has ended already ({})\n", found.job.label(), job_phase(found.object)));
      return kExitOk;
    }
    const Document patch =
        json::Object{{"metadata", json::Object{{"annotations", json::Object{{api::kStopAnnotation, "true"}}}}}};
    return patch_job(session, found.job.object(), patch, found.job.label() + " is being stopped");
  }
};

/// "mnist" gives "mnist-2", "mnist-2" gives "mnist-3".
std::string next_name(const std::string& name) {
  const std::size_t dash = name.rfind('-');
  const auto number = dash == std::string::npos ? std::nullopt : parse_int(name.substr(dash + 1));
  if (number && *number >= 2 && *number < 100'000) return fmt::format("{}-{}", name.substr(0, dash), *number + 1);
  return name + "-2";
}

/// The job as a new one: what its author wrote, without what the server and tools have added, and not paused.
Document fresh_copy(const FoundJob& found, const std::string& name) {
  json::Object metadata{{"name", name}};
  if (const Document* labels = found.object.at("metadata", "labels")) metadata.append("labels", *labels);
  json::Object annotations;
  if (const Document* old = found.object.at("metadata", "annotations"); old != nullptr && old->is_object()) {
    for (const json::Member& one : old->as_object()) {
      if (!one.key.starts_with("kubectl.kubernetes.io/") && one.key != api::kStopAnnotation) {
        annotations.append(one.key, one.value);
      }
    }
  }
  if (!annotations.empty()) metadata.append("annotations", std::move(annotations));
  Document spec = *found.object.find("spec");
  if (is_paused(found)) {
    if (is_tensorstack(found.job)) {
      spec["runMode"].as_object().erase("pause");
    } else {
      spec["runPolicy"].as_object().erase("suspend");
    }
  }
  return json::Object{{"apiVersion", found.job.kind.api_version()},
                      {"kind", found.job.kind.kind},
                      {"metadata", std::move(metadata)},
                      {"spec", std::move(spec)}};
}

class Rerun final : public JobVerb {
 public:
  Rerun() : JobVerb("rerun") {}
  void add_flags(Flags& flags) override {
    flags.add_string("name", &name_, "of the new job (default: JOB-2, JOB-3, …)");
  }

 protected:
  int act(Session& session, const FoundJob& found) override {
    std::string name = name_.empty() ? next_name(found.job.name) : name_;
    for (;;) {
      const auto created = session.await([&](client::OnDocument done) {
        session.api().create(found.job.kind.resource, found.job.ns, fresh_copy(found, name), {}, std::move(done));
      });
      if (created) break;
      if (created.error().reason != Reason::kAlreadyExists || !name_.empty()) return session.fail(created.error());
      name = next_name(name);
    }
    session.out(fmt::format("{}/{} created\n", found.job.kind.label(), name));
    return kExitOk;
  }

 private:
  std::string name_;
};

class Scale final : public Command {
 public:
  void add_flags(Flags& flags) override {
    flags.add_int("replicas", &replicas_, "how many workers the job shall have");
  }

  int run(Session& session, const std::vector<std::string>& words) override {
    std::vector<std::string> job = words;
    if (!replicas_ && job.size() > 1) {
      replicas_ = parse_int(job.back());
      job.pop_back();
    }
    if (!replicas_ || *replicas_ < 0) {
      return session.fail(usage_failure("say how many replicas the job shall have", kUsage));
    }
    auto found = find_job(session, job, kUsage);
    if (auto* failure = std::get_if<Failure>(&found)) return session.fail(*failure);
    return scale(session, std::get<0>(found));
  }

 private:
  static constexpr const char* kUsage = "muster scale JOB 4";

  int scale(Session& session, const FoundJob& found) {
    if (has_ended(found.object)) return session.fail(already_ended(found, "scale"));
    const std::string done = fmt::format("{} scaled to {}", found.job.label(), *replicas_);
    if (found.object.bool_at("spec", "elastic", "enabled")) {
      const Document patch =
          json::Object{{"spec", json::Object{{"elastic", json::Object{{"expectedReplicas", *replicas_}}}}}};
      return patch_job(session, found.job.object(), patch, done);
    }
    if (found.object.at("spec", "elasticPolicy") != nullptr) {
      client::ObjectName subresource = found.job.object();
      subresource.subresource = "scale";
      return patch_job(session, subresource, json::Object{{"spec", json::Object{{"replicas", *replicas_}}}}, done);
    }
    return session.fail({.code = kExitFailed,
                         .what = fmt::format("cannot scale {}: the job is not elastic", found.job.name),
                         .why = "its ranks were told how many they are when they started",
                         .fix = fmt::format("write {} in its manifest, or change the replicas and create it anew",
                                            is_tensorstack(found.job) ? "spec.elastic" : "spec.elasticPolicy")});
  }

  std::optional<std::int64_t> replicas_;
};

}  // namespace

std::unique_ptr<Command> make_pause() {
  return std::make_unique<Pause>(true);
}

std::unique_ptr<Command> make_resume() {
  return std::make_unique<Pause>(false);
}

std::unique_ptr<Command> make_stop() {
  return std::make_unique<Stop>();
}

std::unique_ptr<Command> make_rerun() {
  return std::make_unique<Rerun>();
}

std::unique_ptr<Command> make_scale() {
  return std::make_unique<Scale>();
}

}  // namespace muster::cli
