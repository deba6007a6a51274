// arena submit and arena cron TYPE: create a training job, or a schedule of jobs, and what belongs to it, from flags.
#include <fmt/core.h>

#include <algorithm>

#include "arena/commands/commands.h"
#include "arena/context/identity.h"
#include "arena/requests/delete_job.h"
#include "arena/submit/cron_object.h"
#include "arena/submit/objects.h"
#include "base/files.h"
#include "base/strings.h"
#include "cli/connect/kinds.h"
#include "json/yaml.h"

namespace muster::arena {

namespace {

using cli::Failure;
using json::Document;

/// "pytorchjob.kubeflow.org/mnist"
std::string label_of(const Document& object) {
  const api::Resource* resource = api::find_kind(object.string_at("apiVersion"), object.string_at("kind"));
  CHECK(resource != nullptr);
  return fmt::format("{}/{}", cli::kind_of(*resource).label(), object.string_at("metadata", "name"));
}

Document with_owner(Document object, const Document& job) {
  object["metadata"]["ownerReferences"] = json::Array{json::Object{{"apiVersion", job.string_at("apiVersion")},
                                                                   {"kind", job.string_at("kind")},
                                                                   {"name", job.string_at("metadata", "name")},
                                                                   {"uid", job.string_at("metadata", "uid")}}};
  return object;
}

class Submit final : public Command {
 public:
  enum class When { kNow, kOnSchedule };
  explicit Submit(const JobType& type, When when = When::kNow) : type_(type) {
    if (when == When::kOnSchedule) cron_.emplace();
  }

  void add_flags(Flags& flags) override {
    flags_.add_flags(flags, type_);
    if (cron_) cron_->add_flags(flags);
  }

  std::optional<Failure> check(const std::vector<std::string>& words) override {
    if (cron_) {
      if (auto failure = cron_->check()) return failure;
    }
    auto request = read_request(type_, flags_, words, cli::read_environment().home, read_file);
    if (auto* failure = std::get_if<Failure>(&request)) return std::move(*failure);
    request_ = std::get<JobRequest>(std::move(request));
    if (!flags_.output.empty() && flags_.output != "yaml" && flags_.output != "json") {
      return Failure{.what = "unknown output format,only support:[json|yaml]"};
    }
    return std::nullopt;
  }

  int run(Context& context, const std::vector<std::string>& /*words*/) override {
    if (auto failure = check_references(context)) return context.fail(*failure);
    auto placement = placement_of(context);
    if (!placement) return context.fail(placement.error());
    if (flags_.dry_run) return print_objects(context, submission(*placement));
    // A server that does not tell the name takes the job as well.
    if (const auto user = user_name(context.session)) {
      placement->user = *user;
      placement->user_id = user_id(*user);
    }
    auto created = create_job(context, *placement);
    if (!created) return context.fail(creation_failure(context, created.error(), label_of_type()));
    const Submission made = submission(*placement);
    for (const Document& part : made.parts) {
      const Status done = create(context, with_owner(part, *created));
      if (done) continue;
      // The parts that exist already belong to the job, so they go with it.
      remove_job(context, *created);
      return context.fail(creation_failure(context, done.error(), label_of(part)));
    }
    report(context, made);
    return 0;
  }

 private:
  std::string label_of_type() const { return cron_ ? "cron" : std::string(type_.name); }

  Submission submission(const Placement& placement) const {
    Submission made = objects_of(request_, placement);
    return cron_ ? on_schedule(std::move(made), *cron_) : made;
  }

  client::ResourceName resource_in(const std::string& version) const {
    if (cron_) return {std::string(kCronGroup), std::string(kCronVersion), "crons"};
    return {std::string(kJobGroup), version, std::string(type_.plural)};
  }

