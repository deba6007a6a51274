// core/v1: volumes, claims and where they come from. Numbers and names are those of Kubernetes 1.33.
#include "apiserver/protobuf/tables.h"

namespace muster::apiserver::protobuf {

constexpr Field kObjectReferenceFields[] = {
    {1, "kind", Shape::kOptional, Type::kString},       {2, "namespace", Shape::kOptional, Type::kString},
    {3, "name", Shape::kOptional, Type::kString},       {4, "uid", Shape::kOptional, Type::kString},
    {5, "apiVersion", Shape::kOptional, Type::kString}, {6, "resourceVersion", Shape::kOptional, Type::kString},
    {7, "fieldPath", Shape::kOptional, Type::kString}};
const Message kObjectReference = {kObjectReferenceFields};

constexpr Field kLocalObjectReferenceFields[] = {{1, "name", Shape::kOptional, Type::kString}};
const Message kLocalObjectReference = {kLocalObjectReferenceFields};

constexpr Field kVolumeResourceRequirementsFields[] = {{1, "limits", Shape::kMap, Type::kQuantity},
                                                       {2, "requests", Shape::kMap, Type::kQuantity}};
constexpr Message kVolumeResourceRequirements = {kVolumeResourceRequirementsFields};

constexpr Field kTypedLocalObjectReferenceFields[] = {{1, "apiGroup", Shape::kOne, Type::kString},
                                                      {2, "kind", Shape::kOne, Type::kString},
                                                      {3, "name", Shape::kOne, Type::kString}};
constexpr Message kTypedLocalObjectReference = {kTypedLocalObjectReferenceFields};

constexpr Field kTypedObjectReferenceFields[] = {{1, "apiGroup", Shape::kOne, Type::kString},
                                                 {2, "kind", Shape::kOne, Type::kString},
                                                 {3, "name", Shape::kOne, Type::kString},
                                                 {4, "namespace", Shape::kOne, Type::kString}};
constexpr Message kTypedObjectReference = {kTypedObjectReferenceFields};

constexpr Field kPersistentVolumeClaimSpecFields[] = {{1, "accessModes", Shape::kList, Type::kString},
                                                      {2, "resources", Shape::kOne, &kVolumeResourceRequirements},
                                                      {3, "volumeName", Shape::kOptional, Type::kString},
                                                      {4, "selector", Shape::kOne, &kLabelSelector},
                                                      {5, "storageClassName", Shape::kOne, Type::kString},
                                                      {6, "volumeMode", Shape::kOne, Type::kString},
                                                      {7, "dataSource", Shape::kOne, &kTypedLocalObjectReference},
                                                      {8, "dataSourceRef", Shape::kOne, &kTypedObjectReference},
                                                      {9, "volumeAttributesClassName", Shape::kOne, Type::kString}};
constexpr Message kPersistentVolumeClaimSpec = {kPersistentVolumeClaimSpecFields};

constexpr Field kPersistentVolumeClaimConditionFields[] = {{1, "type", Shape::kOne, Type::kString},
                                                           {2, "status", Shape::kOne, Type::kString},
                                                           {3, "lastProbeTime", Shape::kOptional, Type::kTime},
                                                           {4, "lastTransitionTime", Shape::kOptional, Type::kTime},
                                                           {5, "reason", Shape::kOptional, Type::kString},
                                                           {6, "message", Shape::kOptional, Type::kString}};
constexpr Message kPersistentVolumeClaimCondition = {kPersistentVolumeClaimConditionFields};

constexpr Field kModifyVolumeStatusFields[] = {{1, "targetVolumeAttributesClassName", Shape::kOptional, Type::kString},
                                               {2, "status", Shape::kOne, Type::kString}};
constexpr Message kModifyVolumeStatus = {kModifyVolumeStatusFields};

constexpr Field kPersistentVolumeClaimStatusFields[] = {
    {1, "phase", Shape::kOptional, Type::kString},
    {2, "accessModes", Shape::kList, Type::kString},
    {3, "capacity", Shape::kMap, Type::kQuantity},
    {4, "conditions", Shape::kList, &kPersistentVolumeClaimCondition},
    {5, "allocatedResources", Shape::kMap, Type::kQuantity},
    {7, "allocatedResourceStatuses", Shape::kMap, Type::kString},
    {8, "currentVolumeAttributesClassName", Shape::kOne, Type::kString},
    {9, "modifyVolumeStatus", Shape::kOne, &kModifyVolumeStatus}};
constexpr Message kPersistentVolumeClaimStatus = {kPersistentVolumeClaimStatusFields};

constexpr Field kPersistentVolumeClaimFields[] = {{1, "metadata", Shape::kOne, &kObjectMeta},
                                                  {2, "spec", Shape::kOne, &kPersistentVolumeClaimSpec},
                                                  {3, "status", Shape::kOne, &kPersistentVolumeClaimStatus}};
const Message kPersistentVolumeClaim = {kPersistentVolumeClaimFields};

constexpr Field kGCEPersistentDiskVolumeSourceFields[] = {{1, "pdName", Shape::kOne, Type::kString},
                                                          {2, "fsType", Shape::kOptional, Type::kString},
                                                          {3, "partition", Shape::kOptional, Type::kInt},
                                                          {4, "readOnly", Shape::kOptional, Type::kBool}};
constexpr Message kGCEPersistentDiskVolumeSource = {kGCEPersistentDiskVolumeSourceFields};

constexpr Field kAWSElasticBlockStoreVolumeSourceFields[] = {{1, "volumeID", Shape::kOne, Type::kString},
                                                             {2, "fsType", Shape::kOptional, Type::kString},
                                                             {3, "partition", Shape::kOptional, Type::kInt},
                                                             {4, "readOnly", Shape::kOptional, Type::kBool}};
constexpr Message kAWSElasticBlockStoreVolumeSource = {kAWSElasticBlockStoreVolumeSourceFields};

constexpr Field kHostPathVolumeSourceFields[] = {{1, "path", Shape::kOne, Type::kString},
                                                 {2, "type", Shape::kOne, Type::kString}};
constexpr Message kHostPathVolumeSource = {kHostPathVolumeSourceFields};

constexpr Field kGlusterfsPersistentVolumeSourceFields[] = {{1, "endpoints", Shape::kOne, Type::kString},
                                                            {2, "path", Shape::kOne, Type::kString},
                                                            {3, "readOnly", Shape::kOptional, Type::kBool},
                                                            {4, "endpointsNamespace", Shape::kOne, Type::kString}};
constexpr Message kGlusterfsPersistentVolumeSource = {kGlusterfsPersistentVolumeSourceFields};

constexpr Field kNFSVolumeSourceFields[] = {{1, "server", Shape::kOne, Type::kString},
                                            {2, "path", Shape::kOne, Type::kString},
                                            {3, "readOnly", Shape::kOptional, Type::kBool}};
constexpr Message kNFSVolumeSource = {kNFSVolumeSourceFields};

constexpr Field kSecretReferenceFields[] = {{1, "name", Shape::kOptional, Type::kString},
                                            {2, "namespace", Shape::kOptional, Type::kString}};
constexpr Message kSecretReference = {kSecretReferenceFields};

constexpr Field kRBDPersistentVolumeSourceFields[] = {
    {1, "monitors", Shape::kList, Type::kString},     {2, "image", Shape::kOne, Type::kString},
    {3, "fsType", Shape::kOptional, Type::kString},   {4, "pool", Shape::kOptional, Type::kString},
    {5, "user", Shape::kOptional, Type::kString},     {6, "keyring", Shape::kOptional, Type::kString},
    {7, "secretRef", Shape::kOne, &kSecretReference}, {8, "readOnly", Shape::kOptional, Type::kBool}};
constexpr Message kRBDPersistentVolumeSource = {kRBDPersistentVolumeSourceFields};

constexpr Field kISCSIPersistentVolumeSourceFields[] = {{1, "targetPortal", Shape::kOne, Type::kString},
                                                        {2, "iqn", Shape::kOne, Type::kString},
                                                        {3, "lun", Shape::kOne, Type::kInt},
                                                        {4, "iscsiInterface", Shape::kOptional, Type::kString},
                                                        {5, "fsType", Shape::kOptional, Type::kString},
                                                        {6, "readOnly", Shape::kOptional, Type::kBool},
                                                        {7, "portals", Shape::kList, Type::kString},
                                                        {8, "chapAuthDiscovery", Shape::kOptional, Type::kBool},
                                                        {10, "secretRef", Shape::kOne, &kSecretReference},
                                                        {11, "chapAuthSession", Shape::kOptional, Type::kBool},
                                                        {12, "initiatorName", Shape::kOne, Type::kString}};
constexpr Message kISCSIPersistentVolumeSource = {kISCSIPersistentVolumeSourceFields};

constexpr Field kCinderPersistentVolumeSourceFields[] = {{1, "volumeID", Shape::kOne, Type::kString},
                                                         {2, "fsType", Shape::kOptional, Type::kString},
                                                         {3, "readOnly", Shape::kOptional, Type::kBool},
                                                         {4, "secretRef", Shape::kOne, &kSecretReference}};
constexpr Message kCinderPersistentVolumeSource = {kCinderPersistentVolumeSourceFields};

constexpr Field kCephFSPersistentVolumeSourceFields[] = {
    {1, "monitors", Shape::kList, Type::kString},     {2, "path", Shape::kOptional, Type::kString},
    {3, "user", Shape::kOptional, Type::kString},     {4, "secretFile", Shape::kOptional, Type::kString},
    {5, "secretRef", Shape::kOne, &kSecretReference}, {6, "readOnly", Shape::kOptional, Type::kBool}};
constexpr Message kCephFSPersistentVolumeSource = {kCephFSPersistentVolumeSourceFields};

constexpr Field kFCVolumeSourceFields[] = {{1, "targetWWNs", Shape::kList, Type::kString},
                                           {2, "lun", Shape::kOne, Type::kInt},
                                           {3, "fsType", Shape::kOptional, Type::kString},
                                           {4, "readOnly", Shape::kOptional, Type::kBool},
                                           {5, "wwids", Shape::kList, Type::kString}};
constexpr Message kFCVolumeSource = {kFCVolumeSourceFields};

constexpr Field kFlockerVolumeSourceFields[] = {{1, "datasetName", Shape::kOptional, Type::kString},
                                                {2, "datasetUUID", Shape::kOptional, Type::kString}};
constexpr Message kFlockerVolumeSource = {kFlockerVolumeSourceFields};

constexpr Field kFlexPersistentVolumeSourceFields[] = {{1, "driver", Shape::kOne, Type::kString},
                                                       {2, "fsType", Shape::kOptional, Type::kString},
                                                       {3, "secretRef", Shape::kOne, &kSecretReference},
                                                       {4, "readOnly", Shape::kOptional, Type::kBool},
                                                       {5, "options", Shape::kMap, Type::kString}};
constexpr Message kFlexPersistentVolumeSource = {kFlexPersistentVolumeSourceFields};

constexpr Field kAzureFilePersistentVolumeSourceFields[] = {{1, "secretName", Shape::kOne, Type::kString},
                                                            {2, "shareName", Shape::kOne, Type::kString},
                                                            {3, "readOnly", Shape::kOptional, Type::kBool},
                                                            {4, "secretNamespace", Shape::kOne, Type::kString}};
constexpr Message kAzureFilePersistentVolumeSource = {kAzureFilePersistentVolumeSourceFields};

constexpr Field kVsphereVirtualDiskVolumeSourceFields[] = {{1, "volumePath", Shape::kOne, Type::kString},
                                                           {2, "fsType", Shape::kOptional, Type::kString},
                                                           {3, "storagePolicyName", Shape::kOptional, Type::kString},
                                                           {4, "storagePolicyID", Shape::kOptional, Type::kString}};
constexpr Message kVsphereVirtualDiskVolumeSource = {kVsphereVirtualDiskVolumeSourceFields};

constexpr Field kQuobyteVolumeSourceFields[] = {
    {1, "registry", Shape::kOne, Type::kString},    {2, "volume", Shape::kOne, Type::kString},
    {3, "readOnly", Shape::kOptional, Type::kBool}, {4, "user", Shape::kOptional, Type::kString},
    {5, "group", Shape::kOptional, Type::kString},  {6, "tenant", Shape::kOptional, Type::kString}};
constexpr Message kQuobyteVolumeSource = {kQuobyteVolumeSourceFields};

constexpr Field kAzureDiskVolumeSourceFields[] = {
    {1, "diskName", Shape::kOne, Type::kString},    {2, "diskURI", Shape::kOne, Type::kString},
    {3, "cachingMode", Shape::kOne, Type::kString}, {4, "fsType", Shape::kOne, Type::kString},
    {5, "readOnly", Shape::kOne, Type::kBool},      {6, "kind", Shape::kOne, Type::kString}};
constexpr Message kAzureDiskVolumeSource = {kAzureDiskVolumeSourceFields};

constexpr Field kPhotonPersistentDiskVolumeSourceFields[] = {{1, "pdID", Shape::kOne, Type::kString},
                                                             {2, "fsType", Shape::kOptional, Type::kString}};
constexpr Message kPhotonPersistentDiskVolumeSource = {kPhotonPersistentDiskVolumeSourceFields};

constexpr Field kPortworxVolumeSourceFields[] = {{1, "volumeID", Shape::kOne, Type::kString},
                                                 {2, "fsType", Shape::kOptional, Type::kString},
                                                 {3, "readOnly", Shape::kOptional, Type::kBool}};
constexpr Message kPortworxVolumeSource = {kPortworxVolumeSourceFields};

constexpr Field kScaleIOPersistentVolumeSourceFields[] = {{1, "gateway", Shape::kOne, Type::kString},
                                                          {2, "system", Shape::kOne, Type::kString},
                                                          {3, "secretRef", Shape::kOne, &kSecretReference},
                                                          {4, "sslEnabled", Shape::kOptional, Type::kBool},
                                                          {5, "protectionDomain", Shape::kOptional, Type::kString},
                                                          {6, "storagePool", Shape::kOptional, Type::kString},
                                                          {7, "storageMode", Shape::kOptional, Type::kString},
                                                          {8, "volumeName", Shape::kOptional, Type::kString},
                                                          {9, "fsType", Shape::kOptional, Type::kString},
                                                          {10, "readOnly", Shape::kOptional, Type::kBool}};
constexpr Message kScaleIOPersistentVolumeSource = {kScaleIOPersistentVolumeSourceFields};

constexpr Field kLocalVolumeSourceFields[] = {{1, "path", Shape::kOne, Type::kString},
                                              {2, "fsType", Shape::kOne, Type::kString}};
constexpr Message kLocalVolumeSource = {kLocalVolumeSourceFields};

constexpr Field kStorageOSPersistentVolumeSourceFields[] = {{1, "volumeName", Shape::kOptional, Type::kString},
                                                            {2, "volumeNamespace", Shape::kOptional, Type::kString},
                                                            {3, "fsType", Shape::kOptional, Type::kString},
                                                            {4, "readOnly", Shape::kOptional, Type::kBool},
                                                            {5, "secretRef", Shape::kOne, &kObjectReference}};
constexpr Message kStorageOSPersistentVolumeSource = {kStorageOSPersistentVolumeSourceFields};

constexpr Field kCSIPersistentVolumeSourceFields[] = {{1, "driver", Shape::kOne, Type::kString},
                                                      {2, "volumeHandle", Shape::kOne, Type::kString},
                                                      {3, "readOnly", Shape::kOptional, Type::kBool},
                                                      {4, "fsType", Shape::kOptional, Type::kString},
                                                      {5, "volumeAttributes", Shape::kMap, Type::kString},
                                                      {6, "controllerPublishSecretRef", Shape::kOne, &kSecretReference},
                                                      {7, "nodeStageSecretRef", Shape::kOne, &kSecretReference},
                                                      {8, "nodePublishSecretRef", Shape::kOne, &kSecretReference},
                                                      {9, "controllerExpandSecretRef", Shape::kOne, &kSecretReference},
                                                      {10, "nodeExpandSecretRef", Shape::kOne, &kSecretReference}};
constexpr Message kCSIPersistentVolumeSource = {kCSIPersistentVolumeSourceFields};

constexpr Field kPersistentVolumeSourceFields[] = {
    {1, "gcePersistentDisk", Shape::kOne, &kGCEPersistentDiskVolumeSource},
    {2, "awsElasticBlockStore", Shape::kOne, &kAWSElasticBlockStoreVolumeSource},
    {3, "hostPath", Shape::kOne, &kHostPathVolumeSource},
    {4, "glusterfs", Shape::kOne, &kGlusterfsPersistentVolumeSource},
    {5, "nfs", Shape::kOne, &kNFSVolumeSource},
    {6, "rbd", Shape::kOne, &kRBDPersistentVolumeSource},
    {7, "iscsi", Shape::kOne, &kISCSIPersistentVolumeSource},
    {8, "cinder", Shape::kOne, &kCinderPersistentVolumeSource},
    {9, "cephfs", Shape::kOne, &kCephFSPersistentVolumeSource},
    {10, "fc", Shape::kOne, &kFCVolumeSource},
    {11, "flocker", Shape::kOne, &kFlockerVolumeSource},
    {12, "flexVolume", Shape::kOne, &kFlexPersistentVolumeSource},
    {13, "azureFile", Shape::kOne, &kAzureFilePersistentVolumeSource},
    {14, "vsphereVolume", Shape::kOne, &kVsphereVirtualDiskVolumeSource},
    {15, "quobyte", Shape::kOne, &kQuobyteVolumeSource},
    {16, "azureDisk", Shape::kOne, &kAzureDiskVolumeSource},
    {17, "photonPersistentDisk", Shape::kOne, &kPhotonPersistentDiskVolumeSource},
    {18, "portworxVolume", Shape::kOne, &kPortworxVolumeSource},
    {19, "scaleIO", Shape::kOne, &kScaleIOPersistentVolumeSource},
    {20, "local", Shape::kOne, &kLocalVolumeSource},
    {21, "storageos", Shape::kOne, &kStorageOSPersistentVolumeSource},
    {22, "csi", Shape::kOne, &kCSIPersistentVolumeSource}};
constexpr Message kPersistentVolumeSource = {kPersistentVolumeSourceFields};

constexpr Field kNodeSelectorRequirementFields[] = {{1, "key", Shape::kOne, Type::kString},
                                                    {2, "operator", Shape::kOne, Type::kString},
                                                    {3, "values", Shape::kList, Type::kString}};
constexpr Message kNodeSelectorRequirement = {kNodeSelectorRequirementFields};

constexpr Field kNodeSelectorTermFields[] = {{1, "matchExpressions", Shape::kList, &kNodeSelectorRequirement},
                                             {2, "matchFields", Shape::kList, &kNodeSelectorRequirement}};
const Message kNodeSelectorTerm = {kNodeSelectorTermFields};

constexpr Field kNodeSelectorFields[] = {{1, "nodeSelectorTerms", Shape::kList, &kNodeSelectorTerm}};
const Message kNodeSelector = {kNodeSelectorFields};

constexpr Field kVolumeNodeAffinityFields[] = {{1, "required", Shape::kOne, &kNodeSelector}};
constexpr Message kVolumeNodeAffinity = {kVolumeNodeAffinityFields};

constexpr Field kPersistentVolumeSpecFields[] = {{1, "capacity", Shape::kMap, Type::kQuantity},
                                                 {2, &kPersistentVolumeSource},
                                                 {3, "accessModes", Shape::kList, Type::kString},
                                                 {4, "claimRef", Shape::kOne, &kObjectReference},
                                                 {5, "persistentVolumeReclaimPolicy", Shape::kOptional, Type::kString},
                                                 {6, "storageClassName", Shape::kOptional, Type::kString},
                                                 {7, "mountOptions", Shape::kList, Type::kString},
                                                 {8, "volumeMode", Shape::kOne, Type::kString},
                                                 {9, "nodeAffinity", Shape::kOne, &kVolumeNodeAffinity},
                                                 {10, "volumeAttributesClassName", Shape::kOne, Type::kString}};
constexpr Message kPersistentVolumeSpec = {kPersistentVolumeSpecFields};

constexpr Field kPersistentVolumeStatusFields[] = {{1, "phase", Shape::kOptional, Type::kString},
                                                   {2, "message", Shape::kOptional, Type::kString},
                                                   {3, "reason", Shape::kOptional, Type::kString},
                                                   {4, "lastPhaseTransitionTime", Shape::kOne, Type::kTime}};
constexpr Message kPersistentVolumeStatus = {kPersistentVolumeStatusFields};

constexpr Field kPersistentVolumeFields[] = {{1, "metadata", Shape::kOne, &kObjectMeta},
                                             {2, "spec", Shape::kOne, &kPersistentVolumeSpec},
                                             {3, "status", Shape::kOne, &kPersistentVolumeStatus}};
const Message kPersistentVolume = {kPersistentVolumeFields};

constexpr Field kEmptyDirVolumeSourceFields[] = {{1, "medium", Shape::kOptional, Type::kString},
                                                 {2, "sizeLimit", Shape::kOne, Type::kQuantity}};
constexpr Message kEmptyDirVolumeSource = {kEmptyDirVolumeSourceFields};

constexpr Field kGitRepoVolumeSourceFields[] = {{1, "repository", Shape::kOne, Type::kString},
                                                {2, "revision", Shape::kOptional, Type::kString},
                                                {3, "directory", Shape::kOptional, Type::kString}};
constexpr Message kGitRepoVolumeSource = {kGitRepoVolumeSourceFields};

constexpr Field kKeyToPathFields[] = {{1, "key", Shape::kOne, Type::kString},
                                      {2, "path", Shape::kOne, Type::kString},
                                      {3, "mode", Shape::kOne, Type::kInt}};
constexpr Message kKeyToPath = {kKeyToPathFields};

constexpr Field kSecretVolumeSourceFields[] = {{1, "secretName", Shape::kOptional, Type::kString},
                                               {2, "items", Shape::kList, &kKeyToPath},
                                               {3, "defaultMode", Shape::kOne, Type::kInt},
                                               {4, "optional", Shape::kOne, Type::kBool}};
constexpr Message kSecretVolumeSource = {kSecretVolumeSourceFields};

constexpr Field kISCSIVolumeSourceFields[] = {{1, "targetPortal", Shape::kOne, Type::kString},
                                              {2, "iqn", Shape::kOne, Type::kString},
                                              {3, "lun", Shape::kOne, Type::kInt},
                                              {4, "iscsiInterface", Shape::kOptional, Type::kString},
                                              {5, "fsType", Shape::kOptional, Type::kString},
                                              {6, "readOnly", Shape::kOptional, Type::kBool},
                                              {7, "portals", Shape::kList, Type::kString},
                                              {8, "chapAuthDiscovery", Shape::kOptional, Type::kBool},
                                              {10, "secretRef", Shape::kOne, &kLocalObjectReference},
                                              {11, "chapAuthSession", Shape::kOptional, Type::kBool},
                                              {12, "initiatorName", Shape::kOne, Type::kString}};
constexpr Message kISCSIVolumeSource = {kISCSIVolumeSourceFields};

constexpr Field kGlusterfsVolumeSourceFields[] = {{1, "endpoints", Shape::kOne, Type::kString},
                                                  {2, "path", Shape::kOne, Type::kString},
                                                  {3, "readOnly", Shape::kOptional, Type::kBool}};
constexpr Message kGlusterfsVolumeSource = {kGlusterfsVolumeSourceFields};

constexpr Field kPersistentVolumeClaimVolumeSourceFields[] = {{1, "claimName", Shape::kOne, Type::kString},
                                                              {2, "readOnly", Shape::kOptional, Type::kBool}};
constexpr Message kPersistentVolumeClaimVolumeSource = {kPersistentVolumeClaimVolumeSourceFields};

constexpr Field kRBDVolumeSourceFields[] = {
    {1, "monitors", Shape::kList, Type::kString},          {2, "image", Shape::kOne, Type::kString},
    {3, "fsType", Shape::kOptional, Type::kString},        {4, "pool", Shape::kOptional, Type::kString},
    {5, "user", Shape::kOptional, Type::kString},          {6, "keyring", Shape::kOptional, Type::kString},
    {7, "secretRef", Shape::kOne, &kLocalObjectReference}, {8, "readOnly", Shape::kOptional, Type::kBool}};
constexpr Message kRBDVolumeSource = {kRBDVolumeSourceFields};

constexpr Field kFlexVolumeSourceFields[] = {{1, "driver", Shape::kOne, Type::kString},
                                             {2, "fsType", Shape::kOptional, Type::kString},
                                             {3, "secretRef", Shape::kOne, &kLocalObjectReference},
                                             {4, "readOnly", Shape::kOptional, Type::kBool},
                                             {5, "options", Shape::kMap, Type::kString}};
constexpr Message kFlexVolumeSource = {kFlexVolumeSourceFields};

constexpr Field kCinderVolumeSourceFields[] = {{1, "volumeID", Shape::kOne, Type::kString},
                                               {2, "fsType", Shape::kOptional, Type::kString},
                                               {3, "readOnly", Shape::kOptional, Type::kBool},
                                               {4, "secretRef", Shape::kOne, &kLocalObjectReference}};
constexpr Message kCinderVolumeSource = {kCinderVolumeSourceFields};

constexpr Field kCephFSVolumeSourceFields[] = {
    {1, "monitors", Shape::kList, Type::kString},          {2, "path", Shape::kOptional, Type::kString},
    {3, "user", Shape::kOptional, Type::kString},          {4, "secretFile", Shape::kOptional, Type::kString},
    {5, "secretRef", Shape::kOne, &kLocalObjectReference}, {6, "readOnly", Shape::kOptional, Type::kBool}};
constexpr Message kCephFSVolumeSource = {kCephFSVolumeSourceFields};

constexpr Field kObjectFieldSelectorFields[] = {{1, "apiVersion", Shape::kOptional, Type::kString},
                                                {2, "fieldPath", Shape::kOne, Type::kString}};
const Message kObjectFieldSelector = {kObjectFieldSelectorFields};

constexpr Field kResourceFieldSelectorFields[] = {{1, "containerName", Shape::kOptional, Type::kString},
                                                  {2, "resource", Shape::kOne, Type::kString},
                                                  {3, "divisor", Shape::kOptional, Type::kQuantity}};
const Message kResourceFieldSelector = {kResourceFieldSelectorFields};

constexpr Field kDownwardAPIVolumeFileFields[] = {{1, "path", Shape::kOne, Type::kString},
                                                  {2, "fieldRef", Shape::kOne, &kObjectFieldSelector},
                                                  {3, "resourceFieldRef", Shape::kOne, &kResourceFieldSelector},
                                                  {4, "mode", Shape::kOne, Type::kInt}};
constexpr Message kDownwardAPIVolumeFile = {kDownwardAPIVolumeFileFields};

constexpr Field kDownwardAPIVolumeSourceFields[] = {{1, "items", Shape::kList, &kDownwardAPIVolumeFile},
                                                    {2, "defaultMode", Shape::kOne, Type::kInt}};
constexpr Message kDownwardAPIVolumeSource = {kDownwardAPIVolumeSourceFields};

constexpr Field kAzureFileVolumeSourceFields[] = {{1, "secretName", Shape::kOne, Type::kString},
                                                  {2, "shareName", Shape::kOne, Type::kString},
                                                  {3, "readOnly", Shape::kOptional, Type::kBool}};
constexpr Message kAzureFileVolumeSource = {kAzureFileVolumeSourceFields};

constexpr Field kConfigMapVolumeSourceFields[] = {{1, &kLocalObjectReference},
                                                  {2, "items", Shape::kList, &kKeyToPath},
                                                  {3, "defaultMode", Shape::kOne, Type::kInt},
                                                  {4, "optional", Shape::kOne, Type::kBool}};
constexpr Message kConfigMapVolumeSource = {kConfigMapVolumeSourceFields};

constexpr Field kSecretProjectionFields[] = {
    {1, &kLocalObjectReference}, {2, "items", Shape::kList, &kKeyToPath}, {4, "optional", Shape::kOne, Type::kBool}};
constexpr Message kSecretProjection = {kSecretProjectionFields};

constexpr Field kDownwardAPIProjectionFields[] = {{1, "items", Shape::kList, &kDownwardAPIVolumeFile}};
constexpr Message kDownwardAPIProjection = {kDownwardAPIProjectionFields};

constexpr Field kConfigMapProjectionFields[] = {
    {1, &kLocalObjectReference}, {2, "items", Shape::kList, &kKeyToPath}, {4, "optional", Shape::kOne, Type::kBool}};
constexpr Message kConfigMapProjection = {kConfigMapProjectionFields};

constexpr Field kServiceAccountTokenProjectionFields[] = {{1, "audience", Shape::kOptional, Type::kString},
                                                          {2, "expirationSeconds", Shape::kOne, Type::kInt},
                                                          {3, "path", Shape::kOne, Type::kString}};
constexpr Message kServiceAccountTokenProjection = {kServiceAccountTokenProjectionFields};

constexpr Field kClusterTrustBundleProjectionFields[] = {{1, "name", Shape::kOne, Type::kString},
                                                         {2, "signerName", Shape::kOne, Type::kString},
                                                         {3, "labelSelector", Shape::kOne, &kLabelSelector},
                                                         {4, "path", Shape::kOne, Type::kString},
                                                         {5, "optional", Shape::kOne, Type::kBool}};
constexpr Message kClusterTrustBundleProjection = {kClusterTrustBundleProjectionFields};

constexpr Field kVolumeProjectionFields[] = {{1, "secret", Shape::kOne, &kSecretProjection},
                                             {2, "downwardAPI", Shape::kOne, &kDownwardAPIProjection},
                                             {3, "configMap", Shape::kOne, &kConfigMapProjection},
                                             {4, "serviceAccountToken", Shape::kOne, &kServiceAccountTokenProjection},
                                             {5, "clusterTrustBundle", Shape::kOne, &kClusterTrustBundleProjection}};
constexpr Message kVolumeProjection = {kVolumeProjectionFields};

constexpr Field kProjectedVolumeSourceFields[] = {{1, "sources", Shape::kList, &kVolumeProjection},
                                                  {2, "defaultMode", Shape::kOne, Type::kInt}};
constexpr Message kProjectedVolumeSource = {kProjectedVolumeSourceFields};

constexpr Field kScaleIOVolumeSourceFields[] = {{1, "gateway", Shape::kOne, Type::kString},
                                                {2, "system", Shape::kOne, Type::kString},
                                                {3, "secretRef", Shape::kOne, &kLocalObjectReference},
                                                {4, "sslEnabled", Shape::kOptional, Type::kBool},
                                                {5, "protectionDomain", Shape::kOptional, Type::kString},
                                                {6, "storagePool", Shape::kOptional, Type::kString},
                                                {7, "storageMode", Shape::kOptional, Type::kString},
                                                {8, "volumeName", Shape::kOptional, Type::kString},
                                                {9, "fsType", Shape::kOptional, Type::kString},
                                                {10, "readOnly", Shape::kOptional, Type::kBool}};
constexpr Message kScaleIOVolumeSource = {kScaleIOVolumeSourceFields};

constexpr Field kStorageOSVolumeSourceFields[] = {{1, "volumeName", Shape::kOptional, Type::kString},
                                                  {2, "volumeNamespace", Shape::kOptional, Type::kString},
                                                  {3, "fsType", Shape::kOptional, Type::kString},
                                                  {4, "readOnly", Shape::kOptional, Type::kBool},
                                                  {5, "secretRef", Shape::kOne, &kLocalObjectReference}};
constexpr Message kStorageOSVolumeSource = {kStorageOSVolumeSourceFields};

constexpr Field kCSIVolumeSourceFields[] = {{1, "driver", Shape::kOne, Type::kString},
                                            {2, "readOnly", Shape::kOne, Type::kBool},
                                            {3, "fsType", Shape::kOne, Type::kString},
                                            {4, "volumeAttributes", Shape::kMap, Type::kString},
                                            {5, "nodePublishSecretRef", Shape::kOne, &kLocalObjectReference}};
constexpr Message kCSIVolumeSource = {kCSIVolumeSourceFields};

constexpr Field kPersistentVolumeClaimTemplateFields[] = {{1, "metadata", Shape::kOne, &kObjectMeta},
                                                          {2, "spec", Shape::kOne, &kPersistentVolumeClaimSpec}};
constexpr Message kPersistentVolumeClaimTemplate = {kPersistentVolumeClaimTemplateFields};

constexpr Field kEphemeralVolumeSourceFields[] = {
    {1, "volumeClaimTemplate", Shape::kOne, &kPersistentVolumeClaimTemplate}};
constexpr Message kEphemeralVolumeSource = {kEphemeralVolumeSourceFields};

constexpr Field kImageVolumeSourceFields[] = {{1, "reference", Shape::kOptional, Type::kString},
                                              {2, "pullPolicy", Shape::kOptional, Type::kString}};
constexpr Message kImageVolumeSource = {kImageVolumeSourceFields};

constexpr Field kVolumeSourceFields[] = {
    {1, "hostPath", Shape::kOne, &kHostPathVolumeSource},
    {2, "emptyDir", Shape::kOne, &kEmptyDirVolumeSource},
    {3, "gcePersistentDisk", Shape::kOne, &kGCEPersistentDiskVolumeSource},
    {4, "awsElasticBlockStore", Shape::kOne, &kAWSElasticBlockStoreVolumeSource},
    {5, "gitRepo", Shape::kOne, &kGitRepoVolumeSource},
    {6, "secret", Shape::kOne, &kSecretVolumeSource},
    {7, "nfs", Shape::kOne, &kNFSVolumeSource},
    {8, "iscsi", Shape::kOne, &kISCSIVolumeSource},
    {9, "glusterfs", Shape::kOne, &kGlusterfsVolumeSource},
    {10, "persistentVolumeClaim", Shape::kOne, &kPersistentVolumeClaimVolumeSource},
    {11, "rbd", Shape::kOne, &kRBDVolumeSource},
    {12, "flexVolume", Shape::kOne, &kFlexVolumeSource},
    {13, "cinder", Shape::kOne, &kCinderVolumeSource},
    {14, "cephfs", Shape::kOne, &kCephFSVolumeSource},
    {15, "flocker", Shape::kOne, &kFlockerVolumeSource},
    {16, "downwardAPI", Shape::kOne, &kDownwardAPIVolumeSource},
    {17, "fc", Shape::kOne, &kFCVolumeSource},
    {18, "azureFile", Shape::kOne, &kAzureFileVolumeSource},
    {19, "configMap", Shape::kOne, &kConfigMapVolumeSource},
    {20, "vsphereVolume", Shape::kOne, &kVsphereVirtualDiskVolumeSource},
    {21, "quobyte", Shape::kOne, &kQuobyteVolumeSource},
    {22, "azureDisk", Shape::kOne, &kAzureDiskVolumeSource},
    {23, "photonPersistentDisk", Shape::kOne, &kPhotonPersistentDiskVolumeSource},
    {24, "portworxVolume", Shape::kOne, &kPortworxVolumeSource},
    {25, "scaleIO", Shape::kOne, &kScaleIOVolumeSource},
    {26, "projected", Shape::kOne, &kProjectedVolumeSource},
    {27, "storageos", Shape::kOne, &kStorageOSVolumeSource},
    {28, "csi", Shape::kOne, &kCSIVolumeSource},
    {29, "ephemeral", Shape::kOne, &kEphemeralVolumeSource},
    {30, "image", Shape::kOne, &kImageVolumeSource}};
const Message kVolumeSource = {kVolumeSourceFields};

}  // namespace muster::apiserver::protobuf
