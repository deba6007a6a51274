// YAML trees to Documents: resolves scalars, expands aliases and merge keys, and finds repeated keys.
#include "json/yaml.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <unordered_map>

#include "base/strings.h"
#include "json/utf8.h"
#include "json/yaml_scalar.h"
#include "json/yaml_source.h"
#include "json/yaml_tree.h"

namespace muster::json {
namespace {

// The number of nodes that aliases may add to a document; a long text counts as several.
constexpr std::size_t kAliasBudget = 10'000;
constexpr std::size_t kTextPerNode = 128;
// Positions are for people. A longer path does not help them, and a long key above many others would fill memory.
constexpr std::size_t kMaxMarkedPath = 1024;
constexpr std::size_t kMaxRepeatedKeys = 100;

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

using Type = YamlNode::Type;

class Converter {
 public:
  /// `last_counts`: the last value of a repeated key wins; otherwise a repeated key is an error.
  Converter(const YamlTree& tree, const YamlSource& source, bool last_counts)
      : nodes_(tree.nodes), source_(source), last_counts_(last_counts) {}

  Result<YamlDocument> run() {
    out_.marks[""] = source_.mark(nodes_[0].place);
    TRY_ASSIGN(out_.value, convert(0, 0));
    return std::move(out_);
  }

 private:
  /// Extends the current path for the lifetime of the Step.
  class Step {
   public:
    Step(std::string& path, std::string_view more) : path_(path), size_(path.size()) { path_ += more; }
    ~Step() { path_.resize(size_); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    std::string& path_;
    std::size_t size_;
  };

  struct Seen {
    std::size_t index;  // of the member
    Place place;
  };
  /// An object being built, with an index of its keys.
  struct Builder {
    Object object;
    std::unordered_map<std::string, Seen> seen;
  };

  /// The positions of a large text take many times its memory, and a server has no use for them.
  void remember(Place place) {
    if (!last_counts_ && path_.size() <= kMaxMarkedPath) out_.marks.try_emplace(path_, source_.mark(place));
  }

  Result<Document> convert(std::size_t index, int depth) {
    const YamlNode& node = nodes_[index];
    TRY(spend(node));
    TRY(check_tag(node));
    switch (node.type) {
      case Type::kNull:
        return Document();
      case Type::kScalar:
        return scalar(node);
      case Type::kSequence:
        TRY(check_depth(node, depth));
        return sequence(node, depth);
      case Type::kMap:
        TRY(check_depth(node, depth));
        return map(node, depth);
      case Type::kAlias: {
        ++inside_aliases_;
        Result<Document> target = convert(node.target, depth);
        --inside_aliases_;
        return target;
      }
    }
    return Document();
  }

  Status spend(const YamlNode& node) {
    if (inside_aliases_ == 0) return ok();
    spent_ += 1 + node.text.size() / kTextPerNode;
    if (spent_ <= kAliasBudget) return ok();
    return source_.error(node.place, fmt::format("aliases expand to more than {} nodes", kAliasBudget));
  }

  /// Rejects application-specific tags: ignoring one would give its value another meaning than in that application.
  Status check_tag(const YamlNode& node) const {
    static constexpr std::string_view kKnown[] = {"str",    "int", "float", "bool",      "null",
                                                  "binary", "map", "seq",   "timestamp", "merge"};
    const std::string_view tag = node.tag;
    if (tag.empty() || tag == "?" || tag == "!") return ok();
    const bool standard = tag.starts_with(kTagPrefix);
    if (standard && std::ranges::find(kKnown, tag.substr(kTagPrefix.size())) != std::end(kKnown)) return ok();
    const std::string shown = standard ? "!!" + std::string(tag.substr(kTagPrefix.size())) : std::string(tag);
    return source_.error(node.place, fmt::format("tag {} is not supported", quote(shown)));
  }

  /// Only aliases can exceed the limit: the tree itself was checked when it was built.
  Status check_depth(const YamlNode& node, int depth) const {
    if (depth < kMaxDepth) return ok();
    return source_.error(node.place, fmt::format("nested deeper than {} levels", kMaxDepth));
  }

