// apps/v1 Deployment. Numbers and names are those of Kubernetes 1.33.
#include "apiserver/protobuf/tables.h"

namespace muster::apiserver::protobuf {

constexpr Field kRollingUpdateFields[] = {{1, "maxUnavailable", Shape::kOne, Type::kIntOrString},
                                          {2, "maxSurge", Shape::kOne, Type::kIntOrString}};
constexpr Message kRollingUpdate = {kRollingUpdateFields};

constexpr Field kDeploymentStrategyFields[] = {{1, "type", Shape::kOptional, Type::kString},
                                               {2, "rollingUpdate", Shape::kOne, &kRollingUpdate}};
constexpr Message kDeploymentStrategy = {kDeploymentStrategyFields};

constexpr Field kDeploymentSpecFields[] = {{1, "replicas", Shape::kOne, Type::kInt},
                                           {2, "selector", Shape::kOne, &kLabelSelector},
                                           {3, "template", Shape::kOne, &kPodTemplateSpec},
                                           {4, "strategy", Shape::kOne, &kDeploymentStrategy},
                                           {5, "minReadySeconds", Shape::kOptional, Type::kInt},
                                           {6, "revisionHistoryLimit", Shape::kOne, Type::kInt},
                                           {7, "paused", Shape::kOptional, Type::kBool},
                                           {9, "progressDeadlineSeconds", Shape::kOne, Type::kInt}};
constexpr Message kDeploymentSpec = {kDeploymentSpecFields};

constexpr Field kDeploymentConditionFields[] = {
    {1, "type", Shape::kOne, Type::kString},         {2, "status", Shape::kOne, Type::kString},
    {4, "reason", Shape::kOptional, Type::kString},  {5, "message", Shape::kOptional, Type::kString},
    {6, "lastUpdateTime", Shape::kOne, Type::kTime}, {7, "lastTransitionTime", Shape::kOne, Type::kTime}};
constexpr Message kDeploymentCondition = {kDeploymentConditionFields};

constexpr Field kDeploymentStatusFields[] = {
    {1, "observedGeneration", Shape::kOptional, Type::kInt},  {2, "replicas", Shape::kOptional, Type::kInt},
    {3, "updatedReplicas", Shape::kOptional, Type::kInt},     {4, "availableReplicas", Shape::kOptional, Type::kInt},
    {5, "unavailableReplicas", Shape::kOptional, Type::kInt}, {6, "conditions", Shape::kList, &kDeploymentCondition},
    {7, "readyReplicas", Shape::kOptional, Type::kInt},       {8, "collisionCount", Shape::kOne, Type::kInt},
    {9, "terminatingReplicas", Shape::kOne, Type::kInt}};
constexpr Message kDeploymentStatus = {kDeploymentStatusFields};

constexpr Field kDeploymentFields[] = {{1, "metadata", Shape::kOne, &kObjectMeta},
                                       {2, "spec", Shape::kOne, &kDeploymentSpec},
                                       {3, "status", Shape::kOne, &kDeploymentStatus}};
const Message kDeployment = {kDeploymentFields};

}  // namespace muster::apiserver::protobuf
