#include "cli/output/table.h"

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

TEST(Columns, CountWideCharactersTwice) {
  EXPECT_EQ(Columns().lines({{"训练任务", "x"}, {"ab", "y"}}), "训练任务   x\nab         y\n");
}

TEST(Columns, FitOntoTheTerminal) {
  const std::vector<std::vector<std::string>> rows{
      {"NAME", "MESSAGE", "AGE"}, {"a-name-that-is-copied", "needs four GPUs and there are two", "5m"}};
  EXPECT_EQ(Columns({.width = 44}).lines(rows),
            "NAME                    MESSAGE          AGE\n"
            "a-name-that-is-copied   needs four GP…   5m\n");
  EXPECT_EQ(Columns({.width = 200}).lines(rows), Columns().lines(rows));
  EXPECT_EQ(Columns({.width = 5}).lines({{"name", "a long sentence"}}), "name   a long se…\n") << "still readable";
  EXPECT_EQ(Columns({.width = 19}).lines({{"n", "需要四个图形处理器"}}), "n     需要四个图形…\n");
}

TEST(TablePrinter, ShowsWhyRowsWaitWhenAnyDoes) {
  EXPECT_EQ(TablePrinter({}).print(table(kTwo), {.header = "REASON", .texts = {"", "needs 4 GPUs"}}),
            "NAME        PHASE     REASON\n"
            "a           Running\n"
            "long-name   <none>    needs 4 GPUs\n");
  EXPECT_EQ(TablePrinter({}).print(table(kTwo), {.header = "REASON", .texts = {"", ""}}),
            TablePrinter({}).print(table(kTwo)));
}

TEST(Columns, LeaveNoBlanksAtTheEnd) {
  EXPECT_EQ(Columns().lines({{"a", ""}, {"b", "c"}}), "a\nb     c\n");
}

TEST(Columns, WrapTheLastOneWhereAskedTo) {
  Columns columns({.width = 40, .wraps_last = true});
  EXPECT_EQ(columns.lines({{"REASON", "MESSAGE"}, {"Failed", "a sentence that is longer than the line has room for"}}),
            "REASON   MESSAGE\n"
            "Failed   a sentence that is longer than\n"
            "         the line has room for\n");
}

}  // namespace
}  // namespace muster::cli
