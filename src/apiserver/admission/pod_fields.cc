#include "apiserver/admission/pod_fields.h"

#include <algorithm>
#include <functional>

#include "api/kubernetes/kubernetes_fields.h"
#include "base/strings.h"

namespace muster::apiserver {
namespace {

using api::Findings;
using api::kubernetes::Field;
using api::kubernetes::Message;
using api::kubernetes::Shape;
using api::kubernetes::Type;
using json::Document;
using reflect::Place;
using enum PodFieldRule::Verdict;

/// Whether the field asks for anything: Kubernetes takes false, 0 and empty values for absent ones.
bool is_set(const Document& value, const Document& /*holder*/, const Document& /*spec*/) {
  if (value.is_null()) return false;
  if (value.is_bool()) return value.as_bool();
  if (value.is_string()) return !value.as_string().empty();
  if (value.is_array()) return !value.as_array().empty();
  if (value.is_object()) return !value.as_object().empty();
  return !value.is_int() || value.as_int() != 0;
}

/// For the sources of volumes: an empty object is a source.
bool is_present(const Document& value, const Document& /*holder*/, const Document& /*spec*/) {
  return !value.is_null();
}

bool is_false(const Document& value, const Document& /*holder*/, const Document& /*spec*/) {
  return value.is_bool() && !value.as_bool();
}

bool is_text_but(const Document& value, std::initializer_list<std::string_view> usual) {
  return value.is_string() && !value.as_string().empty() && std::ranges::find(usual, value.as_string()) == usual.end();
}

/// GPUs need no runtime of their own here, and these names promise nothing else.
bool is_plain_runtime(const Document& value, const Document& /*holder*/, const Document& /*spec*/) {
  return is_text_but(value, {}) && !is_text_but(value, {"nvidia", "nvidia-cdi", "nvidia-legacy", "runc", "crun"});
}
bool is_other_runtime(const Document& value, const Document& holder, const Document& spec) {
  return is_text_but(value, {}) && !is_plain_runtime(value, holder, spec);
}

/// A container on the host's network has the port of the host anyway.
bool is_unpublished_protocol(const Document& value, const Document& holder, const Document& spec) {
  const std::string& protocol = holder.string_at("protocol");
  return is_set(value, holder, spec) && !spec.bool_at("hostNetwork") && !protocol.empty() && protocol != "TCP";
}
bool is_unpublished_address(const Document& value, const Document& /*holder*/, const Document& /*spec*/) {
  return is_text_but(value, {"0.0.0.0", "127.0.0.1"});
}

constexpr std::string_view kNoDevices =
    "devices of resource claims are not supported on this engine; request nvidia.com/gpu in the container's limits";
constexpr std::string_view kNoSecurityModule =
    "pods have this engine's own sandbox, without labels and profiles of the host's security modules";
constexpr std::string_view kNoProfile =
    "pods have this engine's own sandbox and no profiles of the host; remove appArmorProfile";
constexpr std::string_view kNotWindows = "pods run on Linux";
constexpr std::string_view kOneNode = "there is one node";
constexpr std::string_view kOwnProcesses =
    "pods have processes and shared memory of their own on this engine; remove it";
constexpr std::string_view kOwnFilter =
    "pods have this engine's own filter of system calls; write RuntimeDefault or remove seccompProfile";
constexpr std::string_view kNoVolume =
    "this type of volume is not supported on this engine; use persistentVolumeClaim, emptyDir, hostPath, configMap, "
    "secret, projected or downwardAPI";

using D = const Document&;

constexpr PodFieldRule kRules[] = {
    // ---- refused ----
    {"PodSpec", "ephemeralContainers", kRefused, &is_set, "they are not supported on this engine; use kubectl exec"},
    {"PodSpec", "hostPID", kRefused, &is_set, kOwnProcesses},
    {"PodSpec", "hostIPC", kRefused, &is_set, kOwnProcesses},
    {"PodSpec", "runtimeClassName", kRefused, &is_other_runtime,
     "this engine has no runtime classes, and a pod must not run with less isolation than it asks for; remove it"},
    {"PodSpec", "resourceClaims", kRefused, &is_set, kNoDevices},
    {"PodSpec", "resources", kRefused, &is_set,
     "limits of a whole pod are not supported on this engine; write resources in its containers"},
    {"PodOS", "name", kRefused, [](D value, D, D) { return is_text_but(value, {"linux"}); },
     "this engine runs on Linux; write linux or remove os"},
    {"PodSecurityContext", "sysctls", kRefused, &is_set, "the settings of the kernel are the host's; set them there"},
    {"Container", "volumeDevices", kRefused, &is_set,
     "block devices are not supported on this engine; mount the volume by volumeMounts"},
    {"Container", "restartPolicy", kRefused, [](D value, D, D) { return value == "Always"; },
     "sidecars in initContainers are not supported on this engine; move the container to spec.containers"},
    {"ResourceRequirements", "claims", kRefused, &is_set, kNoDevices},
    {"SecurityContext", "privileged", kRefused, &is_set, "pods have no privileges on this engine; remove it"},
    {"SecurityContext", "procMount", kRefused, [](D value, D, D) { return is_text_but(value, {"Default"}); },
     "must be Default; remove it"},
    {"SeccompProfile", "type", kRefused, [](D value, D, D) { return !value.is_null() && value != "RuntimeDefault"; },
     kOwnFilter},
    {"SeccompProfile", "localhostProfile", kRefused, &is_set, kOwnFilter},
    {"AppArmorProfile", "type", kRefused, [](D value, D, D) { return value == "Localhost"; }, kNoProfile},
    {"AppArmorProfile", "localhostProfile", kRefused, &is_set, kNoProfile},
    {"EmptyDirVolumeSource", "medium", kRefused, [](D value, D, D) { return is_text_but(value, {"Memory"}); },
     "must be Memory or absent on this engine"},
    {"HostPathVolumeSource", "type", kRefused, [](D value, D, D) { return value == "FileOrCreate"; },
     "this engine creates no files on the host; create the file and write File"},
    {"ServiceAccountTokenProjection", "audience", kRefused, &is_set,
     "tokens in pods are for this engine only; remove it"},
    {"VolumeProjection", "clusterTrustBundle", kRefused, &is_present,
     "it is not supported on this engine; use configMap"},
    {"Volume", "awsElasticBlockStore", kRefused, &is_present, kNoVolume},
    {"Volume", "azureDisk", kRefused, &is_present, kNoVolume},
    {"Volume", "azureFile", kRefused, &is_present, kNoVolume},
    {"Volume", "cephfs", kRefused, &is_present, kNoVolume},
    {"Volume", "cinder", kRefused, &is_present, kNoVolume},
    {"Volume", "csi", kRefused, &is_present, kNoVolume},
    {"Volume", "ephemeral", kRefused, &is_present, kNoVolume},
    {"Volume", "fc", kRefused, &is_present, kNoVolume},
    {"Volume", "flexVolume", kRefused, &is_present, kNoVolume},
    {"Volume", "flocker", kRefused, &is_present, kNoVolume},
    {"Volume", "gcePersistentDisk", kRefused, &is_present, kNoVolume},
    {"Volume", "gitRepo", kRefused, &is_present, kNoVolume},
    {"Volume", "glusterfs", kRefused, &is_present, kNoVolume},
    {"Volume", "image", kRefused, &is_present, kNoVolume},
    {"Volume", "iscsi", kRefused, &is_present, kNoVolume},
    {"Volume", "nfs", kRefused, &is_present,
     "this type of volume is not supported on this engine; mount the share on the host and name its folder in the "
     "annotation muster.dev/path of a claim"},
    {"Volume", "photonPersistentDisk", kRefused, &is_present, kNoVolume},
    {"Volume", "portworxVolume", kRefused, &is_present, kNoVolume},
    {"Volume", "quobyte", kRefused, &is_present, kNoVolume},
    {"Volume", "rbd", kRefused, &is_present, kNoVolume},
    {"Volume", "scaleIO", kRefused, &is_present, kNoVolume},
    {"Volume", "storageos", kRefused, &is_present, kNoVolume},
    {"Volume", "vsphereVolume", kRefused, &is_present, kNoVolume},

    // ---- without effect ----
    {"PodSpec", "dnsConfig", kNoEffect, &is_set, "pods have the name servers of this machine"},
    {"PodSpec", "dnsPolicy", kNoEffect, [](D value, D, D) { return value == "None"; },
     "pods have the name servers of this machine"},
    {"PodSpec", "shareProcessNamespace", kNoEffect, &is_false,
     "the containers of a pod always share their processes on this engine"},
    {"PodSpec", "imagePullSecrets", kNoEffect, &is_set,
     "an image stands for an environment of this machine, so nothing is pulled"},
    {"PodSpec", "schedulerName", kNoEffect, [](D value, D, D) { return is_text_but(value, {"default-scheduler"}); },
     "the engine's own scheduler places all pods"},
    {"PodSpec", "hostAliases", kNoEffect, &is_set, "/etc/hosts has the names of pods and Services only"},
    {"PodSpec", "readinessGates", kNoEffect, &is_set, "a pod is ready when its containers are"},
    {"PodSpec", "runtimeClassName", kNoEffect, &is_plain_runtime,
     "this engine has one runtime, which gives pods the GPUs that they request"},
    {"PodSpec", "enableServiceLinks", kNoEffect, &is_set,
     "pods have no variables of Services; programs use the names of Services"},
    {"PodSpec", "preemptionPolicy", kNoEffect, [](D value, D, D) { return is_text_but(value, {"Never"}); },
     "running pods keep their place"},
    {"PodSpec", "overhead", kNoEffect, &is_set, "the scheduler counts what the containers request"},
    {"PodSpec", "topologySpreadConstraints", kNoEffect, &is_set, kOneNode},
    {"PodSpec", "setHostnameAsFQDN", kNoEffect, &is_set, "the host name is that of the pod"},
    {"PodSpec", "hostUsers", kNoEffect, &is_set, "pods always have users of their own on this engine"},
    {"PodSecurityContext", "seLinuxOptions", kNoEffect, &is_set, kNoSecurityModule},
    {"PodSecurityContext", "seLinuxChangePolicy", kNoEffect, &is_set, kNoSecurityModule},
    {"PodSecurityContext", "windowsOptions", kNoEffect, &is_set, kNotWindows},
    {"PodSecurityContext", "fsGroupChangePolicy", kNoEffect, &is_set,
     "new files get the group, and files that exist keep theirs"},
    {"Affinity", "podAffinity", kNoEffect, &is_set, kOneNode},
    {"Affinity", "podAntiAffinity", kNoEffect, &is_set, kOneNode},
    {"NodeAffinity", "preferredDuringSchedulingIgnoredDuringExecution", kNoEffect, &is_set, kOneNode},
    {"Toleration", "tolerationSeconds", kNoEffect, &is_set, "running pods are never evicted"},
    {"Container", "resizePolicy", kNoEffect, &is_set, "the resources of a running pod cannot be changed"},
    {"ContainerPort", "hostPort", kNoEffect, &is_unpublished_protocol, "only TCP ports are published on the host"},
    {"ContainerPort", "hostIP", kNoEffect, &is_unpublished_address,
     "ports are published at 127.0.0.1 only; a port with another address is not published"},
    {"VolumeMount", "mountPropagation", kNoEffect, [](D value, D, D) { return is_text_but(value, {"None"}); },
     "later mounts do not appear in other places"},
    {"Lifecycle", "stopSignal", kNoEffect, &is_set, "containers are stopped by SIGTERM"},
    {"SecurityContext", "seLinuxOptions", kNoEffect, &is_set, kNoSecurityModule},
    {"AppArmorProfile", "type", kNoEffect, [](D value, D, D) { return is_text_but(value, {"Localhost"}); },
     kNoSecurityModule},
    {"SecurityContext", "windowsOptions", kNoEffect, &is_set, kNotWindows},
    {"SecurityContext", "allowPrivilegeEscalation", kNoEffect, &is_set,
     "programs in pods never gain privileges, as if it were false"},
    {"ServiceAccountTokenProjection", "expirationSeconds", kNoEffect, &is_set, "the token is valid as long as the pod"},
};

/// "what, got value; how to fix".
std::string refusal_of(const PodFieldRule& rule, const Document& value) {
  std::string detail(rule.why);
  if (value.is_string()) detail.insert(std::min(detail.size(), detail.find(';')), ", got " + quote(value.as_string()));
  return detail;
}

struct Visitor {
  const Document& spec;
  const std::function<void(const PodFieldRule&, const Place&, const Document&)>& report;

