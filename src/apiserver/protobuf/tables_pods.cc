// core/v1: pods. Numbers and names are those of Kubernetes 1.33.
#include "apiserver/protobuf/tables.h"

namespace muster::apiserver::protobuf {

constexpr Field kVolumeFields[] = {{1, "name", Shape::kOne, Type::kString}, {2, &kVolumeSource}};
constexpr Message kVolume = {kVolumeFields};

constexpr Field kContainerPortFields[] = {{1, "name", Shape::kOptional, Type::kString},
                                          {2, "hostPort", Shape::kOptional, Type::kInt},
                                          {3, "containerPort", Shape::kOne, Type::kInt},
                                          {4, "protocol", Shape::kOptional, Type::kString},
                                          {5, "hostIP", Shape::kOptional, Type::kString}};
constexpr Message kContainerPort = {kContainerPortFields};

constexpr Field kConfigMapEnvSourceFields[] = {{1, &kLocalObjectReference}, {2, "optional", Shape::kOne, Type::kBool}};
constexpr Message kConfigMapEnvSource = {kConfigMapEnvSourceFields};

constexpr Field kSecretEnvSourceFields[] = {{1, &kLocalObjectReference}, {2, "optional", Shape::kOne, Type::kBool}};
constexpr Message kSecretEnvSource = {kSecretEnvSourceFields};

constexpr Field kEnvFromSourceFields[] = {{1, "prefix", Shape::kOptional, Type::kString},
                                          {2, "configMapRef", Shape::kOne, &kConfigMapEnvSource},
                                          {3, "secretRef", Shape::kOne, &kSecretEnvSource}};
constexpr Message kEnvFromSource = {kEnvFromSourceFields};

constexpr Field kConfigMapKeySelectorFields[] = {
    {1, &kLocalObjectReference}, {2, "key", Shape::kOne, Type::kString}, {3, "optional", Shape::kOne, Type::kBool}};
constexpr Message kConfigMapKeySelector = {kConfigMapKeySelectorFields};

constexpr Field kSecretKeySelectorFields[] = {
    {1, &kLocalObjectReference}, {2, "key", Shape::kOne, Type::kString}, {3, "optional", Shape::kOne, Type::kBool}};
constexpr Message kSecretKeySelector = {kSecretKeySelectorFields};

constexpr Field kEnvVarSourceFields[] = {{1, "fieldRef", Shape::kOne, &kObjectFieldSelector},
                                         {2, "resourceFieldRef", Shape::kOne, &kResourceFieldSelector},
                                         {3, "configMapKeyRef", Shape::kOne, &kConfigMapKeySelector},
                                         {4, "secretKeyRef", Shape::kOne, &kSecretKeySelector}};
constexpr Message kEnvVarSource = {kEnvVarSourceFields};

constexpr Field kEnvVarFields[] = {{1, "name", Shape::kOne, Type::kString},
                                   {2, "value", Shape::kOptional, Type::kString},
                                   {3, "valueFrom", Shape::kOne, &kEnvVarSource}};
constexpr Message kEnvVar = {kEnvVarFields};

constexpr Field kResourceClaimFields[] = {{1, "name", Shape::kOne, Type::kString},
                                          {2, "request", Shape::kOptional, Type::kString}};
constexpr Message kResourceClaim = {kResourceClaimFields};

constexpr Field kResourceRequirementsFields[] = {{1, "limits", Shape::kMap, Type::kQuantity},
                                                 {2, "requests", Shape::kMap, Type::kQuantity},
                                                 {3, "claims", Shape::kList, &kResourceClaim}};
constexpr Message kResourceRequirements = {kResourceRequirementsFields};

constexpr Field kContainerResizePolicyFields[] = {{1, "resourceName", Shape::kOne, Type::kString},
                                                  {2, "restartPolicy", Shape::kOne, Type::kString}};
constexpr Message kContainerResizePolicy = {kContainerResizePolicyFields};

constexpr Field kVolumeMountFields[] = {{1, "name", Shape::kOne, Type::kString},
                                        {2, "readOnly", Shape::kOptional, Type::kBool},
                                        {3, "mountPath", Shape::kOne, Type::kString},
                                        {4, "subPath", Shape::kOptional, Type::kString},
                                        {5, "mountPropagation", Shape::kOne, Type::kString},
                                        {6, "subPathExpr", Shape::kOptional, Type::kString},
                                        {7, "recursiveReadOnly", Shape::kOne, Type::kString}};
constexpr Message kVolumeMount = {kVolumeMountFields};

constexpr Field kVolumeDeviceFields[] = {{1, "name", Shape::kOne, Type::kString},
                                         {2, "devicePath", Shape::kOne, Type::kString}};
constexpr Message kVolumeDevice = {kVolumeDeviceFields};

constexpr Field kExecActionFields[] = {{1, "command", Shape::kList, Type::kString}};
constexpr Message kExecAction = {kExecActionFields};

constexpr Field kHTTPHeaderFields[] = {{1, "name", Shape::kOne, Type::kString},
                                       {2, "value", Shape::kOne, Type::kString}};
constexpr Message kHTTPHeader = {kHTTPHeaderFields};

constexpr Field kHTTPGetActionFields[] = {{1, "path", Shape::kOptional, Type::kString},
                                          {2, "port", Shape::kOne, Type::kIntOrString},
                                          {3, "host", Shape::kOptional, Type::kString},
                                          {4, "scheme", Shape::kOptional, Type::kString},
                                          {5, "httpHeaders", Shape::kList, &kHTTPHeader}};
constexpr Message kHTTPGetAction = {kHTTPGetActionFields};

constexpr Field kTCPSocketActionFields[] = {{1, "port", Shape::kOne, Type::kIntOrString},
                                            {2, "host", Shape::kOptional, Type::kString}};
constexpr Message kTCPSocketAction = {kTCPSocketActionFields};

constexpr Field kGRPCActionFields[] = {{1, "port", Shape::kOne, Type::kInt},
                                       {2, "service", Shape::kOne, Type::kString}};
constexpr Message kGRPCAction = {kGRPCActionFields};

constexpr Field kProbeHandlerFields[] = {{1, "exec", Shape::kOne, &kExecAction},
                                         {2, "httpGet", Shape::kOne, &kHTTPGetAction},
                                         {3, "tcpSocket", Shape::kOne, &kTCPSocketAction},
                                         {4, "grpc", Shape::kOne, &kGRPCAction}};
constexpr Message kProbeHandler = {kProbeHandlerFields};

constexpr Field kProbeFields[] = {{1, &kProbeHandler},
                                  {2, "initialDelaySeconds", Shape::kOptional, Type::kInt},
                                  {3, "timeoutSeconds", Shape::kOptional, Type::kInt},
                                  {4, "periodSeconds", Shape::kOptional, Type::kInt},
                                  {5, "successThreshold", Shape::kOptional, Type::kInt},
                                  {6, "failureThreshold", Shape::kOptional, Type::kInt},
                                  {7, "terminationGracePeriodSeconds", Shape::kOne, Type::kInt}};
constexpr Message kProbe = {kProbeFields};

constexpr Field kSleepActionFields[] = {{1, "seconds", Shape::kOne, Type::kInt}};
constexpr Message kSleepAction = {kSleepActionFields};

constexpr Field kLifecycleHandlerFields[] = {{1, "exec", Shape::kOne, &kExecAction},
                                             {2, "httpGet", Shape::kOne, &kHTTPGetAction},
                                             {3, "tcpSocket", Shape::kOne, &kTCPSocketAction},
                                             {4, "sleep", Shape::kOne, &kSleepAction}};
constexpr Message kLifecycleHandler = {kLifecycleHandlerFields};

constexpr Field kLifecycleFields[] = {{1, "postStart", Shape::kOne, &kLifecycleHandler},
                                      {2, "preStop", Shape::kOne, &kLifecycleHandler},
                                      {3, "stopSignal", Shape::kOne, Type::kString}};
constexpr Message kLifecycle = {kLifecycleFields};

constexpr Field kCapabilitiesFields[] = {{1, "add", Shape::kList, Type::kString},
                                         {2, "drop", Shape::kList, Type::kString}};
constexpr Message kCapabilities = {kCapabilitiesFields};

constexpr Field kSELinuxOptionsFields[] = {{1, "user", Shape::kOptional, Type::kString},
                                           {2, "role", Shape::kOptional, Type::kString},
                                           {3, "type", Shape::kOptional, Type::kString},
                                           {4, "level", Shape::kOptional, Type::kString}};
constexpr Message kSELinuxOptions = {kSELinuxOptionsFields};

constexpr Field kWindowsSecurityContextOptionsFields[] = {{1, "gmsaCredentialSpecName", Shape::kOne, Type::kString},
                                                          {2, "gmsaCredentialSpec", Shape::kOne, Type::kString},
                                                          {3, "runAsUserName", Shape::kOne, Type::kString},
                                                          {4, "hostProcess", Shape::kOne, Type::kBool}};
constexpr Message kWindowsSecurityContextOptions = {kWindowsSecurityContextOptionsFields};

constexpr Field kSeccompProfileFields[] = {{1, "type", Shape::kOne, Type::kString},
                                           {2, "localhostProfile", Shape::kOne, Type::kString}};
constexpr Message kSeccompProfile = {kSeccompProfileFields};

constexpr Field kAppArmorProfileFields[] = {{1, "type", Shape::kOne, Type::kString},
                                            {2, "localhostProfile", Shape::kOne, Type::kString}};
constexpr Message kAppArmorProfile = {kAppArmorProfileFields};

constexpr Field kSecurityContextFields[] = {{1, "capabilities", Shape::kOne, &kCapabilities},
                                            {2, "privileged", Shape::kOne, Type::kBool},
                                            {3, "seLinuxOptions", Shape::kOne, &kSELinuxOptions},
                                            {4, "runAsUser", Shape::kOne, Type::kInt},
                                            {5, "runAsNonRoot", Shape::kOne, Type::kBool},
                                            {6, "readOnlyRootFilesystem", Shape::kOne, Type::kBool},
                                            {7, "allowPrivilegeEscalation", Shape::kOne, Type::kBool},
                                            {8, "runAsGroup", Shape::kOne, Type::kInt},
                                            {9, "procMount", Shape::kOne, Type::kString},
                                            {10, "windowsOptions", Shape::kOne, &kWindowsSecurityContextOptions},
                                            {11, "seccompProfile", Shape::kOne, &kSeccompProfile},
                                            {12, "appArmorProfile", Shape::kOne, &kAppArmorProfile}};
constexpr Message kSecurityContext = {kSecurityContextFields};

constexpr Field kContainerFields[] = {{1, "name", Shape::kOne, Type::kString},
                                      {2, "image", Shape::kOptional, Type::kString},
                                      {3, "command", Shape::kList, Type::kString},
                                      {4, "args", Shape::kList, Type::kString},
                                      {5, "workingDir", Shape::kOptional, Type::kString},
                                      {6, "ports", Shape::kList, &kContainerPort},
                                      {7, "env", Shape::kList, &kEnvVar},
                                      {8, "resources", Shape::kOne, &kResourceRequirements},
                                      {9, "volumeMounts", Shape::kList, &kVolumeMount},
                                      {10, "livenessProbe", Shape::kOne, &kProbe},
                                      {11, "readinessProbe", Shape::kOne, &kProbe},
                                      {12, "lifecycle", Shape::kOne, &kLifecycle},
                                      {13, "terminationMessagePath", Shape::kOptional, Type::kString},
                                      {14, "imagePullPolicy", Shape::kOptional, Type::kString},
                                      {15, "securityContext", Shape::kOne, &kSecurityContext},
                                      {16, "stdin", Shape::kOptional, Type::kBool},
                                      {17, "stdinOnce", Shape::kOptional, Type::kBool},
                                      {18, "tty", Shape::kOptional, Type::kBool},
                                      {19, "envFrom", Shape::kList, &kEnvFromSource},
                                      {20, "terminationMessagePolicy", Shape::kOptional, Type::kString},
                                      {21, "volumeDevices", Shape::kList, &kVolumeDevice},
                                      {22, "startupProbe", Shape::kOne, &kProbe},
                                      {23, "resizePolicy", Shape::kList, &kContainerResizePolicy},
                                      {24, "restartPolicy", Shape::kOne, Type::kString}};
constexpr Message kContainer = {kContainerFields};

constexpr Field kEphemeralContainerCommonFields[] = {{1, "name", Shape::kOne, Type::kString},
                                                     {2, "image", Shape::kOptional, Type::kString},
                                                     {3, "command", Shape::kList, Type::kString},
                                                     {4, "args", Shape::kList, Type::kString},
                                                     {5, "workingDir", Shape::kOptional, Type::kString},
                                                     {6, "ports", Shape::kList, &kContainerPort},
                                                     {7, "env", Shape::kList, &kEnvVar},
                                                     {8, "resources", Shape::kOne, &kResourceRequirements},
                                                     {9, "volumeMounts", Shape::kList, &kVolumeMount},
                                                     {10, "livenessProbe", Shape::kOne, &kProbe},
                                                     {11, "readinessProbe", Shape::kOne, &kProbe},
                                                     {12, "lifecycle", Shape::kOne, &kLifecycle},
                                                     {13, "terminationMessagePath", Shape::kOptional, Type::kString},
                                                     {14, "imagePullPolicy", Shape::kOptional, Type::kString},
                                                     {15, "securityContext", Shape::kOne, &kSecurityContext},
                                                     {16, "stdin", Shape::kOptional, Type::kBool},
                                                     {17, "stdinOnce", Shape::kOptional, Type::kBool},
                                                     {18, "tty", Shape::kOptional, Type::kBool},
                                                     {19, "envFrom", Shape::kList, &kEnvFromSource},
                                                     {20, "terminationMessagePolicy", Shape::kOptional, Type::kString},
                                                     {21, "volumeDevices", Shape::kList, &kVolumeDevice},
                                                     {22, "startupProbe", Shape::kOne, &kProbe},
                                                     {23, "resizePolicy", Shape::kList, &kContainerResizePolicy},
                                                     {24, "restartPolicy", Shape::kOne, Type::kString}};
constexpr Message kEphemeralContainerCommon = {kEphemeralContainerCommonFields};

constexpr Field kEphemeralContainerFields[] = {{1, &kEphemeralContainerCommon},
                                               {2, "targetContainerName", Shape::kOptional, Type::kString}};
constexpr Message kEphemeralContainer = {kEphemeralContainerFields};

constexpr Field kSysctlFields[] = {{1, "name", Shape::kOne, Type::kString}, {2, "value", Shape::kOne, Type::kString}};
constexpr Message kSysctl = {kSysctlFields};

constexpr Field kPodSecurityContextFields[] = {{1, "seLinuxOptions", Shape::kOne, &kSELinuxOptions},
                                               {2, "runAsUser", Shape::kOne, Type::kInt},
                                               {3, "runAsNonRoot", Shape::kOne, Type::kBool},
                                               {4, "supplementalGroups", Shape::kList, Type::kInt},
                                               {5, "fsGroup", Shape::kOne, Type::kInt},
                                               {6, "runAsGroup", Shape::kOne, Type::kInt},
                                               {7, "sysctls", Shape::kList, &kSysctl},
                                               {8, "windowsOptions", Shape::kOne, &kWindowsSecurityContextOptions},
                                               {9, "fsGroupChangePolicy", Shape::kOne, Type::kString},
                                               {10, "seccompProfile", Shape::kOne, &kSeccompProfile},
                                               {11, "appArmorProfile", Shape::kOne, &kAppArmorProfile},
                                               {12, "supplementalGroupsPolicy", Shape::kOne, Type::kString},
                                               {13, "seLinuxChangePolicy", Shape::kOne, Type::kString}};
constexpr Message kPodSecurityContext = {kPodSecurityContextFields};

constexpr Field kPreferredSchedulingTermFields[] = {{1, "weight", Shape::kOne, Type::kInt},
                                                    {2, "preference", Shape::kOne, &kNodeSelectorTerm}};
constexpr Message kPreferredSchedulingTerm = {kPreferredSchedulingTermFields};

constexpr Field kNodeAffinityFields[] = {
    {1, "requiredDuringSchedulingIgnoredDuringExecution", Shape::kOne, &kNodeSelector},
    {2, "preferredDuringSchedulingIgnoredDuringExecution", Shape::kList, &kPreferredSchedulingTerm}};
constexpr Message kNodeAffinity = {kNodeAffinityFields};

constexpr Field kPodAffinityTermFields[] = {
    {1, "labelSelector", Shape::kOne, &kLabelSelector}, {2, "namespaces", Shape::kList, Type::kString},
    {3, "topologyKey", Shape::kOne, Type::kString},     {4, "namespaceSelector", Shape::kOne, &kLabelSelector},
    {5, "matchLabelKeys", Shape::kList, Type::kString}, {6, "mismatchLabelKeys", Shape::kList, Type::kString}};
constexpr Message kPodAffinityTerm = {kPodAffinityTermFields};

constexpr Field kWeightedPodAffinityTermFields[] = {{1, "weight", Shape::kOne, Type::kInt},
                                                    {2, "podAffinityTerm", Shape::kOne, &kPodAffinityTerm}};
constexpr Message kWeightedPodAffinityTerm = {kWeightedPodAffinityTermFields};

constexpr Field kPodAffinityFields[] = {
    {1, "requiredDuringSchedulingIgnoredDuringExecution", Shape::kList, &kPodAffinityTerm},
    {2, "preferredDuringSchedulingIgnoredDuringExecution", Shape::kList, &kWeightedPodAffinityTerm}};
constexpr Message kPodAffinity = {kPodAffinityFields};

constexpr Field kPodAntiAffinityFields[] = {
    {1, "requiredDuringSchedulingIgnoredDuringExecution", Shape::kList, &kPodAffinityTerm},
    {2, "preferredDuringSchedulingIgnoredDuringExecution", Shape::kList, &kWeightedPodAffinityTerm}};
constexpr Message kPodAntiAffinity = {kPodAntiAffinityFields};

constexpr Field kAffinityFields[] = {{1, "nodeAffinity", Shape::kOne, &kNodeAffinity},
                                     {2, "podAffinity", Shape::kOne, &kPodAffinity},
                                     {3, "podAntiAffinity", Shape::kOne, &kPodAntiAffinity}};
constexpr Message kAffinity = {kAffinityFields};

constexpr Field kTolerationFields[] = {{1, "key", Shape::kOptional, Type::kString},
                                       {2, "operator", Shape::kOptional, Type::kString},
                                       {3, "value", Shape::kOptional, Type::kString},
                                       {4, "effect", Shape::kOptional, Type::kString},
                                       {5, "tolerationSeconds", Shape::kOne, Type::kInt}};
constexpr Message kToleration = {kTolerationFields};

constexpr Field kHostAliasFields[] = {{1, "ip", Shape::kOne, Type::kString},
                                      {2, "hostnames", Shape::kList, Type::kString}};
constexpr Message kHostAlias = {kHostAliasFields};

constexpr Field kPodDNSConfigOptionFields[] = {{1, "name", Shape::kOptional, Type::kString},
                                               {2, "value", Shape::kOne, Type::kString}};
constexpr Message kPodDNSConfigOption = {kPodDNSConfigOptionFields};

constexpr Field kPodDNSConfigFields[] = {{1, "nameservers", Shape::kList, Type::kString},
                                         {2, "searches", Shape::kList, Type::kString},
                                         {3, "options", Shape::kList, &kPodDNSConfigOption}};
constexpr Message kPodDNSConfig = {kPodDNSConfigFields};

constexpr Field kPodReadinessGateFields[] = {{1, "conditionType", Shape::kOne, Type::kString}};
constexpr Message kPodReadinessGate = {kPodReadinessGateFields};

constexpr Field kTopologySpreadConstraintFields[] = {{1, "maxSkew", Shape::kOne, Type::kInt},
                                                     {2, "topologyKey", Shape::kOne, Type::kString},
                                                     {3, "whenUnsatisfiable", Shape::kOne, Type::kString},
                                                     {4, "labelSelector", Shape::kOne, &kLabelSelector},
                                                     {5, "minDomains", Shape::kOne, Type::kInt},
                                                     {6, "nodeAffinityPolicy", Shape::kOne, Type::kString},
                                                     {7, "nodeTaintsPolicy", Shape::kOne, Type::kString},
                                                     {8, "matchLabelKeys", Shape::kList, Type::kString}};
constexpr Message kTopologySpreadConstraint = {kTopologySpreadConstraintFields};

constexpr Field kPodOSFields[] = {{1, "name", Shape::kOne, Type::kString}};
constexpr Message kPodOS = {kPodOSFields};

constexpr Field kPodSchedulingGateFields[] = {{1, "name", Shape::kOne, Type::kString}};
constexpr Message kPodSchedulingGate = {kPodSchedulingGateFields};

constexpr Field kPodResourceClaimFields[] = {{1, "name", Shape::kOne, Type::kString},
                                             {3, "resourceClaimName", Shape::kOne, Type::kString},
                                             {4, "resourceClaimTemplateName", Shape::kOne, Type::kString}};
constexpr Message kPodResourceClaim = {kPodResourceClaimFields};

constexpr Field kPodSpecFields[] = {{1, "volumes", Shape::kList, &kVolume},
                                    {2, "containers", Shape::kList, &kContainer},
                                    {3, "restartPolicy", Shape::kOptional, Type::kString},
                                    {4, "terminationGracePeriodSeconds", Shape::kOne, Type::kInt},
                                    {5, "activeDeadlineSeconds", Shape::kOne, Type::kInt},
                                    {6, "dnsPolicy", Shape::kOptional, Type::kString},
                                    {7, "nodeSelector", Shape::kMap, Type::kString},
                                    {8, "serviceAccountName", Shape::kOptional, Type::kString},
                                    {9, "serviceAccount", Shape::kOptional, Type::kString},
                                    {10, "nodeName", Shape::kOptional, Type::kString},
                                    {11, "hostNetwork", Shape::kOptional, Type::kBool},
                                    {12, "hostPID", Shape::kOptional, Type::kBool},
                                    {13, "hostIPC", Shape::kOptional, Type::kBool},
                                    {14, "securityContext", Shape::kOne, &kPodSecurityContext},
                                    {15, "imagePullSecrets", Shape::kList, &kLocalObjectReference},
                                    {16, "hostname", Shape::kOptional, Type::kString},
                                    {17, "subdomain", Shape::kOptional, Type::kString},
                                    {18, "affinity", Shape::kOne, &kAffinity},
                                    {19, "schedulerName", Shape::kOptional, Type::kString},
                                    {20, "initContainers", Shape::kList, &kContainer},
                                    {21, "automountServiceAccountToken", Shape::kOne, Type::kBool},
                                    {22, "tolerations", Shape::kList, &kToleration},
                                    {23, "hostAliases", Shape::kList, &kHostAlias},
                                    {24, "priorityClassName", Shape::kOptional, Type::kString},
                                    {25, "priority", Shape::kOne, Type::kInt},
                                    {26, "dnsConfig", Shape::kOne, &kPodDNSConfig},
                                    {27, "shareProcessNamespace", Shape::kOne, Type::kBool},
                                    {28, "readinessGates", Shape::kList, &kPodReadinessGate},
                                    {29, "runtimeClassName", Shape::kOne, Type::kString},
                                    {30, "enableServiceLinks", Shape::kOne, Type::kBool},
                                    {31, "preemptionPolicy", Shape::kOne, Type::kString},
                                    {32, "overhead", Shape::kMap, Type::kQuantity},
                                    {33, "topologySpreadConstraints", Shape::kList, &kTopologySpreadConstraint},
                                    {34, "ephemeralContainers", Shape::kList, &kEphemeralContainer},
                                    {35, "setHostnameAsFQDN", Shape::kOne, Type::kBool},
                                    {36, "os", Shape::kOne, &kPodOS},
                                    {37, "hostUsers", Shape::kOne, Type::kBool},
                                    {38, "schedulingGates", Shape::kList, &kPodSchedulingGate},
                                    {39, "resourceClaims", Shape::kList, &kPodResourceClaim},
                                    {40, "resources", Shape::kOne, &kResourceRequirements}};
constexpr Message kPodSpec = {kPodSpecFields};

constexpr Field kPodConditionFields[] = {{1, "type", Shape::kOne, Type::kString},
                                         {2, "status", Shape::kOne, Type::kString},
                                         {3, "lastProbeTime", Shape::kOptional, Type::kTime},
                                         {4, "lastTransitionTime", Shape::kOptional, Type::kTime},
                                         {5, "reason", Shape::kOptional, Type::kString},
                                         {6, "message", Shape::kOptional, Type::kString},
                                         {7, "observedGeneration", Shape::kOptional, Type::kInt}};
constexpr Message kPodCondition = {kPodConditionFields};

constexpr Field kHostIPFields[] = {{1, "ip", Shape::kOne, Type::kString}};
constexpr Message kHostIP = {kHostIPFields};

constexpr Field kPodIPFields[] = {{1, "ip", Shape::kOne, Type::kString}};
constexpr Message kPodIP = {kPodIPFields};

constexpr Field kContainerStateWaitingFields[] = {{1, "reason", Shape::kOptional, Type::kString},
                                                  {2, "message", Shape::kOptional, Type::kString}};
constexpr Message kContainerStateWaiting = {kContainerStateWaitingFields};

constexpr Field kContainerStateRunningFields[] = {{1, "startedAt", Shape::kOptional, Type::kTime}};
constexpr Message kContainerStateRunning = {kContainerStateRunningFields};

constexpr Field kContainerStateTerminatedFields[] = {
    {1, "exitCode", Shape::kOne, Type::kInt},           {2, "signal", Shape::kOptional, Type::kInt},
    {3, "reason", Shape::kOptional, Type::kString},     {4, "message", Shape::kOptional, Type::kString},
    {5, "startedAt", Shape::kOptional, Type::kTime},    {6, "finishedAt", Shape::kOptional, Type::kTime},
    {7, "containerID", Shape::kOptional, Type::kString}};
constexpr Message kContainerStateTerminated = {kContainerStateTerminatedFields};

constexpr Field kContainerStateFields[] = {{1, "waiting", Shape::kOne, &kContainerStateWaiting},
                                           {2, "running", Shape::kOne, &kContainerStateRunning},
                                           {3, "terminated", Shape::kOne, &kContainerStateTerminated}};
constexpr Message kContainerState = {kContainerStateFields};

constexpr Field kVolumeMountStatusFields[] = {{1, "name", Shape::kOne, Type::kString},
                                              {2, "mountPath", Shape::kOne, Type::kString},
                                              {3, "readOnly", Shape::kOptional, Type::kBool},
                                              {4, "recursiveReadOnly", Shape::kOne, Type::kString}};
constexpr Message kVolumeMountStatus = {kVolumeMountStatusFields};

constexpr Field kLinuxContainerUserFields[] = {{1, "uid", Shape::kOne, Type::kInt},
                                               {2, "gid", Shape::kOne, Type::kInt},
                                               {3, "supplementalGroups", Shape::kList, Type::kInt}};
constexpr Message kLinuxContainerUser = {kLinuxContainerUserFields};

constexpr Field kContainerUserFields[] = {{1, "linux", Shape::kOne, &kLinuxContainerUser}};
constexpr Message kContainerUser = {kContainerUserFields};

constexpr Field kResourceHealthFields[] = {{1, "resourceID", Shape::kOne, Type::kString},
                                           {2, "health", Shape::kOptional, Type::kString}};
constexpr Message kResourceHealth = {kResourceHealthFields};

constexpr Field kResourceStatusFields[] = {{1, "name", Shape::kOne, Type::kString},
                                           {2, "resources", Shape::kList, &kResourceHealth}};
constexpr Message kResourceStatus = {kResourceStatusFields};

constexpr Field kContainerStatusFields[] = {{1, "name", Shape::kOne, Type::kString},
                                            {2, "state", Shape::kOne, &kContainerState},
                                            {3, "lastState", Shape::kOne, &kContainerState},
                                            {4, "ready", Shape::kOne, Type::kBool},
                                            {5, "restartCount", Shape::kOne, Type::kInt},
                                            {6, "image", Shape::kOne, Type::kString},
                                            {7, "imageID", Shape::kOne, Type::kString},
                                            {8, "containerID", Shape::kOptional, Type::kString},
                                            {9, "started", Shape::kOne, Type::kBool},
                                            {10, "allocatedResources", Shape::kMap, Type::kQuantity},
                                            {11, "resources", Shape::kOne, &kResourceRequirements},
                                            {12, "volumeMounts", Shape::kList, &kVolumeMountStatus},
                                            {13, "user", Shape::kOne, &kContainerUser},
                                            {14, "allocatedResourcesStatus", Shape::kList, &kResourceStatus},
                                            {15, "stopSignal", Shape::kOne, Type::kString}};
constexpr Message kContainerStatus = {kContainerStatusFields};

constexpr Field kPodResourceClaimStatusFields[] = {{1, "name", Shape::kOne, Type::kString},
                                                   {2, "resourceClaimName", Shape::kOne, Type::kString}};
constexpr Message kPodResourceClaimStatus = {kPodResourceClaimStatusFields};

constexpr Field kPodStatusFields[] = {{1, "phase", Shape::kOptional, Type::kString},
                                      {2, "conditions", Shape::kList, &kPodCondition},
                                      {3, "message", Shape::kOptional, Type::kString},
                                      {4, "reason", Shape::kOptional, Type::kString},
                                      {5, "hostIP", Shape::kOptional, Type::kString},
                                      {6, "podIP", Shape::kOptional, Type::kString},
                                      {7, "startTime", Shape::kOne, Type::kTime},
                                      {8, "containerStatuses", Shape::kList, &kContainerStatus},
                                      {9, "qosClass", Shape::kOptional, Type::kString},
                                      {10, "initContainerStatuses", Shape::kList, &kContainerStatus},
                                      {11, "nominatedNodeName", Shape::kOptional, Type::kString},
                                      {12, "podIPs", Shape::kList, &kPodIP},
                                      {13, "ephemeralContainerStatuses", Shape::kList, &kContainerStatus},
                                      {14, "resize", Shape::kOptional, Type::kString},
                                      {15, "resourceClaimStatuses", Shape::kList, &kPodResourceClaimStatus},
                                      {16, "hostIPs", Shape::kList, &kHostIP},
                                      {17, "observedGeneration", Shape::kOptional, Type::kInt}};
constexpr Message kPodStatus = {kPodStatusFields};

constexpr Field kPodFields[] = {{1, "metadata", Shape::kOne, &kObjectMeta},
                                {2, "spec", Shape::kOne, &kPodSpec},
                                {3, "status", Shape::kOne, &kPodStatus}};
const Message kPod = {kPodFields};

constexpr Field kPodTemplateSpecFields[] = {{1, "metadata", Shape::kOne, &kObjectMeta},
                                            {2, "spec", Shape::kOne, &kPodSpec}};
const Message kPodTemplateSpec = {kPodTemplateSpecFields};

}  // namespace muster::apiserver::protobuf
