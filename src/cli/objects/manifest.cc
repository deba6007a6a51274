#include "cli/objects/manifest.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "api/resource.h"
#include "base/files.h"
#include "base/quantity_hint.h"
#include "base/strings.h"
#include "reflect/reflect.h"

namespace muster::cli {

namespace {

namespace fs = std::filesystem;

std::string_view line_of(std::string_view text, int number) {
  for (int line = 1; line < number; ++line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

std::string excerpt(int line, std::string_view shown, std::string_view caret) {
  const std::string number = std::to_string(line);
  return fmt::format("  {} │ {}\n  {:{}} │ {}\n", number, shown, "", number.size(), caret);
}

std::string excerpt_at(const Source& source, json::Mark mark) {
  constexpr std::size_t kShown = 160;
  const std::string_view line = line_of(source.text, mark.line);
  if (trim(line).empty() || line.size() > kShown) return "";
  std::string caret;
  int column = 1;
  for (const char c : line) {
    if ((c & 0xC0) == 0x80) continue;
    if (column++ >= mark.column) break;
    caret += c == '\t' ? '\t' : ' ';
  }
  return excerpt(mark.line, line, caret + "^");
}

/// parse_yaml's errors consist of "line L, column C: what", the line itself and a caret.
Failure syntax_failure(const Source& source, const Error& error) {
  const auto lines = split(error.message, '\n');
  std::string_view head = lines[0];
  const std::size_t comma = head.find(", column ");
  const std::size_t colon = head.find(": ");
  if (lines.size() != 3 || !head.starts_with("line ") || comma == std::string_view::npos ||
      colon == std::string_view::npos || colon < comma) {
    return {.what = source.name + ": " + error.message};
  }
  const auto line = parse_int(head.substr(5, comma - 5));
  const auto column = parse_int(head.substr(comma + 9, colon - comma - 9));
  if (!line || !column) return {.what = source.name + ": " + error.message};
  return {.what = fmt::format("{}:{}:{}: {}", source.name, *line, *column, head.substr(colon + 2)),
          .excerpt = excerpt(static_cast<int>(*line), lines[1], lines[2])};
}

bool is_list(const Manifest& manifest) {
  const json::Document* items = manifest.value.find("items");
  return manifest.kind().ends_with("List") && items != nullptr && items->is_array();
}

std::vector<Manifest> items_of(const Manifest& list) {
  std::vector<Manifest> out;
  const json::Array& items = list.value.find("items")->as_array();
  for (std::size_t i = 0; i < items.size(); ++i) {
    Manifest item{.source = list.source, .value = items[i], .marks = {}};
    const std::string prefix = fmt::format("items[{}]", i);
    for (const auto& [path, mark] : list.marks) {
      if (path == prefix) item.marks[""] = mark;
      if (path.starts_with(prefix + ".")) item.marks[path.substr(prefix.size() + 1)] = mark;
    }
    out.push_back(std::move(item));
  }
  return out;
}

std::vector<Finding> missing_fields(const Manifest& manifest) {
  std::vector<Finding> out;
  if (!manifest.value.is_object()) {
    out.push_back({manifest.mark_of(""),
                   fmt::format("a manifest must be an object, got {}", json::kind_name(manifest.value.kind()))});
    return out;
  }
  if (manifest.api_version().empty()) out.push_back({manifest.mark_of(""), "apiVersion is missing"});
  if (manifest.kind().empty()) out.push_back({manifest.mark_of(""), "kind is missing"});
  const json::Document* metadata = manifest.value.find("metadata");
  const bool named = !manifest.name().empty() || !manifest.value.string_at("metadata", "generateName").empty();
  if (metadata == nullptr || !metadata->is_object() || !named) {
    out.push_back({manifest.mark_of("metadata"), "metadata.name is missing"});
  }
  return out;
}

std::vector<std::string> files_of_folder(const std::string& folder, bool recursive) {
  std::vector<std::string> out;
  const auto add = [&](const fs::directory_entry& entry) {
    std::error_code ignored;
    const std::string extension = entry.path().extension();
    if (entry.is_regular_file(ignored) && (extension == ".yaml" || extension == ".yml" || extension == ".json")) {
      out.push_back(entry.path());
    }
  };
  std::error_code error;
  if (recursive) {
    for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) add(*at);
  } else {
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) add(*at);
  }
  std::ranges::sort(out);
  return out;
}

std::variant<std::vector<std::string>, Failure> expand(const std::string& path, bool recursive) {
  if (path.starts_with("http://") || path.starts_with("https://")) {
    return usage_failure(fmt::format("cannot read {}: addresses are not fetched", quote(path)),
                         fmt::format("curl -fsSL {} >FILE, read it, then -f FILE", quote(path)));
  }
  std::error_code error;
  if (path == "-" || !fs::is_directory(path, error)) return std::vector<std::string>{path};
  auto files = files_of_folder(path, recursive);
  if (files.empty()) {
    return Failure{.code = kExitNotFound, .what = fmt::format("{} holds no .yaml, .yml or .json files", quote(path))};
  }
  return files;
}

}  // namespace

json::Mark Manifest::mark_of(std::string_view field) const {
  std::string_view path = field;
  for (;;) {
    if (const auto found = marks.find(std::string(path)); found != marks.end()) return found->second;
    const std::size_t cut = path.find_last_of(".[");
    if (cut == std::string_view::npos) break;
    path = path.substr(0, cut);
  }
  json::Mark first{.line = 1, .column = 1};
  const auto lowest = std::ranges::min_element(marks, {}, [](const auto& entry) { return entry.second.line; });
  return lowest == marks.end() ? first : json::Mark{.line = lowest->second.line, .column = 1};
}

std::variant<std::vector<Manifest>, Failure> parse_manifests(std::shared_ptr<const Source> source, Session& session) {
  auto parsed = json::parse_yaml(source->text);
  if (!parsed) return syntax_failure(*source, parsed.error());
  std::vector<Manifest> out;
  std::vector<Finding> findings;
  for (json::YamlDocument& document : *parsed) {
    for (const std::string& warning : document.warnings)
      session.err(fmt::format("warning: {}: {}\n", source->name, warning));
    Manifest manifest{.source = source, .value = std::move(document.value), .marks = std::move(document.marks)};
    std::vector<Manifest> several;
    if (is_list(manifest)) {
      several = items_of(manifest);
    } else {
      several.push_back(std::move(manifest));
    }
    for (Manifest& one : several) {
      std::ranges::move(missing_fields(one), std::back_inserter(findings));
      out.push_back(std::move(one));
    }
  }
  if (!findings.empty()) return failure_at(*source, findings);
  return out;
}

std::variant<std::vector<Manifest>, Failure> read_manifests(Session& session, const std::vector<std::string>& paths,
                                                            bool recursive) {
  std::vector<Manifest> out;
  std::vector<Failure> failures;
  for (const std::string& path : paths) {
    auto files = expand(path, recursive);
    if (auto* failure = std::get_if<Failure>(&files)) {
      failures.push_back(std::move(*failure));
      continue;
    }
    for (const std::string& file : std::get<0>(files)) {
      auto text = file == "-" ? session.terminal().read_stdin() : read_file(file);
      if (!text) {
        failures.push_back(failure_of(text.error()));
        continue;
      }
      auto source = std::make_shared<const Source>(Source{file == "-" ? "stdin" : file, *std::move(text)});
      auto manifests = parse_manifests(std::move(source), session);
      if (auto* failure = std::get_if<Failure>(&manifests)) {
        failures.push_back(std::move(*failure));
      } else {
        std::ranges::move(std::get<0>(manifests), std::back_inserter(out));
      }
    }
  }
  if (!failures.empty()) return together(failures);
  if (out.empty()) return Failure{.what = fmt::format("no objects in {}", join(paths, ", "))};
  return out;
}

Failure together(const std::vector<Failure>& failures) {
  if (failures.size() == 1) return failures.front();
  Failure out{.code = failures.front().code, .what = failures.front().what};
  out.excerpt = failures.front().excerpt;
  const auto add_rest = [&](Failure rest) {
    rest.what.clear();
    rest.excerpt.clear();
    out.excerpt += error_text(rest);
  };
  add_rest(failures.front());
  for (std::size_t i = 1; i < failures.size(); ++i) out.excerpt += error_text(failures[i]);
  return out;
}

Failure failure_at(const Source& source, const std::vector<Finding>& findings) {
  Failure out;
  for (const Finding& finding : findings) {
    const std::string what =
        fmt::format("{}:{}:{}: {}", source.name, finding.mark.line, finding.mark.column, finding.text);
    if (out.what.empty()) {
      out.what = what;
    } else {
      out.excerpt += "error: " + what + "\n";
    }
    out.excerpt += excerpt_at(source, finding.mark);
  }
  return out;
}

namespace {

/// A server copies limits to missing requests and then reports both; users can correct only the field that they wrote.
bool repeats_limits(const FieldCause& cause, const Manifest& manifest, const std::vector<FieldCause>& all) {
  constexpr std::string_view kRequests = ".resources.requests";
  const std::size_t at = cause.field.find(kRequests);
  if (at == std::string::npos || manifest.marks.contains(cause.field)) return false;
  std::string limits = cause.field;
  limits.replace(at, kRequests.size(), ".resources.limits");
  return std::ranges::find(all, limits, &FieldCause::field) != all.end();
}

/// True for an error about the patch that apply sends for an existing object: it has no place in the user's file.
bool is_about_the_patch(const FieldCause& cause) {
  return cause.field == "patch";
}

/// Finds wrong types and unknown fields of known kinds again, which a server reports only in the text of its message.
std::vector<Finding> found_again(const Manifest& manifest) {
  std::vector<Finding> out;
  const api::Resource* resource = api::find_kind(manifest.api_version(), manifest.kind());
  if (resource == nullptr || resource->type == nullptr) return out;
  for (const FieldCause& cause : reflect::validate(*resource->type, manifest.value)) {
    const bool cannot_be_read =
        cause.reason == "FieldValueTypeInvalid" || cause.message.find(kQuantityRule) != std::string::npos;
    if (cannot_be_read) out.push_back({manifest.mark_of(cause.field), cause.field + ": " + cause.message});
  }
  for (const reflect::UnknownField& field : reflect::unknown_fields(*resource->type, manifest.value)) {
    std::string text = fmt::format("unknown field {}", quote(field.path));
    if (!field.suggestion.empty()) text += fmt::format("; did you mean {}?", quote(field.suggestion));
    out.push_back({manifest.mark_of(field.path), std::move(text)});
  }
  return out;
}

}  // namespace

Failure refused(const Manifest& manifest, const Error& error) {
  std::vector<Finding> findings;
  for (const FieldCause& cause : error.causes) {
    // Kubernetes adds this cause to say that it stopped there; it is not an error of its own.
    if (cause.field == "<nil>" && error.causes.size() > 1) continue;
    if (repeats_limits(cause, manifest, error.causes) || is_about_the_patch(cause)) continue;
    const std::string message = with_short_values(cause.message);
    findings.push_back({manifest.mark_of(cause.field), cause.field.empty() ? message : cause.field + ": " + message});
  }
  const bool unplaced = findings.empty() && (error.reason == Reason::kBadRequest || !error.causes.empty());
  if (unplaced) findings = found_again(manifest);
  if (findings.empty()) {
    Failure out = failure_of(error);
    out.what = fmt::format("{}: {}", manifest.source->name, out.what);
    // A bad manifest is not a usage error of the command line.
    if (error.reason == Reason::kBadRequest) out.code = kExitFailed;
    return out;
  }
  std::ranges::stable_sort(findings, {}, [](const Finding& finding) { return finding.mark.line; });
  return failure_at(*manifest.source, findings);
}

}  // namespace muster::cli
