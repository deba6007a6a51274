#include "install/objects/workload.h"

#include "base/strings.h"
#include "install/objects/metadata.h"

namespace muster::install {

namespace {

constexpr int kUser = 65532;  // "nonroot" of the image, without any file of its own
constexpr int kPriority = 1'000'000;
constexpr const char* kPortName = "http";

json::Array arguments(const Settings& settings) {
  json::Array args = {"operator", "--listen=:" + std::to_string(kPort), "--lease-namespace=$(POD_NAMESPACE)",
                      "--log-format=json"};
  if (!settings.kinds.empty()) args.push_back("--kinds=" + join(settings.kinds, ","));
  if (!settings.namespaces.empty()) args.push_back("--namespaces=" + join(settings.namespaces, ","));
  args.insert(args.end(), settings.extra_args.begin(), settings.extra_args.end());
  return args;
}

json::Document probe(const char* path, int period, int failures) {
  return json::Object{{"httpGet", json::Object{{"path", path}, {"port", kPortName}}},
                      {"periodSeconds", period},
                      {"timeoutSeconds", 3},
                      {"failureThreshold", failures}};
}

json::Document variable(const char* name, const char* field) {
  return json::Object{{"name", name}, {"valueFrom", json::Object{{"fieldRef", json::Object{{"fieldPath", field}}}}}};
}

json::Document container(const Settings& settings) {
  return json::Object{
      {"name", "operator"},
      {"image", settings.image},
      {"imagePullPolicy", "IfNotPresent"},
      {"args", arguments(settings)},
      {"env", json::Array{variable("POD_NAME", "metadata.name"), variable("POD_NAMESPACE", "metadata.namespace")}},
      {"ports", json::Array{json::Object{{"name", kPortName}, {"containerPort", kPort}, {"protocol", "TCP"}}}},
      {"livenessProbe", probe("/healthz", 10, 6)},
      {"readinessProbe", probe("/readyz", 5, 2)},
      {"resources", json::Object{{"requests", json::Object{{"cpu", settings.cpu}, {"memory", settings.memory}}},
                                 {"limits", json::Object{{"memory", settings.memory_limit}}}}},
      {"securityContext", json::Object{{"allowPrivilegeEscalation", false},
                                       {"readOnlyRootFilesystem", true},
                                       {"capabilities", json::Object{{"drop", json::Array{"ALL"}}}}}}};
}

/// Two replicas prefer two nodes, and run on one if there is no second.
json::Document spread() {
  return json::Object{{"maxSkew", 1},
                      {"topologyKey", "kubernetes.io/hostname"},
                      {"whenUnsatisfiable", "ScheduleAnyway"},
                      {"labelSelector", json::Object{{"matchLabels", pod_selector()}}}};
}

json::Document pod_spec(const Settings& settings) {
  json::Object spec = {{"serviceAccountName", kName},
                       {"automountServiceAccountToken", true},
                       {"enableServiceLinks", false},
                       {"terminationGracePeriodSeconds", 30},
                       {"nodeSelector", json::Object{{"kubernetes.io/os", "linux"}}},
                       {"securityContext", json::Object{{"runAsNonRoot", true},
                                                        {"runAsUser", kUser},
                                                        {"runAsGroup", kUser},
                                                        {"seccompProfile", json::Object{{"type", "RuntimeDefault"}}}}}};
  if (!settings.priority_class.empty()) spec.set("priorityClassName", settings.priority_class);
  json::Array secrets;
  for (const std::string& name : settings.image_pull_secrets) secrets.push_back(json::Object{{"name", name}});
  if (!secrets.empty()) spec.set("imagePullSecrets", std::move(secrets));
  if (settings.replicas > 1) spec.set("topologySpreadConstraints", json::Array{spread()});
  spec.set("containers", json::Array{container(settings)});
  return spec;
}

json::Document priority_class() {
  json::Document out = new_object("scheduling.k8s.io/v1", "PriorityClass", "", kOwnPriorityClass);
  out["value"] = kPriority;
  out["globalDefault"] = false;
  out["description"] = "For Muster's operator: above ordinary jobs, so that they do not evict what runs them.";
  return out;
}

json::Document metrics_service(const Settings& settings) {
  json::Document out = new_object("v1", "Service", settings.ns, kName);
  out["spec"] = json::Object{
      {"selector", pod_selector()},
      {"ports", json::Array{json::Object{
                    {"name", kPortName}, {"port", kPort}, {"protocol", "TCP"}, {"targetPort", kPortName}}}}};
  return out;
}

json::Document disruption_budget(const Settings& settings) {
  json::Document out = new_object("policy/v1", "PodDisruptionBudget", settings.ns, kName);
  out["spec"] = json::Object{{"minAvailable", 1}, {"selector", json::Object{{"matchLabels", pod_selector()}}}};
  return out;
}

json::Document service_monitor(const Settings& settings) {
  json::Document out = new_object("monitoring.coreos.com/v1", "ServiceMonitor", settings.ns, kName);
  out["spec"] = json::Object{
      {"selector", json::Object{{"matchLabels", pod_selector()}}},
      {"endpoints", json::Array{json::Object{{"port", kPortName}, {"path", "/metrics"}, {"interval", "30s"}}}}};
  return out;
}

}  // namespace

json::Document operator_deployment(const Settings& settings) {
  json::Document out = new_object("apps/v1", "Deployment", settings.ns, kName);
  json::Document labels = *out.at("metadata", "labels");
  out["spec"] = json::Object{
      {"replicas", settings.replicas},
      {"selector", json::Object{{"matchLabels", pod_selector()}}},
      // The new operator waits for the Lease, which the old one gives up when it stops.
      {"strategy", json::Object{{"type", "RollingUpdate"},
                                {"rollingUpdate", json::Object{{"maxSurge", 1}, {"maxUnavailable", 0}}}}},
      {"template",
       json::Object{{"metadata", json::Object{{"labels", std::move(labels)}}}, {"spec", pod_spec(settings)}}}};
  return out;
}

std::vector<json::Document> workload_objects(const Settings& settings) {
  std::vector<json::Document> out;
  if (settings.priority_class == kOwnPriorityClass) out.push_back(priority_class());
  out.push_back(metrics_service(settings));
  if (settings.replicas > 1) out.push_back(disruption_budget(settings));
  out.push_back(operator_deployment(settings));
  if (settings.service_monitor) out.push_back(service_monitor(settings));
  return out;
}

}  // namespace muster::install
