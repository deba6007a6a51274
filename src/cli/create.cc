// create: makes new objects; one that exists already is an error.
#include "cli/commands.h"
#include "cli/write_objects.h"

namespace muster::cli {

namespace {

class Create final : public Command {
 public:
  void add_flags(Flags& flags) override { objects_.add_flags(flags); }

  int run(Session& session, const std::vector<std::string>& words) override {
    return objects_.run(session, "muster-create", words, [&](Placed& placed) {
      auto created = session.await([&](client::OnDocument done) {
        session.api().create(placed.kind.resource, placed.ns, placed.manifest.value, objects_.options(),
                             std::move(done));
      });
      return objects_.report(session, placed, created, "created");
    });
  }

 private:
  WriteObjects objects_;
};

}  // namespace

std::unique_ptr<Command> make_create() {
  return std::make_unique<Create>();
}

}  // namespace muster::cli
