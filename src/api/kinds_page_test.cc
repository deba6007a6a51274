// docs/kinds.md lists every field of every job kind, with a test that exists. A golden has to mention the field.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "api/resource.h"
#include "base/strings.h"
#include "reflect/type_desc.h"
#include "testing/source_dir.h"

namespace muster::api {
namespace {

namespace fs = std::filesystem;
using reflect::FieldDesc;
using reflect::Shape;
using reflect::TypeDesc;

struct Row {
  std::string verdict;
  std::string test;
};
/// By "GROUP TYPE" and by field.
using Page = std::map<std::string, std::map<std::string, Row>>;

std::string read_source(const fs::path& path) {
  std::ifstream in(fs::path(testing::source_dir()) / path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Of "| `field` | works | meaning | `test` |".
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream in(line.substr(1));
  for (std::string cell; std::getline(in, cell, '|');) {
    cell.erase(0, cell.find_first_not_of(" `"));
    cell.erase(cell.find_last_not_of(" `") + 1);
    cells.push_back(std::move(cell));
  }
  return cells;
}

Page read_page() {
  Page page;
  std::string type;
  std::stringstream in(read_source("docs/kinds.md"));
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("### ")) type = line.substr(4);
    if (type.empty() || !line.starts_with("| `")) continue;
    const auto cells = cells_of(line);
    if (cells.size() >= 4) page[type][cells[0]] = {.verdict = cells[1], .test = cells[3]};
  }
  return page;
}

/// Types that are the same for every pod, or have a page of their own.
bool is_described_elsewhere(const TypeDesc& type) {
  return type.name == "PodTemplateSpec" || type.name == "TensorBoardSpec";
}

/// Every field of the specs of the job kinds, as in the page.
std::map<std::string, std::set<std::string>> fields_of_job_kinds() {
  std::map<std::string, std::set<std::string>> fields;
  for (const Resource& resource : resources()) {
    if (resource.pod_label.empty()) continue;
    std::vector<const TypeDesc*> pending = {&resource.type->field("spec")->type()};
    std::set<const TypeDesc*> seen;
    while (!pending.empty()) {
      const TypeDesc* type = pending.back();
      pending.pop_back();
      if (is_described_elsewhere(*type) || !seen.insert(type).second) continue;
      if (type->element != nullptr) pending.push_back(&type->element());
      for (const FieldDesc& field : type->fields) {
        fields[resource.group + " " + type->name].insert(field.name);
        pending.push_back(&field.type());
      }
    }
  }
  return fields;
}

TEST(KindsPage, ListsEveryFieldOfEveryJobKindAndNoOther) {
  std::map<std::string, std::set<std::string>> listed;
  for (const auto& [type, rows] : read_page()) {
    for (const auto& [field, row] : rows) listed[type].insert(field);
  }
  EXPECT_EQ(listed, fields_of_job_kinds());
}

TEST(KindsPage, SaysOfEachFieldWhetherItWorks) {
  for (const auto& [type, rows] : read_page()) {
    for (const auto& [field, row] : rows) {
      EXPECT_THAT(row.verdict, ::testing::AnyOf("works", "no effect", "refused")) << type << " " << field;
    }
  }
}

TEST(KindsPage, NamesTestsThatExistAndGoldensThatMentionTheField) {
  for (const auto& [type, rows] : read_page()) {
    for (const auto& [field, row] : rows) {
      constexpr std::string_view kGolden = "golden:";
      if (row.test.starts_with(kGolden)) {
        const std::string file = "src/control/job/testdata/" + row.test.substr(kGolden.size()) + ".in.yaml";
        EXPECT_THAT(read_source(file), ::testing::ContainsRegex("[{ ]" + field + ":")) << type << ": " << file;
        continue;
      }
      const auto colons = row.test.find("::");
      ASSERT_NE(colons, std::string::npos) << type << " " << field << ": " << row.test;
      EXPECT_THAT(read_source(row.test.substr(0, colons)), ::testing::HasSubstr(row.test.substr(colons + 2)))
          << type << " " << field;
    }
  }
}

}  // namespace
}  // namespace muster::api
