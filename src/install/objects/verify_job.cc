#include "install/objects/verify_job.h"

#include <cstdlib>

#include "base/strings.h"

namespace muster::install {

namespace {

constexpr const char* kScript = R"(import sys
try:
    import torch
    import torch.distributed as dist
except ImportError as error:
    sys.exit(f"PyTorch is missing in this image ({error}); name one that has it: muster verify --image IMAGE")
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
torch.set_num_threads(1)
inputs = torch.randn(64, 4)[rank::world]
targets = inputs.sum(1, keepdim=True)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(1, 51):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()
    if rank == 0 and step in (1, 10, 20, 50):
        print(f"step {step} loss {loss.item():.6f}", flush=True)
dist.barrier()
dist.destroy_process_group()
)";

constexpr int kRankUser = 65532;  // of no image, so that the pods also run in a namespace with the restricted standard

json::Document verify_template(const std::string& image) {
  const json::Object resources = {{"requests", json::Object{{"cpu", "100m"}, {"memory", "256Mi"}}},
                                  {"limits", json::Object{{"memory", "1Gi"}}}};
  const json::Object security = {{"allowPrivilegeEscalation", false},
                                 {"capabilities", json::Object{{"drop", json::Array{"ALL"}}}}};
  const json::Object container = {{"name", "pytorch"},
                                  {"image", image},
                                  {"command", json::Array{"python3", "-c", kScript}},
                                  {"env", json::Array{json::Object{{"name", "HOME"}, {"value", "/tmp"}}}},
                                  {"resources", resources},
                                  {"securityContext", security}};
  const json::Object pod_security = {
      {"runAsNonRoot", true}, {"runAsUser", kRankUser}, {"seccompProfile", json::Object{{"type", "RuntimeDefault"}}}};
  return json::Object{{"spec", json::Object{{"automountServiceAccountToken", false},
                                            {"securityContext", pod_security},
                                            {"containers", json::Array{container}}}}};
}

json::Document spec_of(const api::Resource& kind, const std::string& image) {
  const json::Document pod = verify_template(image);
  if (kind.group == "kubeflow.org") {
    const json::Object role = {{"replicas", 1}, {"restartPolicy", "Never"}, {"template", pod}};
    return json::Object{{"pytorchReplicaSpecs", json::Object{{"Master", role}, {"Worker", role}}}};
  }
  return json::Object{
      {"replicaSpecs",
       json::Array{json::Object{{"type", "worker"}, {"replicas", 2}, {"restartPolicy", "Never"}, {"template", pod}}}}};
}

}  // namespace

json::Document verify_job(const api::Resource& kind, const std::string& image) {
  return json::Object{{"apiVersion", kind.api_version()},
                      {"kind", kind.kind},
                      {"metadata", json::Object{{"generateName", "muster-verify-"}}},
                      {"spec", spec_of(kind, image)}};
}

std::optional<Losses> losses_in(const std::string& log) {
  constexpr std::string_view kLoss = " loss ";
  std::optional<Losses> losses;
  for (const std::string& line : split(log, '\n')) {
    const auto at = line.find(kLoss);
    if (!line.starts_with("step ") || at == std::string::npos) continue;
    const std::string value(trim(line.substr(at + kLoss.size())));
    if (!losses) losses = Losses{.first = value, .last = value};
    losses->last = value;
  }
  if (!losses || !(std::strtod(losses->last.c_str(), nullptr) < std::strtod(losses->first.c_str(), nullptr))) {
    return std::nullopt;
  }
  return losses;
}

}  // namespace muster::install
