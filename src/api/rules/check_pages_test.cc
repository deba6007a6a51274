// The exact texts of errors for TensorBoards and Notebooks.
#include <gmock/gmock.h>

#include "api/resource.h"
#include "json/yaml.h"

namespace muster::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> problems(const std::string& kind, const std::string& spec) {
  const auto parsed = json::parse_yaml("{metadata: {name: p}, spec: " + spec + "}");
  if (!parsed) return {parsed.error().message};
  std::vector<std::string> out;
  for (const FieldCause& cause : find_kind("tensorstack.dev/v1beta1", kind)->check(parsed->front().value)) {
    out.push_back(cause.field + ": " + cause.message);
  }
  return out;
}

/// A Notebook whose containers mount the volume `home` at these paths.
std::string notebook(const std::string& volumes, const std::string& path, const std::string& path_of_other,
                     const std::string& rest = "") {
  const auto mounted = [](const std::string& at) {
    return at.empty() ? std::string() : ", volumeMounts: [{name: home, mountPath: " + at + "}]";
  };
  return "{template: {spec: {containers: [{name: other, image: i" + mounted(path_of_other) +
         "}, {name: notebook, image: i" + mounted(path) + "}], volumes: [{name: home, emptyDir: {}}" + volumes + "]}}" +
         rest + "}";
}

TEST(CheckNotebook, AQueueMustBeALabel) {
  const auto with_queue = [](const std::string& queue) {
    return problems("Notebook", notebook("", "/home", "", ", scheduler: {t9kScheduler: {queue: " + queue + "}}"));
  };
  EXPECT_THAT(with_queue("small"), IsEmpty());
  EXPECT_THAT(with_queue("''"), IsEmpty());
  EXPECT_THAT(with_queue("'no label!'"),
              ElementsAre(HasSubstr("spec.scheduler.t9kScheduler.queue: Invalid value: \"no label!\": a valid label "
                                    "must be an empty string or consist of alphanumeric characters")));
  EXPECT_THAT(with_queue(std::string(64, 'q')), ElementsAre(HasSubstr("must be no more than 63 characters")));
}

TEST(CheckNotebook, TheVolumeOfTheTokenIsTaken) {
  EXPECT_THAT(
      problems("Notebook", notebook(", {name: notebook-token, emptyDir: {}}", "/home", "")),
      ElementsAre("spec.template.spec.volumes[1].name: Invalid value: \"notebook-token\": is the volume with the "
                  "token of the notebook; give this one another name"));
}

TEST(CheckNotebook, TheFolderOfTheTokenIsTakenInItsContainer) {
  for (const std::string path : {"/run/notebook-token", "/run/./notebook-token//", "/run/notebook-token/more"}) {
    EXPECT_THAT(
        problems("Notebook", notebook("", path, "")),
        ElementsAre("spec.template.spec.containers[1].volumeMounts[0].mountPath: Invalid value: \"" + path +
                    "\": must not be at or below /run/notebook-token, where the token of the notebook is; mount "
                    "it elsewhere"));
    EXPECT_THAT(problems("Notebook", notebook("", "", path)), IsEmpty());
  }
  EXPECT_THAT(problems("Notebook", notebook("", "/run/notebook-tokens", "")), IsEmpty());
}

TEST(CheckTensorBoard, ItsClaimsAndAmountsMakeAPod) {
  EXPECT_THAT(problems("TensorBoard", "{logDir: {pvc: [{name: mnist}]}, resources: {limits: {cpu: 1}}}"), IsEmpty());
  EXPECT_THAT(problems("TensorBoard", "{logDir: {pvc: [{name: ../etc}]}}"),
              ElementsAre(HasSubstr("spec.logDir.pvc[0].name: Invalid value: \"../etc\": a lowercase RFC 1123")));
  EXPECT_THAT(problems("TensorBoard", "{logDir: {pvc: [{name: ''}]}}"),
              ElementsAre(HasSubstr("spec.logDir.pvc[0].name: Required value")));
  EXPECT_THAT(problems("TensorBoard", "{resources: {limits: {cpu: -1}}}"),
              ElementsAre(HasSubstr("spec.resources.limits[cpu]: Invalid value: \"-1\"")));
}

}  // namespace
}  // namespace muster::api
