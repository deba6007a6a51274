#include "web/jobs/job_pods.h"

#include <gmock/gmock.h>

#include "web/jobs/job_kind.h"

namespace muster::web {
namespace {

using ::testing::ElementsAre;

json::Document pod_of(const std::string& owner, const std::string& replica, int attempt) {
  const std::size_t dash = replica.find('-');
  return json::Object{
      {"metadata", json::Object{{"name", "mnist-" + replica},
                                {"uid", owner + "/" + replica + "/" + std::to_string(attempt)},
                                {"labels", json::Object{{"replica-type", replica.substr(0, dash)},
                                                        {"replica-index", replica.substr(dash + 1)},
                                                        {"muster.dev/attempt", std::to_string(attempt)}}},
                                {"ownerReferences", json::Array{json::Object{{"uid", owner}, {"controller", true}}}}}}};
}

node::PastPod past(const std::string& owner, const std::string& replica, int attempt) {
  return {.pod = pod_of(owner, replica, attempt), .has_log = true, .has_metrics = true};
}

json::Document list_of(json::Array pods) {
  return json::Object{{"items", std::move(pods)}};
}

json::Document job_with(const std::string& uid) {
  return *json::parse(R"({"apiVersion":"batch.tensorstack.dev/v1beta1","kind":"PyTorchTrainingJob","metadata":)"
                      R"({"name":"mnist","namespace":"default","uid":")" +
                      uid +
                      R"("},"spec":{"replicaSpecs":[{"type":"worker","replicas":2,"template":{"spec":)"
                      R"({"containers":[{"name":"pytorch","image":"i"}]}}},{"type":"ps","replicas":1,"template":)"
                      R"({"spec":{"containers":[{"name":"pytorch","image":"i"}]}}}]}})");
}

std::vector<std::string> uids(const std::vector<jobs::JobPod>& pods) {
  std::vector<std::string> out;
  for (const jobs::JobPod& one : pods)
    out.push_back(one.pod.string_at("metadata", "uid") + (one.exists ? "" : " past"));
  return out;
}

class JobPodsOf : public ::testing::Test {
 protected:
  JobPodsQuery query_{
      .kind = *find_job_kind("pytorchtrainingjobs.batch.tensorstack.dev"), .ns = "default", .name = "mnist"};
};

TEST_F(JobPodsOf, AJobAreThoseThatExistAndThoseThatAreGoneInRankOrder) {
  const auto found = assemble_job_pods(
      query_, job_with("job1"), list_of({pod_of("job1", "worker-1", 1), pod_of("stranger", "worker-9", 0)}),
      {.pods = {past("job0", "worker-0", 7), past("job1", "ps-0", 0), past("job1", "worker-1", 0),
                past("job1", "worker-0", 0), past("job1", "worker-1", 1)},
       .removed = {{"job1", 3}, {"job0", 9}}});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->known.uid, "job1");
  EXPECT_THAT(uids(found->known.pods),
              ElementsAre("job1/worker-0/0 past", "job1/worker-1/0 past", "job1/worker-1/1", "job1/ps-0/0 past"));
  EXPECT_EQ(found->known.removed, 3);
  EXPECT_THAT(found->known.others, ElementsAre("job0"));
  EXPECT_THAT(uids(jobs::pods_of_attempt(found->known.pods, {})),
              ElementsAre("job1/worker-0/0 past", "job1/worker-1/1", "job1/ps-0/0 past"));
  EXPECT_THAT(uids(jobs::pods_of_attempt(found->known.pods, 0)),
              ElementsAre("job1/worker-0/0 past", "job1/worker-1/0 past", "job1/ps-0/0 past"));
  EXPECT_TRUE(jobs::pods_of_attempt(found->known.pods, 5).empty());
}

TEST_F(JobPodsOf, ADeletedJobAreThoseOfTheNewestOfItsName) {
  const node::PastPods known{.pods = {past("job1", "worker-0", 0), past("job2", "worker-0", 0)}, .removed = {}};
  const auto newest = assemble_job_pods(query_, {}, list_of({}), known);
  ASSERT_TRUE(newest);
  EXPECT_EQ(newest->known.uid, "job2");
  EXPECT_TRUE(newest->job.is_null());
  EXPECT_THAT(newest->known.others, ElementsAre("job1"));

  query_.uid = "job1";
  const auto older = assemble_job_pods(query_, job_with("job3"), list_of({}), known);
  ASSERT_TRUE(older);
  EXPECT_TRUE(older->job.is_null()) << "the job that exists is another one";
  EXPECT_THAT(uids(older->known.pods), ElementsAre("job1/worker-0/0 past"));
}

TEST_F(JobPodsOf, AJobThatWasMadeAgainAreItsOwn) {
  const auto found =
      assemble_job_pods(query_, job_with("job2"), list_of({}), {.pods = {past("job1", "worker-0", 0)}, .removed = {}});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->known.pods.empty());
  EXPECT_THAT(found->known.others, ElementsAre("job1"));
}

TEST_F(JobPodsOf, AnUnknownJobIsNotFound) {
  const auto nothing = assemble_job_pods(query_, {}, list_of({}), {});
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().reason, Reason::kNotFound);
  query_.uid = "other";
  EXPECT_EQ(assemble_job_pods(query_, job_with("job1"), list_of({}), {}).error().reason, Reason::kNotFound);
}

}  // namespace
}  // namespace muster::web
