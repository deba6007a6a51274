// Aligned columns: a meta.k8s.io Table from the server, or rows of our own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace muster::cli {

/// The text in lines of at most `width` columns, broken at blanks; a longer word has a line of its own.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

/// Keeps the widths it has seen, so that rows that come later (a watch) stay aligned with those above.
class Columns {
 public:
  /// How a table fits onto a terminal: when its lines would be longer than `width`, the widest columns are cut, but for
  /// the first `whole` ones, which hold names; or the text of the last column continues on further lines. 0 is any
  /// width.
  struct Fit {
    std::size_t width = 0;
    std::size_t whole = 1;
    bool wraps_last = false;
  };
  Columns() = default;
  explicit Columns(Fit fit) : fit_(fit) {}

  /// At least three blanks between columns and six characters to a column, as kubectl does it; no blanks after the
  /// last; every line ends with a newline.
  std::string lines(const std::vector<std::vector<std::string>>& rows);

 private:
  std::vector<std::size_t> fitting_widths() const;

  Fit fit_;
  std::vector<std::size_t> widths_;
};

struct TableOptions {
  bool wide = false;
  bool headers = true;
  bool with_namespace = false;
  std::string prefix;                           // "pod/" before names, when several kinds are shown
  std::vector<std::string> label_columns = {};  // one column for each of these labels
  bool with_labels = false;                     // a last column with all of them
  std::size_t width = 0;                        // of the terminal
};

struct RowNotes {
  std::string header;
  std::vector<std::string> texts = {};
};

class TablePrinter {
 public:
  explicit TablePrinter(TableOptions options)
      : options_(std::move(options)), columns_({.width = options_.width, .whole = options_.with_namespace ? 2U : 1U}) {}
  /// Nothing for a table without rows. The column names are printed with the first rows only. `notes` become a last
  /// column, one for each row; none is shown when all are empty.
  std::string print(const json::Document& table, const RowNotes& notes = {});

 private:
  void add_label_headers(std::vector<std::string>& header) const;
  void add_label_cells(const json::Document& row, std::vector<std::string>& line) const;

  TableOptions options_;
  Columns columns_;
  bool headers_printed_ = false;
  json::Document definitions_;  // events of a watch come without
};

/// A value as a cell: one line, nothing that a terminal would obey.
std::string cell_text(const json::Document& value);

}  // namespace muster::cli
