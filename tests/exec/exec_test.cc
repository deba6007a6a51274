// exec, attach and cp of the command line against our server over HTTPS, whose node runs real processes.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/fd.h"
#include "cli/commands/commands.h"
#include "client/api_client.h"
#include "testing/process_node.h"
#include "world.h"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

class ExecTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { std::signal(SIGPIPE, SIG_IGN); }
  static void TearDownTestSuite() { contract::close_worlds(); }

  void SetUp() override {
    world_.set_node(&node_);
    std::string pattern = (fs::temp_directory_path() / "muster-exec.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    terminal_.out = [this](std::string_view text) {
      out_ += text;
      if (const auto act = on_out_) act();
    };
    terminal_.err = [this](std::string_view text) { err_ += text; };
    console_.make_raw = [this]() -> Result<std::unique_ptr<Undo>> {
      ++raw_;
      return std::make_unique<Undo>([this] { --raw_; });
    };
    console_.size = [this] { return size_; };
    console_.on_resize = [this](Loop&, std::function<void()> task) {
      resized_ = std::move(task);
      return std::make_unique<Undo>([this] { resized_ = nullptr; });
    };
    make_pod(R"([{"name":"a","image":"i"},{"name":"t","image":"i","tty":true,"stdin":true}])", "Running");
  }
  void TearDown() override {
    EXPECT_TRUE(session().await([&](client::OnDocument done) {
      api_.remove({{"", "v1", "pods"}, "default", "p"}, {.grace_period_seconds = 0}, std::move(done));
    }));
    world_.set_node(nullptr);
    fs::remove_all(folder_);
  }

  void make_pod(const std::string& containers, const std::string& phase) {
    const auto pod = json::parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"n",)"
                                 R"("containers":)" +
                                 containers + "}}");
    const auto status = json::parse(
        R"({"status":{"phase":")" + phase +
        R"(","containerStatuses":[{"name":"a","image":"i","imageID":"","ready":true,"restartCount":0,"state":)"
        R"({"running":{}}},{"name":"t","image":"i","imageID":"","ready":true,"restartCount":0,"state":{"running":{}}}]}})");
    const client::ResourceName pods{"", "v1", "pods"};
    const auto made =
        session().await([&](client::OnDocument done) { api_.create(pods, "default", *pod, {}, std::move(done)); });
    ASSERT_TRUE(made) << made.error().message;
    const auto patched = session().await([&](client::OnDocument done) {
      api_.patch({pods, "default", "p", "status"}, client::PatchType::kMerge, *status, {}, std::move(done));
    });
    ASSERT_TRUE(patched) << patched.error().message;
  }

  Session session() {
    return {world_.loop(), api_, [this](const std::function<bool()>& done) { world_.loop().run_until(done); },
            terminal_, "default"};
  }

  int run(std::unique_ptr<Command> command, const std::vector<std::string>& args) {
    Flags flags;
    command->add_flags(flags);
    const auto words = flags.parse(args);
    EXPECT_TRUE(words);
    Session one = session();
    session_ = &one;
    const int code = command->run(one, *words);
    session_ = nullptr;
    return code;
  }
  int exec(const std::vector<std::string>& args) { return run(make_exec(console_), args); }

  /// The input is a pipe that holds this text and ends.
  void type(const std::string& text, bool and_end = true) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    input_ = Fd(ends[0]);
    keyboard_ = Fd(ends[1]);
    ASSERT_EQ(::write(keyboard_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    if (and_end) keyboard_.reset();
    console_.input = input_.get();
  }
  void write_file(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
  static std::string read_file(const fs::path& path) {
    std::stringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
  }

  contract::World& world_ = *contract::world(contract::Where::kOverHttps).first;
  client::ApiClient api_{world_.transport(), world_.token()};
  testing::ProcessNode node_{world_.loop()};
  Terminal terminal_;
  Console console_;
  Fd input_;
  Fd keyboard_;
  std::optional<node::TerminalSize> size_ = node::TerminalSize{.rows = 24, .columns = 80};
  std::function<void()> resized_;
  std::function<void()> on_out_;  // after each piece of output
  int raw_ = 0;
  Session* session_ = nullptr;
  std::string out_;
  std::string err_;
  fs::path folder_;
};

TEST_F(ExecTest, BothOutputsAndTheExitCodeAreTheCommands) {
  EXPECT_EQ(exec({"-c", "a", "p", "--", "sh", "-c", "echo out; echo err >&2; exit 7"}), 7);
  EXPECT_EQ(out_, "out\n");
  EXPECT_EQ(err_, "err\ncommand terminated with exit code 7\n");
}

TEST_F(ExecTest, InputIsPassedOnAndItsEndToo) {
  type("one\ntwo\n");
  EXPECT_EQ(exec({"-i", "-q", "pod/p", "--", "wc", "-l"}), 0);
  EXPECT_EQ(out_, "2\n");
  EXPECT_EQ(err_, "");
}

TEST_F(ExecTest, AFileIsInputToo) {
  const std::string text(8 * kMegabyte, 'x');
  write_file(folder_ / "input", text);
  input_ = Fd(::open((folder_ / "input").c_str(), O_RDONLY | O_CLOEXEC));
  console_.input = input_.get();
  EXPECT_EQ(exec({"-i", "-q", "p", "--", "cat"}), 0);
  EXPECT_EQ(out_.size(), text.size());
  EXPECT_TRUE(out_ == text);
}

TEST_F(ExecTest, WithoutStdinTheCommandReadsNothing) {
  type("unread");
  EXPECT_EQ(exec({"-q", "p", "--", "cat"}), 0);
  EXPECT_EQ(out_, "");
}

TEST_F(ExecTest, ATerminalIsRawAndHasTheSizeOfTheUsers) {
  terminal_.in_is_terminal = true;
  type("stty size; tty >/dev/null && echo yes; exit 3\n", false);
  EXPECT_EQ(exec({"-itq", "p", "--", "sh"}), 3);
  EXPECT_THAT(out_, HasSubstr("24 80"));
  EXPECT_THAT(out_, HasSubstr("yes"));
  EXPECT_EQ(raw_, 0) << "restored";
  EXPECT_EQ(resized_, nullptr);
}

TEST_F(ExecTest, AChangedSizeReachesTheProgram) {
  terminal_.in_is_terminal = true;
  type("", false);
  on_out_ = [this] {
    EXPECT_EQ(raw_, 1);
    size_ = node::TerminalSize{.rows = 50, .columns = 120};
    resized_();
    on_out_ = nullptr;
  };
  const std::string program = "until [ \"$(stty size)\" = '50 120' ]; do echo waiting; sleep 0.02; done; exit 9";
  EXPECT_EQ(exec({"-itq", "p", "--", "sh", "-c", program}), 9);
}

TEST_F(ExecTest, WithoutATerminalHereThereIsNoneThere) {
  type("");
  EXPECT_EQ(exec({"-it", "-c", "a", "p", "--", "sh", "-c", "tty; true"}), 0);
  EXPECT_THAT(out_, HasSubstr("not a tty"));
  EXPECT_THAT(err_, HasSubstr("note: running without a terminal"));
  EXPECT_EQ(raw_, 0);
}

TEST_F(ExecTest, AnInterruptEndsTheCommand) {
  on_out_ = [this] { session_->interrupt(); };
  EXPECT_EQ(exec({"-q", "p", "--", "sh", "-c", "echo $$; sleep 1000"}), kExitInterrupted);
  const int pid = std::atoi(out_.c_str());
  ASSERT_GT(pid, 0) << out_;
  EXPECT_TRUE(world_.wait([&] { return ::kill(pid, 0) != 0; })) << "the command still runs";
}

TEST_F(ExecTest, TheDefaultContainerIsNamed) {
  EXPECT_EQ(exec({"p", "--", "true"}), 0);
  EXPECT_EQ(err_, "Defaulted container \"a\" out of: a, t\n");
}

TEST_F(ExecTest, MistakesAreExplained) {
  EXPECT_EQ(exec({}), kExitUsage);
  EXPECT_EQ(exec({"p"}), kExitUsage);
  EXPECT_THAT(err_, HasSubstr("name a command to run"));
  EXPECT_EQ(exec({"missing", "--", "true"}), kExitNotFound);
  EXPECT_THAT(err_, HasSubstr("no pod and no job \"missing\" in namespace default"));
  EXPECT_NE(exec({"-c", "x", "p", "--", "true"}), 0);
  EXPECT_THAT(err_, HasSubstr("container x is not valid for pod p"));
}

TEST_F(ExecTest, APodThatHasEndedIsNotEntered) {
  const auto ended = json::parse(R"({"status":{"phase":"Succeeded"}})");
  ASSERT_TRUE(session().await([&](client::OnDocument done) {
    api_.patch({{"", "v1", "pods"}, "default", "p", "status"}, client::PatchType::kMerge, *ended, {}, std::move(done));
  }));
  EXPECT_EQ(exec({"p", "--", "true"}), kExitConflict);
  EXPECT_THAT(err_, HasSubstr("pod p has ended (phase Succeeded)"));
}

TEST_F(ExecTest, AttachGoesToTheContainersOwnProgram) {
  terminal_.in_is_terminal = true;
  type("hello\n\x04", false);
  EXPECT_EQ(run(make_attach(console_), {"-i", "-c", "t", "p"}), 0);
  EXPECT_THAT(out_, HasSubstr("hello\r\nhello"));
  EXPECT_EQ(run(make_attach(console_), {"-it", "-c", "a", "p"}), 0);
  EXPECT_THAT(err_, HasSubstr("note: container a has no terminal"));
  EXPECT_THAT(err_, HasSubstr("note: container a reads no input"));
}

TEST_F(ExecTest, FilesAreCopiedBothWays) {
  const std::string text(3 * kMegabyte, 'z');
  fs::create_directories(folder_ / "pod");
  fs::create_directories(folder_ / "here/sub");
  write_file(folder_ / "here/big", text);
  write_file(folder_ / "here/sub/small", "s");
  const std::string here = (folder_ / "here").string();
  const std::string pod = "p:" + (folder_ / "pod").string();
  EXPECT_EQ(run(make_cp(), {here + "/big", pod + "/renamed"}), 0) << err_;
  EXPECT_TRUE(read_file(folder_ / "pod/renamed") == text);
  EXPECT_EQ(run(make_cp(), {here, pod}), 0) << err_;
  EXPECT_EQ(read_file(folder_ / "pod/here/sub/small"), "s");
  EXPECT_EQ(run(make_cp(), {"default/" + pod + "/here", (folder_ / "back").string()}), 0) << err_;
  EXPECT_TRUE(read_file(folder_ / "back/big") == text);
  EXPECT_EQ(run(make_cp(), {pod + "/renamed", here}), 0) << err_;
  EXPECT_TRUE(read_file(folder_ / "here/renamed") == text);
  EXPECT_EQ(err_, "");
}

TEST_F(ExecTest, ACopyThatFailsSaysWhere) {
  EXPECT_EQ(run(make_cp(), {"a", "b"}), kExitUsage);
  EXPECT_EQ(run(make_cp(), {"p:a", "p:b"}), kExitUsage);
  EXPECT_EQ(run(make_cp(), {(folder_ / "none").string(), "p:/tmp/x"}), kExitNotFound);
  EXPECT_EQ(run(make_cp(), {"p:" + (folder_ / "none").string(), (folder_ / "x").string()}), kExitFailed);
  EXPECT_THAT(err_, HasSubstr("tar in the container ended with exit code 2"));
}

}  // namespace
}  // namespace muster::cli
