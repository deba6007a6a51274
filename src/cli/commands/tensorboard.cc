// tensorboard: prints a link that opens the TensorBoard of a job, or a TensorBoard by its own name, and opens it in the
// browser of a desktop. A suspended TensorBoard is resumed first.
#include <fmt/core.h>

#include "api/names.h"
#include "api/resource.h"
#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/connect/browser.h"

namespace muster::cli {

namespace {

const api::Resource& tensorboards() {
  return *api::find_kind("tensorstack.dev/v1beta1", "TensorBoard");
}

std::string ready_message(const json::Document& board) {
  for (const json::Document& condition : board.array_at("status", "conditions")) {
    if (condition.string_at("type") == "Ready") return condition.string_at("message");
  }
  return "";
}

class TensorBoardLink final : public Command {
 public:
  explicit TensorBoardLink(OpenPage open) : open_(std::move(open)) {}

  void add_flags(Flags& flags) override { flags.add_bool("no-open", &no_open_, "only print the link"); }

  int run(Session& session, const std::vector<std::string>& words) override {
    if (words.size() != 1) {
      return session.fail(usage_failure("name one job or TensorBoard", "muster tensorboard JOB"));
    }
    // `pj/mnist` is as good as `mnist`.
    const std::string name = words[0].substr(words[0].rfind('/') + 1);
    auto board = find(session, name);
    if (!board) return session.fail(board.error());
    if (board->is_null()) return session.fail(nothing_found(name));
    if (const Status resumed = resume(session, *board); !resumed) return session.fail(resumed.error());
    if (board->string_at("status", "phase") == "Failed") return session.fail(broken(*board));
    return print_link(session, *board);
  }

 private:
  /// Returns null when there is neither a TensorBoard of this name nor one of a job of this name.
  static Result<json::Document> find(Session& session, const std::string& name) {
    auto board = session.get({tensorboards(), session.ns(), name});
    if (board || board.error().reason != Reason::kNotFound) return board;
    client::ListOptions options;
    options.label_selector = fmt::format("{}={}", api::kOwnerNameLabel, name);
    TRY_ASSIGN(const json::Document of_job, session.list(tensorboards(), session.ns(), options));
    const json::Array& items = of_job.array_at("items");
    return items.empty() ? json::Document() : items.front();
  }

  static Failure nothing_found(const std::string& name) {
    return {.code = kExitNotFound,
            .what = fmt::format("there is no TensorBoard {}, and no job {} that has one", quote(name), quote(name)),
            .why = "",
            .fix = "write spec.tensorboardSpec in the job: muster explain pj.spec.tensorboardSpec"};
  }

  static Failure broken(const json::Document& board) {
    const std::string& name = board.string_at("metadata", "name");
    return {.code = kExitFailed,
            .what = fmt::format("TensorBoard {} does not run", quote(name)),
            .why = ready_message(board),
            .fix = "muster describe tb " + name};
  }

  static Status resume(Session& session, const json::Document& board) {
    if (!board.bool_at("spec", "suspend")) return ok();
    const std::string& name = board.string_at("metadata", "name");
    session.err(fmt::format("resuming TensorBoard {}\n", name));
    TRY(session.await([&](client::OnDocument done) {
      session.api().patch({tensorboards(), session.ns(), name}, client::PatchType::kMerge,
                          json::Object{{"spec", json::Object{{"suspend", false}}}}, {}, std::move(done));
    }));
    return ok();
  }

  int print_link(Session& session, const json::Document& board) {
    const std::string& name = board.string_at("metadata", "name");
    const client::ResourceName pages("muster.dev", "v1", "tensorboards");
    const auto link = session.await([&](client::OnDocument done) {
      session.api().create_subresource({pages, session.ns(), name, "link"}, json::Object{}, std::move(done));
    });
    if (!link && link.error().reason == Reason::kNotFound) {
      return session.fail({.code = kExitFailed,
                           .what = "this server has no page for TensorBoards",
                           .why = "only Muster's own engine serves them",
                           .fix = fmt::format("kubectl port-forward -n {} svc/{}-tb 6006:80", session.ns(), name)});
    }
    if (!link) return session.fail(link.error());
    if (board.string_at("status", "phase") != "Running") {
      session.err(fmt::format("TensorBoard is starting: {}\n", ready_message(board)));
    }
    session.out(link->string_at("url") + "\n");
    if (!no_open_ && session.terminal().out_is_terminal) open_(link->string_at("url"));
    return kExitOk;
  }

  OpenPage open_;
  bool no_open_ = false;
};

}  // namespace

std::unique_ptr<Command> make_tensorboard() {
  return make_tensorboard(open_in_browser);
}

std::unique_ptr<Command> make_tensorboard(OpenPage open) {
  return std::make_unique<TensorBoardLink>(std::move(open));
}

}  // namespace muster::cli
