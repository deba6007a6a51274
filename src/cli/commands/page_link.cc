// tensorboard, notebook: print a link that opens the page of an object, and open it in the browser of a desktop. The
// object is found by its own name; a TensorBoard also by that of its job, whose own kind or Arena made it. A suspended
// one is resumed first. Muster's engine serves the pages; from a cluster a TensorBoard comes here through the API.
#include <fmt/core.h>

#include "api/muster/names.h"
#include "api/pages.h"
#include "api/resource.h"
#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/connect/browser.h"
#include "cli/jobs/find_job.h"
#include "cli/jobs/found_tensorboard.h"
#include "cli/objects/tensorboard_service.h"

namespace muster::cli {

namespace {

/// An object with a page.
struct PagedKind {
  const char* kind;
  const char* program;
  const char* usage;
  const char* ending;  // of the name of its Service
  int port = 0;
  bool of_jobs = false;  // jobs also have one

  const api::Resource& resource() const { return *api::find_kind("tensorstack.dev/v1beta1", kind); }
};

constexpr PagedKind kTensorBoardPage{.kind = "TensorBoard",
                                     .program = "TensorBoard",
                                     .usage = "muster tensorboard JOB",
                                     .ending = "tb",
                                     .port = 6006,
                                     .of_jobs = true};
constexpr PagedKind kNotebookPage{.kind = "Notebook",
                                  .program = "JupyterLab",
                                  .usage = "muster notebook NAME",
                                  .ending = "nb",
                                  .port = 8888,
                                  .of_jobs = false};

std::string ready_message(const json::Document& object) {
  for (const json::Document& condition : object.array_at("status", "conditions")) {
    if (condition.string_at("type") == "Ready") return condition.string_at("message");
  }
  return "";
}

class PageLink final : public Command {
 public:
  PageLink(const PagedKind& page, OpenPage open) : page_(page), open_(std::move(open)) {}

  void add_flags(Flags& flags) override { flags.add("no-open", &no_open_, "print the link but do not open it"); }

  int run(Session& session, const std::vector<std::string>& words) override {
    if (words.size() != 1) {
      return session.fail(
          usage_failure(fmt::format("name one {}{}", page_.of_jobs ? "job or " : "", page_.kind), page_.usage));
    }
    // `pj/mnist` is as good as `mnist`.
    const std::string name = words[0].substr(words[0].rfind('/') + 1);
    auto object = find(session, name);
    if (!object) return session.fail(object.error());
    if (object->is_null()) return page_.of_jobs ? show_other_board(session, name) : session.fail(no_object(name));
    if (const Status resumed = resume(session, *object); !resumed) return session.fail(resumed.error());
    if (object->string_at("status", "phase") == "Failed") return session.fail(broken(*object));
    return show(session, *object);
  }

 private:
  /// Returns null when there is neither an object of this name nor one of a job of this name.
  Result<json::Document> find(Session& session, const std::string& name) const {
    auto object = session.get({page_.resource(), session.ns(), name});
    if (object || object.error().reason != Reason::kNotFound) return object;
    if (!page_.of_jobs) return json::Document();
    client::ListOptions options;
    options.label_selector = fmt::format("{}={}", api::kOwnerNameLabel, name);
    TRY_ASSIGN(const json::Document of_job, session.list(page_.resource(), session.ns(), options));
    const json::Array& items = of_job.array_at("items");
    return items.empty() ? json::Document() : items.front();
  }

  Failure no_object(const std::string& name) const {
    return {.code = kExitNotFound,
            .what = fmt::format("there is no {} {}", page_.kind, quote(name)),
            .why = "",
            .fix = fmt::format("muster get {} -A", page_.resource().plural)};
  }

  /// One that Arena has made for the job, or that can be made because the job has left curves.
  int show_other_board(Session& session, const std::string& job) {
    const auto service = arena_tensorboard_service(session, session.ns(), job);
    if (!service) return session.fail(service.error());
    if (!service->is_null()) return show_board_of_arena(session, job, *service);
    const auto jobs = jobs_named(session, job);
    const bool is_one = jobs && jobs->size() == 1;
    const auto made = is_one ? make_tensorboard_of_curves(session, jobs->front()) : Result(json::Document());
    if (!made) return session.fail(made.error());
    return made->is_null() ? session.fail(no_board(session, job)) : show(session, *made);
  }

  int show_board_of_arena(Session& session, const std::string& job, const json::Document& service) const {
    const auto link = ask_for_link(session, arena_tensorboard_name(job));
    if (!link && link.error().reason == Reason::kNotFound) return show_through_api(session, service, "");
    return link ? print_link(session, *link) : session.fail(link.error());
  }

