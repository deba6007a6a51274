#include "web/jobs/job_verb_routes.h"

#include <fmt/core.h>

#include <functional>
#include <optional>

#include "apiserver/errors/status_error.h"
#include "apiserver/http/auth.h"
#include "apiserver/http/body.h"
#include "apiserver/http/write_parameters.h"
#include "base/strings.h"
#include "client/api_client.h"
#include "client/share_ownership.h"
#include "jobs/kind.h"
#include "jobs/verbs.h"
#include "web/jobs/job_kind.h"

namespace muster::web {
namespace {

using json::Document;

constexpr const char* kRerun = "rerun";

struct NamedVerb {
  const char* name;
  jobs::Verb verb;
};
constexpr NamedVerb kVerbs[] = {{"pause", jobs::Verb::kPause},
                                {"resume", jobs::Verb::kResume},
                                {"stop", jobs::Verb::kStop},
                                {"scale", jobs::Verb::kScale}};

/// Returns the only member that the body may have; nullopt when it is absent. Without `allowed` it may have none.
Result<std::optional<Document>> body_member(const net::Request& http, std::optional<std::string_view> allowed) {
  std::optional<Document> found;
  if (trim(http.body).empty()) return found;
  std::vector<std::string> repeated;
  TRY_ASSIGN(const Document body, apiserver::read_small_body(http, repeated));
  if (!repeated.empty()) return apiserver::bad_request(repeated.front());
  if (!body.is_object()) {
    return apiserver::bad_request(fmt::format("body: must be an object, got {}", apiserver::brief(body)));
  }
  for (const json::Member& member : body.as_object()) {
    if (member.key != allowed) {
      return apiserver::bad_request(fmt::format("{}: unknown field, got {}",
                                                member.key.empty() ? quote(member.key) : member.key,
                                                apiserver::brief(member.value)));
    }
    found = member.value;
  }
  return found;
}

Result<std::int64_t> wanted_replicas(const net::Request& http) {
  TRY_ASSIGN(const auto given, body_member(http, "replicas"));
  if (given && given->is_int() && given->as_int() >= 0) return given->as_int();
  return apiserver::bad_request(fmt::format("replicas: must be a whole number of at least 0, got {}",
                                            given ? apiserver::brief(*given) : "nothing"));
}

/// "" for the next free name.
Result<std::string> wanted_name(const net::Request& http) {
  TRY_ASSIGN(const auto given, body_member(http, "name"));
  if (!given) return std::string();
  if (given->is_string() && !given->as_string().empty()) return given->as_string();
  return apiserver::bad_request(fmt::format("name: must be the name of the new job, got {}", apiserver::brief(*given)));
}

Error not_a_job(const Document& object) {
  return {.reason = Reason::kNotFound, .message = fmt::format("{} is not a kind of job", object.string_at("kind"))};
}

Error refused(const jobs::Refusal& refusal) {
  std::string message = refusal.what;
  if (!refusal.why.empty()) message += ": " + refusal.why;
  if (!refusal.fix.empty()) message += "; " + refusal.fix;
  return {.reason = Reason::kConflict, .message = std::move(message)};
}

/// One request. What it waits for holds it.
class JobAction : public std::enable_shared_from_this<JobAction> {
 public:
  JobAction(net::Transport& api, ActsAs who, const apiserver::RoutedRequest& request, const api::Resource& kind,
            bool dry_run, std::shared_ptr<net::Exchange> exchange)
      : client_(api, who == ActsAs::kCaller ? apiserver::passed_on_token(request.http) : ""),
        exchange_(std::move(exchange)),
        job_{kind, request.at.at("namespace"), request.at.at("name")} {
    options_.dry_run = dry_run;
  }

  void carry_out(jobs::Verb verb, std::int64_t replicas) {
    read([self = shared_from_this(), verb, replicas](const Document& object) {
      const jobs::VerbResult result = jobs::plan_verb(verb, object, replicas);
      if (const auto* refusal = std::get_if<jobs::Refusal>(&result)) return self->fail(refused(*refusal));
      self->change(std::get<jobs::VerbPlan>(result));
    });
  }

  void rerun(std::string name) {
    read([self = shared_from_this(), name = std::move(name)](Document object) {
      const bool is_given = !name.empty();
      self->create(std::move(object), is_given ? name : jobs::next_name(self->job_.name), is_given);
    });
  }

