#include "api/resource.h"

#include <gmock/gmock.h>

#include <set>

namespace muster::api {
namespace {

TEST(Resources, AreFoundByWhatPeopleType) {
  for (const char* word : {"pods", "pod", "po", "Pod", "POD"}) {
    ASSERT_NE(find_typed(word), nullptr) << word;
    EXPECT_EQ(find_typed(word)->kind, "Pod");
  }
  for (const char* word : {"pj", "pytorchtrainingjobs", "PyTorchTrainingJob", "pj.batch.tensorstack.dev",
                           "pytorchtrainingjobs.v1beta1.batch.tensorstack.dev"}) {
    ASSERT_NE(find_typed(word), nullptr) << word;
    EXPECT_EQ(find_typed(word)->kind, "PyTorchTrainingJob");
  }
  EXPECT_EQ(find_typed("pytorchjobs.kubeflow.org")->kind, "PyTorchJob");
  for (const char* word : {"", "pods.kubeflow.org", "pytorchjobs.batch.tensorstack.dev", "jobs", "pods."}) {
    EXPECT_EQ(find_typed(word), nullptr) << word;
  }
}

TEST(Resources, AreFoundByPathAndByKind) {
  EXPECT_EQ(find_resource("", "v1", "persistentvolumeclaims")->kind, "PersistentVolumeClaim");
  EXPECT_EQ(find_resource("", "v2", "pods"), nullptr);
  EXPECT_EQ(find_kind("kubeflow.org/v1", "PyTorchJob")->plural, "pytorchjobs");
  EXPECT_EQ(find_kind("v1", "PyTorchJob"), nullptr);
}

TEST(Resources, SayTheSameAsTheirDescriptors) {
  std::set<std::string> names;
  for (const Resource& r : resources()) {
    EXPECT_EQ(names.insert(r.qualified_name()).second, r.is_storage) << r.qualified_name();
    EXPECT_EQ(&storage_version(r), versions_of(r).front());
    ASSERT_TRUE(r.type->is_root()) << r.kind;
    EXPECT_EQ(r.type->fields[0].constant, r.api_version());
    EXPECT_EQ(r.type->fields[1].constant, r.kind);
    // A review returns its result in the status. It is not stored, so its status is not a subresource.
    const bool only_asked = r.verbs == std::vector<std::string>{"create"};
    EXPECT_EQ(r.has_status, r.type->field("status") != nullptr && !only_asked) << r.kind;
    EXPECT_EQ(r.built_in, r.group.empty() || r.group == "apps" || r.group.ends_with(".k8s.io")) << r.kind;
  }
}

}  // namespace
}  // namespace muster::api
