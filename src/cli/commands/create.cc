// create: creates objects; it is an error when one already exists.
#include <fmt/core.h>

#include "api/resource.h"
#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/objects/write_objects.h"

namespace muster::cli {

namespace {

Placed namespace_named(const std::string& name) {
  Placed out;
  out.kind = kind_of(*api::find_kind("v1", "Namespace"));
  out.manifest.value =
      json::Object{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", json::Object{{"name", name}}}};
  return out;
}

class Create final : public Command {
 public:
  void add_flags(Flags& flags) override { objects_.add_flags(flags); }

  int run(Session& session, const std::vector<std::string>& words) override {
    const auto create = [&](Placed& placed) {
      auto created = session.await([&](client::OnDocument done) {
        session.api().create(placed.kind.resource, placed.ns, placed.manifest.value, objects_.options(),
                             std::move(done));
      });
      return objects_.report(session, placed, created, "created");
    };
    if (words.empty() || looks_like_file(words[0])) return objects_.run(session, "muster-create", words, create);
    if (words[0] != "namespace" && words[0] != "ns") {
      return session.fail(usage_failure(fmt::format("cannot create {} from words alone", quote(words[0])),
                                        "muster create -f FILE   or: muster create namespace NAME"));
    }
    if (words.size() != 2 || words[1].empty()) {
      return session.fail(usage_failure("create namespace takes one name", "muster create namespace NAME"));
    }
    return objects_.run_on(session, "muster-create", namespace_named(words[1]), create);
  }

 private:
  WriteObjects objects_;
};

}  // namespace

std::unique_ptr<Command> make_create() {
  return std::make_unique<Create>();
}

}  // namespace muster::cli