  Result<Document> sequence(const YamlNode& node, int depth) {
    Array array;
    array.reserve(node.children.size());
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const Step step(path_, fmt::format("[{}]", i));
      remember(nodes_[node.children[i]].place);
      TRY_ASSIGN(Document item, convert(node.children[i], depth + 1));
      array.push_back(std::move(item));
    }
    return Document(std::move(array));
  }

  Result<Document> map(const YamlNode& node, int depth) {
    Builder builder;
    std::vector<std::size_t> merges;
    for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
      const YamlNode& key = nodes_[node.children[i]];
      if (is_merge(key)) {
        merges.push_back(node.children[i + 1]);
      } else {
        TRY(member(builder, key, node.children[i + 1], depth));
      }
    }
    // Merged members come after the map's own ones, which win regardless of where the merge stands.
    for (const std::size_t merge_node : merges) TRY(merge(builder, merge_node, depth));
    return Document(std::move(builder.object));
  }

  static bool is_merge(const YamlNode& key) {
    return key.type == Type::kScalar && key.text == "<<" && (key.tag == "?" || key.tag.ends_with(":merge"));
  }

  Status member(Builder& builder, const YamlNode& key_node, std::size_t value, int depth) {
    TRY_ASSIGN(std::string key, key_text(key_node));
    const Step step(path_, path_.empty() ? key : "." + key);
    remember(key_node.place);
    TRY_ASSIGN(Document converted, convert(value, depth + 1));
    const auto [found, added] =
        builder.seen.try_emplace(key, Seen{.index = builder.object.size(), .place = key_node.place});
    if (added) return append(builder, std::move(key), std::move(converted), key_node.place);
    const int first_line = source_.mark(found->second.place).line;
    Document& first = (builder.object.begin() + static_cast<std::ptrdiff_t>(found->second.index))->value;
    if (last_counts_) {
      if (out_.warnings.size() < kMaxRepeatedKeys) {
        out_.warnings.push_back(
            fmt::format("line {}: key {} already set in map", source_.mark(key_node.place).line, quote(key)));
      }
      first = std::move(converted);
      return ok();
    }
    if (first == converted) {
      out_.warnings.push_back(fmt::format("line {}: key {} repeats line {} with the same value",
                                          source_.mark(key_node.place).line, quote(key), first_line));
      return ok();
    }
    return source_.error(key_node.place,
                         fmt::format("key {} is already set on line {} to another value", quote(key), first_line));
  }

  Status append(Builder& builder, std::string key, Document value, Place place) const {
    if (builder.object.size() >= kMaxMembers) {
      return source_.error(place, fmt::format("map has more than {} keys", kMaxMembers));
    }
    builder.object.append(std::move(key), std::move(value));
    return ok();
  }

  const YamlNode& behind_alias(const YamlNode& node) const {
    return node.type == Type::kAlias ? nodes_[node.target] : node;
  }

  Result<std::string> key_text(const YamlNode& node) {
    const YamlNode& key = behind_alias(node);
    if (&key != &node) {
      ++inside_aliases_;
      Status paid = spend(key);
      --inside_aliases_;
      if (!paid) return std::move(paid).error();
    }
    if (key.type == Type::kScalar) return key.text;
    if (key.type == Type::kNull) return std::string("null");
    return source_.error(node.place, "a key must be text; put values with { } or [ ] in quotes");
  }

  Status merge(Builder& builder, std::size_t index, int depth) {
    const YamlNode& node = nodes_[index];
    const YamlNode& target = behind_alias(node);
    if (target.type == Type::kSequence) {
      for (const std::size_t item : target.children) {
        if (behind_alias(nodes_[item]).type != Type::kMap) return bad_merge(nodes_[item]);
        TRY(merge_map(builder, item, depth));
      }
      return ok();
    }
    if (target.type != Type::kMap) return bad_merge(node);
    return merge_map(builder, index, depth);
  }

  Error bad_merge(const YamlNode& node) const { return source_.error(node.place, "<< takes a map, or a list of maps"); }

  Status merge_map(Builder& builder, std::size_t index, int depth) {
    // Each level of merging counts as a level of nesting, or a chain of merges would recurse without bound.
    ++inside_aliases_;
    Result<Document> source = convert(index, depth + 1);
    --inside_aliases_;
    if (!source) return std::move(source).error();
    for (Member& member : source->as_object()) {
      const Place place = nodes_[index].place;
      const Seen seen{.index = builder.object.size(), .place = place};
      if (!builder.seen.try_emplace(member.key, seen).second) continue;
      TRY(append(builder, std::move(member.key), std::move(member.value), place));
    }
    return ok();
  }

