// arena top node: the GPUs of the nodes, and how many of them pods hold.
#include <algorithm>

#include "arena/commands/commands.h"
#include "arena/requests/find_jobs.h"
#include "json/yaml.h"

namespace muster::arena {

namespace {

class TopNode final : public Command {
 public:
  void add_flags(Flags& flags) override {
    flags.add("details", &details_, "Display details", 'd');
    flags.add("gpu-mode", &gpu_mode_, "Display node information with following gpu mode:[n|e|t|s]", 'm');
    flags.add("refresh", &refresh_, "Display continuously", 'r');
    flags.add("metric", &metric_, "accepted for compatibility; the engine's metrics are in muster top");
    flags.add("gpushare", &gpu_share_, "show only nodes that share GPUs", 's');
    flags.add("output", &output_, "Output format. One of: json|yaml|wide", 'o');
    flags.set_choices("output", {"json", "yaml", "wide"});
  }

  std::optional<cli::Failure> check(const std::vector<std::string>& /*words*/) override {
    if (gpu_share_) gpu_mode_ = "s";
    constexpr std::string_view kModes[] = {"", "n", "none", "e", "exclusive", "t", "topology", "s", "share"};
    if (std::ranges::find(kModes, gpu_mode_) == std::end(kModes)) {
      return cli::Failure{.what = "unknown gpu mode,only support:[n|e|t|s]",
                          .why = "n: none, e: exclusive, t: topology, s: share"};
    }
    return check_output(output_);
  }

  int run(Context& context, const std::vector<std::string>& names) override {
    for (;;) {
      auto replies = list_together(context.session, {{{"", "v1", "nodes"}, ""}, {{"", "v1", "pods"}, "", not_ended()}});
      for (auto& reply : replies) {
        if (!reply) return context.fail(reply.error());
      }
      std::vector<NodeUse> nodes = node_use(replies[0]->array_at("items"), replies[1]->array_at("items"));
      std::erase_if(nodes, [&](const NodeUse& node) { return !is_wanted(node, names); });
      if (nodes.empty() && !names.empty()) {
        return context.fail(cli::Failure{.what = "failed to display nodes's informations: not found nodes"});
      }
      print(context, nodes, names.empty());
      if (!refresh_ || !wait_for_refresh(context)) return 0;
    }
  }

 private:
  static client::ListOptions not_ended() {
    client::ListOptions options;
    options.field_selector = "status.phase!=Succeeded,status.phase!=Failed";
    return options;
  }

  bool is_wanted(const NodeUse& node, const std::vector<std::string>& names) const {
    if (!names.empty() && std::ranges::find(names, node.name) == names.end()) return false;
    if (gpu_mode_.empty()) return true;
    const bool exclusive = node.total_gpus > 0;  // no node of ours shares GPUs or places by their topology
    return gpu_mode_[0] == 'e' ? exclusive : gpu_mode_[0] == 'n' && !exclusive;
  }

  void print(Context& context, const std::vector<NodeUse>& nodes, bool all) const {
    if (output_ == "json") return context.session.out_exact(json_text(nodes_json(nodes)));
    if (output_ == "yaml") return context.session.out_exact(json::to_yaml(nodes_json(nodes)));
    const Viewer viewer = viewer_of(context, output_);
    context.session.out(details_ ? node_details_text(nodes, viewer) : top_nodes_text(nodes, all, viewer));
  }

  bool details_ = false;
  std::string gpu_mode_;
  bool refresh_ = false;
  bool metric_ = false;
  bool gpu_share_ = false;
  std::string output_;
};

}  // namespace

std::unique_ptr<Command> make_top_node() {
  return std::make_unique<TopNode>();
}

}  // namespace muster::arena
