// Rules for TensorBoards and Notebooks. Their controllers make a pod from what is written there and from parts of their
// own; what makes no valid pod is rejected here, because the object would wait for its pod forever.
#include <fmt/core.h>

#include "api/rules/check_pod_parts.h"
#include "api/rules/checks.h"
#include "api/rules/job_checks.h"
#include "api/rules/rule_texts.h"
#include "api/tensorstack/tensorboard_v1beta1.h"
#include "base/strings.h"

namespace muster::api {

namespace {

using json::Document;
using reflect::kRoot;
using reflect::Place;

/// The queue becomes a label of the pod.
void check_queue(const Document& spec, const Place& place, Findings& found) {
  const std::string& queue = spec.string_at("scheduler", "t9kScheduler", "queue");
  const Place at = place.member("scheduler.t9kScheduler.queue");
  for (const std::string& problem : label_value_problems(queue)) found.invalid(at, queue, problem);
}

bool is_in_token_folder(const std::string& path) {
  std::vector<std::string> steps = split(path, '/');
  std::erase_if(steps, [](const std::string& step) { return step.empty() || step == "."; });
  return ("/" + join(steps, "/") + "/").starts_with(std::string(kNotebookTokenFolder) + "/");
}

/// The token is a volume of the pod, which the container of JupyterLab mounts.
void check_token_is_free(const Document& pod, const Place& place, Findings& found) {
  visit_items(pod, "volumes", place, [&](const Document& volume, const Place& at) {
    if (volume.string_at("name") != kNotebookTokenVolume) return;
    found.invalid(at.member("name"), kNotebookTokenVolume,
                  "is the volume with the token of the notebook; give this one another name");
  });
  const json::Array& containers = pod.array_at("containers");
  const auto own = find_notebook_container(
      containers, [](const Document& container) -> const std::string& { return container.string_at("name"); });
  const Place list = place.member("containers");
  const Place own_at = list.item(static_cast<std::size_t>(own - containers.begin()));
  visit_items(*own, "volumeMounts", own_at, [&](const Document& mount, const Place& at) {
    const std::string& path = mount.string_at("mountPath");
    if (!is_in_token_folder(path)) return;
    found.invalid(at.member("mountPath"), path,
                  fmt::format("must not be at or below {}, where the token of the notebook is; mount it elsewhere",
                              kNotebookTokenFolder));
  });
}

}  // namespace

void check_notebook(const Document& notebook, Findings& found) {
  const Document* spec = notebook.find("spec");
  if (spec == nullptr) return;
  const Place place = kRoot.member("spec");
  check_queue(*spec, place, found);
  if (!check_template(*spec, "spec", found)) return;
  check_token_is_free(*spec->at("template", "spec"), place.member("template.spec"), found);
}

void check_tensorboard(const Document& board, Findings& found) {
  const Document* spec = board.find("spec");
  if (spec == nullptr) return;
  const Place place = kRoot.member("spec");
  check_amounts(*spec, place, found);
  if (const Document* logs = spec->find("logDir")) {
    visit_items(*logs, "pvc", place.member("logDir"), [&](const Document& claim, const Place& at) {
      if (claim.find("name") == nullptr) return;  // the schema reports it
      if (found.has_text(claim, "name", at)) found.subdomain(claim, "name", at);
    });
  }
}

}  // namespace muster::api