  static Failure no_board(Session& session, const std::string& name) {
    Failure out{.code = kExitNotFound,
                .what = fmt::format("there is no TensorBoard {}, and no job {} that has one", quote(name), quote(name)),
                .why = "",
                .fix = "muster get jobs,tensorboards"};
    const auto jobs = jobs_named(session, name);
    if (jobs && !jobs->empty()) out.fix = how_to_have_a_board(jobs->front());
    return out;
  }

  static std::string how_to_have_a_board(const FoundJob& job) {
    // Arena labels what it submits.
    if (!job.object.string_at("metadata", "labels", "release").empty()) return "submit it with arena's --tensorboard";
    const std::string& kind = job.job.kind.kind;
    if (kind == "PyTorchTrainingJob" || kind == "TensorFlowTrainingJob") {
      return fmt::format(
          "write event files into a volume, or spec.tensorboardSpec in the job: muster explain {}.spec.tensorboardSpec",
          job.job.kind.short_label());
    }
    return "create a TensorBoard for the claim with its logs: muster explain tensorboard.spec";
  }

  Failure broken(const json::Document& object) const {
    const std::string& name = object.string_at("metadata", "name");
    return {.code = kExitFailed,
            .what = fmt::format("{} {} does not run", page_.kind, quote(name)),
            .why = ready_message(object),
            .fix = fmt::format("muster describe {} {}", page_.resource().short_names.front(), name)};
  }

  Status resume(Session& session, const json::Document& object) const {
    if (!object.bool_at("spec", "suspend")) return ok();
    const std::string& name = object.string_at("metadata", "name");
    session.err(fmt::format("resuming {} {}\n", page_.kind, name));
    TRY(session.await([&](client::OnDocument done) {
      session.api().patch({page_.resource(), session.ns(), name}, client::PatchType::kMerge,
                          json::Object{{"spec", json::Object{{"suspend", false}}}}, {}, std::move(done));
    }));
    return ok();
  }

  Result<json::Document> ask_for_link(Session& session, const std::string& name) const {
    const client::ResourceName pages("muster.dev", "v1", page_.resource().plural);
    return session.await([&](client::OnDocument done) {
      session.api().create_subresource({pages, session.ns(), name, "link"}, json::Object{}, std::move(done));
    });
  }

  int show(Session& session, const json::Document& object) {
    const std::string& name = object.string_at("metadata", "name");
    const auto link = ask_for_link(session, name);
    if (object.string_at("status", "phase") != "Running") {
      session.err(fmt::format("{} is starting: {}\n", page_.program, ready_message(object)));
    }
    if (!link && link.error().reason == Reason::kNotFound) return show_from_cluster(session, name);
    return link ? print_link(session, *link) : session.fail(link.error());
  }

  int show_from_cluster(Session& session, const std::string& name) const {
    const std::string service_name = fmt::format("{}-{}", name, page_.ending);
    if (!page_.of_jobs) {
      // JupyterLab's own links begin at the root of its server, so its page cannot lie below another path.
      return session.fail(
          {.code = kExitFailed,
           .what = fmt::format("this server has no page for {}s", page_.kind),
           .why = "only Muster's own engine serves them",
           .fix = fmt::format("kubectl port-forward -n {} svc/{} {}:80", session.ns(), service_name, page_.port)});
    }
    const auto service = session.get({{"", "v1", "services"}, session.ns(), service_name});
    if (!service) return session.fail(service.error());
    return show_through_api(session, *service, fmt::format("{}/{}/{}/", api::kTensorBoardPages, session.ns(), name));
  }

  int show_through_api(Session& session, const json::Document& service, const std::string& path_in_pod) const {
    return session.show_page({.path = path_through_api(service) + path_in_pod, .open = !no_open_});
  }

  int print_link(Session& session, const json::Document& link) const {
    session.out(link.string_at("url") + "\n");
    if (!no_open_ && session.terminal().out_is_terminal) open_(link.string_at("url"));
    return kExitOk;
  }

  const PagedKind& page_;
  OpenPage open_;
  bool no_open_ = false;
};

}  // namespace

std::unique_ptr<Command> make_tensorboard() {
  return make_tensorboard(open_in_browser);
}

std::unique_ptr<Command> make_tensorboard(OpenPage open) {
  return std::make_unique<PageLink>(kTensorBoardPage, std::move(open));
}

std::unique_ptr<Command> make_notebook() {
  return make_notebook(open_in_browser);
}

std::unique_ptr<Command> make_notebook(OpenPage open) {
  return std::make_unique<PageLink>(kNotebookPage, std::move(open));
}

}  // namespace muster::cli
