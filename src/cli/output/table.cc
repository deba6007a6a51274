#include "cli/output/table.h"

#include <algorithm>
#include <numeric>

#include "base/strings.h"
#include "base/visible_text.h"
#include "json/jsonpath.h"

namespace muster::cli {

namespace {

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return c < 128 ? std::toupper(c) : c; });
  return text;
}

constexpr std::size_t kGap = 3;

}  // namespace

std::vector<std::size_t> Columns::fitting_widths() const {
  constexpr std::size_t kStillReadable = 10;
  constexpr std::size_t kLeastWrapped = 20;
  std::vector<std::size_t> out = widths_;
  if (fit_.width == 0 || out.size() <= fit_.whole) return out;
  std::size_t total = std::accumulate(out.begin(), out.end(), kGap * (out.size() - 1));
  if (fit_.wraps_last) {
    const std::size_t before = total - out.back();
    const std::size_t left = fit_.width > before ? fit_.width - before : 0;
    out.back() = std::min(out.back(), std::max(left, kLeastWrapped));
    return out;
  }
  while (total > fit_.width) {
    std::size_t widest = fit_.whole;
    for (std::size_t i = fit_.whole; i < out.size(); ++i) {
      if (i != fit_.kept && (widest == fit_.kept || out[i] > out[widest])) widest = i;
    }
    if (widest == fit_.kept || out[widest] <= kStillReadable) break;
    --out[widest];
    --total;
  }
  return out;
}

std::string Columns::lines(const std::vector<std::vector<std::string>>& rows) {
  return lines(rows, [](std::size_t, std::size_t, std::string cell) { return cell; });
}

std::string Columns::lines(const std::vector<std::vector<std::string>>& rows, const Paint& paint) {
  constexpr std::size_t kLeastWidth = 6 - kGap;
  for (const auto& row : rows) {
    if (widths_.size() < row.size()) widths_.resize(row.size(), kLeastWidth);
    for (std::size_t i = 0; i < row.size(); ++i) widths_[i] = std::max(widths_[i], text_width(row[i]));
  }
  const std::vector<std::size_t> widths = fitting_widths();
  std::string out;
  for (std::size_t number = 0; number < rows.size(); ++number) {
    const std::vector<std::string>& row = rows[number];
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string cell = cut_to_width(row[i], widths[i]);
      if (fit_.wraps_last && i + 1 == widths.size()) {
        line += join(wrapped(row[i], widths[i]), "\n" + std::string(text_width(line), ' '));
        continue;
      }
      line += paint(number, i, cell);
      if (i + 1 < row.size()) line.append(widths[i] - text_width(cell) + kGap, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

namespace {

std::string all_labels(const json::Document& metadata) {
  const json::Document* labels = metadata.find("labels");
  if (labels == nullptr || !labels->is_object() || labels->as_object().empty()) return "<none>";
  std::vector<std::string> out;
  for (const auto& [key, value] : labels->as_object()) out.push_back(key + "=" + cell_text(value));
  std::ranges::sort(out);
  return join(out, ",");
}

}  // namespace

void TablePrinter::add_label_headers(std::vector<std::string>& header) const {
  // The column of the label team.example.com/stage is named STAGE.
  for (const std::string& key : options_.label_columns) header.push_back(upper(key.substr(key.rfind('/') + 1)));
  if (options_.with_labels) header.emplace_back("LABELS");
}

void TablePrinter::add_label_cells(const json::Document& row, std::vector<std::string>& line) const {
  const json::Document* object = row.find("object");
  const json::Document* metadata = object == nullptr ? nullptr : object->find("metadata");
  for (const std::string& key : options_.label_columns) {
    line.push_back(metadata == nullptr ? "" : cell_text(metadata->string_at("labels", key.c_str())));
  }
  if (options_.with_labels) line.push_back(metadata == nullptr ? "<none>" : all_labels(*metadata));
}

std::string TablePrinter::print(const json::Document& table, const RowNotes& notes) {
  if (const json::Document* given = table.find("columnDefinitions"); given != nullptr && given->is_array()) {
    if (!given->as_array().empty()) definitions_ = *given;
  }
  std::vector<std::size_t> shown;
  std::vector<std::string> header;
  if (options_.with_namespace) header.emplace_back("NAMESPACE");
  if (definitions_.is_array()) {
    const json::Array& definitions = definitions_.as_array();
    for (std::size_t i = 0; i < definitions.size(); ++i) {
      if (definitions[i].int_at("priority") > 0 && !options_.wide) continue;
      shown.push_back(i);
      header.push_back(upper(definitions[i].string_at("name")));
    }
  }
  add_label_headers(header);
  const bool noted = std::ranges::any_of(notes.texts, [](const std::string& text) { return !text.empty(); });
  if (noted) header.push_back(notes.header);
  std::vector<std::vector<std::string>> lines;
  const json::Document* rows = table.find("rows");
  const bool any = rows != nullptr && rows->is_array() && !rows->as_array().empty();
  if (!any) return "";
  if (options_.headers && !headers_printed_) lines.push_back(header);
  headers_printed_ = true;
  const std::size_t first_row = lines.size();
  for (const json::Document& row : rows->as_array()) {
    std::vector<std::string> line;
    if (options_.with_namespace) line.push_back(row.string_at("object", "metadata", "namespace"));
    const json::Document* cells = row.find("cells");
    for (const std::size_t i : shown) {
      const bool there = cells != nullptr && cells->is_array() && i < cells->as_array().size();
      line.push_back((i == 0 ? options_.prefix : "") + (there ? cell_text(cells->as_array()[i]) : "<none>"));
    }
    add_label_cells(row, line);
    if (noted) line.push_back(cell_text(notes.texts[lines.size() - first_row]));
    lines.push_back(std::move(line));
  }
  return columns_.lines(lines);
}

std::string cell_text(const json::Document& value) {
  if (value.is_null()) return "<none>";
  const std::string text = json::plain_text(value);
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const Escape escape = escape_at(std::string_view(text).substr(i));
    out += escape.text.empty() ? text.substr(i, escape.length) : escape.text;
    i += escape.length;
  }
  return out;
}

}  // namespace muster::cli
