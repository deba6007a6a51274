// pods/exec and pods/attach: what is refused before a node is asked, and, on ours, a command from end to end.
#include "base/random.h"
#include "client/remote_exec.h"
#include "contract_fixture.h"
#include "testing/fake_node.h"

namespace muster::contract {
namespace {

using ::testing::ElementsAre;

std::string pod_on(const std::string& node, const std::string& containers) {
  return R"({"metadata":{"name":"p"},"spec":{)" + node + R"("containers":)" + containers + "}}";
}

constexpr const char* kOne = R"([{"name":"a","image":"i"}])";

TEST_P(ApiContract, ExecSaysWhichContainersThereAre) {
  ASSERT_EQ(post(core("pods"), pod_on("", R"([{"name":"a","image":"i"},{"name":"b","image":"i"}])")).code, 201);
  for (const std::string subresource : {"exec", "attach"}) {
    const std::string target = core("pods/p/" + subresource + "?command=ls&stdout=true");
    const Answer none = get(core("pods/none/" + subresource + "?command=ls&stdout=true"));
    EXPECT_EQ(none.code, 404);
    EXPECT_EQ(none.message(), "pods \"none\" not found");
    const Answer unsaid = get(target);
    EXPECT_EQ(unsaid.code, 400);
    EXPECT_EQ(unsaid.message(), "a container name must be specified for pod p, choose one of: [a b]");
    const Answer wrong = post(target + "&container=x", "");
    EXPECT_EQ(wrong.code, 400);
    EXPECT_EQ(wrong.reason(), "BadRequest");
    EXPECT_EQ(wrong.message(), "container x is not valid for pod p");
    EXPECT_EQ(get(target + "&container=a").message(), "pod p does not have a host assigned");
  }
}

TEST_P(ApiContract, ExecNeedsAnUpgrade) {
  const std::string node = "exec-" + ns_;
  const Answer made = post("/api/v1/nodes", R"({"metadata":{"name":")" + node +
                                                R"("},"status":{"addresses":[{"type":"InternalIP","address":)"
                                                R"("127.0.0.1"}],"daemonEndpoints":{"kubeletEndpoint":{"Port":1}}}})");
  ASSERT_EQ(made.code, 201) << made.text;
  ASSERT_EQ(post(core("pods"), pod_on(R"("nodeName":")" + node + R"(",)", kOne)).code, 201);
  const Answer refused = get(core("pods/p/exec?command=ls&stdout=true"));
  EXPECT_EQ(refused.code, 400);
  EXPECT_EQ(refused.reason(), "BadRequest");
  EXPECT_EQ(refused.message(), "Upgrade request required");
  EXPECT_EQ(remove("/api/v1/nodes/" + node).code, 200);
}

TEST_P(ApiContract, DiscoveryListsExecAndAttach) {
  std::vector<std::string> found;
  const Answer answer = get("/api/v1");
  for (const Document& resource : answer.body.array_at("resources")) {
    const std::string& name = resource.string_at("name");
    if (name == "pods/exec" || name == "pods/attach") {
      found.push_back(name + " " + resource.string_at("kind") + " " + json::serialize(at(resource, "verbs")));
    }
  }
  EXPECT_THAT(found, ::testing::UnorderedElementsAre(R"(pods/attach PodAttachOptions ["create","get"])",
                                                     R"(pods/exec PodExecOptions ["create","get"])"));
}

TEST_P(ApiContract, ACommandRunsWithAllItsStreams) {
  if (!is_ours()) GTEST_SKIP() << "the reference server has no node that could run it";
  testing::FakeNode node;
  world_->set_node(&node);
  ASSERT_EQ(post(core("pods"), pod_on(R"("nodeName":"n",)", kOne)).code, 201);
  ASSERT_EQ(patch(core("pods/p/status"),
                  R"({"status":{"phase":"Running","containerStatuses":[{"name":"a","image":"i","imageID":"","ready":)"
                  R"(true,"restartCount":0,"state":{"running":{}}}]}})")
                .code,
            200);
  SystemRng rng;
  client::ApiClient api(world_->transport(), world_->token());
  std::string out;
  std::optional<Result<int>> exit;
  node::ExecSink sink;
  sink.on_stdout = [&](std::string_view bytes) { out += bytes; };
  sink.on_exit = [&](Result<int> code) { exit = std::move(code); };
  const auto session = client::open_exec(
      api, rng,
      {.ns = ns_, .pod = "p", .container = "a", .command = {"a", "b c"}, .with_stdin = true, .with_stdout = true},
      std::move(sink));
  session->write_stdin("input");
  session->close_stdin();
  ASSERT_TRUE(world_->wait([&] { return !node.programs.empty() && node.programs[0]->input_closed; }));
  EXPECT_EQ(node.programs[0]->input, "input");
  EXPECT_THAT(node.programs[0]->request.command, ElementsAre("a", "b c"));
  node.programs[0]->sink.on_stdout("output");
  node.programs[0]->sink.on_exit(5);
  ASSERT_TRUE(world_->wait([&] { return exit.has_value(); }));
  EXPECT_EQ(out, "output");
  ASSERT_TRUE(exit->has_value()) << exit->error().message;
  EXPECT_EQ(**exit, 5);
  EXPECT_TRUE(world_->wait([&] { return node.programs[0]->dropped; }));
  world_->set_node(nullptr);
}

}  // namespace
}  // namespace muster::contract
