// docs/pods.md lists every field of a pod, and what it says of a field is what happens.
#include "apiserver/admission/pod_fields.h"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "api/kubernetes/kubernetes_fields.h"
#include "apiserver/admission/node_policy.h"
#include "testing/source_dir.h"

namespace muster::apiserver {
namespace {

using api::kubernetes::Field;
using api::kubernetes::Message;
using api::kubernetes::Shape;
using api::kubernetes::Type;
using json::Document;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Verdict = PodFieldRule::Verdict;

struct Row {
  std::string verdict;
  std::string meaning;
};
/// By type and by field.
using PodsPage = std::map<std::string, std::map<std::string, Row>>;

/// Of "| `field` | works | meaning |".
std::vector<std::string> cells_of_row(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream in(line.substr(1));
  for (std::string cell; std::getline(in, cell, '|');) {
    cell.erase(0, cell.find_first_not_of(' '));
    cell.erase(cell.find_last_not_of(' ') + 1);
    cells.push_back(std::move(cell));
  }
  return cells;
}

PodsPage read_pods_page() {
  PodsPage page;
  std::string type;
  std::ifstream in(std::string(testing::source_dir()) + "/docs/pods.md");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) type = line.substr(3);
    if (type.empty() || !line.starts_with("| `")) continue;
    const auto cells = cells_of_row(line);
    if (cells.size() >= 3) page[type][cells[0].substr(1, cells[0].size() - 2)] = {cells[1], cells[2]};
  }
  return page;
}

/// The fields of a type, with those of inline types.
std::vector<const Field*> fields_of(const Message& message) {
  std::vector<const Field*> fields;
  for (const std::string& name : api::kubernetes::field_names(message)) {
    fields.push_back(api::kubernetes::find_field(message, name));
  }
  return fields;
}

/// Wraps the value of a field in the members that lead to its type from the spec of a pod.
using Wrap = std::function<Document(Document)>;
struct Found {
  const Message* message;
  std::string path;  // "spec.containers[0]"
  Wrap wrap;
};

Found member_of(const Found& holder, const Field& field) {
  const bool is_list = field.shape == Shape::kList;
  return {field.message, holder.path + "." + std::string(field.name) + (is_list ? "[0]" : ""),
          [wrap = holder.wrap, name = std::string(field.name), is_list](Document value) {
            if (is_list) value = Document(json::Array{std::move(value)});
            return wrap(Document(json::Object{{name, std::move(value)}}));
          }};
}

bool says_that_it_works(const PodsPage& page, const Message& type, const Field& field) {
  const auto rows = page.find(std::string(type.name));
  if (rows == page.end()) return false;
  const auto row = rows->second.find(std::string(field.name));
  return row != rows->second.end() && row->second.verdict == "works";
}

/// Every type that the page describes, as the fields of a pod lead to it: first those that work, because the walk does
/// not enter the others.
std::vector<Found> types_of_pods(const PodsPage& page) {
  std::vector<Found> found = {{&api::kubernetes::message_named("PodSpec"), "spec", [](Document spec) { return spec; }}};
  std::set<const Message*> seen = {found.front().message};
  for (const bool are_to_work : {true, false}) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (const Field* field : fields_of(*found[i].message)) {
        if (field->type != Type::kMessage) continue;
        const bool works = says_that_it_works(page, *found[i].message, *field);
        if (are_to_work ? !works : !page.contains(std::string(field->message->name))) continue;
        if (seen.insert(field->message).second) found.push_back(member_of(found[i], *field));
      }
    }
  }
  return found;
}

Document sample_of(const Field& field) {
  Document value;
  switch (field.type) {
    case Type::kBool:
      value = Document(true);
      break;
    case Type::kInt:
      value = Document(1);
      break;
    case Type::kMessage:
      value = Document(json::Object{{"x", Document("x")}});
      break;
    default:
      value = Document("x");
  }
  if (field.shape == Shape::kList) return Document(json::Array{std::move(value)});
  if (field.shape == Shape::kMap) return Document(json::Object{{"x", std::move(value)}});
  return value;
}

