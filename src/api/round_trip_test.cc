// Properties of every kind, over random documents of it.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "api/kubedl/cron_v1alpha1.h"
#include "api/kubeflow/kubeflow_v1.h"
#include "api/kubernetes/apiextensions_v1.h"
#include "api/kubernetes/apps_v1.h"
#include "api/kubernetes/core_v1.h"
#include "api/kubernetes/quota_v1.h"
#include "api/kubernetes/records_v1.h"
#include "api/tensorstack/tensorstack_jobs_v1beta1.h"
#include "reflect/reflect.h"
#include "testing/random_document.h"
#include "testing/seeded_rng.h"

namespace muster::api {
namespace {

constexpr std::uint64_t kSeeds = 200;

json::Document document_of(const reflect::TypeDesc& type, std::uint64_t seed) {
  muster::testing::SeededRng rng(seed);
  return DocumentMaker(rng).make(type);
}

void add_rule_messages(const reflect::TypeDesc& type, std::set<std::string>& out) {
  for (const reflect::Rule& rule : type.rules) out.insert(rule.message);
  if (type.element != nullptr) add_rule_messages(type.element(), out);
  for (const reflect::FieldDesc& field : type.fields) add_rule_messages(field.type(), out);
}

/// Problems of single fields; random documents do not obey rules over several fields.
std::vector<FieldCause> faults(const reflect::TypeDesc& type, const json::Document& document) {
  static std::map<const reflect::TypeDesc*, std::set<std::string>> known;
  const auto [at, is_new] = known.try_emplace(&type);
  if (is_new) add_rule_messages(type, at->second);
  const std::set<std::string>& rules = at->second;
  std::vector<FieldCause> causes = reflect::validate(type, document);
  std::erase_if(causes, [&](const FieldCause& cause) {
    return std::ranges::any_of(rules, [&](const std::string& rule) { return cause.message.ends_with(rule); });
  });
  return causes;
}

template <typename T>
class EveryKind : public ::testing::Test {};

using Kinds = ::testing::Types<Namespace, Pod, Service, ConfigMap, Secret, Event, Node, PersistentVolumeClaim,
                               ServiceAccount, PersistentVolume, Lease, PriorityClass, PyTorchTrainingJob, PyTorchJob,
                               TensorFlowTrainingJob, XGBoostTrainingJob, TensorStackMpiJob, GenericJob, TFJob,
                               KubeflowMpiJob, TensorBoard, Notebook, Queue, PodGroup, Cron, ResourceQuota, Deployment,
                               CustomResourceDefinition, NodeMetrics, PodMetrics>;
TYPED_TEST_SUITE(EveryKind, Kinds);

TYPED_TEST(EveryKind, DecodingAndEncodingGivesBackTheDocument) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const json::Document document = document_of(reflect::type_of<TypeParam>(), seed);
    const auto decoded = reflect::decode<TypeParam>(document);
    ASSERT_TRUE(decoded.has_value()) << "seed " << seed << ": " << decoded.error().message;
    const json::Document encoded = reflect::encode(*decoded);
    ASSERT_TRUE(encoded == document) << "seed " << seed << "\n"
                                     << json::serialize_pretty(document) << "\n"
                                     << json::serialize_pretty(encoded);
  }
}

TYPED_TEST(EveryKind, ValidDocumentsPassAndHaveNothingUnknown) {
  const reflect::TypeDesc& type = reflect::type_of<TypeParam>();
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const json::Document document = document_of(type, seed);
    const auto causes = faults(type, document);
    ASSERT_TRUE(causes.empty()) << "seed " << seed << ": " << causes[0].field << ": " << causes[0].message;
    const auto unknown = reflect::unknown_fields(type, document);
    ASSERT_TRUE(unknown.empty()) << "seed " << seed << ": " << unknown[0].path;
    json::Document pruned = document;
    reflect::prune(type, pruned);
    ASSERT_TRUE(pruned == document) << "seed " << seed;
  }
}

TYPED_TEST(EveryKind, DefaultsAreValidAndSettingThemTwiceIsSettingThemOnce) {
  const reflect::TypeDesc& type = reflect::type_of<TypeParam>();
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    json::Document once = document_of(type, seed);
    reflect::apply_defaults(type, once);
    ASSERT_TRUE(faults(type, once).empty()) << "seed " << seed;
    ASSERT_TRUE(reflect::unknown_fields(type, once).empty()) << "seed " << seed;
    json::Document twice = once;
    reflect::apply_defaults(type, twice);
    ASSERT_TRUE(twice == once) << "seed " << seed;
  }
}

TYPED_TEST(EveryKind, AMemberMoreIsUnknownAndPruned) {
  const reflect::TypeDesc& type = reflect::type_of<TypeParam>();
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const json::Document document = document_of(type, seed);
    json::Document wrong = document;
    wrong["zzzNobodyKnows"] = 1;
    const auto unknown = reflect::unknown_fields(type, wrong);
    ASSERT_EQ(unknown.size(), 1u);
    EXPECT_EQ(unknown[0].path, "zzzNobodyKnows");
    if (type.open) continue;
    reflect::prune(type, wrong);
    ASSERT_TRUE(wrong == document) << "seed " << seed;
  }
}

}  // namespace
}  // namespace muster::api
