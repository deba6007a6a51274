// arena data list: the claims that jobs can mount with --data.
#include "arena/commands/commands.h"

namespace muster::arena {

namespace {

class DataList final : public Command {
 public:
  void add_flags(Flags& flags) override {
    flags.add("allNamespaces", &all_namespaces_, "show all the namespaces");
    flags.add("all-namespaces", &all_namespaces_, "the same, as other commands spell it", 'A');
  }

  int run(Context& context, const std::vector<std::string>& /*words*/) override {
    const auto claims =
        context.session.list({"", "v1", "persistentvolumeclaims"}, all_namespaces_ ? "" : context.session.ns(), {});
    if (!claims) return context.fail(claims.error());
    Viewer viewer = viewer_of(context, "");
    viewer.with_namespace = all_namespaces_;
    context.session.out(data_text(claims->array_at("items"), viewer));
    return 0;
  }

 private:
  bool all_namespaces_ = false;
};

}  // namespace

std::unique_ptr<Command> make_data_list() {
  return std::make_unique<DataList>();
}

}  // namespace muster::arena
