// patch: changes fields of objects with a patch given on the command line or in a file.
#include <fmt/core.h>

#include "base/files.h"
#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/objects/selection.h"
#include "cli/output/output.h"
#include "json/yaml.h"

namespace muster::cli {

namespace {

/// Only Kubernetes' own kinds support strategic merge patch; a server rejects it for all others.
bool knows_strategic(const ServedKind& kind) {
  const api::Resource* known = api::find_resource(kind.resource.group, kind.resource.version, kind.resource.plural);
  if (known != nullptr) return known->built_in;
  return kind.resource.group.find('.') == std::string::npos || kind.resource.group.ends_with(".k8s.io");
}

class Patch final : public Command {
 public:
  void add_flags(Flags& flags) override {
    flags.add("patch", &patch_, "patch in JSON or YAML", 'p');
    flags.add("patch-file", &patch_file_, "file with the patch; - for stdin");
    flags.add("type", &type_, "strategic, merge or json (default strategic; merge for custom resources)");
    flags.set_choices("type", {"strategic", "merge", "json"});
    flags.add("subresource", &subresource_, "patch status or scale instead of the object");
    flags.add("dry-run", &dry_run_, "none, or server: check without changing");
    flags.set_choices("dry-run", {"none", "server"});
    Output::add_object_flag(flags, &output_text_);
    flags.add("filename", &files_, "objects named in these files", 'f');
    flags.add("recursive", &recursive_, "include sub-folders of -f", 'R');
  }

  int run(Session& session, const std::vector<std::string>& words) override {
    if (const auto wrong = check_flags()) return session.fail(*wrong);
    auto output = Output::parse_for_object(output_text_);
    if (!output) return session.fail(output.error());
    auto patch = read_patch(session);
    if (!patch) return session.fail(patch.error());
    Selection selection;
    selection.take_files(files_, recursive_);
    auto selected = selection.collect(session, words, "muster patch pj NAME -p PATCH");
    if (auto* failure = std::get_if<Failure>(&selected)) return session.fail(*failure);
    int code = kExitOk;
    for (const Selected& one : std::get<0>(selected)) {
      const int ended = change(session, one, *patch, *output);
      if (code == kExitOk) code = ended;
      if (ended == kExitInterrupted || ended == kExitUnreachable) return ended;
    }
    return code;
  }

 private:
  std::optional<Failure> check_flags() const {
    if (patch_.empty() == patch_file_.empty()) {
      return usage_failure(patch_.empty() ? "give a patch" : "give either -p or --patch-file, not both",
                           R"(-p '{"spec":{…}}'   or: --patch-file FILE)");
    }
    if (!type_.empty() && type_ != "merge" && type_ != "json" && type_ != "strategic") {
      return usage_failure(fmt::format("--type: must be strategic, merge or json, got {}", quote(type_)));
    }
    if (!subresource_.empty() && subresource_ != "status" && subresource_ != "scale") {
      return usage_failure(fmt::format("--subresource: must be status or scale, got {}", quote(subresource_)));
    }
    if (dry_run_ != "none" && dry_run_ != "server") {
      return usage_failure(fmt::format("--dry-run: must be none or server, got {}", quote(dry_run_)));
    }
    return std::nullopt;
  }

  Result<json::Document> read_patch(Session& session) const {
    std::string text = patch_;
    std::string where = "--patch";
    if (!patch_file_.empty()) {
      where = patch_file_ == "-" ? "stdin" : patch_file_;
      TRY_ASSIGN(text, patch_file_ == "-" ? session.terminal().read_stdin() : read_file(patch_file_));
    }
    const auto wrong = [&](std::string what) {
      return Error{.reason = Reason::kBadRequest, .message = where + ": " + std::move(what)};
    };
    auto documents = json::parse_yaml(text);
    if (!documents) return wrong(documents.error().message);
    if (documents->size() != 1) return wrong(fmt::format("must be one document, got {}", documents->size()));
    json::Document& patch = documents->front().value;
    if (type_ == "json" && !patch.is_array()) return wrong(R"(must be a list: [{"op":…,"path":…,"value":…}])");
    if (type_ != "json" && !patch.is_object()) {
      return wrong(fmt::format("must be an object, got {}{}", json::kind_name(patch.kind()),
                               patch.is_array() ? "; --type=json takes lists" : ""));
    }
    return std::move(patch);
  }

  client::PatchType type_for(const ServedKind& kind) const {
    if (type_ == "json") return client::PatchType::kJson;
    const bool strategic = type_.empty() ? knows_strategic(kind) : type_ == "strategic";
    return strategic ? client::PatchType::kStrategic : client::PatchType::kMerge;
  }

  int change(Session& session, const Selected& one, const json::Document& patch, const Output& output) const {
    client::ObjectName object = one.object();
    object.subresource = subresource_;
    const auto before = session.get(object);
    if (!before) return session.fail(before.error());
    client::WriteOptions options{.field_manager = "muster-patch", .field_validation = "Strict"};
    options.dry_run = dry_run_ == "server";
    auto after = session.await([&](client::OnDocument done) {
      session.api().patch(object, type_for(one.kind), patch, options, std::move(done));
    });
    if (!after) return session.fail(after.error());
    if (output.is_table()) {
      session.out(fmt::format("{} patched{}{}\n", one.label(), *before == *after ? " (no change)" : "",
                              options.dry_run ? " (server dry run)" : ""));
    } else {
      output.print(session, output.object(*after, one.kind.label()));
    }
    return kExitOk;
  }

  std::string patch_;
  std::string patch_file_;
  std::string type_;
  std::string subresource_;
  std::string dry_run_ = "none";
  std::string output_text_;
  std::vector<std::string> files_;
  bool recursive_ = false;
};

}  // namespace

std::unique_ptr<Command> make_patch() {
  return std::make_unique<Patch>();
}

}  // namespace muster::cli
