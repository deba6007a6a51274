#include "control/page/page_plans_for_tests.h"

#include <fmt/core.h>

#include <map>
#include <optional>

#include "api/kubernetes/apps_v1.h"
#include "base/overloaded.h"
#include "json/patch.h"
#include "testing/golden_for_tests.h"

namespace muster::control {
namespace {

/// One object and its children, kept as an API server would keep them.
class PageWorld {
 public:
  explicit PageWorld(json::Document primary) : object(std::move(primary)) {}

  Plan look(const PagePlan& plan, const json::Document& script) const {
    Snapshot seen{.primary = object, .children = {}, .now = now};
    add_children<api::Deployment>("Deployment", seen);
    add_children<api::Service>("Service", seen);
    add_children<api::Secret>("Secret", seen);
    add_children<api::Pod>("Pod", seen);
    return plan(seen, script);
  }

  void apply(const Plan& plan) {
    if (plan.status) object["status"] = *plan.status;
    for (const Action& action : plan.actions) {
      if (const auto* create = std::get_if<Create>(&action)) {
        children[create->object.string_at("kind")] = create->object;
      } else if (const auto* update = std::get_if<Update>(&action)) {
        const bool is_primary = update->child.kind == object.string_at("kind");
        json::merge_patch(is_primary ? object : children.at(update->child.kind), update->patch);
        if (is_primary) object["metadata"]["generation"] = object.int_at("metadata", "generation") + 1;
      }
    }
  }

  json::Document object;
  std::map<std::string, json::Document> children;  // by kind
  Time now = *parse_rfc3339("2026-01-01T00:00:00Z");

 private:
  template <typename T>
  void add_children(const char* kind, Snapshot& seen) const {
    std::vector<AnyObject> found;
    if (const auto child = children.find(kind); child != children.end()) {
      found.push_back(*watched_kind<T>().decode(child->second));
    }
    seen.children.add(reflect::type_of<T>(), std::move(found));
  }
};

json::Document shown_page_action(const Action& action, bool with_bodies) {
  return std::visit(Overloaded{
                        [&](const Create& create) -> json::Document {
                          const std::string line = fmt::format("create {} {}{}", create.object.string_at("kind"),
                                                               create.object.string_at("metadata", "name"),
                                                               create.may_exist ? " if it is absent" : "");
                          if (!with_bodies) return line;
                          return json::Object{{line, create.object}};
                        },
                        [](const Update& update) -> json::Document {
                          return json::Object{{"update " + update.child.name, update.patch}};
                        },
                        [](const Delete& gone) -> json::Document { return "delete " + gone.child.name; },
                        [](const EmitEvent& event) -> json::Document {
                          return fmt::format("event {} {}: {}", event.type, event.reason, event.message);
                        },
                        [](const DeletePrimary&) -> json::Document { return "delete the primary"; },
                    },
                    action);
}

json::Document play_page(const json::Document& script, const PagePlan& plan_page) {
  PageWorld world(*script.find("primary"));
  json::Array steps;
  for (const json::Document& step : script.array_at("steps")) {
    world.now += parse_duration(step.string_at("after")).value_or(std::chrono::seconds(1));
    if (const auto* patch = step.find("patch")) json::merge_patch(world.object, *patch);
    if (const auto* pod = step.find("pod")) {
      world.children.erase("Pod");
      if (pod->is_object()) world.children["Pod"] = *pod;
    }
    const Plan plan = world.look(plan_page, script);
    json::Document shown = json::Object{{"step", step.string_at("step")}};
    json::Array actions;
    for (const Action& action : plan.actions) actions.push_back(shown_page_action(action, script.bool_at("bodies")));
    shown["actions"] = std::move(actions);
    if (plan.recheck_after) shown["recheckAfter"] = human_duration(*plan.recheck_after);
    const json::Document* before = world.object.find("status");
    const bool same = plan.status && before != nullptr && *plan.status == *before;
    if (plan.status && !same) shown["status"] = *plan.status;
    world.apply(plan);
    steps.push_back(std::move(shown));
  }
  return steps;
}

}  // namespace

void expect_page_plans(const std::string& folder, const std::string& name, const PagePlan& plan) {
  testing::expect_golden(folder, name, [&plan](const json::Document& script) { return play_page(script, plan); });
}

}  // namespace muster::control
