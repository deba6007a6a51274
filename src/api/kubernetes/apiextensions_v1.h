// apiextensions.k8s.io/v1: the parts of CustomResourceDefinition that are read; and metrics.k8s.io/v1beta1.
#pragma once

#include "api/kubernetes/core_v1.h"

namespace muster::api {

struct DefinitionNames {
  std::string plural;
  std::string singular;
  std::string kind;
  std::string list_kind;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
};
struct DefinitionVersion {
  std::string name;
  bool served = false;
  bool storage = false;
  json::Document rest;  // schema, subresources, additionalPrinterColumns, …
};
struct CustomResourceDefinitionSpec {
  std::string group;
  DefinitionNames names;
  std::string scope;
  std::vector<DefinitionVersion> versions;
  json::Document rest;  // conversion, preserveUnknownFields
};
struct CustomResourceDefinitionStatus {
  std::vector<Condition> conditions;  // Established, NamesAccepted
  std::optional<DefinitionNames> accepted_names;
  std::vector<std::string> stored_versions;
};
struct CustomResourceDefinition {
  ObjectMeta metadata;
  CustomResourceDefinitionSpec spec;
  CustomResourceDefinitionStatus status;
};

struct NodeMetrics {
  ObjectMeta metadata;
  std::optional<Time> timestamp;
  std::string window;
  ResourceList usage;
};
struct ContainerMetrics {
  std::string name;
  ResourceList usage;
};
struct PodMetrics {
  ObjectMeta metadata;
  std::optional<Time> timestamp;
  std::string window;
  std::vector<ContainerMetrics> containers;
};

}  // namespace muster::api

// Descriptors of these types.
namespace muster::reflect {

TypeDesc describe(Of<api::DefinitionNames>);
TypeDesc describe(Of<api::DefinitionVersion>);
TypeDesc describe(Of<api::CustomResourceDefinitionSpec>);
TypeDesc describe(Of<api::CustomResourceDefinitionStatus>);
TypeDesc describe(Of<api::CustomResourceDefinition>);
TypeDesc describe(Of<api::NodeMetrics>);
TypeDesc describe(Of<api::ContainerMetrics>);
TypeDesc describe(Of<api::PodMetrics>);

}  // namespace muster::reflect
