// apply: makes the server's objects match the manifests, and stores each manifest in an annotation of its object, so
// that the next apply knows which members the user has removed.
#include "cli/commands/commands.h"
#include "cli/objects/three_way.h"
#include "cli/objects/write_objects.h"

namespace muster::cli {

namespace {

constexpr int kMostTries = 9;
constexpr Duration kFirstPause = std::chrono::milliseconds(5);  // doubles: 1.3 s in all

class Apply final : public Command {
 public:
  void add_flags(Flags& flags) override { objects_.add_flags(flags); }

  int run(Session& session, const std::vector<std::string>& words) override {
    return objects_.run(session, "muster-apply", words, [&](Placed& placed) { return apply(session, placed); });
  }

 private:
  int apply(Session& session, const Placed& placed) {
    if (placed.manifest.name().empty()) {
      Failure failure = failure_at(*placed.manifest.source, {{placed.manifest.mark_of("metadata.generateName"),
                                                              "apply needs metadata.name, not generateName"}});
      failure.fix = "muster create -f makes a new object each time";
      return session.fail(failure);
    }
    const json::Document modified = with_last_applied(placed.manifest.value);
    Outcome outcome = apply_once(session, placed, modified);
    // A concurrent apply of the same manifest won, or the object was just deleted: retry with the current state, which
    // reads show once the other write is on disk.
    Duration pause = kFirstPause;
    for (int tries = 1; tries < kMostTries && lost_a_race(outcome.result); ++tries, pause *= 2) {
      session.wait_until([] { return false; }, session.loop().mono() + pause);
      outcome = apply_once(session, placed, modified);
    }
    return objects_.report(session, placed, outcome.result, outcome.done);
  }

  struct Outcome {
    Result<json::Document> result;
    std::string_view done;
  };

  Outcome apply_once(Session& session, const Placed& placed, const json::Document& modified) const {
    auto live = session.get(placed.object());
    if (!live && live.error().reason != Reason::kNotFound) return {std::move(live), ""};
    if (!live) {
      return {session.await([&](client::OnDocument done) {
                session.api().create(placed.kind.resource, placed.ns, modified, objects_.options(), std::move(done));
              }),
              "created"};
    }
    const json::Document patch = three_way_patch(last_applied(*live), modified, *live);
    if (patch.as_object().empty()) return {std::move(live), "unchanged"};
    return {session.await([&](client::OnDocument done) {
              session.api().patch(placed.object(), client::PatchType::kMerge, patch, objects_.options(),
                                  std::move(done));
            }),
            "configured"};
  }

  static bool lost_a_race(const Result<json::Document>& result) {
    if (result) return false;
    const Reason reason = result.error().reason;
    return reason == Reason::kAlreadyExists || reason == Reason::kConflict || reason == Reason::kNotFound;
  }

  WriteObjects objects_;
};

}  // namespace

std::unique_ptr<Command> make_apply() {
  return std::make_unique<Apply>();
}

}  // namespace muster::cli