  /// A job that waits forever for a claim that does not exist helps nobody.
  std::optional<Failure> check_references(Context& context) const {
    cli::Session& session = context.session;
    for (const Mounted& claim : request_.claims) {
      const auto found = session.get({{"", "v1", "persistentvolumeclaims"}, session.ns(), claim.source});
      if (found) continue;
      if (found.error().reason != Reason::kNotFound) return context.failure_of(found.error());
      return Failure{
          .what = fmt::format("the PVC {} of --data doesn't exist in namespace {}", claim.source, session.ns()),
          .fix = "arena data list shows those that exist"};
    }
    if (flags_.priority.empty()) return std::nullopt;
    const auto found = session.get({{"scheduling.k8s.io", "v1", "priorityclasses"}, "", flags_.priority});
    if (found || found.error().reason == Reason::kForbidden) return std::nullopt;
    if (found.error().reason != Reason::kNotFound) return context.failure_of(found.error());
    return Failure{.what =
                       fmt::format("the priority {} doesn't exist. Please check with `kubectl get pc` to get a valid "
                                   "priority",
                                   flags_.priority)};
  }

  Result<Placement> placement_of(Context& context) const {
    constexpr std::int64_t kNineDigits = 1'000'000'000;
    Placement out{
        .ns = context.session.ns(),
        .version = std::string(type_.versions.front()),
        .image_pull_secrets = context.config.image_pull_secrets,
        .tf_role_sequence = context.config.tf_role_sequence,
        .log_folder_id = fmt::format("{:09}", context.session.loop().now().time_since_epoch().count() % kNineDigits)};
    const bool has_local_code = request_.sync && !request_.sync->folder.empty();
    if (!needs_log_volume(request_) && !has_local_code) return out;
    TRY_ASSIGN(const std::string text, context.session.get_text("/version"));
    TRY_ASSIGN(const Document version, json::parse(text));
    if (!version.string_at("musterVersion").empty()) {
      out.log_volume = LogVolume::kClaim;
    } else if (has_local_code) {
      return Error{.reason = Reason::kBadRequest,
                   .message = fmt::format("--sync-source: the nodes of a cluster do not have {}; push it to a server, "
                                          "and give the address",
                                          quote(request_.sync->folder))};
    }
    return out;
  }

  int print_objects(Context& context, const Submission& made) const {
    std::vector<Document> all = made.parts;
    all.push_back(made.job);
    for (Document& object : all) {
      if (object.string_at("kind") == "Secret") object["data"] = json::Object{};  // no credentials on the screen
      context.session.out_exact(flags_.output == "json" ? json::serialize_pretty(object) + "\n"
                                                        : "---\n" + json::to_yaml(object));
    }
    return 0;
  }

  /// Creates the job in the first version that the server has, and leaves that version in `placement`.
  Result<Document> create_job(Context& context, Placement& placement) const {
    cli::Session& session = context.session;
    for (std::size_t i = 0;; ++i) {
      placement.version = std::string(type_.versions[i]);
      const Document job = submission(placement).job;
      auto created = session.await([&](client::OnDocument done) {
        session.api().create(resource_in(placement.version), session.ns(), job, {}, std::move(done));
      });
      const bool is_last = cron_ || i + 1 == type_.versions.size();
      if (created || is_last || created.error().reason != Reason::kNotFound) return created;
    }
  }

  static Status create(Context& context, const Document& object) {
    cli::Session& session = context.session;
    const api::Resource* resource = api::find_kind(object.string_at("apiVersion"), object.string_at("kind"));
    auto created = session.await(
        [&](client::OnDocument done) { session.api().create(*resource, session.ns(), object, {}, std::move(done)); });
    if (!created) return std::move(created).error();
    return ok();
  }

  void remove_job(Context& context, const Document& job) const {
    cli::Session& session = context.session;
    const std::string& version = job.string_at("apiVersion");
    const client::ResourceName resource = resource_in(version.substr(version.find('/') + 1));
    client::DeleteOptions options;
    options.propagation_policy = "Background";
    const auto removed = session.await_last(
        [&](client::OnDocument done) {
          session.api().remove({resource, session.ns(), flags_.name}, options, std::move(done));
        },
        std::chrono::seconds(10));
    if (!removed) context.log.warn(fmt::format("the job {} was left behind: {}", flags_.name, removed.error().message));
  }

