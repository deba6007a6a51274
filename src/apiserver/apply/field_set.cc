#include "apiserver/apply/field_set.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/strings.h"

namespace muster::apiserver::apply {
namespace {

constexpr std::string_view kItself = ".";

bool before(const FieldSet::Child& child, std::string_view element) {
  return child.element < element;
}

Error broken(std::string_view what) {
  Error error;
  error.reason = Reason::kBadRequest;
  error.message = fmt::format("managedFields: {}", what);
  return error;
}

/// Turns the keys of `k:{"name":"a","port":80}` into `[name="a",port=80]`.
std::string keys_as_path(std::string_view keys) {
  const auto parsed = json::parse(keys);
  if (!parsed || !parsed->is_object()) return fmt::format("[{}]", keys);
  std::vector<std::string> parts;
  for (const json::Member& key : parsed->as_object()) parts.push_back(key.key + "=" + json::serialize(key.value));
  return fmt::format("[{}]", join(parts, ","));
}

std::string as_path(const std::string& element) {
  const std::string_view rest = std::string_view(element).substr(2);
  switch (element[0]) {
    case 'f':
      return fmt::format(".{}", rest);
    case 'k':
      return keys_as_path(rest);
    case 'v':
      return fmt::format("[={}]", rest);
    default:
      return fmt::format("[{}]", rest);
  }
}

bool is_element(std::string_view text) {
  return text.size() >= 2 && text[1] == ':' && std::string_view("fkvi").find(text[0]) != std::string_view::npos;
}

}  // namespace

std::string member_element(std::string_view name) {
  std::string element;
  element.reserve(name.size() + 2);
  element += "f:";
  element += name;
  return element;
}

FieldSet::FieldSet(std::vector<Child> children) : children_(std::move(children)) {
  if (children_.size() > 1) std::ranges::sort(children_, {}, &Child::element);
}

const FieldSet* FieldSet::find(std::string_view element) const {
  const auto at = std::lower_bound(children_.begin(), children_.end(), element, before);
  return at != children_.end() && at->element == element ? &at->below : nullptr;
}

void FieldSet::add(std::string element, FieldSet below) {
  if (below.empty()) return;
  const auto at = std::lower_bound(children_.begin(), children_.end(), element, before);
  if (at != children_.end() && at->element == element) {
    at->below = unite(std::move(at->below), below);
  } else {
    children_.insert(at, Child{std::move(element), std::move(below)});
  }
}

void FieldSet::erase(std::string_view element) {
  std::erase_if(children_, [&](const Child& child) { return child.element == element; });
}

void FieldSet::erase_path(const std::string_view* first, const std::string_view* last) {
  if (first == last) {
    member = false;
    return;
  }
  const auto at = std::lower_bound(children_.begin(), children_.end(), *first, before);
  if (at == children_.end() || at->element != *first) return;
  at->below.erase_path(first + 1, last);
  if (at->below.empty()) children_.erase(at);
}

bool FieldSet::operator==(const FieldSet& other) const {
  return member == other.member && std::ranges::equal(children_, other.children_, [](const Child& a, const Child& b) {
           return a.element == b.element && a.below == b.below;
         });
}

json::Document to_fields_v1(FieldSet set) {
  if (set.children_.empty()) return json::Object();
  std::vector<json::Member> fields;
  fields.reserve(set.children_.size() + 1);
  if (set.member) fields.push_back({std::string(kItself), json::Object()});
  for (FieldSet::Child& child : set.children_) {
    fields.push_back({std::move(child.element), to_fields_v1(std::move(child.below))});
  }
  return json::Object(std::move(fields));
}

Result<FieldSet> FieldSet::from_fields_v1(const json::Document& fields) {
  if (!fields.is_object()) return broken(fmt::format("must be an object, got {}", json::kind_name(fields.kind())));
  bool member = false;
  std::vector<Child> children;
  for (const json::Member& field : fields.as_object()) {
    if (field.key == kItself) {
      member = true;
      continue;
    }
    if (!is_element(field.key)) return broken(fmt::format("{} is not a path element", quote(field.key)));
    TRY_ASSIGN(FieldSet below, from_fields_v1(field.value));
    if (below.empty()) below.member = true;
    children.push_back({field.key, std::move(below)});
  }
  FieldSet set(std::move(children));
  set.member = member;
  return set;
}

void FieldSet::each_path(const std::function<void(const std::string&)>& visit) const {
  each_path_below("", visit);
}

void FieldSet::each_path_below(const std::string& prefix, const std::function<void(const std::string&)>& visit) const {
  for (const Child& child : children_) {
    const std::string path = prefix + as_path(child.element);
    if (child.below.member) visit(path);
    child.below.each_path_below(path, visit);
  }
}

FieldSet unite(FieldSet a, const FieldSet& b) {
  a.member = a.member || b.member;
  std::vector<FieldSet::Child> fresh;  // added at once: each insertion shifts the elements behind it
  for (const FieldSet::Child& child : b.children_) {
    const auto at = std::lower_bound(a.children_.begin(), a.children_.end(), child.element, before);
    if (at != a.children_.end() && at->element == child.element) {
      at->below = unite(std::move(at->below), child.below);
    } else {
      fresh.push_back(child);
    }
  }
  const auto middle = static_cast<std::ptrdiff_t>(a.children_.size());
  std::ranges::move(fresh, std::back_inserter(a.children_));
  std::ranges::inplace_merge(a.children_, a.children_.begin() + middle, {}, &FieldSet::Child::element);
  return a;
}

FieldSet intersect(const FieldSet& a, const FieldSet& b) {
  FieldSet out;
  out.member = a.member && b.member;
  for (const FieldSet::Child& child : a.children()) {
    if (const FieldSet* other = b.find(child.element)) out.add(child.element, intersect(child.below, *other));
  }
  return out;
}

FieldSet subtract(const FieldSet& a, const FieldSet& b) {
  FieldSet out;
  out.member = a.member && !b.member;
  for (const FieldSet::Child& child : a.children()) {
    const FieldSet* other = b.find(child.element);
    out.add(child.element, other == nullptr ? child.below : subtract(child.below, *other));
  }
  return out;
}

}  // namespace muster::apiserver::apply
