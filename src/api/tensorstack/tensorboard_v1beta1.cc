// Descriptors of TensorBoard and Notebook.
#include "api/tensorstack/tensorboard_v1beta1.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "reflect/describe.h"

namespace muster::reflect {

using namespace api;  // NOLINT(google-build-using-namespace): this file describes nothing else

namespace {

bool is_listed(const json::Document& self, std::string_view list) {
  return !self.array_at(list).empty();
}

/// True when the files of a program have at least one source.
bool has_source(const json::Document& self) {
  return is_listed(self, "pvc") || self.find("s3") != nullptr || self.find("http") != nullptr;
}

bool leads_up(std::string_view path) {
  const auto steps = split(path, '/');
  return std::ranges::find(steps, "..") != steps.end();
}

/// Folders on a volume, with or without a leading slash.
bool is_sub_path(std::string_view text) {
  return !leads_up(text);
}

/// One step of a path that is not "..": "", "." or any other name.
constexpr std::string_view kStep = R"((\.?|[^./][^/]*|\.[^./][^/]*|\.\.[^/]+))";

std::string sub_path_pattern() {
  return fmt::format("^{0}(/{0})*$", kStep);
}
std::string fileset_pattern() {
  return fmt::format("^t9k://(pvc/{0}|minio/{0}/[A-Za-z0-9][^/]*)(/{1})*$", "[a-z0-9][-a-z0-9.]*", kStep);
}

bool is_object_name(std::string_view text) {
  const auto is_plain = [](char c) { return ('a' <= c && c <= 'z') || ('0' <= c && c <= '9'); };
  return !text.empty() && is_plain(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return is_plain(c) || c == '-' || c == '.'; });
}

bool is_bucket(std::string_view text) {
  const auto is_letter = [](char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z'); };
  return !text.empty() && (is_letter(text.front()) || ('0' <= text.front() && text.front() <= '9'));
}

/// t9k://pvc/NAME/PATH or t9k://minio/SECRET/BUCKET/PATH, where the path is optional.
bool is_fileset(std::string_view text) {
  constexpr std::string_view kScheme = "t9k://";
  if (!text.starts_with(kScheme) || leads_up(text)) return false;
  const auto steps = split(text.substr(kScheme.size()), '/');
  if (steps[0] == "pvc") return steps.size() >= 2 && is_object_name(steps[1]);
  return steps[0] == "minio" && steps.size() >= 3 && is_object_name(steps[1]) && is_bucket(steps[2]);
}

TypeDesc scheduler_without_priority() {
  TypeDesc type = type_of<T9kScheduler>();
  type.name = "TensorBoardT9kScheduler";
  type.doc = "Queue of a TensorBoard in the T9k scheduler.";
  type.remove_field("priority");
  return type;
}

TypeDesc schedule_without_priority() {
  TypeDesc type = type_of<SchedulePolicy>();
  type.name = "TensorBoardSchedulePolicy";
  type.field_to_change("t9kScheduler").type = &made<&scheduler_without_priority>;
  return type;
}

}  // namespace

TypeDesc describe(Of<TensorBoardPvcSource>) {
  return object<TensorBoardPvcSource>(
      "TensorBoardPvcSource", "Logs on a persistent volume.",
      field<&TensorBoardPvcSource::name>("name", "Name of the persistent volume claim.").required(),
      field<&TensorBoardPvcSource::sub_path>("subPath", "Folders on the volume; the whole volume if empty.")
          .also_known_as("subpath")
          .pattern(sub_path_pattern(), &is_sub_path, "must not lead out of the volume by '..'"));
}

TypeDesc describe(Of<TensorBoardSecretRef>) {
  return object<TensorBoardSecretRef>("TensorBoardSecretRef", "Names a secret.",
                                      field<&TensorBoardSecretRef::name>("name", "Name of the secret.").required());
}

TypeDesc describe(Of<TensorBoardS3Source>) {
  return object<TensorBoardS3Source>(
      "TensorBoardS3Source", "Logs in an object store.",
      field<&TensorBoardS3Source::secret_ref>("secretRef", "Secret with the keys of the store."),
      field<&TensorBoardS3Source::uri>("uri", "Where the logs are, s3://BUCKET/PATH.").required().min_items(1));
}

TypeDesc describe(Of<TensorBoardHttpSource>) {
  return object<TensorBoardHttpSource>(
      "TensorBoardHttpSource", "Logs on a web server.",
      field<&TensorBoardHttpSource::url>("url", "Where the logs are.").required().min_items(1));
}

TypeDesc describe(Of<TensorBoardLogDir>) {
  return object<TensorBoardLogDir>("TensorBoardLogDir", "Where the logs are.",
                                   field<&TensorBoardLogDir::pvc>("pvc", "On persistent volumes."),
                                   field<&TensorBoardLogDir::s3>("s3", "In an object store."),
                                   field<&TensorBoardLogDir::http>("http", "On a web server."))
      .rules({{.cel = "(has(self.pvc) && size(self.pvc) > 0) || has(self.s3) || has(self.http)",
               .message = "must have pvc, s3 or http",
               .holds = &has_source}});
}

TypeDesc describe(Of<TensorBoardSpec>) {
  return object<TensorBoardSpec>(
      "TensorBoardSpec", "Which logs a TensorBoard shows, and how it runs.",
      field<&TensorBoardSpec::training_log_filesets>(
          "trainingLogFilesets", "Older form of logDir: t9k://pvc/NAME/PATH or t9k://minio/SECRET/BUCKET/PATH.")
          .pattern(fileset_pattern(), &is_fileset,
                   "write t9k://pvc/NAME/PATH or t9k://minio/SECRET/BUCKET/PATH, without '..'")
          .deprecated("logDir"),
      field<&TensorBoardSpec::log_dir>("logDir", "Location of the logs; used together with trainingLogFilesets."),
      field<&TensorBoardSpec::image>("image", "Image that has tensorboard; the engine's default if not set."),
      field<&TensorBoardSpec::resources>("resources", "Resources of its pod.").immutable(),
      field<&TensorBoardSpec::suspend>("suspend", "While true, it has no pod but keeps its address."),
      field<&TensorBoardSpec::run_mode>("runMode", "Older form of suspend; kept as written.").deprecated("suspend"),
      field<&TensorBoardSpec::scheduler>("scheduler", "Scheduler of the pod.")
          .described_as(&made<&schedule_without_priority>));
}

TypeDesc describe(Of<PodReferenceName>) {
  return object<PodReferenceName>("PodReferenceName", "Names a pod.",
                                  field<&PodReferenceName::name>("name", "Name of the pod."),
                                  field<&PodReferenceName::uid>("uid", "Unique id of the pod."));
}

TypeDesc describe(Of<PodReference>) {
  return object<PodReference>("PodReference", "The pod behind a page.",
                              field<&PodReference::reference>("reference", "Which pod it is."),
                              field<&PodReference::phase>("phase", "Phase of the pod."));
}

TypeDesc describe(Of<PageStatus>) {
  return object<PageStatus>(
      "PageStatus", "Status of a program with a page.",
      field<&PageStatus::phase>("phase", "Phase of the program.")
          .one_of({"Initializing", "Running", "Suspended", "Failed"}),
      field<&PageStatus::pod>("pod", "Its pod."),
      field<&PageStatus::conditions>("conditions", "Whether it is ready, idle or suspended, and why.")
          .list_map_key("type"),
      field<&PageStatus::url>("url", "Address of its page."),
      field<&PageStatus::observed_generation>("observedGeneration",
                                              "Generation of the object that this status is about."));
}

TypeDesc describe(Of<TensorBoard>) {
  return root<TensorBoard>("tensorstack.dev/v1beta1", "TensorBoard",
                           "A TensorBoard that shows the logs of training jobs.",
                           field<&TensorBoard::metadata>("metadata", "Name, labels, owners and history."),
                           field<&TensorBoard::spec>("spec", "Which logs it shows, and how it runs.").required(),
                           field<&TensorBoard::status>("status", "Its status; written by the controller."));
}

TypeDesc describe(Of<NotebookSsh>) {
  return object<NotebookSsh>(
      "NotebookSsh", "Access to the notebook by ssh.",
      field<&NotebookSsh::enabled>("enabled", "Whether the notebook can be entered by ssh."),
      field<&NotebookSsh::authorized_keys>("authorizedKeys", "Secrets with the public keys that may enter."),
      field<&NotebookSsh::service_type>("serviceType", "Type of the Service through which ssh reaches the notebook."));
}

TypeDesc describe(Of<NotebookSpec>) {
  return object<NotebookSpec>(
      "NotebookSpec", "What a notebook runs.",
      field<&NotebookSpec::type>("type", "Which program serves the notebook.")
          .one_of({"jupyter"})
          .default_value("jupyter"),
      field<&NotebookSpec::template_>("template",
                                      "Template of its pod; the container `notebook`, else the first, runs JupyterLab.")
          .required(),
      field<&NotebookSpec::suspend>("suspend", "While true, it has no pod but keeps its address and its files."),
      field<&NotebookSpec::stop_after_idle_seconds>(
          "stopAfterIdleSeconds",
          "After this time without requests and without work in kernels or terminals, suspend becomes true; never if "
          "not set.")
          .min(1),
      field<&NotebookSpec::scheduler>("scheduler", "Scheduler of the pod."),
      field<&NotebookSpec::ssh>("ssh", "Access by ssh. No effect here: notebooks run no sshd."));
}

TypeDesc describe(Of<Notebook>) {
  return root<Notebook>("tensorstack.dev/v1beta1", "Notebook", "A notebook for interactive work.",
                        field<&Notebook::metadata>("metadata", "Name, labels, owners and history."),
                        field<&Notebook::spec>("spec", "What the notebook runs.").required(),
                        field<&Notebook::status>("status", "Its status; written by the controller."));
}

}  // namespace muster::reflect
