#include "json/patch.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "json/members.h"

namespace muster::json {
namespace {

using Tokens = std::vector<std::string>;

/// The reference tokens of an RFC 6901 pointer; nullopt when the text is not a pointer.
std::optional<Tokens> split_pointer(std::string_view pointer) {
  if (pointer.empty()) return Tokens();
  if (pointer.front() != '/') return std::nullopt;
  Tokens tokens = split(pointer.substr(1), '/');
  for (std::string& token : tokens) {
    std::string plain;
    for (std::size_t i = 0; i < token.size(); ++i) {
      if (token[i] != '~') {
        plain += token[i];
        continue;
      }
      if (i + 1 == token.size() || (token[i + 1] != '0' && token[i + 1] != '1')) return std::nullopt;
      plain += token[++i] == '0' ? '~' : '/';
    }
    token = std::move(plain);
  }
  return tokens;
}

/// Reads an array index as the RFC spells it: without sign or leading zero.
std::optional<std::size_t> parse_index(std::string_view token) {
  const bool all_digits = std::ranges::all_of(token, [](char c) { return c >= '0' && c <= '9'; });
  if (token.empty() || !all_digits || (token.size() > 1 && token[0] == '0')) return std::nullopt;
  const std::optional<std::int64_t> value = parse_int(token);
  if (!value) return std::nullopt;
  return static_cast<std::size_t>(*value);
}

/// Looking for a member of an object costs as much work as shifting half of its members.
std::size_t search_work(const Object& object) {
  return object.size() / 2;
}

/// Adds to `work`.
const Document* step(const Document& from, const std::string& token, std::size_t& work) {
  if (from.is_object()) {
    work += search_work(from.as_object());
    return from.find(token);
  }
  if (!from.is_array()) return nullptr;
  const std::optional<std::size_t> index = parse_index(token);
  return index && *index < from.as_array().size() ? &from.as_array()[*index] : nullptr;
}

const Document* walk(const Document& from, const Tokens& tokens, std::size_t count, std::size_t& work) {
  const Document* at = &from;
  for (std::size_t i = 0; i < count && at != nullptr; ++i) at = step(*at, tokens[i], work);
  return at;
}

Document* walk(Document& from, const Tokens& tokens, std::size_t count, std::size_t& work) {
  return const_cast<Document*>(walk(static_cast<const Document&>(from), tokens, count, work));
}

/// Adds the number of visited values to `work`.
bool fits_depth(const Document& document, int left, std::size_t& work) {
  if (document.is_array()) {
    const Array& items = document.as_array();
    work += items.size();
    return left > 0 && std::ranges::all_of(items, [&](const Document& d) { return fits_depth(d, left - 1, work); });
  }
  if (document.is_object()) {
    const Object& members = document.as_object();
    work += members.size();
    return left > 0 &&
           std::ranges::all_of(members, [&](const Member& m) { return fits_depth(m.value, left - 1, work); });
  }
  return true;
}

/// One operation with its members read and checked.
struct Operation {
  std::string op;
  std::string path_text;
  Tokens path;
  std::string from_text;
  Tokens from;
  const Document* value = nullptr;
};

Error bad_operation(std::string message) {
  return Error{.reason = Reason::kInvalid, .message = std::move(message)};
}

Error missing(const std::string& pointer) {
  return Error{.reason = Reason::kInvalid, .message = fmt::format("path {} does not exist", quote(pointer))};
}

Result<Tokens> read_pointer(const Document& operation, std::string_view member, std::string& text) {
  const Document* pointer = operation.find(member);
  if (pointer == nullptr || !pointer->is_string()) {
    return bad_operation(fmt::format("\"{}\" must be a JSON pointer string", member));
  }
  text = pointer->as_string();
  std::optional<Tokens> tokens = split_pointer(text);
  if (!tokens) {
    return bad_operation(fmt::format(
        "\"{}\" is not a JSON pointer, got {}; it must be empty or start with \"/\", with ~0 for ~ and ~1 for / "
        "in names",
        member, quote(text)));
  }
  return *std::move(tokens);
}

Result<Operation> read_operation(const Document& document) {
  if (!document.is_object()) {
    return Error{.reason = Reason::kBadRequest,
                 .message = fmt::format("must be an object, got {}", kind_name(document.kind()))};
  }
  Operation out;
  const Document* op = document.find("op");
  if (op == nullptr || !op->is_string()) return bad_operation("\"op\" must be a string");
  out.op = op->as_string();
  static const std::vector<std::string> kKnown = {"add", "remove", "replace", "move", "copy", "test"};
  if (std::ranges::find(kKnown, out.op) == kKnown.end()) {
    return bad_operation(fmt::format("\"op\" must be one of {}, got {}", join(kKnown, ", "), quote(out.op)));
  }
  TRY_ASSIGN(out.path, read_pointer(document, "path", out.path_text));
  if (out.op == "move" || out.op == "copy") {
    TRY_ASSIGN(out.from, read_pointer(document, "from", out.from_text));
  }
  if (out.op == "add" || out.op == "replace" || out.op == "test") {
    out.value = document.find("value");
    if (out.value == nullptr) return bad_operation(fmt::format("\"value\" is required for {}", out.op));
  }
  return out;
}

/// A patched document must stay within the parser's depth limit, because the code that walks documents recurses.
Status check_depth(const Tokens& path, const Document& value, std::size_t& work) {
  const auto above = static_cast<int>(std::min<std::size_t>(path.size(), kMaxDepth));
  if (fits_depth(value, kMaxDepth - above, work)) return ok();
  return Error{.reason = Reason::kInvalid,
               .message = fmt::format("the result would be nested deeper than {} levels", kMaxDepth)};
}

/// Applies one patch to its own copy of a document.
class Patcher {
 public:
  explicit Patcher(Document target) : target_(std::move(target)) {}

