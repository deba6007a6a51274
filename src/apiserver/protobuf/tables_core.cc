// core/v1: everything but pods and volumes. Numbers and names are those of Kubernetes 1.33.
#include "apiserver/protobuf/tables.h"

namespace muster::apiserver::protobuf {

constexpr Field kNamespaceSpecFields[] = {{1, "finalizers", Shape::kList, Type::kString}};
constexpr Message kNamespaceSpec = {kNamespaceSpecFields};

constexpr Field kNamespaceConditionFields[] = {{1, "type", Shape::kOne, Type::kString},
                                               {2, "status", Shape::kOne, Type::kString},
                                               {4, "lastTransitionTime", Shape::kOptional, Type::kTime},
                                               {5, "reason", Shape::kOptional, Type::kString},
                                               {6, "message", Shape::kOptional, Type::kString}};
constexpr Message kNamespaceCondition = {kNamespaceConditionFields};

constexpr Field kNamespaceStatusFields[] = {{1, "phase", Shape::kOptional, Type::kString},
                                            {2, "conditions", Shape::kList, &kNamespaceCondition}};
constexpr Message kNamespaceStatus = {kNamespaceStatusFields};

constexpr Field kNamespaceFields[] = {{1, "metadata", Shape::kOne, &kObjectMeta},
                                      {2, "spec", Shape::kOne, &kNamespaceSpec},
                                      {3, "status", Shape::kOne, &kNamespaceStatus}};
const Message kNamespace = {kNamespaceFields};

constexpr Field kConfigMapFields[] = {{1, "metadata", Shape::kOne, &kObjectMeta},
                                      {2, "data", Shape::kMap, Type::kString},
                                      {3, "binaryData", Shape::kMap, Type::kBytes},
                                      {4, "immutable", Shape::kOne, Type::kBool}};
const Message kConfigMap = {kConfigMapFields};

constexpr Field kSecretFields[] = {{1, "metadata", Shape::kOne, &kObjectMeta},
                                   {2, "data", Shape::kMap, Type::kBytes},
                                   {3, "type", Shape::kOptional, Type::kString},
                                   {4, "stringData", Shape::kMap, Type::kString},
                                   {5, "immutable", Shape::kOne, Type::kBool}};
const Message kSecret = {kSecretFields};

constexpr Field kServicePortFields[] = {
    {1, "name", Shape::kOptional, Type::kString},  {2, "protocol", Shape::kOptional, Type::kString},
    {3, "port", Shape::kOne, Type::kInt},          {4, "targetPort", Shape::kOptional, Type::kIntOrString},
    {5, "nodePort", Shape::kOptional, Type::kInt}, {6, "appProtocol", Shape::kOne, Type::kString}};
constexpr Message kServicePort = {kServicePortFields};

constexpr Field kClientIPConfigFields[] = {{1, "timeoutSeconds", Shape::kOne, Type::kInt}};
constexpr Message kClientIPConfig = {kClientIPConfigFields};

constexpr Field kSessionAffinityConfigFields[] = {{1, "clientIP", Shape::kOne, &kClientIPConfig}};
constexpr Message kSessionAffinityConfig = {kSessionAffinityConfigFields};

constexpr Field kServiceSpecFields[] = {{1, "ports", Shape::kList, &kServicePort},
                                        {2, "selector", Shape::kMap, Type::kString},
                                        {3, "clusterIP", Shape::kOptional, Type::kString},
                                        {4, "type", Shape::kOptional, Type::kString},
                                        {5, "externalIPs", Shape::kList, Type::kString},
                                        {7, "sessionAffinity", Shape::kOptional, Type::kString},
                                        {8, "loadBalancerIP", Shape::kOptional, Type::kString},
                                        {9, "loadBalancerSourceRanges", Shape::kList, Type::kString},
                                        {10, "externalName", Shape::kOptional, Type::kString},
                                        {11, "externalTrafficPolicy", Shape::kOptional, Type::kString},
                                        {12, "healthCheckNodePort", Shape::kOptional, Type::kInt},
                                        {13, "publishNotReadyAddresses", Shape::kOptional, Type::kBool},
                                        {14, "sessionAffinityConfig", Shape::kOne, &kSessionAffinityConfig},
                                        {17, "ipFamilyPolicy", Shape::kOne, Type::kString},
                                        {18, "clusterIPs", Shape::kList, Type::kString},
                                        {19, "ipFamilies", Shape::kList, Type::kString},
                                        {20, "allocateLoadBalancerNodePorts", Shape::kOne, Type::kBool},
                                        {21, "loadBalancerClass", Shape::kOne, Type::kString},
                                        {22, "internalTrafficPolicy", Shape::kOne, Type::kString},
                                        {23, "trafficDistribution", Shape::kOne, Type::kString}};
constexpr Message kServiceSpec = {kServiceSpecFields};

constexpr Field kPortStatusFields[] = {{1, "port", Shape::kOne, Type::kInt},
                                       {2, "protocol", Shape::kOne, Type::kString},
                                       {3, "error", Shape::kOne, Type::kString}};
constexpr Message kPortStatus = {kPortStatusFields};

constexpr Field kLoadBalancerIngressFields[] = {{1, "ip", Shape::kOptional, Type::kString},
                                                {2, "hostname", Shape::kOptional, Type::kString},
                                                {3, "ipMode", Shape::kOne, Type::kString},
                                                {4, "ports", Shape::kList, &kPortStatus}};
constexpr Message kLoadBalancerIngress = {kLoadBalancerIngressFields};

constexpr Field kLoadBalancerStatusFields[] = {{1, "ingress", Shape::kList, &kLoadBalancerIngress}};
constexpr Message kLoadBalancerStatus = {kLoadBalancerStatusFields};

constexpr Field kServiceStatusFields[] = {{1, "loadBalancer", Shape::kOne, &kLoadBalancerStatus},
                                          {2, "conditions", Shape::kList, &kCondition}};
constexpr Message kServiceStatus = {kServiceStatusFields};

constexpr Field kServiceFields[] = {{1, "metadata", Shape::kOne, &kObjectMeta},
                                    {2, "spec", Shape::kOne, &kServiceSpec},
                                    {3, "status", Shape::kOne, &kServiceStatus}};
const Message kService = {kServiceFields};

constexpr Field kServiceAccountFields[] = {{1, "metadata", Shape::kOne, &kObjectMeta},
                                           {2, "secrets", Shape::kList, &kObjectReference},
                                           {3, "imagePullSecrets", Shape::kList, &kLocalObjectReference},
                                           {4, "automountServiceAccountToken", Shape::kOne, Type::kBool}};
const Message kServiceAccount = {kServiceAccountFields};

constexpr Field kScopedSelectorRequirementFields[] = {{1, "scopeName", Shape::kOne, Type::kString},
                                                      {2, "operator", Shape::kOne, Type::kString},
                                                      {3, "values", Shape::kList, Type::kString}};
constexpr Message kScopedSelectorRequirement = {kScopedSelectorRequirementFields};

constexpr Field kScopeSelectorFields[] = {{1, "matchExpressions", Shape::kList, &kScopedSelectorRequirement}};
constexpr Message kScopeSelector = {kScopeSelectorFields};

constexpr Field kResourceQuotaSpecFields[] = {{1, "hard", Shape::kMap, Type::kQuantity},
                                              {2, "scopes", Shape::kList, Type::kString},
                                              {3, "scopeSelector", Shape::kOptional, &kScopeSelector}};
constexpr Message kResourceQuotaSpec = {kResourceQuotaSpecFields};

constexpr Field kResourceQuotaStatusFields[] = {{1, "hard", Shape::kMap, Type::kQuantity},
                                                {2, "used", Shape::kMap, Type::kQuantity}};
constexpr Message kResourceQuotaStatus = {kResourceQuotaStatusFields};

constexpr Field kResourceQuotaFields[] = {{1, "metadata", Shape::kOne, &kObjectMeta},
                                          {2, "spec", Shape::kOne, &kResourceQuotaSpec},
                                          {3, "status", Shape::kOne, &kResourceQuotaStatus}};
const Message kResourceQuota = {kResourceQuotaFields};

constexpr Field kEventSourceFields[] = {{1, "component", Shape::kOptional, Type::kString},
                                        {2, "host", Shape::kOptional, Type::kString}};
constexpr Message kEventSource = {kEventSourceFields};

constexpr Field kEventSeriesFields[] = {{1, "count", Shape::kOptional, Type::kInt},
                                        {2, "lastObservedTime", Shape::kOptional, Type::kMicroTime}};
constexpr Message kEventSeries = {kEventSeriesFields};

constexpr Field kEventFields[] = {{1, "metadata", Shape::kOne, &kObjectMeta},
                                  {2, "involvedObject", Shape::kOne, &kObjectReference},
                                  {3, "reason", Shape::kOptional, Type::kString},
                                  {4, "message", Shape::kOptional, Type::kString},
                                  {5, "source", Shape::kOne, &kEventSource},
                                  {6, "firstTimestamp", Shape::kOptional, Type::kTime},
                                  {7, "lastTimestamp", Shape::kOptional, Type::kTime},
                                  {8, "count", Shape::kOptional, Type::kInt},
                                  {9, "type", Shape::kOptional, Type::kString},
                                  {10, "eventTime", Shape::kOptional, Type::kMicroTime},
                                  {11, "series", Shape::kOne, &kEventSeries},
                                  {12, "action", Shape::kOptional, Type::kString},
                                  {13, "related", Shape::kOne, &kObjectReference},
                                  {14, "reportingComponent", Shape::kOne, Type::kString},
                                  {15, "reportingInstance", Shape::kOne, Type::kString}};
const Message kEvent = {kEventFields};

constexpr Field kTaintFields[] = {{1, "key", Shape::kOne, Type::kString},
                                  {2, "value", Shape::kOptional, Type::kString},
                                  {3, "effect", Shape::kOne, Type::kString},
                                  {4, "timeAdded", Shape::kOne, Type::kTime}};
constexpr Message kTaint = {kTaintFields};

constexpr Field kConfigMapNodeConfigSourceFields[] = {{1, "namespace", Shape::kOne, Type::kString},
                                                      {2, "name", Shape::kOne, Type::kString},
                                                      {3, "uid", Shape::kOptional, Type::kString},
                                                      {4, "resourceVersion", Shape::kOptional, Type::kString},
                                                      {5, "kubeletConfigKey", Shape::kOne, Type::kString}};
constexpr Message kConfigMapNodeConfigSource = {kConfigMapNodeConfigSourceFields};

constexpr Field kNodeConfigSourceFields[] = {{2, "configMap", Shape::kOne, &kConfigMapNodeConfigSource}};
constexpr Message kNodeConfigSource = {kNodeConfigSourceFields};

constexpr Field kNodeSpecFields[] = {{1, "podCIDR", Shape::kOptional, Type::kString},
                                     {2, "externalID", Shape::kOptional, Type::kString},
                                     {3, "providerID", Shape::kOptional, Type::kString},
                                     {4, "unschedulable", Shape::kOptional, Type::kBool},
                                     {5, "taints", Shape::kList, &kTaint},
                                     {6, "configSource", Shape::kOne, &kNodeConfigSource},
                                     {7, "podCIDRs", Shape::kList, Type::kString}};
constexpr Message kNodeSpec = {kNodeSpecFields};

constexpr Field kNodeConditionFields[] = {{1, "type", Shape::kOne, Type::kString},
                                          {2, "status", Shape::kOne, Type::kString},
                                          {3, "lastHeartbeatTime", Shape::kOptional, Type::kTime},
                                          {4, "lastTransitionTime", Shape::kOptional, Type::kTime},
                                          {5, "reason", Shape::kOptional, Type::kString},
                                          {6, "message", Shape::kOptional, Type::kString}};
constexpr Message kNodeCondition = {kNodeConditionFields};

constexpr Field kNodeAddressFields[] = {{1, "type", Shape::kOne, Type::kString},
                                        {2, "address", Shape::kOne, Type::kString}};
constexpr Message kNodeAddress = {kNodeAddressFields};

constexpr Field kDaemonEndpointFields[] = {{1, "Port", Shape::kOne, Type::kInt}};
constexpr Message kDaemonEndpoint = {kDaemonEndpointFields};

constexpr Field kNodeDaemonEndpointsFields[] = {{1, "kubeletEndpoint", Shape::kOne, &kDaemonEndpoint}};
constexpr Message kNodeDaemonEndpoints = {kNodeDaemonEndpointsFields};

constexpr Field kNodeSwapStatusFields[] = {{1, "capacity", Shape::kOne, Type::kInt}};
constexpr Message kNodeSwapStatus = {kNodeSwapStatusFields};

constexpr Field kNodeSystemInfoFields[] = {
    {1, "machineID", Shape::kOne, Type::kString},       {2, "systemUUID", Shape::kOne, Type::kString},
    {3, "bootID", Shape::kOne, Type::kString},          {4, "kernelVersion", Shape::kOne, Type::kString},
    {5, "osImage", Shape::kOne, Type::kString},         {6, "containerRuntimeVersion", Shape::kOne, Type::kString},
    {7, "kubeletVersion", Shape::kOne, Type::kString},  {8, "kubeProxyVersion", Shape::kOne, Type::kString},
    {9, "operatingSystem", Shape::kOne, Type::kString}, {10, "architecture", Shape::kOne, Type::kString},
    {11, "swap", Shape::kOne, &kNodeSwapStatus}};
constexpr Message kNodeSystemInfo = {kNodeSystemInfoFields};

constexpr Field kContainerImageFields[] = {{1, "names", Shape::kList, Type::kString},
                                           {2, "sizeBytes", Shape::kOptional, Type::kInt}};
constexpr Message kContainerImage = {kContainerImageFields};

constexpr Field kAttachedVolumeFields[] = {{1, "name", Shape::kOne, Type::kString},
                                           {2, "devicePath", Shape::kOne, Type::kString}};
constexpr Message kAttachedVolume = {kAttachedVolumeFields};

constexpr Field kNodeConfigStatusFields[] = {{1, "assigned", Shape::kOne, &kNodeConfigSource},
                                             {2, "active", Shape::kOne, &kNodeConfigSource},
                                             {3, "lastKnownGood", Shape::kOne, &kNodeConfigSource},
                                             {4, "error", Shape::kOptional, Type::kString}};
constexpr Message kNodeConfigStatus = {kNodeConfigStatusFields};

constexpr Field kNodeRuntimeHandlerFeaturesFields[] = {{1, "recursiveReadOnlyMounts", Shape::kOne, Type::kBool},
                                                       {2, "userNamespaces", Shape::kOne, Type::kBool}};
constexpr Message kNodeRuntimeHandlerFeatures = {kNodeRuntimeHandlerFeaturesFields};

constexpr Field kNodeRuntimeHandlerFields[] = {{1, "name", Shape::kOne, Type::kString},
                                               {2, "features", Shape::kOne, &kNodeRuntimeHandlerFeatures}};
constexpr Message kNodeRuntimeHandler = {kNodeRuntimeHandlerFields};

constexpr Field kNodeFeaturesFields[] = {{1, "supplementalGroupsPolicy", Shape::kOne, Type::kBool}};
constexpr Message kNodeFeatures = {kNodeFeaturesFields};

constexpr Field kNodeStatusFields[] = {
    {1, "capacity", Shape::kMap, Type::kQuantity},    {2, "allocatable", Shape::kMap, Type::kQuantity},
    {3, "phase", Shape::kOptional, Type::kString},    {4, "conditions", Shape::kList, &kNodeCondition},
    {5, "addresses", Shape::kList, &kNodeAddress},    {6, "daemonEndpoints", Shape::kOne, &kNodeDaemonEndpoints},
    {7, "nodeInfo", Shape::kOne, &kNodeSystemInfo},   {8, "images", Shape::kList, &kContainerImage},
    {9, "volumesInUse", Shape::kList, Type::kString}, {10, "volumesAttached", Shape::kList, &kAttachedVolume},
    {11, "config", Shape::kOne, &kNodeConfigStatus},  {12, "runtimeHandlers", Shape::kList, &kNodeRuntimeHandler},
    {13, "features", Shape::kOne, &kNodeFeatures}};
constexpr Message kNodeStatus = {kNodeStatusFields};

constexpr Field kNodeFields[] = {{1, "metadata", Shape::kOne, &kObjectMeta},
                                 {2, "spec", Shape::kOne, &kNodeSpec},
                                 {3, "status", Shape::kOne, &kNodeStatus}};
const Message kNode = {kNodeFields};

constexpr Field kBindingFields[] = {{1, "metadata", Shape::kOne, &kObjectMeta},
                                    {2, "target", Shape::kOne, &kObjectReference}};
const Message kBinding = {kBindingFields};

}  // namespace muster::apiserver::protobuf
