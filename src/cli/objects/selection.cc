#include "cli/objects/selection.h"

#include <fmt/core.h>

#include "base/strings.h"
#include "cli/objects/write_objects.h"

namespace muster::cli {

Error about_selectors(Error error, const std::string& labels, const std::string& fields) {
  if (error.reason != Reason::kBadRequest || (labels.empty() && fields.empty())) return error;
  std::vector<std::string> flags;
  if (!labels.empty()) flags.push_back("-l " + quote(labels));
  if (!fields.empty()) flags.push_back("--field-selector " + quote(fields));
  return in_context(join(flags, ", "), std::move(error));
}

void Selection::add_flags(Flags& flags) {
  flags.add("filename", &files_, "objects named in these files", 'f');
  flags.add("recursive", &recursive_, "include sub-folders of -f", 'R');
  flags.add("selector", &selector_, "all objects with these labels", 'l');
  flags.add("field-selector", &field_selector_, "all objects with these fields");
  flags.add("all", &all_, "all objects of the kind");
  flags.add("all-namespaces", &all_namespaces_, "objects of all namespaces", 'A');
}

std::variant<std::vector<Selected>, Failure> Selection::collect(Session& session, const std::vector<std::string>& words,
                                                                const std::string& example) const {
  std::vector<Selected> out;
  if (!files_.empty()) {
    if (!words.empty()) return usage_failure("give either -f or names, not both");
    auto placed = place_manifests(session, files_, recursive_);
    if (auto* failure = std::get_if<Failure>(&placed)) return std::move(*failure);
    for (Placed& one : std::get<0>(placed)) out.push_back({std::move(one.kind), one.ns, one.manifest.name()});
    return out;
  }
  if (words.empty()) return usage_failure("name an object", example);
  auto wanted = Kinds(session).wanted(words);
  if (!wanted) return failure_of(wanted.error());
  const bool by_selector = all_ || !selector_.empty() || !field_selector_.empty();
  for (const Wanted& one : *wanted) {
    const std::string ns = one.kind.namespaced && !all_namespaces_ ? session.ns() : "";
    if (!one.name.empty()) {
      if (by_selector || all_namespaces_) return usage_failure("a name cannot be combined with -A, -l or --all");
      out.push_back({one.kind, ns, one.name});
      continue;
    }
    if (!by_selector && !kind_means_all_) {
      return usage_failure(fmt::format("no name after {}", quote(words[0])), "give a name, -l SELECTOR or --all");
    }
    client::ListOptions options;
    options.label_selector = selector_;
    options.field_selector = field_selector_;
    auto list = session.list(one.kind.resource, ns, options);
    if (!list) return failure_of(about_selectors(list.error(), selector_, field_selector_));
    for (const json::Document& item : list->array_at("items")) {
      out.push_back({one.kind, item.string_at("metadata", "namespace"), item.string_at("metadata", "name"), false});
    }
  }
  return out;
}

}  // namespace muster::cli
