#include "cli/run/ran_job.h"

#include <fmt/core.h>

#include "api/muster/claim_names.h"
#include "api/muster/names.h"
#include "base/files.h"
#include "base/find_program.h"
#include "base/strings.h"
#include "cli/objects/object_state.h"
#include "cli/run/folders.h"
#include "cli/run/hints.h"
#include "cli/run/objects.h"
#include "cli/run/program_file.h"

namespace muster::cli {

namespace {

using json::Document;

const Document* first_template(const Document& job) {
  const json::Array& roles = job.array_at("spec", "replicaSpecs");
  const Document* out = roles.empty() ? nullptr : roles.front().find("template");
  const bool is_of_run =
      out != nullptr && out->string_at("metadata", "annotations", api::kLocalRanksAnnotation) == "true";
  return is_of_run && !out->array_at("spec", "containers").empty() ? out : nullptr;
}

std::string claim_of(const Document& pod_template, const std::string& volume) {
  for (const Document& one : pod_template.array_at("spec", "volumes")) {
    if (one.string_at("name") == volume) return one.string_at("persistentVolumeClaim", "claimName");
  }
  return "";
}

SafeFolders safe_folders(const RunFrom& from) {
  return {from, read_file("/etc/passwd").value_or("")};
}

JobFolders folders_of(const RanJob& job, const SafeFolders& safe) {
  JobFolders out(job.folders.front().place(), job.working_dir, safe);
  for (std::size_t i = 1; i < job.folders.size(); ++i) out.add_mount(job.folders[i]);
  return out;
}

RunPrograms programs_of(const RanJob& job, const RunFrom& from) {
  RunPrograms out;
  if (job.image != "host") {
    out.text = fmt::format("that of image {}", quote(job.image));
    return out;
  }
  // A launcher or shell script finds its Python in PATH.
  const auto chosen =
      is_python_name(job.program)
          ? python::choose_python({.named = job.program, .home = from.home})
          : python::choose_python({.home = from.home, .path = job.path.empty() ? kUsualPath : job.path});
  if (!chosen) return out;
  out.python = *chosen;
  out.text = chosen->interpreter.program;
  return out;
}

void mount_in(Document& pod_template, const std::vector<MountedFolder>& folders) {
  Document& spec = pod_template["spec"];
  for (const MountedFolder& folder : folders) {
    const std::string volume = fmt::format("folder-{}", spec.array_at("volumes").size());
    spec["volumes"].as_array().emplace_back(
        json::Object{{"name", volume}, {"persistentVolumeClaim", json::Object{{"claimName", folder.claim}}}});
    spec["containers"].as_array().front()["volumeMounts"].as_array().emplace_back(
        json::Object{{"name", volume}, {"mountPath", folder.place()}, {"readOnly", folder.read_only}});
  }
}

}  // namespace

std::optional<RanJob> read_ran_job(const Document& job) {
  const Document* pod_template = first_template(job);
  if (pod_template == nullptr) return std::nullopt;
  const Document& container = pod_template->array_at("spec", "containers").front();
  RanJob out{.working_dir = container.string_at("workingDir"),
             .program = {},
             .image = container.string_at("image"),
             .path = {},
             .folders = {}};
  const json::Array& command = container.array_at("command");
  if (!command.empty() && command.front().is_string()) out.program = command.front().as_string();
  for (const Document& variable : container.array_at("env")) {
    if (variable.string_at("name") == "PATH") out.path = variable.string_at("value");
  }
  for (const Document& mount : container.array_at("volumeMounts")) {
    MountedFolder folder{.path = mount.string_at("mountPath"),
                         .target = mount.string_at("mountPath"),
                         .read_only = mount.bool_at("readOnly"),
                         .claim = claim_of(*pod_template, mount.string_at("name"))};
    if (folder.claim != api::kHomeClaim) out.folders.push_back(std::move(folder));
  }
  if (out.working_dir.empty() || out.folders.empty()) return std::nullopt;
  return out;
}

std::vector<std::string> hints_about_job(Session& session, const Document& job) {
  if (!session.is_local_engine() || object_end(job) != ObjectEnd::kFailed) return {};
  const auto ran = read_ran_job(job);
  if (!ran) return {};
  RunFrom from = run_from_here();
  from.working_dir = ran->working_dir;
  const SafeFolders safe = safe_folders(from);
  return hints_about(object_message(job), programs_of(*ran, from), folders_of(*ran, safe), safe, from);
}

Status show_folders_of(const std::vector<std::string>& arguments, Session& session, RunObjects& claims, Document& job) {
  const auto ran = session.is_local_engine() ? read_ran_job(job) : std::nullopt;
  if (!ran) return ok();
  RunFrom from = run_from_here();
  from.working_dir = ran->working_dir;
  const SafeFolders safe = safe_folders(from);
  JobFolders folders = folders_of(*ran, safe);
  folders.add_arguments(arguments);
  std::vector<MountedFolder> added(folders.folders().begin() + static_cast<std::ptrdiff_t>(ran->folders.size()),
                                   folders.folders().end());
  TRY(claims.name_claims(added));
  for (Document& role : job["spec"]["replicaSpecs"].as_array()) mount_in(role["template"], added);
  for (const std::string& note : folders.notes()) session.err(note + "\n");
  return ok();
}

}  // namespace muster::cli
