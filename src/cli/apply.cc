// apply: makes the server's objects as the manifests say, and remembers in an annotation what was said, so that the
// next apply knows what the user took away.
#include "cli/commands.h"
#include "cli/three_way.h"
#include "cli/write_objects.h"

namespace muster::cli {

namespace {

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
    auto live = session.get(placed.object());
    const json::Document modified = with_last_applied(placed.manifest.value);
    if (!live) {
      if (live.error().reason != Reason::kNotFound) return objects_.report(session, placed, live, "");
      auto created = session.await([&](client::OnDocument done) {
        session.api().create(placed.kind.resource, placed.ns, modified, objects_.options(), std::move(done));
      });
      return objects_.report(session, placed, created, "created");
    }
    const json::Document patch = three_way_patch(last_applied(*live), modified, *live);
    if (patch.as_object().empty()) return objects_.report(session, placed, live, "unchanged");
    auto changed = session.await([&](client::OnDocument done) {
      session.api().patch(placed.object(), client::PatchType::kMerge, patch, objects_.options(), std::move(done));
    });
    return objects_.report(session, placed, changed, "configured");
  }

  WriteObjects objects_;
};

}  // namespace

std::unique_ptr<Command> make_apply() {
  return std::make_unique<Apply>();
}

}  // namespace muster::cli
