// Tests of patch, label, annotate and edit against a fake server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "base/strings.h"
#include "testing/command_run.h"

namespace muster::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kMap = "/api/v1/namespaces/default/configmaps/settings";
const std::string kJob = "/apis/batch.tensorstack.dev/v1beta1/namespaces/default/pytorchtrainingjobs/mnist";

class ChangeTest : public ::testing::Test {
 protected:
  ChangeTest() {
    json::Document map = make_object("v1", "ConfigMap", "settings");
    map["data"]["a"] = "1";
    map["metadata"]["labels"]["team"] = "vision";
    cli_.server.put(kMap, std::move(map));
    cli_.server.put(kJob, make_object("batch.tensorstack.dev/v1beta1", "PyTorchTrainingJob", "mnist"));
  }
  std::string label(const std::string& key) const {
    return cli_.server.find(kMap)->string_at("metadata", "labels", key);
  }
  static json::Document refusal(int code, const std::string& reason, const std::string& message) {
    return json::Object{{"kind", "Status"}, {"reason", reason}, {"code", code}, {"message", message}};
  }

  CommandRun cli_;
};

TEST_F(ChangeTest, PatchSendsWhatWasGiven) {
  EXPECT_EQ(cli_.run(make_patch(), {"cm", "settings", "-p", "data: {a: '2'}"}), 0) << cli_.err;
  EXPECT_EQ(cli_.out, "configmap/settings patched\n");
  EXPECT_EQ(cli_.server.bodies.back(), R"({"data":{"a":"2"}})");
  EXPECT_THAT(cli_.server.requests.back(),
              StartsWith("PATCH " + kMap + "?fieldManager=muster-patch&fieldValidation=Strict"));
  EXPECT_EQ(cli_.server.find(kMap)->string_at("data", "a"), "2");
}

TEST_F(ChangeTest, PatchReadsItsFileAndGoesToASubresource) {
  cli_.input = R"({"status":{"phase":"Running"}})";
  cli_.server.put(kJob + "/status", *cli_.server.find(kJob));
  EXPECT_EQ(cli_.run(make_patch(), {"pj/mnist", "--patch-file", "-", "--subresource", "status", "-o", "name"}), 0)
      << cli_.err;
  EXPECT_EQ(cli_.out, "pytorchtrainingjob.batch.tensorstack.dev/mnist\n");
  EXPECT_THAT(cli_.server.requests.back(), StartsWith("PATCH " + kJob + "/status?"));
}

TEST_F(ChangeTest, PatchRefusesWhatCannotBeMeant) {
  EXPECT_EQ(cli_.run(make_patch(), {"cm", "settings"}), 2);
  EXPECT_EQ(cli_.run(make_patch(), {"cm", "settings", "-p", "[1]"}), 2);
  EXPECT_EQ(cli_.run(make_patch(), {"cm", "settings", "--type=json", "-p", "{}"}), 2);
  EXPECT_EQ(cli_.run(make_patch(), {"cm", "settings", "--type=smart", "-p", "{}"}), 2);
  EXPECT_EQ(cli_.run(make_patch(), {"cm", "settings", "--subresource=log", "-p", "{}"}), 2);
  EXPECT_THAT(cli_.err, HasSubstr("error: --patch: must be an object, got array; --type=json takes lists\n"));
  EXPECT_THAT(cli_.err, HasSubstr("error: --type: must be strategic, merge or json, got \"smart\"\n"));
  EXPECT_TRUE(cli_.server.requests.empty());
}

TEST_F(ChangeTest, PatchNamesWhatIsNotThere) {
  EXPECT_EQ(cli_.run(make_patch(), {"cm", "absent", "-p", "{}"}), 3);
}

