#include "cli/table.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

json::Document table(std::string_view rows) {
  return *json::parse(std::string(R"({"columnDefinitions":[{"name":"Name"},{"name":"Phase","priority":0},
    {"name":"Node","priority":1}],"rows":)") +
                      std::string(rows) + "}");
}

constexpr std::string_view kTwo = R"([
  {"cells":["a","Running","n1"],"object":{"metadata":{"namespace":"default"}}},
  {"cells":["long-name",null,"n2"],"object":{"metadata":{"namespace":"team"}}}])";

TEST(TablePrinter, AlignsColumns) {
  EXPECT_EQ(TablePrinter({}).print(table(kTwo)),
            "NAME        PHASE\n"
            "a           Running\n"
            "long-name   <none>\n");
}

TEST(TablePrinter, ShowsMoreWhenWide) {
  EXPECT_EQ(TablePrinter({.wide = true}).print(table(kTwo)),
            "NAME        PHASE     NODE\n"
            "a           Running   n1\n"
            "long-name   <none>    n2\n");
}

TEST(TablePrinter, PutsNamespacesAndKindsBefore) {
  EXPECT_EQ(TablePrinter({.headers = false, .with_namespace = true, .prefix = "pod/"}).print(table(kTwo)),
            "default   pod/a           Running\n"
            "team      pod/long-name   <none>\n");
}

TEST(TablePrinter, SaysNothingWithoutRows) {
  EXPECT_EQ(TablePrinter({}).print(table("[]")), "");
}

TEST(TablePrinter, GoesOnUnderTheSameHeader) {
  TablePrinter printer({});
  printer.print(table(kTwo));
  const auto event = json::parse(R"({"rows":[{"cells":["b","Failed","n1"]}]})");
  EXPECT_EQ(printer.print(*event), "b           Failed\n");
}

TEST(Cells, AreOneLineOfHarmlessText) {
  EXPECT_EQ(cell_text("a\nb\x1b[31mc"), "a\\nb\\x1b[31mc");
  EXPECT_EQ(cell_text(3), "3");
  EXPECT_EQ(cell_text(nullptr), "<none>");
}

TEST(Columns, CountCharactersNotBytes) {
  EXPECT_EQ(Columns().lines({{"é", "x"}, {"ab", "y"}}), "é     x\nab    y\n");
}

TEST(Columns, LeaveNoBlanksAtTheEnd) {
  EXPECT_EQ(Columns().lines({{"a", ""}, {"b", "c"}}), "a\nb     c\n");
}

}  // namespace
}  // namespace muster::cli
