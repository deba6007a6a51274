#include <gmock/gmock.h>

#include "api/muster/names.h"
#include "testing/command_run.h"

namespace muster::cli {
namespace {

using ::testing::HasSubstr;

constexpr const char* kBoards = "/apis/tensorstack.dev/v1beta1/namespaces/default/tensorboards/";
constexpr const char* kLink = "/apis/muster.dev/v1/namespaces/default/tensorboards/mnist-12345/link";

class TensorBoardCommand : public ::testing::Test {
 protected:
  void put_board(const std::string& phase, bool suspend = false) {
    json::Document board = make_object("tensorstack.dev/v1beta1", "TensorBoard", "mnist-12345");
    board["metadata"]["labels"][api::kOwnerNameLabel] = "mnist";
    board["spec"]["suspend"] = suspend;
    board["status"]["phase"] = phase;
    board["status"]["conditions"] =
        json::Array{json::Object{{"type", "Ready"}, {"status", "False"}, {"message", "there is no tensorboard"}}};
    run_.server.put(kBoards + std::string("mnist-12345"), board);
    run_.server.refuse("POST", kLink, 200, json::Object{{"url", "http://127.0.0.1:1/tb/?token=t"}});
  }
  int run(const std::vector<std::string>& args) {
    return run_.run(make_tensorboard([this](const std::string& url) { opened_ = url; }), args);
  }

