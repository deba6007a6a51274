// Prints aligned columns: a meta.k8s.io Table from the server, or rows of a command's own.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace muster::cli {

/// Remembers the column widths, so that later rows (of a watch) stay aligned with the rows above.
class Columns {
 public:
  /// How to fit a table into a terminal. When lines would be longer than `width`, the widest columns are cut, except
  /// the first `whole` columns, which contain names; or, with `wraps_last`, the last column continues on further
  /// lines. A width of 0 means unlimited.
  struct Fit {
    std::size_t width = 0;
    std::size_t whole = 1;
    bool wraps_last = false;
    std::optional<std::size_t> kept = {};  // a further column that is not cut
  };
  Columns() = default;
  explicit Columns(Fit fit) : fit_(fit) {}

  /// Like kubectl, puts at least three blanks between columns and makes columns at least six characters wide. There are
  /// no trailing blanks, and every line ends with a newline.
  std::string lines(const std::vector<std::vector<std::string>>& rows);
  /// Decorates a cell by its row and column with what takes no room, such as colours.
  using Paint = std::function<std::string(std::size_t row, std::size_t column, std::string cell)>;
  std::string lines(const std::vector<std::vector<std::string>>& rows, const Paint& paint);

 private:
  std::vector<std::size_t> fitting_widths() const;

  Fit fit_;
  std::vector<std::size_t> widths_;
};

struct TableOptions {
  bool wide = false;
  bool headers = true;
  bool with_namespace = false;
  std::string prefix;                           // for example "pod/" before names, when several kinds are shown
  std::vector<std::string> label_columns = {};  // one column for each of these labels
  bool with_labels = false;                     // adds a last column with all labels
  std::size_t width = 0;                        // of the terminal; 0: unlimited
};

struct RowNotes {
  std::string header;
  std::vector<std::string> texts = {};
};

class TablePrinter {
 public:
  explicit TablePrinter(TableOptions options)
      : options_(std::move(options)), columns_({.width = options_.width, .whole = options_.with_namespace ? 2U : 1U}) {}
  /// Returns "" for a table without rows, and adds the column names to the first rows only. `notes` has one text per
  /// row for an extra last column, which is omitted when all texts are empty.
  std::string print(const json::Document& table, const RowNotes& notes = {});

 private:
  void add_label_headers(std::vector<std::string>& header) const;
  void add_label_cells(const json::Document& row, std::vector<std::string>& line) const;

  TableOptions options_;
  Columns columns_;
  bool headers_printed_ = false;
  json::Document definitions_;  // kept, because the events of a watch do not repeat them
};

/// Formats a value as a cell: one line, without control characters that a terminal would interpret.
std::string cell_text(const json::Document& value);

}  // namespace muster::cli