TEST_F(ChangeTest, LabelSetsAndRemoves) {
  EXPECT_EQ(cli_.run(make_label(), {"cm", "settings", "stage=test"}), 0) << cli_.err;
  EXPECT_EQ(label("stage"), "test");
  EXPECT_EQ(cli_.run(make_label(), {"cm", "settings", "stage=test"}), 0);
  EXPECT_EQ(cli_.run(make_label(), {"cm", "settings", "stage-"}), 0);
  EXPECT_EQ(cli_.run(make_label(), {"cm", "settings", "stage-"}), 0);
  EXPECT_EQ(cli_.out,
            "configmap/settings labeled\n"
            "configmap/settings not labeled\n"
            "configmap/settings unlabeled\n"
            "label \"stage\" not found.\nconfigmap/settings not labeled\n");
  EXPECT_EQ(label("team"), "vision");
}

TEST_F(ChangeTest, LabelKeepsAValueThatIsThere) {
  EXPECT_EQ(cli_.run(make_label(), {"cm", "settings", "team=speech"}), 1);
  EXPECT_EQ(cli_.err, "error: 'team' already has a value (vision), and --overwrite is false\n");
  EXPECT_EQ(label("team"), "vision");
  EXPECT_EQ(cli_.run(make_label(), {"cm", "settings", "team=speech", "--overwrite"}), 0);
  EXPECT_EQ(label("team"), "speech");
}

TEST_F(ChangeTest, LabelTakesAllOfAKind) {
  EXPECT_EQ(cli_.run(make_label(), {"cm,pj", "--all", "stage=test"}), 0) << cli_.err;
  EXPECT_EQ(cli_.out, "configmap/settings labeled\npytorchtrainingjob.batch.tensorstack.dev/mnist labeled\n");
  EXPECT_EQ(cli_.run(make_label(), {"cm", "-l", "team=vision", "--list"}), 0) << cli_.err;
  EXPECT_THAT(cli_.out, EndsWith("stage=test\nteam=vision\n"));
}

TEST_F(ChangeTest, LabelTellsAllThatIsWrong) {
  EXPECT_EQ(cli_.run(make_label(), {"cm", "settings", "-a=1"}), 2);
  EXPECT_EQ(cli_.run(make_label(), {"cm", "settings", "a b=1", "c=not a value", "d=1", "d-"}), 2);
  EXPECT_THAT(cli_.err, HasSubstr("\"a b\" is not a valid key for a label"));
  EXPECT_THAT(cli_.err, HasSubstr("\"not a value\" is not a valid value for a label"));
  EXPECT_THAT(cli_.err, HasSubstr("cannot set and remove \"d\" at once"));
  EXPECT_EQ(cli_.run(make_label(), {"cm", "settings"}), 2);
  EXPECT_THAT(cli_.err, HasSubstr("error: at least one label update is required\n"));
  EXPECT_TRUE(cli_.server.requests.empty());
}

TEST_F(ChangeTest, AnnotateTakesAnyText) {
  EXPECT_EQ(cli_.run(make_annotate(), {"cm/settings", "note=second try, with = inside"}), 0) << cli_.err;
  EXPECT_EQ(cli_.server.find(kMap)->string_at("metadata", "annotations", "note"), "second try, with = inside");
  EXPECT_EQ(cli_.run(make_annotate(), {"cm/settings", "note=x"}), 1);
  EXPECT_EQ(cli_.err,
            "error: --overwrite is false but found the following declared annotation(s): 'note' already has a value "
            "(second try, with = inside)\n");
  EXPECT_EQ(cli_.run(make_annotate(), {"cm/settings", "note-"}), 0);
  EXPECT_EQ(cli_.run(make_annotate(), {"cm/settings", "a b=1"}), 2);
  EXPECT_THAT(
      cli_.err,
      HasSubstr(
          "error: \"a b\" is not a valid key for an annotation: name part must consist of alphanumeric characters"));
  EXPECT_EQ(cli_.run(make_annotate(), {"cm/settings", "Example.com/Note=x"}), 0) << cli_.err;
  EXPECT_EQ(cli_.out, "configmap/settings annotated\nconfigmap/settings annotated\nconfigmap/settings annotated\n");
}