  CommandRun run_;
  std::string opened_;
};

TEST_F(TensorBoardCommand, PrintsTheLinkOfAJobsTensorBoardAndOpensItOnATerminal) {
  put_board("Running");
  run_.terminal = true;
  EXPECT_EQ(run({"pj/mnist"}), kExitOk) << run_.err;
  EXPECT_EQ(run_.out, "http://127.0.0.1:1/tb/?token=t\n");
  EXPECT_EQ(opened_, "http://127.0.0.1:1/tb/?token=t");
}

TEST_F(TensorBoardCommand, OpensNothingInAPipeOrWhenToldSo) {
  put_board("Running");
  EXPECT_EQ(run({"mnist-12345"}), kExitOk) << run_.err;
  EXPECT_EQ(opened_, "");
  put_board("Running");
  run_.terminal = true;
  EXPECT_EQ(run({"mnist", "--no-open"}), kExitOk) << run_.err;
  EXPECT_EQ(opened_, "");
}

TEST_F(TensorBoardCommand, ResumesASuspendedOne) {
  put_board("Suspended", true);
  EXPECT_EQ(run({"mnist"}), kExitOk) << run_.err;
  EXPECT_THAT(run_.err, HasSubstr("resuming TensorBoard mnist-12345"));
  EXPECT_FALSE(run_.server.find(kBoards + std::string("mnist-12345"))->bool_at("spec", "suspend"));
}

TEST_F(TensorBoardCommand, SaysWhyThereIsNone) {
  EXPECT_EQ(run({"mnist"}), kExitNotFound);
  EXPECT_THAT(run_.err, HasSubstr("there is no TensorBoard \"mnist\", and no job \"mnist\" that has one"));
  put_board("Failed");
  EXPECT_EQ(run({"mnist"}), kExitFailed);
  EXPECT_THAT(run_.err, HasSubstr("why: there is no tensorboard"));
  EXPECT_EQ(run({}), kExitUsage);
}

TEST_F(TensorBoardCommand, SaysHowAJobOfEachOriginGetsOne) {
  json::Document job = make_object("batch.tensorstack.dev/v1beta1", "PyTorchTrainingJob", "own");
  run_.server.put("/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs/own", job);
  EXPECT_EQ(run({"own"}), kExitNotFound);
  EXPECT_THAT(run_.err, HasSubstr("muster explain pj.spec.tensorboardSpec"));
  job = make_object("kubeflow.org/v1", "PyTorchJob", "submitted");
  job["metadata"]["labels"]["release"] = "submitted";
  run_.server.put("/apis/kubeflow.org/v1/namespaces/default/pytorchjobs/submitted", job);
  EXPECT_EQ(run({"submitted"}), kExitNotFound);
  EXPECT_THAT(run_.err, HasSubstr("submit it with arena's --tensorboard"));
}

class TensorBoardService : public TensorBoardCommand {
 protected:
  void put_service(const std::string& name, int port) {
    json::Document service = make_object("v1", "Service", name);
    service["metadata"]["labels"]["role"] = "tensorboard";
    service["spec"]["ports"] = json::Array{json::Object{{"port", port}}};
    run_.server.put("/api/v1/namespaces/default/services/" + name, service);
  }
};

TEST_F(TensorBoardService, OfAJobOfArenaIsFound) {
  put_service("mnist-tensorboard", 6006);
  run_.server.refuse("POST", "/apis/muster.dev/v1/namespaces/default/tensorboards/mnist-tensorboard/link", 200,
                     json::Object{{"url", "http://127.0.0.1:1/tb/?token=a"}});
  EXPECT_EQ(run({"mnist"}), kExitOk) << run_.err;
  EXPECT_EQ(run_.out, "http://127.0.0.1:1/tb/?token=a\n");
}

TEST_F(TensorBoardService, OfAClusterIsShownThroughItsApi) {
  const json::Document none = *json::parse(R"({"kind":"Status","reason":"NotFound","code":404})");
  put_service("other-tensorboard", 6006);
  run_.server.refuse("POST", "/apis/muster.dev/v1/namespaces/default/tensorboards/other-tensorboard/link", 404, none);
  EXPECT_EQ(run({"other"}), kExitOk) << run_.err;
  json::Document board = make_object("tensorstack.dev/v1beta1", "TensorBoard", "mnist");
  board["status"]["phase"] = "Running";
  run_.server.put(kBoards + std::string("mnist"), board);
  put_service("mnist-tb", 80);
  run_.server.refuse("POST", "/apis/muster.dev/v1/namespaces/default/tensorboards/mnist/link", 404, none);
  EXPECT_EQ(run({"mnist"}), kExitOk) << run_.err;
  EXPECT_THAT(run_.shown_pages,
              ::testing::ElementsAre("/api/v1/namespaces/default/services/other-tensorboard:6006/proxy/",
                                     "/api/v1/namespaces/default/services/mnist-tb:80/proxy/tb/default/mnist/"));
}

TEST(NotebookCommand, PrintsTheLinkAndResumesASuspendedOne) {
  CommandRun run;
  const std::string path = "/apis/tensorstack.dev/v1beta1/namespaces/default/notebooks/mnist";
  EXPECT_EQ(run.run(make_notebook([](const std::string&) {}), {"mnist"}), kExitNotFound);
  EXPECT_THAT(run.err, HasSubstr("there is no Notebook \"mnist\""));
  json::Document notebook = make_object("tensorstack.dev/v1beta1", "Notebook", "mnist");
  notebook["spec"]["suspend"] = true;
  notebook["status"]["phase"] = "Suspended";
  run.server.put(path, notebook);
  run.server.refuse("POST", "/apis/muster.dev/v1/namespaces/default/notebooks/mnist/link", 200,
                    json::Object{{"url", "http://127.0.0.1:1/notebook/?token=t"}});
  EXPECT_EQ(run.run(make_notebook([](const std::string&) {}), {"nb/mnist"}), kExitOk) << run.err;
  EXPECT_THAT(run.err, HasSubstr("resuming Notebook mnist"));
  EXPECT_EQ(run.out, "http://127.0.0.1:1/notebook/?token=t\n");
  EXPECT_FALSE(run.server.find(path)->bool_at("spec", "suspend"));
  EXPECT_EQ(run.run(make_notebook([](const std::string&) {}), {}), kExitUsage);
  EXPECT_THAT(run.err, HasSubstr("name one Notebook"));
}

}  // namespace
}  // namespace muster::cli
