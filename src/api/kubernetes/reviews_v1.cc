#include "api/kubernetes/reviews_v1.h"

#include "api/kubernetes/kubernetes_fields.h"
#include "reflect/describe.h"

namespace muster::reflect {

using namespace api;  // NOLINT(google-build-using-namespace): this file describes nothing else

TypeDesc describe(Of<ResourceAttributes>) {
  return object<ResourceAttributes>(
             "ResourceAttributes", "Something that can be done to objects.",
             field<&ResourceAttributes::ns>("namespace", "Namespace of the objects; empty for all."),
             field<&ResourceAttributes::verb>("verb", "What would be done: get, list, create and so on."),
             field<&ResourceAttributes::group>("group", "API group of the objects."),
             field<&ResourceAttributes::version>("version", "Version of the API group."),
             field<&ResourceAttributes::resource>("resource", "Plural name of the kind."),
             field<&ResourceAttributes::subresource>("subresource", "Part of the object, such as status."),
             field<&ResourceAttributes::name>("name", "Name of the object; empty for all."))
      .open<&ResourceAttributes::rest>(field_names(kubernetes::message_named("ResourceAttributes")));
}

TypeDesc describe(Of<NonResourceAttributes>) {
  return object<NonResourceAttributes>("NonResourceAttributes", "A request that is not about objects.",
                                       field<&NonResourceAttributes::path>("path", "Path of the request."),
                                       field<&NonResourceAttributes::verb>("verb", "HTTP method in lower case."));
}

TypeDesc describe(Of<SelfSubjectAccessReviewSpec>) {
  return object<SelfSubjectAccessReviewSpec>("SelfSubjectAccessReviewSpec", "What the client would like to do.",
                                             field<&SelfSubjectAccessReviewSpec::resource_attributes>(
                                                 "resourceAttributes", "Verb, group and resource of what it would do."),
                                             field<&SelfSubjectAccessReviewSpec::non_resource_attributes>(
                                                 "nonResourceAttributes", "Verb and path of what it would do."));
}

TypeDesc describe(Of<SelfSubjectAccessReview>) {
  return root<SelfSubjectAccessReview>("authorization.k8s.io/v1", "SelfSubjectAccessReview",
                                       "Asks whether the client may do something.",
                                       field<&SelfSubjectAccessReview::metadata>("metadata", "Not used."),
                                       field<&SelfSubjectAccessReview::spec>("spec", "What the client would do."),
                                       field<&SelfSubjectAccessReview::status>("status", "Whether it may."));
}

TypeDesc describe(Of<SelfSubjectRulesReviewSpec>) {
  return object<SelfSubjectRulesReviewSpec>(
      "SelfSubjectRulesReviewSpec", "Where the client would like to do things.",
      field<&SelfSubjectRulesReviewSpec::ns>("namespace", "Namespace that is asked about."));
}

TypeDesc describe(Of<SelfSubjectRulesReview>) {
  return root<SelfSubjectRulesReview>("authorization.k8s.io/v1", "SelfSubjectRulesReview",
                                      "Asks what the client may do in a namespace.",
                                      field<&SelfSubjectRulesReview::metadata>("metadata", "Not used."),
                                      field<&SelfSubjectRulesReview::spec>("spec", "Where the client would do it."),
                                      field<&SelfSubjectRulesReview::status>("status", "What it may do there."));
}

TypeDesc describe(Of<SelfSubjectReview>) {
  return root<SelfSubjectReview>("authentication.k8s.io/v1", "SelfSubjectReview",
                                 "Asks as whom the server sees the client.",
                                 field<&SelfSubjectReview::metadata>("metadata", "Not used."),
                                 field<&SelfSubjectReview::status>("status", "Name and groups of the client."));
}

TypeDesc describe(Of<TokenRequestSpec>) {
  return object<TokenRequestSpec>(
      "TokenRequestSpec", "What the token is for.",
      field<&TokenRequestSpec::audiences>("audiences", "Audiences that accept the token; empty for this server."),
      field<&TokenRequestSpec::expiration_seconds>("expirationSeconds", "How long the token is valid.")
          .default_value(3600)
          .min(600)
          .max(std::int64_t{1} << 32),
      field<&TokenRequestSpec::bound_object_ref>("boundObjectRef", "Pod without which the token is worth nothing."));
}

TypeDesc describe(Of<TokenRequest>) {
  return root<TokenRequest>("authentication.k8s.io/v1", "TokenRequest", "Asks for a token of a service account.",
                            field<&TokenRequest::metadata>("metadata", "Not used."),
                            field<&TokenRequest::spec>("spec", "What the token is for."),
                            field<&TokenRequest::status>("status", "The token, and when it expires."));
}

}  // namespace muster::reflect