/// The values that ask for something that cannot be had, where not every value does.
Document telling_value(std::string_view type, const Field& field, Verdict verdict) {
  const std::string name = std::string(type) + "." + std::string(field.name);
  if (name == "PodSpec.shareProcessNamespace") return Document(false);
  if (name == "PodSpec.dnsPolicy") return Document("None");
  if (name == "PodSpec.runtimeClassName") return Document(verdict == Verdict::kRefused ? "gvisor" : "nvidia");
  if (name == "Container.restartPolicy") return Document("Always");
  if (name == "HostPathVolumeSource.type") return Document("FileOrCreate");
  if (name == "AppArmorProfile.type") return Document(verdict == Verdict::kRefused ? "Localhost" : "RuntimeDefault");
  return sample_of(field);
}

/// The object that has the field: some values tell only next to others.
Document telling_holder(const PodFieldRule& rule, const Field& field) {
  Document holder(json::Object{{std::string(field.name), telling_value(rule.type, field, rule.verdict)}});
  if (rule.type == "ContainerPort" && rule.field == "hostPort") holder["protocol"] = "UDP";
  return holder;
}

TEST(PodsPage, ListsEveryFieldOfPodsAndNoOther) {
  const PodsPage page = read_pods_page();
  std::map<std::string, std::set<std::string>> listed;
  for (const auto& [type, rows] : page) {
    for (const auto& [field, row] : rows) {
      listed[type].insert(field);
      EXPECT_THAT(row.verdict, AnyOf("works", "refused", "no meaning here")) << type << " " << field;
    }
  }
  std::map<std::string, std::set<std::string>> published;
  for (const Found& found : types_of_pods(page)) {
    for (const Field* field : fields_of(*found.message))
      published[std::string(found.message->name)].insert(std::string(field->name));
  }
  EXPECT_EQ(listed, published);
}

TEST(PodsPage, NamesEachFieldThatHasARule) {
  const PodsPage page = read_pods_page();
  for (const PodFieldRule& rule : pod_field_rules()) {
    const std::string type(rule.type);
    const std::string field(rule.field);
    ASSERT_TRUE(page.contains(type) && page.at(type).contains(field)) << type << " " << field;
    const Row& row = page.at(type).at(field);
    const std::string own = rule.verdict == Verdict::kRefused ? "refused" : "no meaning here";
    if (row.verdict == own) continue;
    EXPECT_THAT(row.meaning, HasSubstr(rule.verdict == Verdict::kRefused ? "refused" : "no effect"))
        << type << " " << field;
  }
}

TEST(PodsPage, IsRightAboutEachFieldThatIsRefusedOrHasNoMeaning) {
  const PodsPage page = read_pods_page();
  std::size_t tried = 0;
  for (const Found& type : types_of_pods(page)) {
    for (const Field* field : fields_of(*type.message)) {
      for (const PodFieldRule& rule : pod_field_rules()) {
        if (rule.type != type.message->name || rule.field != field->name) continue;
        const Document spec = type.wrap(telling_holder(rule, *field));
        const std::string path = type.path + "." + std::string(field->name);
        api::Findings findings;
        check_pod_fields(spec, reflect::kRoot.member("spec"), findings);
        std::vector<IdleField> idle;
        find_idle_fields(spec, reflect::kRoot.member("spec"), idle);
        const auto causes = std::move(findings).take();
        if (rule.verdict == Verdict::kRefused) {
          ASSERT_EQ(causes.size(), 1U) << path;
          EXPECT_EQ(causes[0].field, path);
          EXPECT_THAT(idle, IsEmpty()) << path;
        } else {
          ASSERT_EQ(idle.size(), 1U) << path;
          EXPECT_EQ(idle[0].path, path);
          EXPECT_THAT(causes, IsEmpty()) << path;
        }
        ++tried;
      }
    }
  }
  EXPECT_EQ(tried, pod_field_rules().size());
}