  Document take() { return std::move(target_); }

  Status apply(const Operation& o) {
    if (work_ > kMaxPatchWork) {
      return Error{
          .reason = Reason::kRequestEntityTooLarge,
          .message =
              "the patch looks through too many members, or shifts too many items; use a merge patch, or replace the "
              "list"};
    }
    if (o.op == "add") return add(o.path, o.path_text, *o.value);
    if (o.op == "remove") return remove(o.path, o.path_text);
    if (o.op == "replace") return replace(o);
    if (o.op == "move") return move(o);
    if (o.op == "copy") return copy(o);
    return test(o);
  }

 private:
  Status add(const Tokens& path, const std::string& text, Document value) {
    TRY(check_depth(path, value, work_));
    if (path.empty()) {
      target_ = std::move(value);
      return ok();
    }
    Document* parent = walk(target_, path, path.size() - 1, work_);
    if (parent == nullptr || (!parent->is_object() && !parent->is_array())) return missing(text);
    if (parent->is_object()) {
      work_ += search_work(parent->as_object());
      parent->as_object().set(path.back(), std::move(value));
      return ok();
    }
    Array& array = parent->as_array();
    const std::optional<std::size_t> index = path.back() == "-" ? array.size() : parse_index(path.back());
    if (!index || *index > array.size()) return missing(text);
    work_ += array.size() - *index;
    array.insert(array.begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
    return ok();
  }

  Status remove(const Tokens& path, const std::string& text) {
    if (path.empty()) {
      target_ = Document();
      return ok();
    }
    Document* parent = walk(target_, path, path.size() - 1, work_);
    if (parent == nullptr || step(*parent, path.back(), work_) == nullptr) return missing(text);
    if (parent->is_object()) {
      work_ += parent->as_object().size();
      parent->as_object().erase(path.back());
    } else {
      Array& array = parent->as_array();
      const std::size_t index = *parse_index(path.back());
      work_ += array.size() - index;
      array.erase(array.begin() + static_cast<std::ptrdiff_t>(index));
    }
    return ok();
  }

  Status replace(const Operation& o) {
    // Kubernetes deviates from the RFC here: replacing an absent member adds it.
    if (is_absent_member(o.path)) return add(o.path, o.path_text, *o.value);
    Document* place = walk(target_, o.path, o.path.size(), work_);
    if (place == nullptr) return missing(o.path_text);
    TRY(check_depth(o.path, *o.value, work_));
    *place = *o.value;
    return ok();
  }

  Status move(const Operation& o) {
    const bool into_itself = o.path.size() > o.from.size() && std::equal(o.from.begin(), o.from.end(), o.path.begin());
    if (into_itself) {
      return bad_operation(fmt::format("cannot move {} into itself, to {}", quote(o.from_text), quote(o.path_text)));
    }
    Document* source = walk(target_, o.from, o.from.size(), work_);
    if (source == nullptr) return missing(o.from_text);
    Document value = std::move(*source);
    TRY(remove(o.from, o.from_text));
    return add(o.path, o.path_text, std::move(value));
  }

  Status copy(const Operation& o) {
    const Document* source = walk(target_, o.from, o.from.size(), work_);
    if (source == nullptr) return missing(o.from_text);
    copied_bytes_ += serialize(*source).size();
    if (copied_bytes_ > kMaxCopiedBytes) {
      return Error{.reason = Reason::kRequestEntityTooLarge,
                   .message = fmt::format("copy operations add more than {} bytes", kMaxCopiedBytes)};
    }
    return add(o.path, o.path_text, *source);
  }

  Status test(const Operation& o) {
    if (o.value->is_null() && is_absent_member(o.path)) return ok();
    const Document* actual = walk(target_, o.path, o.path.size(), work_);
    if (actual == nullptr) return missing(o.path_text);
    if (*actual == *o.value) return ok();
    return Error{.reason = Reason::kInvalid,
                 .message = fmt::format("test failed: {} has another value", quote(o.path_text))};
  }

  /// Whether the object exists but the member does not.
  bool is_absent_member(const Tokens& path) {
    if (path.empty()) return false;
    const Document* parent = walk(target_, path, path.size() - 1, work_);
    return parent != nullptr && parent->is_object() && step(*parent, path.back(), work_) == nullptr;
  }

  Document target_;
  std::size_t copied_bytes_ = 0;
  std::size_t work_ = 0;
};

}  // namespace

void merge_patch(Document& target, const Document& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (!target.is_object()) target = Object();
  Object& object = target.as_object();
  MemberIndex index(object);
  std::vector<std::string> gone;
  for (const Member& member : patch.as_object()) {
    if (member.value.is_null()) {
      gone.push_back(member.key);
    } else {
      merge_patch(index.at(object, member.key), member.value);
    }
  }
  erase_members(object, gone);
}

std::optional<Document> merge_patch_between(const Document& before, const Document& after) {
  if (before == after) return std::nullopt;
  if (!before.is_object() || !after.is_object()) return after;
  Object patch;
  for (const auto& [key, value] : after.as_object()) {
    const Document* old = before.find(key);
    if (old == nullptr) {
      patch.append(key, value);
    } else if (auto inner = merge_patch_between(*old, value)) {
      patch.append(key, *std::move(inner));
    }
  }
  for (const auto& [key, value] : before.as_object()) {
    if (!after.as_object().contains(key)) patch.append(key, nullptr);
  }
  return patch;
}

Result<Document> json_patch(Document target, const Document& operations) {
  if (!operations.is_array()) {
    return Error{
        .reason = Reason::kBadRequest,
        .message = fmt::format("JSON patch must be an array of operations, got {}", kind_name(operations.kind()))};
  }
  const Array& list = operations.as_array();
  if (list.size() > kMaxPatchOperations) {
    return Error{.reason = Reason::kRequestEntityTooLarge,
                 .message = fmt::format("JSON patch has {} operations; at most {} are allowed", list.size(),
                                        kMaxPatchOperations)};
  }
  Patcher patcher(std::move(target));
  for (std::size_t i = 0; i < list.size(); ++i) {
    Result<Operation> operation = read_operation(list[i]);
    if (!operation) return in_context(fmt::format("operation {}", i), std::move(operation).error());
    Status status = patcher.apply(*operation);
    if (!status) return in_context(fmt::format("operation {} ({})", i, operation->op), std::move(status).error());
  }
  return patcher.take();
}

}  // namespace muster::json
