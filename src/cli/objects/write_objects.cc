#include "cli/objects/write_objects.h"

#include <fmt/core.h>

#include <filesystem>

#include "base/strings.h"

namespace muster::cli {

namespace {

Result<std::string> field_validation(const std::string& word) {
  if (word == "strict" || word == "true") return std::string("Strict");
  if (word == "warn") return std::string("Warn");
  if (word == "ignore" || word == "false") return std::string("Ignore");
  return Error{.reason = Reason::kBadRequest,
               .message = fmt::format("--validate: must be strict, warn or ignore, got {}", quote(word))};
}

}  // namespace

std::variant<std::vector<Placed>, Failure> place_manifests(Session& session, const std::vector<std::string>& files,
                                                           bool recursive) {
  const std::string only_ns = session.named_ns();
  if (files.empty()) return usage_failure("name a file", "-f FILE names a file, a folder, or - for stdin");
  auto manifests = read_manifests(session, files, recursive);
  if (auto* failure = std::get_if<Failure>(&manifests)) return std::move(*failure);
  Kinds kinds(session);
  std::vector<Placed> out;
  std::vector<Failure> failures;
  for (Manifest& manifest : std::get<0>(manifests)) {
    auto kind = kinds.of_manifest(manifest.api_version(), manifest.kind());
    if (!kind) {
      if (kind.error().reason != Reason::kNotFound) return failure_of(kind.error());
      failures.push_back(failure_at(*manifest.source, {{manifest.mark_of("kind"), kind.error().message}}));
      continue;
    }
    std::string ns;
    if (kind->namespaced) {
      ns = manifest.ns().empty() ? session.ns() : manifest.ns();
      if (!only_ns.empty() && ns != only_ns) {
        failures.push_back(
            failure_at(*manifest.source,
                       {{manifest.mark_of("metadata.namespace"),
                         fmt::format("the manifest says namespace {}, the flag says {}", quote(ns), quote(only_ns))}}));
        continue;
      }
      manifest.value["metadata"]["namespace"] = ns;
    }
    out.push_back({.manifest = std::move(manifest), .kind = *std::move(kind), .ns = std::move(ns)});
  }
  if (!failures.empty()) return together(failures);
  return out;
}

void WriteObjects::add_flags(Flags& flags) {
  flags.add("filename", &files_, "file, folder or - for stdin; may be repeated", 'f');
  flags.add("recursive", &recursive_, "include sub-folders of -f", 'R');
  flags.add("dry-run", &dry_run_, "none, or server: check without changing");
  flags.set_choices("dry-run", {"none", "server"});
  Output::add_object_flag(flags, &output_text_);
  flags.add("validate", &validate_, "what to do with unknown fields: strict (refuse), warn or ignore");
  flags.set_implied("validate", "strict");
  flags.set_choices("validate", {"strict", "warn", "ignore"});
}

bool looks_like_file(const std::string& word) {
  std::error_code ignored;
  return word.find_first_of("./") != std::string::npos || std::filesystem::exists(word, ignored);
}

Status WriteObjects::read_flags(const std::string& field_manager) {
  TRY_ASSIGN(output_, Output::parse_for_object(output_text_));
  if (dry_run_ != "none" && dry_run_ != "server") {
    return Error{.reason = Reason::kBadRequest,
                 .message = fmt::format("--dry-run: must be none or server, got {}", quote(dry_run_))};
  }
  TRY_ASSIGN(options_.field_validation, field_validation(validate_));
  options_.field_manager = field_manager;
  options_.dry_run = dry_run_ == "server";
  return ok();
}

int WriteObjects::run_on(Session& session, const std::string& field_manager, Placed placed,
                         const std::function<int(Placed&)>& write) {
  if (const Status read = read_flags(field_manager); !read) return session.fail(read.error());
  if (!files_.empty()) return session.fail(usage_failure("give either -f or what to create, not both"));
  return write(placed);
}

int WriteObjects::run(Session& session, const std::string& field_manager, const std::vector<std::string>& words,
                      const std::function<int(Placed&)>& write) {
  if (!words.empty()) {
    const bool file = looks_like_file(words[0]);
    return session.fail(usage_failure(fmt::format("unexpected argument {}", quote(words[0])),
                                      file ? "-f " + words[0] : "-f FILE names a file, a folder, or - for stdin"));
  }
  if (const Status read = read_flags(field_manager); !read) return session.fail(read.error());
  auto all = place_manifests(session, files_, recursive_);
  if (auto* failure = std::get_if<Failure>(&all)) return session.fail(*failure);
  int code = kExitOk;
  for (Placed& placed : std::get<0>(all)) {
    const int ended = write(placed);
    if (session.interrupted()) return kExitInterrupted;
    if (code == kExitOk) code = ended;
    if (ended == kExitUnreachable) break;  // the remaining writes would fail in the same way
  }
  return code;
}

int WriteObjects::report(Session& session, const Placed& placed, const Result<json::Document>& result,
                         std::string_view done) const {
  if (!result) {
    const bool from_file = placed.manifest.source != nullptr;
    if (result.error().reason == Reason::kServiceUnavailable || !from_file) return session.fail(result.error());
    return session.fail(refused(placed.manifest, result.error()));
  }
  if (output_.is_table()) {
    session.out(fmt::format("{}/{} {}{}\n", placed.kind.label(), result->string_at("metadata", "name"), done,
                            options_.dry_run ? " (server dry run)" : ""));
  } else {
    output_.print(session, output_.object(*result, placed.kind.label()));
  }
  return kExitOk;
}

}  // namespace muster::cli