/// An editor that replaces text and records what it was shown.
struct Replacing {
  std::vector<std::pair<std::string, std::string>> steps;  // one per invocation; the last one repeats
  std::vector<std::string> shown = {};

  EditFile editor() {
    return [this](const std::string& path) -> Status {
      std::string text = *read_file(path);
      shown.push_back(text);
      const auto& [from, to] = steps[std::min(shown.size(), steps.size()) - 1];
      if (const auto at = text.find(from); !from.empty() && at != std::string::npos) text.replace(at, from.size(), to);
      return write_file_atomically(path, text, 0600);
    };
  }
};

TEST_F(ChangeTest, EditSendsOnlyWhatChanged) {
  Replacing user{{{"a: \"1\"", "a: \"2\""}}};
  EXPECT_EQ(cli_.run(make_edit(user.editor()), {"cm", "settings"}), 0) << cli_.err;
  EXPECT_EQ(cli_.out, "configmap/settings edited\n");
  EXPECT_THAT(cli_.server.bodies.back(), StartsWith(R"({"data":{"a":"2"},"metadata":{"resourceVersion":)"));
  EXPECT_THAT(user.shown[0], StartsWith("# Please edit the object below."));
}

TEST_F(ChangeTest, EditSaysWhenNothingChanged) {
  Replacing user{{{"", ""}}};
  EXPECT_EQ(cli_.run(make_edit(user.editor()), {"cm", "settings"}), 0);
  EXPECT_EQ(cli_.err, "Edit cancelled, no changes made.\n");
  EXPECT_EQ(cli_.server.requests.size(), 1u);
}

TEST_F(ChangeTest, EditOpensAgainWithWhatTheServerSaid) {
  cli_.server.refuse("PATCH", kMap, 422, refusal(422, "Invalid", "data.a: too small"));
  Replacing user{{{"a: \"1\"", "a: \"2\""}, {"a: \"2\"", "a: \"3\""}}};
  EXPECT_EQ(cli_.run(make_edit(user.editor()), {"cm", "settings"}), 0) << cli_.err;
  ASSERT_EQ(user.shown.size(), 2u);
  EXPECT_THAT(user.shown[1], HasSubstr("# error: data.a: too small\n#\n"));
  EXPECT_EQ(cli_.server.find(kMap)->string_at("data", "a"), "3");
}

TEST_F(ChangeTest, EditGivesUpWhenTheUserDoes) {
  Replacing user{{{"kind: ConfigMap", "kind: Secret"}, {"", ""}}};
  EXPECT_EQ(cli_.run(make_edit(user.editor()), {"cm", "settings"}), 1);
  EXPECT_THAT(user.shown[1], HasSubstr("# kind: cannot be changed\n"));
  EXPECT_THAT(cli_.err, EndsWith("error: Edit cancelled, no valid changes were saved.\n"));
  // The message reads: A copy of your changes has been stored to "PATH"
  const auto words = split(cli_.err, '"');
  ASSERT_GT(words.size(), 1u);
  EXPECT_THAT(read_file(words[1]).value_or(""), HasSubstr("kind: Secret"));
  std::filesystem::remove(words[1]);
}

TEST_F(ChangeTest, EditDoesNotOverwriteWhatOthersWrote) {
  cli_.server.refuse("PATCH", kMap, 409, refusal(409, "Conflict", "the object has been modified"));
  Replacing user{{{"a: \"1\"", "a: \"2\""}}};
  EXPECT_EQ(cli_.run(make_edit(user.editor()), {"cm", "settings"}), 4);
  EXPECT_EQ(user.shown.size(), 1u);
  const auto words = split(cli_.err, '"');
  ASSERT_GT(words.size(), 1u);
  std::filesystem::remove(words[1]);
}

}  // namespace
}  // namespace muster::cli