 private:
  template <typename Then>
  void read(Then then) {
    client_.get(job_, [self = shared_from_this(), then = std::move(then)](Result<Document> object) {
      if (!object) return self->fail(object.error());
      if (jobs::kind_of_job(*object) == nullptr) return self->fail(not_a_job(*object));
      then(*std::move(object));
    });
  }

  void change(const jobs::VerbPlan& plan) {
    Document answer = json::Object{{"outcome", plan.outcome}};
    if (!plan.patch) return respond_json(*exchange_, 200, answer);
    client::ObjectName target = job_;
    target.subresource = plan.patch->subresource;
    client_.patch(target, client::PatchType::kMerge, plan.patch->body, options_,
                  [self = shared_from_this(), answer = std::move(answer)](const Result<Document>& changed) {
                    changed ? respond_json(*self->exchange_, 200, answer) : self->fail(changed.error());
                  });
  }

  void create(Document object, const std::string& name, bool is_given) {
    const Document copy = jobs::fresh_copy(object, name);
    client_.create(job_.resource, job_.ns, copy, options_,
                   [self = shared_from_this(), object = std::move(object), name, is_given](Result<Document> made) {
                     const bool is_taken = !made && made.error().reason == Reason::kAlreadyExists;
                     if (is_taken && !is_given) return self->create(object, jobs::next_name(name), false);
                     if (!made) return self->fail(made.error());
                     self->share_secrets(object.string_at("metadata", "uid"), *made);
                   });
  }

  /// The Secrets that were made for the old job are deleted with it, unless the new one owns them too.
  void share_secrets(const std::string& old_uid, const Document& made) {
    std::vector<client::ObjectName> secrets;
    for (const std::string& name : jobs::secrets_named_in(made)) {
      secrets.push_back({{"", "v1", "secrets"}, job_.ns, name});
    }
    if (options_.dry_run) secrets.clear();
    const auto answer = [self = shared_from_this(), name = made.string_at("metadata", "name")](const Status& shared) {
      std::string outcome = "created";
      if (!shared) outcome += ", with Secrets that are deleted with the old job: " + shared.error().message;
      respond_json(*self->exchange_, 201, json::Object{{"outcome", std::move(outcome)}, {"name", name}});
    };
    client::share_ownership(client_, std::move(secrets), old_uid, jobs::owner_reference(made), answer);
  }

  void fail(const Error& error) { respond_error(*exchange_, error); }

  client::ApiClient client_;
  std::shared_ptr<net::Exchange> exchange_;
  client::ObjectName job_;
  client::WriteOptions options_;
};

}  // namespace

std::vector<apiserver::Route> job_verb_routes(net::Transport& api, ActsAs who) {
  using Start = std::function<Status(JobAction&, const net::Request&)>;
  const auto route = [&api, who](const std::string& verb, Start start) {
    const auto handle = [&api, who, start = std::move(start)](const apiserver::RoutedRequest& request,
                                                              const std::shared_ptr<net::Exchange>& exchange) {
      const auto kind = find_job_kind(request.at.at("resource"));
      if (!kind) return respond_error(*exchange, kind.error());
      const auto dry_run = apiserver::parse_dry_run("PatchOptions", request.query, nullptr);
      if (!dry_run) return respond_error(*exchange, dry_run.error());
      const auto action = std::make_shared<JobAction>(api, who, request, **kind, *dry_run, exchange);
      if (const Status started = start(*action, request.http); !started) respond_error(*exchange, started.error());
    };
    return apiserver::Route{.pattern = "apis/muster.dev/v1/namespaces/{namespace}/jobs/{resource}/{name}/" + verb,
                            .methods = {"POST"},
                            .handle = handle};
  };
  std::vector<apiserver::Route> routes;
  for (const auto& [name, verb] : kVerbs) {
    routes.push_back(route(name, [verb = verb](JobAction& action, const net::Request& http) -> Status {
      std::int64_t replicas = 0;
      if (verb == jobs::Verb::kScale) {
        TRY_ASSIGN(replicas, wanted_replicas(http));
      } else {
        TRY(body_member(http, std::nullopt));
      }
      action.carry_out(verb, replicas);
      return ok();
    }));
  }
  routes.push_back(route(kRerun, [](JobAction& action, const net::Request& http) -> Status {
    TRY_ASSIGN(std::string name, wanted_name(http));
    action.rerun(std::move(name));
    return ok();
  }));
  return routes;
}

}  // namespace muster::web
