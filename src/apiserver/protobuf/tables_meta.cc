// What every object has, and the options of a deletion. Numbers and names are those of Kubernetes 1.33.
#include "apiserver/protobuf/tables.h"

namespace muster::apiserver::protobuf {

constexpr Field kPreconditionsFields[] = {{1, "uid", Shape::kOne, Type::kString},
                                          {2, "resourceVersion", Shape::kOne, Type::kString}};
constexpr Message kPreconditions = {kPreconditionsFields};

constexpr Field kDeleteOptionsFields[] = {
    {1, "gracePeriodSeconds", Shape::kOne, Type::kInt},
    {2, "preconditions", Shape::kOne, &kPreconditions},
    {3, "orphanDependents", Shape::kOne, Type::kBool},
    {4, "propagationPolicy", Shape::kOne, Type::kString},
    {5, "dryRun", Shape::kList, Type::kString},
    {6, "ignoreStoreReadErrorWithClusterBreakingPotential", Shape::kOne, Type::kBool}};
const Message kDeleteOptions = {kDeleteOptionsFields};

constexpr Field kOwnerReferenceFields[] = {
    {1, "kind", Shape::kOne, Type::kString},     {3, "name", Shape::kOne, Type::kString},
    {4, "uid", Shape::kOne, Type::kString},      {5, "apiVersion", Shape::kOne, Type::kString},
    {6, "controller", Shape::kOne, Type::kBool}, {7, "blockOwnerDeletion", Shape::kOne, Type::kBool}};
constexpr Message kOwnerReference = {kOwnerReferenceFields};

constexpr Field kManagedFieldsEntryFields[] = {
    {1, "manager", Shape::kOptional, Type::kString},    {2, "operation", Shape::kOptional, Type::kString},
    {3, "apiVersion", Shape::kOptional, Type::kString}, {4, "time", Shape::kOne, Type::kTime},
    {6, "fieldsType", Shape::kOptional, Type::kString}, {7, "fieldsV1", Shape::kOne, Type::kFields},
    {8, "subresource", Shape::kOptional, Type::kString}};
constexpr Message kManagedFieldsEntry = {kManagedFieldsEntryFields};

constexpr Field kObjectMetaFields[] = {{1, "name", Shape::kOptional, Type::kString},
                                       {2, "generateName", Shape::kOptional, Type::kString},
                                       {3, "namespace", Shape::kOptional, Type::kString},
                                       {4, "selfLink", Shape::kOptional, Type::kString},
                                       {5, "uid", Shape::kOptional, Type::kString},
                                       {6, "resourceVersion", Shape::kOptional, Type::kString},
                                       {7, "generation", Shape::kOptional, Type::kInt},
                                       {8, "creationTimestamp", Shape::kOptional, Type::kTime},
                                       {9, "deletionTimestamp", Shape::kOne, Type::kTime},
                                       {10, "deletionGracePeriodSeconds", Shape::kOne, Type::kInt},
                                       {11, "labels", Shape::kMap, Type::kString},
                                       {12, "annotations", Shape::kMap, Type::kString},
                                       {13, "ownerReferences", Shape::kList, &kOwnerReference},
                                       {14, "finalizers", Shape::kList, Type::kString},
                                       {17, "managedFields", Shape::kList, &kManagedFieldsEntry}};
const Message kObjectMeta = {kObjectMetaFields};

constexpr Field kConditionFields[] = {{1, "type", Shape::kOne, Type::kString},
                                      {2, "status", Shape::kOne, Type::kString},
                                      {3, "observedGeneration", Shape::kOptional, Type::kInt},
                                      {4, "lastTransitionTime", Shape::kOne, Type::kTime},
                                      {5, "reason", Shape::kOne, Type::kString},
                                      {6, "message", Shape::kOne, Type::kString}};
const Message kCondition = {kConditionFields};

constexpr Field kLabelSelectorRequirementFields[] = {{1, "key", Shape::kOne, Type::kString},
                                                     {2, "operator", Shape::kOne, Type::kString},
                                                     {3, "values", Shape::kList, Type::kString}};
const Message kLabelSelectorRequirement = {kLabelSelectorRequirementFields};

constexpr Field kLabelSelectorFields[] = {{1, "matchLabels", Shape::kMap, Type::kString},
                                          {2, "matchExpressions", Shape::kList, &kLabelSelectorRequirement}};
const Message kLabelSelector = {kLabelSelectorFields};

constexpr Field kFieldSelectorRequirementFields[] = {{1, "key", Shape::kOne, Type::kString},
                                                     {2, "operator", Shape::kOne, Type::kString},
                                                     {3, "values", Shape::kList, Type::kString}};
const Message kFieldSelectorRequirement = {kFieldSelectorRequirementFields};

}  // namespace muster::apiserver::protobuf
