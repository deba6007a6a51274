#include "json/yaml_tree.h"

#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include "base/strings.h"
#include "json/document.h"
#include "json/utf8.h"

namespace muster::json {
namespace {

Place to_place(const YAML::Mark& mark) {
  return {.line = mark.line, .byte = mark.column};
}

/// Stops the library's parser, which offers no other way; the exception is caught below.
[[noreturn]] void stop(Place place, const std::string& why) {
  YAML::Mark mark;
  mark.line = place.line;
  mark.column = place.byte;
  throw YAML::ParserException(mark, why);
}

/// The parser writes the escapes \N and \_ as one byte each (0x85, 0xA0) instead of as UTF-8. The source was valid
/// UTF-8, so every invalid byte is one of these two.
std::string whole_characters(std::string_view text) {
  std::string whole;
  for (std::size_t bad; (bad = find_invalid_utf8(text)) != std::string::npos; text.remove_prefix(bad + 1)) {
    whole.append(text.substr(0, bad)).append({'\xc2', text[bad]});
  }
  return whole.append(text);
}

/// Receives the parser's events, and rejects invalid YAML that the parser lets through.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const YamlSource& source) : source_(source) {}

  std::vector<YamlTree> take() { return std::move(trees_); }
  /// The last node seen, and the innermost flow collection still open: where an unfinished construct began.
  Place last() const { return last_; }
  std::optional<Place> open_flow() const {
    for (auto i = open_.rbegin(); i != open_.rend(); ++i) {
      const YamlNode& node = trees_.back().nodes[*i];
      if (node.flow) return node.place;
    }
    return std::nullopt;
  }

