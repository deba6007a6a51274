// The kinds of authorization.k8s.io/v1 and authentication.k8s.io/v1 by which clients ask about themselves, and for
// tokens. They are questions, not objects: they are answered and never stored.
#pragma once

#include "api/kubernetes/core_v1.h"
#include "api/kubernetes/meta_v1.h"

namespace muster::api {

struct ResourceAttributes {
  std::string ns;  // "namespace"
  std::string verb;
  std::string group;
  std::string version;
  std::string resource;
  std::string subresource;
  std::string name;
  json::Document rest;  // fieldSelector, labelSelector
};
struct NonResourceAttributes {
  std::string path;
  std::string verb;
};
struct SelfSubjectAccessReviewSpec {
  std::optional<ResourceAttributes> resource_attributes;
  std::optional<NonResourceAttributes> non_resource_attributes;
};
struct SelfSubjectAccessReview {
  ObjectMeta metadata;
  SelfSubjectAccessReviewSpec spec;
  json::Document status;
};

struct SelfSubjectRulesReviewSpec {
  std::string ns;  // "namespace"
};
struct SelfSubjectRulesReview {
  ObjectMeta metadata;
  SelfSubjectRulesReviewSpec spec;
  json::Document status;
};

struct SelfSubjectReview {
  ObjectMeta metadata;
  json::Document status;
};

struct TokenRequestSpec {
  std::vector<std::string> audiences;
  std::int64_t expiration_seconds = 0;
  std::optional<ObjectReference> bound_object_ref;
};
/// Asked for at serviceaccounts/NAME/token.
struct TokenRequest {
  ObjectMeta metadata;
  TokenRequestSpec spec;
  json::Document status;
};

}  // namespace muster::api

// Descriptors of these types.
namespace muster::reflect {

TypeDesc describe(Of<api::ResourceAttributes>);
TypeDesc describe(Of<api::NonResourceAttributes>);
TypeDesc describe(Of<api::SelfSubjectAccessReviewSpec>);
TypeDesc describe(Of<api::SelfSubjectAccessReview>);
TypeDesc describe(Of<api::SelfSubjectRulesReviewSpec>);
TypeDesc describe(Of<api::SelfSubjectRulesReview>);
TypeDesc describe(Of<api::SelfSubjectReview>);
TypeDesc describe(Of<api::TokenRequestSpec>);
TypeDesc describe(Of<api::TokenRequest>);

}  // namespace muster::reflect
