// coordination.k8s.io, scheduling.k8s.io, authorization.k8s.io and authentication.k8s.io, all v1. Numbers and names are
// those of Kubernetes 1.33.
#include "apiserver/protobuf/tables.h"

namespace muster::apiserver::protobuf {

constexpr Field kLeaseSpecFields[] = {
    {1, "holderIdentity", Shape::kOne, Type::kString}, {2, "leaseDurationSeconds", Shape::kOne, Type::kInt},
    {3, "acquireTime", Shape::kOne, Type::kMicroTime}, {4, "renewTime", Shape::kOne, Type::kMicroTime},
    {5, "leaseTransitions", Shape::kOne, Type::kInt},  {6, "strategy", Shape::kOne, Type::kString},
    {7, "preferredHolder", Shape::kOne, Type::kString}};
constexpr Message kLeaseSpec = {kLeaseSpecFields};

constexpr Field kLeaseFields[] = {{1, "metadata", Shape::kOne, &kObjectMeta}, {2, "spec", Shape::kOne, &kLeaseSpec}};
const Message kLease = {kLeaseFields};

constexpr Field kPriorityClassFields[] = {{1, "metadata", Shape::kOne, &kObjectMeta},
                                          {2, "value", Shape::kOne, Type::kInt},
                                          {3, "globalDefault", Shape::kOptional, Type::kBool},
                                          {4, "description", Shape::kOptional, Type::kString},
                                          {5, "preemptionPolicy", Shape::kOne, Type::kString}};
const Message kPriorityClass = {kPriorityClassFields};

constexpr Field kFieldSelectorAttributesFields[] = {{1, "rawSelector", Shape::kOptional, Type::kString},
                                                    {2, "requirements", Shape::kList, &kFieldSelectorRequirement}};
constexpr Message kFieldSelectorAttributes = {kFieldSelectorAttributesFields};

constexpr Field kLabelSelectorAttributesFields[] = {{1, "rawSelector", Shape::kOptional, Type::kString},
                                                    {2, "requirements", Shape::kList, &kLabelSelectorRequirement}};
constexpr Message kLabelSelectorAttributes = {kLabelSelectorAttributesFields};

constexpr Field kResourceAttributesFields[] = {{1, "namespace", Shape::kOptional, Type::kString},
                                               {2, "verb", Shape::kOptional, Type::kString},
                                               {3, "group", Shape::kOptional, Type::kString},
                                               {4, "version", Shape::kOptional, Type::kString},
                                               {5, "resource", Shape::kOptional, Type::kString},
                                               {6, "subresource", Shape::kOptional, Type::kString},
                                               {7, "name", Shape::kOptional, Type::kString},
                                               {8, "fieldSelector", Shape::kOne, &kFieldSelectorAttributes},
                                               {9, "labelSelector", Shape::kOne, &kLabelSelectorAttributes}};
constexpr Message kResourceAttributes = {kResourceAttributesFields};

constexpr Field kNonResourceAttributesFields[] = {{1, "path", Shape::kOptional, Type::kString},
                                                  {2, "verb", Shape::kOptional, Type::kString}};
constexpr Message kNonResourceAttributes = {kNonResourceAttributesFields};

constexpr Field kSelfSubjectAccessReviewSpecFields[] = {
    {1, "resourceAttributes", Shape::kOne, &kResourceAttributes},
    {2, "nonResourceAttributes", Shape::kOne, &kNonResourceAttributes}};
constexpr Message kSelfSubjectAccessReviewSpec = {kSelfSubjectAccessReviewSpecFields};

constexpr Field kSelfSubjectAccessReviewFields[] = {{1, "metadata", Shape::kOne, &kObjectMeta},
                                                    {2, "spec", Shape::kOne, &kSelfSubjectAccessReviewSpec}};
const Message kSelfSubjectAccessReview = {kSelfSubjectAccessReviewFields};

constexpr Field kSelfSubjectRulesReviewSpecFields[] = {{1, "namespace", Shape::kOptional, Type::kString}};
constexpr Message kSelfSubjectRulesReviewSpec = {kSelfSubjectRulesReviewSpecFields};

constexpr Field kSelfSubjectRulesReviewFields[] = {{1, "metadata", Shape::kOne, &kObjectMeta},
                                                   {2, "spec", Shape::kOne, &kSelfSubjectRulesReviewSpec}};
const Message kSelfSubjectRulesReview = {kSelfSubjectRulesReviewFields};

constexpr Field kSelfSubjectReviewFields[] = {{1, "metadata", Shape::kOne, &kObjectMeta}};
const Message kSelfSubjectReview = {kSelfSubjectReviewFields};

}  // namespace muster::apiserver::protobuf
