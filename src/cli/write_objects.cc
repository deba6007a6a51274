#include "cli/write_objects.h"

#include <fmt/core.h>

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
  if (files.empty()) return usage_failure("nothing to read", "-f FILE names a file, a folder, or - for stdin");
  auto manifests = read_manifests(session, files, recursive);
  if (auto* failure = std::get_if<Failure>(&manifests)) return std::move(*failure);
  Kinds kinds(session);
  std::vector<Placed> out;
  for (Manifest& manifest : std::get<0>(manifests)) {
    auto kind = kinds.of_manifest(manifest.api_version(), manifest.kind());
    if (!kind) {
      if (kind.error().reason != Reason::kNotFound) return failure_of(kind.error());
      Failure failure = failure_at(*manifest.source, {{manifest.mark_of("kind"), kind.error().message}});
      return failure;
    }
    std::string ns;
    if (kind->namespaced) {
      ns = manifest.ns().empty() ? session.ns() : manifest.ns();
      if (!only_ns.empty() && ns != only_ns) {
        Failure failure =
            failure_at(*manifest.source,
                       {{manifest.mark_of("metadata.namespace"),
                         fmt::format("the manifest says namespace {}, the flag says {}", quote(ns), quote(only_ns))}});
        return failure;
      }
      manifest.value["metadata"]["namespace"] = ns;
    }
    out.push_back({.manifest = std::move(manifest), .kind = *std::move(kind), .ns = std::move(ns)});
  }
  return out;
}

void WriteObjects::add_flags(Flags& flags) {
  flags.add_list("filename", &files_, "file, folder or - for stdin; may be repeated", 'f');
  flags.add_bool("recursive", &recursive_, "go into sub-folders of -f", 'R');
  flags.add_string("dry-run", &dry_run_, "server: check, but change nothing; or none");
  flags.add_string("output", &output_text_, "print the object: yaml, json, name, jsonpath=…", 'o');
  flags.add_string("validate", &validate_, "unknown fields: strict (refuse), warn or ignore");
  flags.set_implied("validate", "strict");
}

int WriteObjects::run(Session& session, const std::string& field_manager, const std::vector<std::string>& words,
                      const std::function<int(Placed&)>& write) {
  if (!words.empty()) {
    return session.fail(usage_failure(fmt::format("unexpected argument {}", quote(words[0])), "-f " + words[0]));
  }
  auto output = Output::parse(output_text_);
  if (!output) return session.fail(output.error());
  output_ = *std::move(output);
  if (dry_run_ != "none" && dry_run_ != "server") {
    return session.fail(usage_failure(fmt::format("--dry-run: must be none or server, got {}", quote(dry_run_))));
  }
  auto validation = field_validation(validate_);
  if (!validation) return session.fail(validation.error());
  options_.field_manager = field_manager;
  options_.field_validation = *validation;
  options_.dry_run = dry_run_ == "server";

  auto all = place_manifests(session, files_, recursive_);
  if (auto* failure = std::get_if<Failure>(&all)) return session.fail(*failure);
  int code = kExitOk;
  for (Placed& placed : std::get<0>(all)) {
    const int ended = write(placed);
    if (session.interrupted()) return kExitInterrupted;
    if (code == kExitOk) code = ended;
    if (ended == kExitUnreachable) break;  // the others would say the same
  }
  return code;
}

int WriteObjects::report(Session& session, const Placed& placed, const Result<json::Document>& result,
                         std::string_view done) const {
  if (!result) {
    if (result.error().reason == Reason::kServiceUnavailable) return session.fail(result.error());
    return session.fail(refused(placed.manifest, result.error()));
  }
  if (output_.is_table()) {
    session.out(fmt::format("{}/{} {}{}\n", placed.kind.label(), result->string_at("metadata", "name"), done,
                            options_.dry_run ? " (server dry run)" : ""));
  } else {
    session.out(output_.object(*result, placed.kind.label()));
  }
  return kExitOk;
}

}  // namespace muster::cli
