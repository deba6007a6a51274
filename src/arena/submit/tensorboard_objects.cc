// The TensorBoard of a job: a Service and a Deployment.
#include "arena/jobs/jobs.h"
#include "arena/submit/objects.h"
#include "cli/objects/tensorboard_service.h"

namespace muster::arena {

namespace {

using json::Array;
using json::Document;
using json::Object;

constexpr int kPort = 6006;
constexpr const char* kLogPath = "/output/training_logs";

// It listens on the address of its own pod, because pods of the engine share the network of the machine. The fast data
// server, if it has one, is off: it would listen on a port that everyone on the machine can read.
constexpr const char* kStart =
    R"(command -v tensorboard >/dev/null || {
  echo 'there is no tensorboard in this environment; pip install tensorboard there, or choose another --tensorboard-image' |
    tee /dev/termination-log >&2
  exit 69
}
python -c 'import tensorboard_data_server' 2>/dev/null && set -- "$@" --load_fast false
exec tensorboard "$@")";

Object labels_of_board(const JobRequest& request) {
  return {{kTypeLabel, request.type->name},
          {kReleaseLabel, request.flags.name},
          {"role", "tensorboard"},
          {"createdBy", request.type->kind}};
}

Object selector_of_board(const JobRequest& request) {
  return {{kReleaseLabel, request.flags.name}, {"role", "tensorboard"}};
}

Object board_metadata(const JobRequest& request, const Placement& placement) {
  return {{"name", cli::arena_tensorboard_name(request.flags.name)},
          {"namespace", placement.ns},
          {"labels", labels_of_board(request)}};
}

Document board_container(const JobRequest& request, const std::string& log_dir, Array mounts) {
  const Object address{{"fieldRef", Object{{"fieldPath", "status.podIP"}}}};
  return Object{{"name", "tensorboard"},
                {"image", request.flags.tensorboard_image},
                {"imagePullPolicy", request.flags.image_pull_policy},
                {"command", Array{"sh", "-c", kStart, "tensorboard", "--logdir", log_dir, "--host", "$(POD_IP)",
                                  "--port", std::to_string(kPort)}},
                {"env", Array{Object{{"name", "POD_IP"}, {"valueFrom", address}}}},
                {"ports", Array{Object{{"containerPort", kPort}}}},
                {"volumeMounts", std::move(mounts)}};
}

}  // namespace

std::vector<Document> tensorboard_objects(const JobRequest& request, const Placement& placement) {
  Array volumes;
  Array mounts;
  std::string log_dir = request.flags.log_dir;
  if (needs_log_volume(request)) {
    Document volume = log_volume(request, placement);
    mounts.push_back(Object{{"name", volume.string_at("name")}, {"mountPath", kLogPath}});
    volumes.push_back(std::move(volume));
    log_dir = kLogPath;
  } else {
    mount_claims(request, volumes, mounts);
  }
  Document service =
      Object{{"apiVersion", "v1"},
             {"kind", "Service"},
             {"metadata", board_metadata(request, placement)},
             {"spec", Object{{"type", "NodePort"},
                             {"ports", Array{Object{{"name", "tensorboard"}, {"port", kPort}, {"targetPort", kPort}}}},
                             {"selector", selector_of_board(request)}}}};
  Object pod_spec{{"containers", Array{board_container(request, log_dir, std::move(mounts))}},
                  {"volumes", std::move(volumes)},
                  {"automountServiceAccountToken", false}};
  Object pod{{"metadata", Object{{"labels", labels_of_board(request)}}}, {"spec", std::move(pod_spec)}};
  Document deployment = Object{{"apiVersion", "apps/v1"},
                               {"kind", "Deployment"},
                               {"metadata", board_metadata(request, placement)},
                               {"spec", Object{{"replicas", 1},
                                               {"selector", Object{{"matchLabels", selector_of_board(request)}}},
                                               {"template", std::move(pod)}}}};
  return {std::move(service), std::move(deployment)};
}

}  // namespace muster::arena