  Failure creation_failure(Context& context, const Error& error, const std::string& what) const {
    const std::string& name = flags_.name;
    const bool is_primary = what == label_of_type();
    if (error.reason == Reason::kAlreadyExists && is_primary) {
      return {.what = fmt::format("the {0} {1} is already exist, please delete it first. use 'arena {2} {1}'",
                                  cron_ ? "cron" : "job", name, cron_ ? "cron delete" : "delete")};
    }
    const std::string record = record_name(name, type_);
    if (error.reason == Reason::kAlreadyExists && what == "configmap/" + record) {
      return {.what = fmt::format("the job configmap {} is already exist, please delete it first", record),
              .fix = fmt::format("kubectl delete -n {} configmap {}", context.session.ns(), record)};
    }
    if (error.reason == Reason::kNotFound && is_primary) {
      const client::ResourceName resource = resource_in("");
      return {
          .what = fmt::format("failed to find {} {} from api server,reason: the server could not find the requested "
                              "resource (get {}.{} {})",
                              what, name, resource.plural, resource.group, name),
          .why = error.message,
          .fix = fmt::format("install the definition of {}, or use the engine of this machine: muster use local",
                             cron_ ? "Cron" : type_.kind)};
    }
    Failure out = context.failure_of(error);
    if (!is_primary) out.what = fmt::format("{}: {}", what, out.what);
    return out;
  }

  void report(Context& context, const Submission& made) const {
    if (cron_) return report_cron(context, made);
    const bool classic = layout_of("", context.environment) == Layout::kClassic;
    const std::string record = label_of(made.parts.front());
    if (classic) context.session.out(fmt::format("{0} created\n{0} labeled\n", record));
    for (std::size_t i = 1; i < made.parts.size(); ++i) context.session.out(label_of(made.parts[i]) + " created\n");
    context.session.out(label_of(made.job) + " created\n");
    context.log.info(fmt::format("The Job {} has been submitted successfully", flags_.name));
    const std::string& ns = context.session.ns();
    const bool says_namespace = !classic || ns != "default";
    context.log.info(fmt::format("You can run `arena get {} --type {}{}` to check the job status", flags_.name,
                                 type_.name, says_namespace ? " -n " + ns : ""));
  }

  void report_cron(Context& context, const Submission& made) const {
    for (const Document& part : made.parts) context.session.out(label_of(part) + " created\n");
    context.session.out(label_of(made.job) + " created\n");
    context.log.info(fmt::format("The cron {} {} has been submitted successfully", type_.name, flags_.name));
    context.log.info(fmt::format("You can run `arena cron get {}` to check the cron status", flags_.name));
  }

  const JobType& type_;
  std::optional<CronFlags> cron_;  // of a schedule
  SubmitFlags flags_;
  JobRequest request_;
};

}  // namespace

std::unique_ptr<Command> make_submit_pytorch() {
  return std::make_unique<Submit>(*find_type("pytorchjob"));
}

std::unique_ptr<Command> make_submit_tf() {
  return std::make_unique<Submit>(*find_type("tfjob"));
}

std::unique_ptr<Command> make_submit_mpi() {
  return std::make_unique<Submit>(*find_type("mpijob"));
}

std::unique_ptr<Command> make_submit_horovod() {
  return std::make_unique<Submit>(*find_type("horovodjob"));
}

std::unique_ptr<Command> make_cron_pytorch() {
  return std::make_unique<Submit>(*find_type("pytorchjob"), Submit::When::kOnSchedule);
}

std::unique_ptr<Command> make_cron_tf() {
  return std::make_unique<Submit>(*find_type("tfjob"), Submit::When::kOnSchedule);
}

std::unique_ptr<Command> make_cron_mpi() {
  return std::make_unique<Submit>(*find_type("mpijob"), Submit::When::kOnSchedule);
}

std::unique_ptr<Command> make_cron_horovod() {
  return std::make_unique<Submit>(*find_type("horovodjob"), Submit::When::kOnSchedule);
}

}  // namespace muster::arena