  Result<Document> scalar(const YamlNode& node) const {
    if (node.tag == "?") {
      Document value = resolve_plain(node.text);
      if (value.kind() == Kind::kDouble && !std::isfinite(value.as_double())) {
        return source_.error(node.place, fmt::format("{} has no JSON form; put it in quotes", node.text));
      }
      return value;
    }
    if (!node.tag.starts_with(kTagPrefix)) return Document(node.text);
    const std::string_view tag = std::string_view(node.tag).substr(kTagPrefix.size());
    if (tag == "binary") return binary(node);
    Document value = resolve_plain(node.text);
    const bool finite = value.kind() != Kind::kDouble || std::isfinite(value.as_double());
    const bool fits = (tag == "int" && value.is_int()) || (tag == "float" && value.is_number() && finite) ||
                      (tag == "bool" && value.is_bool()) || (tag == "null" && value.is_null());
    if (fits) return value;
    if (tag == "int" || tag == "float" || tag == "bool" || tag == "null") {
      return source_.error(node.place, fmt::format("{} is not a !!{}", quote(node.text), tag));
    }
    return Document(node.text);
  }

  Result<Document> binary(const YamlNode& node) const {
    std::string packed = node.text;
    std::erase_if(packed, [](char c) { return c == ' ' || c == '\n' || c == '\t'; });
    std::optional<std::string> bytes = base64_decode(packed);
    if (!bytes || find_invalid_utf8(*bytes) != std::string::npos) {
      return source_.error(node.place, "!!binary must be base64 of UTF-8 text");
    }
    return Document(*std::move(bytes));
  }

  const std::vector<YamlNode>& nodes_;
  const YamlSource& source_;
  const bool last_counts_;
  YamlDocument out_;
  std::string path_;
  int inside_aliases_ = 0;
  std::size_t spent_ = 0;
};

/// Rejects control characters, some of which the library takes for the end of input.
Status check_characters(std::string_view text, const YamlSource& source) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f) {
      return source.error(source.place(i), fmt::format("control character 0x{:02x} is not allowed", c));
    }
  }
  const std::size_t invalid = find_invalid_utf8(text);
  if (invalid == std::string_view::npos) return ok();
  Error error = source.error(source.place(invalid), "invalid UTF-8");
  // The line cannot be shown, because the message itself must be UTF-8.
  error.message.resize(error.message.find('\n'));
  return error;
}

Result<std::vector<YamlDocument>> parse_stream(std::string_view text, bool last_counts) {
  const YamlSource source(text);
  TRY(check_characters(text, source));
  TRY_ASSIGN(const std::vector<YamlTree> trees, read_yaml_trees(text, source));
  std::vector<YamlDocument> documents;
  for (const YamlTree& tree : trees) {
    if (tree.nodes.empty() || tree.nodes[0].type == Type::kNull) continue;
    TRY_ASSIGN(YamlDocument document, Converter(tree, source, last_counts).run());
    documents.push_back(std::move(document));
  }
  return documents;
}

Result<std::vector<YamlDocument>> parse_any(std::string_view text, bool last_counts) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    return Error{.reason = Reason::kBadRequest, .message = "the text is UTF-16; save it as UTF-8"};
  }
  Result<std::vector<YamlDocument>> documents = parse_stream(text, last_counts);
  if (documents || !trim(text).starts_with('{')) return documents;
  // Not all JSON is YAML: "\ud83d\ude00" is one character in JSON and two errors in YAML.
  Result<Document> value = parse(text);
  if (!value) return documents;
  std::vector<YamlDocument> one;
  one.push_back(YamlDocument{.value = *std::move(value), .marks = {{"", Mark{1, 1}}}, .warnings = {}});
  return one;
}

}  // namespace

Result<std::vector<YamlDocument>> parse_yaml(std::string_view text) {
  return parse_any(text, false);
}

Result<std::vector<YamlDocument>> parse_yaml_leniently(std::string_view text) {
  return parse_any(text, true);
}

}  // namespace muster::json
