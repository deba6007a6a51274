#include "apiserver/http/negotiation.h"

#include <gtest/gtest.h>

namespace muster::apiserver {
namespace {

Form form_of(std::string_view accept, std::string_view query = "") {
  auto form = negotiate_form(accept, *Query::parse(query));
  EXPECT_TRUE(form.has_value()) << accept;
  return form.value_or(Form{});
}

TEST(Negotiation, TheFirstThatIsServedWins) {
  EXPECT_EQ(form_of("").as, As::kObject);
  EXPECT_EQ(form_of("application/json").as, As::kObject);
  EXPECT_EQ(form_of("*/*").as, As::kObject);
  EXPECT_EQ(form_of("application/vnd.kubernetes.protobuf,application/json").as, As::kObject);
  const Form table = form_of(
      "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/"
      "json");
  EXPECT_EQ(table.as, As::kTable);
  EXPECT_EQ(table.version, "v1");
  EXPECT_EQ(form_of("application/json;as=Table;v=v9;g=meta.k8s.io, application/json").as, As::kObject);
  EXPECT_EQ(form_of("application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io").as, As::kPartialMetadata);
}

TEST(Negotiation, QualityOrders) {
  EXPECT_EQ(form_of("application/json;q=0.1, application/json;as=Table;v=v1;g=meta.k8s.io;q=0.9").as, As::kTable);
  EXPECT_FALSE(negotiate_form("application/json;q=0", Query()).has_value());
}

TEST(Negotiation, RowsCarryWhatWasAskedFor) {
  const char* table = "application/json;as=Table;v=v1;g=meta.k8s.io";
  EXPECT_EQ(form_of(table).row_object, RowObject::kMetadata);
  EXPECT_EQ(form_of(table, "includeObject=Object").row_object, RowObject::kFull);
  EXPECT_EQ(form_of(table, "includeObject=None").row_object, RowObject::kNone);
  EXPECT_EQ(negotiate_form(table, *Query::parse("includeObject=All")).error().reason, Reason::kBadRequest);
}

TEST(Negotiation, ProtobufAloneIsNotAcceptable) {
  EXPECT_EQ(negotiate_form("application/vnd.kubernetes.protobuf", Query()).error().reason, Reason::kNotAcceptable);
  EXPECT_EQ(negotiate_discovery("application/vnd.kubernetes.protobuf").error().reason, Reason::kNotAcceptable);
}

TEST(Negotiation, DiscoveryRepeatsWhatWasAskedFor) {
  const char* modern =
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
      "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";
  EXPECT_EQ(*negotiate_discovery(modern), DiscoveryForm::kV2);
  const char* older = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";
  EXPECT_EQ(*negotiate_discovery(older), DiscoveryForm::kV2Beta1);
  EXPECT_EQ(discovery_content_type(DiscoveryForm::kV2Beta1),
            "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList");
  EXPECT_EQ(*negotiate_discovery("application/json"), DiscoveryForm::kLegacy);
  EXPECT_EQ(*negotiate_discovery(""), DiscoveryForm::kLegacy);
}

TEST(Negotiation, OpenApiV2IsJsonUnlessProtobufIsAskedFor) {
  EXPECT_EQ(*negotiate_openapi_v2(""), OpenApiV2Form::kJson);
  EXPECT_EQ(*negotiate_openapi_v2("*/*"), OpenApiV2Form::kJson);
  const std::string_view kubectl = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
  EXPECT_EQ(*negotiate_openapi_v2(kubectl), OpenApiV2Form::kProtobuf);
  EXPECT_EQ(*negotiate_openapi_v2(openapi_v2_content_type(OpenApiV2Form::kProtobuf)), OpenApiV2Form::kProtobuf);
  EXPECT_EQ(*negotiate_openapi_v2("text/html, application/json;as=Table"), OpenApiV2Form::kJson);
  for (const char* accept : {"text/plain", "application/yaml", "application/vnd.kubernetes.protobuf", "garbage"}) {
    EXPECT_EQ(negotiate_openapi_v2(accept).error().reason, Reason::kNotAcceptable) << accept;
  }
}

}  // namespace
}  // namespace muster::apiserver