  /// Whether a block map is open whose keys start in this column.
  bool has_open_map(int column) const {
    return std::ranges::any_of(open_, [&](std::size_t index) {
      const YamlNode& node = trees_.back().nodes[index];
      return node.type == YamlNode::Type::kMap && !node.flow && node.place.byte == column;
    });
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    const Place place = to_place(mark);
    // On some stray tokens the parser starts one document after another without advancing.
    if (!trees_.empty() && mark.pos == start_) stop(place, "unexpected text between documents");
    start_ = mark.pos;
    if (!trees_.empty()) check_separator(place);
    trees_.emplace_back();
    anchors_.clear();
    last_ = place;
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const Place place = to_place(mark);
    check_missing(place);
    add(YamlNode{.type = YamlNode::Type::kNull, .place = place, .tag = "?"}, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const Place place = to_place(mark);
    const std::size_t target = anchors_.at(anchor);
    if (std::ranges::find(open_, target) != open_.end()) stop(place, "alias refers to a node that contains it");
    add(YamlNode{.type = YamlNode::Type::kAlias, .place = place, .target = target}, YAML::NullAnchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    add(YamlNode{.type = YamlNode::Type::kScalar, .place = to_place(mark), .tag = tag, .text = whole_characters(value)},
        anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(YamlNode::Type::kSequence, mark, tag, anchor, style);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(YamlNode::Type::kMap, mark, tag, anchor, style);
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  std::vector<YamlNode>& nodes() { return trees_.back().nodes; }

  std::size_t add(YamlNode node, YAML::anchor_t anchor) {
    const std::size_t index = nodes().size();
    last_ = node.place;
    nodes().push_back(std::move(node));
    if (!open_.empty()) nodes()[open_.back()].children.push_back(index);
    if (anchor != YAML::NullAnchor) anchors_[anchor] = index;
    return index;
  }

  void open(YamlNode::Type type, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YAML::EmitterStyle::value style) {
    // The depth is checked here and not later, because the library's parser and all code that walks the result recurse.
    if (open_.size() >= kMaxDepth) stop(to_place(mark), fmt::format("nested deeper than {} levels", kMaxDepth));
    const bool flow = style == YAML::EmitterStyle::Flow;
    open_.push_back(add(YamlNode{.type = type, .place = to_place(mark), .tag = tag, .flow = flow}, anchor));
  }

  /// The parser starts a new document wherever the previous one cannot continue; that needs a separator.
  void check_separator(Place place) const {
    if (source_.line(place.line).starts_with("---")) return;
    for (int line = place.line - 1; line >= 0; --line) {
      const std::string_view text = trim(source_.line(line));
      if (text == "...") return;
      if (!text.empty() && !text.starts_with('#')) break;
    }
    if (place.line > source_.last_line()) return;
    stop(place, "text after the end of the value; check the indentation, or separate documents with \"---\"");
  }

  /// The parser inserts a null where a value is missing.
  void check_missing(Place place) {
    if (open_.empty()) return;
    const YamlNode& parent = nodes()[open_.back()];
    const bool is_value = parent.type == YamlNode::Type::kMap && parent.children.size() % 2 == 1;
    const char here = source_.at(place);
    if (is_value && !parent.flow && nodes()[parent.children.back()].place == place) {
      stop(place, "expected ':' after this key");
    }
    if (is_value) return;
    if (parent.type == YamlNode::Type::kMap && here == ':') stop(place, "expected a key before ':'");
    if (parent.flow && here == ',') stop(place, "expected a value before ','");
  }

  const YamlSource& source_;
  int start_ = 0;  // offset at which the document begins
  std::vector<YamlTree> trees_;
  std::vector<std::size_t> open_;
  std::map<YAML::anchor_t, std::size_t> anchors_;
  Place last_;
};

/// The start of the quoted text that was open when the parser gave up: the first quote after the last node.
Place find_open_quote(std::string_view text, const YamlSource& source, Place last, Place otherwise) {
  std::size_t i = source.offset(last);
  if (i < text.size() && (text[i] == '"' || text[i] == '\'')) {
    const std::size_t closed = text.find(text[i], i + 1);
    if (closed == std::string_view::npos) return last;
    i = closed + 1;
  }
  i = text.find_first_of("\"'", i);
  return i == std::string_view::npos ? otherwise : source.place(i);
}

std::string describe_character(char c) {
  return fmt::format("'{}'", c);
}

bool is_first_on_line(const YamlSource& source, Place place) {
  const std::string_view before = source.line(place.line).substr(0, static_cast<std::size_t>(std::max(place.byte, 0)));
  return trim(before).empty();
}

/// For "illegal map value": there is a colon where no key can be. The mistake is often on the line before.
Error colon_error(const YamlSource& source, Place place) {
  const std::string_view line = source.line(place.line);
  const std::string_view before = line.substr(0, static_cast<std::size_t>(std::max(place.byte, 0)));
  if (before.find(": ") != std::string_view::npos) {
    return source.error(place, "unexpected ':'; put a value that contains \": \" in quotes");
  }
  int above = place.line - 1;
  while (above >= 0 && (trim(source.line(above)).empty() || trim(source.line(above)).starts_with('#'))) --above;
  const std::string_view above_line = source.line(above);
  const std::size_t start = above_line.find_first_not_of("- ");
  const bool is_separator = above_line.starts_with("---") || above_line.starts_with("...");
  if (start != std::string_view::npos && !is_separator && start <= line.find_first_not_of("- ")) {
    const std::size_t colon = above_line.find(':');
    if (colon == std::string_view::npos) {
      return source.error({.line = above, .byte = static_cast<int>(start)}, "expected ':' after this key");
    }
    if (colon + 1 < above_line.size() && above_line[colon + 1] != ' ' &&
        above_line.find(": ") == std::string_view::npos) {
      return source.error({.line = above, .byte = static_cast<int>(colon)}, "expected a space after ':'");
    }
  }
  return source.error(place, "unexpected ':'; check the indentation and the line above");
}

bool is_indented_with_tab(const YamlSource& source, Place place) {
  const std::string_view line = source.line(place.line);
  return line.substr(0, line.find_first_not_of(" \t")).find('\t') != std::string_view::npos;
}

/// Rewords the library's message in terms of the file's content.
std::string describe(const std::string& message, const YamlSource& source, const TreeBuilder& builder, Place place) {
  using namespace YAML::ErrorMsg;
  const char here = source.at(place);
  if (is_indented_with_tab(source, place)) return "indented with a tab; use spaces";
  if (message == END_OF_MAP || message == END_OF_SEQ) {
    if (!is_first_on_line(source, place)) return fmt::format("unexpected {} after the value", describe_character(here));
    if (builder.has_open_map(place.byte)) return "expected ':' after this key";
    return "the indentation of this line fits none of the lines above";
  }
  if (message == BLOCK_ENTRY) return "a list item must start on a line of its own";
  if (message == FLOW_END) return fmt::format("unexpected {}", describe_character(here));
  if (message == UNKNOWN_TOKEN) {
    return fmt::format("a value cannot start with {}; put it in quotes", describe_character(here));
  }
  if (message.starts_with(UNKNOWN_ANCHOR)) return "alias of an anchor that is not defined above";
  if (message == ALIAS_NOT_FOUND || message == ANCHOR_NOT_FOUND) return "expected a name; put the value in quotes";
  if (message.starts_with(INVALID_UNICODE)) return "escape of a code that is not a character";
  if (message.starts_with(INVALID_ESCAPE)) {
    return fmt::format("unknown escape \"\\{}\"; double each backslash that stands for itself", message.back());
  }
  return message;
}

Error to_error(const YAML::Exception& problem, std::string_view text, const YamlSource& source,
               const TreeBuilder& builder) {
  using namespace YAML::ErrorMsg;
  const Place place = to_place(problem.mark);
  if (problem.msg == END_OF_SEQ_FLOW || problem.msg == END_OF_MAP_FLOW) {
    const Place open = builder.open_flow().value_or(place);
    return source.error(open, fmt::format("{} is never closed", describe_character(source.at(open))));
  }
  if (problem.msg == DOC_IN_SCALAR || problem.msg == EOF_IN_SCALAR) {
    return source.error(find_open_quote(text, source, builder.last(), place), "quoted text is never closed");
  }
  if (problem.msg == MAP_VALUE && !is_indented_with_tab(source, place)) return colon_error(source, place);
  return source.error(place, describe(problem.msg, source, builder, place));
}

}  // namespace

Result<std::vector<YamlTree>> read_yaml_trees(std::string_view text, const YamlSource& source) {
  TreeBuilder builder(source);
  try {
    // At the end of input the parser lets unfinished quotes and keys pass; before an end marker it does not.
    std::istringstream in(std::string(text) + (text.ends_with('\n') ? "...\n" : "\n...\n"));
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(builder)) {
    }
    return builder.take();
  } catch (const YAML::Exception& problem) {
    return to_error(problem, text, source, builder);
  }
}

}  // namespace muster::json