TEST(PodsPage, HasARuleForEachFieldThatDoesNotWork) {
  // The rules of the API refuse these (check_probes.cc), also on a cluster: it is a rule of this program's.
  const std::set<std::string> elsewhere = {"HTTPGetAction.host", "TCPSocketAction.host"};
  const PodsPage page = read_pods_page();
  for (const auto& [type, rows] : page) {
    for (const auto& [field, row] : rows) {
      if (row.verdict == "works" || elsewhere.contains(type + "." + field)) continue;
      const bool has_rule =
          std::ranges::any_of(pod_field_rules(), [&type = type, &field = field](const PodFieldRule& rule) {
            return rule.type == type && rule.field == field;
          });
      const Field* published = api::kubernetes::find_field(api::kubernetes::message_named(type), field);
      const bool has_section =
          published->type == Type::kMessage && page.contains(std::string(published->message->name));
      EXPECT_TRUE(has_rule || has_section) << type << " " << field;
    }
  }
}

TEST(IdleFields, GiveOneWarningEachWithTheirFirstPlace) {
  const auto job = json::parse(
      R"({"spec":{"template":{"spec":{"hostAliases":[{"ip":"10.0.0.1"}],"hostNetwork":false,"containers":[
        {"name":"a","securityContext":{"allowPrivilegeEscalation":false}},
        {"name":"b","ports":[{"containerPort":80,"hostPort":80},{"containerPort":81,"hostPort":81,"protocol":"UDP"},
          {"containerPort":82,"hostPort":82,"hostIP":"10.0.0.1"}],"securityContext":{"allowPrivilegeEscalation":true}},
        {"name":"c","securityContext":{"allowPrivilegeEscalation":true}}]}}}})");
  EXPECT_THAT(
      warn_about_idle_fields(*api::find_resource("apps", "v1", "deployments"), *job),
      ElementsAre("spec.template.spec.hostAliases has no effect: /etc/hosts has the names of pods and Services only",
                  "spec.template.spec.containers[1].ports[1].hostPort has no effect: only TCP ports are published on "
                  "the host",
                  "spec.template.spec.containers[1].ports[2].hostIP has no effect: ports are published at 127.0.0.1 "
                  "only; a port with another address is not published",
                  "spec.template.spec.containers[1].securityContext.allowPrivilegeEscalation has no effect: programs "
                  "in pods never gain privileges, as if it were false"));
}

TEST(IdleFields, ThatAskForNothingGiveNoWarning) {
  const auto pod = json::parse(
      R"({"spec":{"hostAliases":[],"setHostnameAsFQDN":false,"hostUsers":false,"shareProcessNamespace":true,
        "schedulerName":"default-scheduler","dnsPolicy":"ClusterFirst","preemptionPolicy":"Never","hostNetwork":true,
        "affinity":{"podAntiAffinity":{}},"securityContext":{"seLinuxOptions":{}},
        "containers":[{"name":"a","ports":[{"containerPort":80,"hostPort":80,"protocol":"UDP"}]}]}})");
  EXPECT_THAT(warn_about_idle_fields(*api::find_resource("", "v1", "pods"), *pod), IsEmpty());
}

TEST(IdleFields, PortsThatArePublishedGiveNoWarning) {
  const auto pod = json::parse(R"({"spec":{"containers":[{"name":"a","ports":[
      {"containerPort":80,"hostPort":80},{"containerPort":81,"hostPort":81,"protocol":"TCP","hostIP":"127.0.0.1"},
      {"containerPort":82,"hostPort":82,"hostIP":"0.0.0.0"},{"containerPort":83,"protocol":"UDP"}]}]}})");
  EXPECT_THAT(warn_about_idle_fields(*api::find_resource("", "v1", "pods"), *pod), IsEmpty());
}

TEST(IdleFields, ThatAreNotWhatTheirTypeIsAreLeftToOtherRules) {
  const auto pod =
      json::parse(R"({"spec":{"volumes":{"name":3},"affinity":[1],"securityContext":"x","containers":7}})");
  api::Findings findings;
  check_pod_fields(*pod->find("spec"), reflect::kRoot, findings);
  EXPECT_THAT(std::move(findings).take(), IsEmpty());
}

}  // namespace
}  // namespace muster::apiserver