  /// Visits the members of an object; the walk is as deep as the tables, in which no type contains itself.
  void visit_object(const Message& message, const Document& object, const Place& place) const {
    if (!object.is_object()) return;  // another rule reports it
    for (const json::Member& member : object.as_object()) {
      const Field* field = api::kubernetes::find_field(message, member.key);
      if (field == nullptr) continue;
      const Place at = place.member(member.key);
      bool is_decided = false;
      for (const PodFieldRule& rule : kRules) {
        if (rule.field != field->name || rule.type != message.name) continue;
        if (!rule.applies(member.value, object, spec)) continue;
        report(rule, at, member.value);
        is_decided = true;
      }
      if (!is_decided) visit_value(*field, member.value, at);
    }
  }

  void visit_value(const Field& field, const Document& value, const Place& at) const {
    if (field.type != Type::kMessage) return;
    if (field.shape == Shape::kList) {
      if (!value.is_array()) return;
      std::size_t index = 0;
      for (const Document& item : value.as_array()) visit_object(*field.message, item, at.item(index++));
    } else {
      visit_object(*field.message, value, at);
    }
  }
};

void visit_rules(const Document& spec, const Place& place,
                 const std::function<void(const PodFieldRule&, const Place&, const Document&)>& report) {
  static const Message& message = api::kubernetes::message_named("PodSpec");
  Visitor{spec, report}.visit_object(message, spec, place);
}

}  // namespace

std::span<const PodFieldRule> pod_field_rules() {
  return kRules;
}

void check_pod_fields(const Document& spec, const Place& place, Findings& found) {
  visit_rules(spec, place, [&](const PodFieldRule& rule, const Place& at, const Document& value) {
    if (rule.verdict != kRefused) return;
    found.forbidden(at, refusal_of(rule, value));
  });
}

void find_idle_fields(const Document& spec, const Place& place, std::vector<IdleField>& found) {
  visit_rules(spec, place, [&](const PodFieldRule& rule, const Place& at, const Document&) {
    if (rule.verdict != kNoEffect || std::ranges::find(found, &rule, &IdleField::rule) != found.end()) return;
    found.push_back({&rule, at.text()});
  });
}

}  // namespace muster::apiserver
