#include "agent/files/claim_folder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/files.h"
#include "linux/remove_tree.h"

namespace muster::agent {
namespace {

namespace fs = std::filesystem;
using node::ClaimFiles;
using node::FileEntry;
using node::FileType;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ClaimFolderTest : public ::testing::Test {
 protected:
  ClaimFolderTest() {
    char name[] = "/tmp/muster-claim-XXXXXX";
    outside_ = ::mkdtemp(name);
    root_ = {.path = outside_ + "/claim"};
    std::ofstream(outside_ + "/secret") << "secret";
    auto opened = ClaimFolder::open(root_);
    folder_ = *std::move(opened);
  }
  ~ClaimFolderTest() override {
    folder_.reset();
    (void)linux_os::remove_tree(outside_).has_value();
  }

  void write(const std::string& path, const std::string& text) const { std::ofstream(root_.path + "/" + path) << text; }
  void link(const std::string& path, const std::string& target) const {
    fs::create_symlink(target, root_.path + "/" + path);
  }
  Result<node::FileWriting::Written> put(const std::string& path, const std::string& text,
                                         node::FileWriteOptions options = {}) {
    TRY_ASSIGN(FileDraft draft, folder_->create(path, options, ++token_));
    TRY(draft.write(text));
    return draft.commit();
  }
  std::string content(const std::string& path) const { return read_file(root_.path + "/" + path).value_or("(none)"); }
  std::vector<std::string> names(const std::string& path, const node::PageRequest& page = {.after = "", .limit = 100}) {
    std::vector<std::string> out;
    const auto listed = folder_->list(path, page);
    if (!listed) return {listed.error().message};
    for (const FileEntry& entry : listed->entries) out.push_back(entry.name);
    return out;
  }
  Status remove(const std::string& path, ClaimFiles::Depth depth, const std::string& if_match = "") {
    return folder_->remove(path, depth, if_match, {});
  }

  std::string outside_;
  ClaimRoot root_;
  std::unique_ptr<ClaimFolder> folder_;
  std::uint64_t token_ = 0;
};

TEST_F(ClaimFolderTest, ListsWhatIsThere) {
  write("b.txt", "12345");
  fs::create_directory(root_.path + "/a");
  link("c", "b.txt");
  const auto listed = folder_->list("", {.after = "", .limit = 10});
  ASSERT_TRUE(listed);
  EXPECT_TRUE(listed->is_last);
  ASSERT_EQ(listed->entries.size(), 3U);
  EXPECT_EQ(listed->entries[0].type, FileType::kFolder);
  EXPECT_EQ(listed->entries[1].type, FileType::kFile);
  EXPECT_EQ(listed->entries[1].size, 5);
  EXPECT_EQ(listed->entries[2].type, FileType::kLink);
}

TEST_F(ClaimFolderTest, AFolderIsListedInPages) {
  for (const char* name : {"d", "a", "c", "b"}) write(name, "");
  EXPECT_THAT(names("", {.after = "", .limit = 2}), ElementsAre("a", "b"));
  EXPECT_THAT(names("", {.after = "b", .limit = 2}), ElementsAre("c", "d"));
  EXPECT_FALSE(folder_->list("", {.after = "", .limit = 2})->is_last);
  EXPECT_TRUE(folder_->list("", {.after = "b", .limit = 2})->is_last);
}

TEST_F(ClaimFolderTest, AFileAppearsWholeOrNotAtAll) {
  {
    auto draft = folder_->create("x", {}, 1);
    ASSERT_TRUE(draft);
    ASSERT_TRUE(draft->write("half"));
    EXPECT_THAT(names(""), IsEmpty()) << "a crash here leaves nothing";
  }
  EXPECT_THAT(names(""), IsEmpty()) << "an abandoned draft leaves nothing";
  const auto written = put("x", "whole");
  ASSERT_TRUE(written);
  EXPECT_TRUE(written->is_new);
  EXPECT_EQ(content("x"), "whole");
  EXPECT_EQ(written->entry.mode, 0644U);
  EXPECT_FALSE(put("x", "again")->is_new);
  EXPECT_THAT(names(""), ElementsAre("x"));
  EXPECT_FALSE(put("x", "not new", {.only_new = true}));
  EXPECT_THAT(names(""), ElementsAre("x"));
  EXPECT_EQ(content("x"), "again");
}

TEST_F(ClaimFolderTest, AReplacedFileKeepsItsPermissionsUnlessOthersAreGiven) {
  ASSERT_TRUE(put("run", "1", {.mode = 0755, .if_match = ""}));
  EXPECT_EQ(put("run", "2")->entry.mode, 0755U);
  EXPECT_EQ(put("run", "3", {.mode = 0600, .if_match = ""})->entry.mode, 0600U);
}

TEST_F(ClaimFolderTest, AConditionalWriteSeesThatTheFileHasChanged) {
  const std::string etag = put("x", "1")->entry.etag;
  const std::string newer = put("x", "22", {.mode = {}, .if_match = etag})->entry.etag;
  EXPECT_NE(newer, etag);
  const auto late = put("x", "3", {.mode = {}, .if_match = etag});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().reason, Reason::kConflict);
  EXPECT_EQ(put("y", "1", {.mode = {}, .if_match = "*"}).error().reason, Reason::kConflict);
  EXPECT_EQ(put("x", "3", {.mode = {}, .if_match = "", .only_new = true}).error().reason, Reason::kAlreadyExists);
  EXPECT_EQ(content("x"), "22");
}

TEST_F(ClaimFolderTest, AConditionalRemovalSeesThatTheFileHasChanged) {
  const std::string etag = put("x", "1")->entry.etag;
  const std::string newer = put("x", "22")->entry.etag;
  const auto late = remove("x", ClaimFiles::Depth::kOne, etag);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().reason, Reason::kConflict);
  EXPECT_EQ(late.error().message,
            "\"x\": the file has changed: If-Match is " + etag + ", it has " + newer + "; read it again");
  EXPECT_EQ(content("x"), "22");
  EXPECT_EQ(remove("gone", ClaimFiles::Depth::kOne, "*").error().reason, Reason::kConflict);
  EXPECT_TRUE(remove("x", ClaimFiles::Depth::kOne, newer));
  EXPECT_THAT(names(""), IsEmpty());
}

TEST_F(ClaimFolderTest, AConditionalRemovalOfALinkTakesItsOwnETagOrTheOneBehindIt) {
  const std::string etag = put("file", "1")->entry.etag;
  link("link", "file");
  link("link2", "file");
  const std::string own = folder_->list("", {.after = "link", .limit = 1})->entries[0].etag;
  EXPECT_FALSE(remove("link", ClaimFiles::Depth::kOne, "\"other\""));
  EXPECT_TRUE(remove("link", ClaimFiles::Depth::kOne, etag));
  EXPECT_TRUE(remove("link2", ClaimFiles::Depth::kOne, own));
  EXPECT_THAT(names(""), ElementsAre("file"));
}

TEST_F(ClaimFolderTest, LinksThatStayInsideAreFollowed) {
  write("file", "12");
  fs::create_directory(root_.path + "/folder");
  link("folder/up", "../file");
  EXPECT_EQ(folder_->stat("folder/up")->size, 2);
  EXPECT_TRUE(folder_->open_file("folder/up"));
}

TEST_F(ClaimFolderTest, NoLinkLeadsOutside) {
  link("relative", "../secret");
  link("absolute", outside_ + "/secret");
  link("folder", outside_);
  link("proc", "/proc/self/cwd");
  for (const char* path : {"relative", "absolute", "folder/secret", "folder", "proc", "../secret"}) {
    EXPECT_EQ(folder_->stat(path).error().reason, Reason::kForbidden) << path;
    EXPECT_EQ(folder_->open_file(path).error().reason, Reason::kForbidden) << path;
  }
  EXPECT_THAT(names("folder"), ElementsAre("\"folder\": leads outside the claim"));
  EXPECT_EQ(put("folder/new", "x").error().reason, Reason::kForbidden);
  EXPECT_EQ(folder_->make_folder("folder/new").error().reason, Reason::kForbidden);
  EXPECT_EQ(remove("folder/secret", ClaimFiles::Depth::kAll).error().reason, Reason::kForbidden);
  write("mine", "x");
  EXPECT_EQ(folder_->move("mine", "folder/mine", ClaimFiles::Existing::kKept).error().reason, Reason::kForbidden);
  EXPECT_EQ(folder_->move("folder/secret", "mine2", ClaimFiles::Existing::kKept).error().reason, Reason::kForbidden);
  EXPECT_EQ(*read_file(outside_ + "/secret"), "secret");
}

TEST_F(ClaimFolderTest, WritingToALinkSavesItsTarget) {
  ASSERT_TRUE(folder_->make_folder("a/b"));
  write("file", "1");
  link("a/b/up", "../../file");
  link("a/link", "b/up");
  const std::string etag = folder_->open_file("a/link")->entry.etag;
  const auto saved = put("a/link", "22", {.mode = {}, .if_match = etag});
  ASSERT_TRUE(saved) << saved.error().message;
  EXPECT_EQ(saved->entry.name, "link");
  EXPECT_EQ(saved->entry.etag, folder_->open_file("a/link")->entry.etag);
  EXPECT_EQ(content("file"), "22");
  ASSERT_TRUE(put("a/link", "333"));
  EXPECT_EQ(content("file"), "333");
  EXPECT_TRUE(fs::is_symlink(root_.path + "/a/link"));
  EXPECT_TRUE(fs::is_symlink(root_.path + "/a/b/up"));
}

TEST_F(ClaimFolderTest, WritingToALinkToNothingMakesItsTarget) {
  link("new", "target");
  EXPECT_TRUE(put("new", "1")->is_new);
  EXPECT_EQ(content("target"), "1");
  EXPECT_TRUE(fs::is_symlink(root_.path + "/new"));
}

TEST_F(ClaimFolderTest, NothingIsWrittenThroughALinkThatCannotBeRead) {
  ASSERT_TRUE(folder_->make_folder("folder"));
  link("out", outside_ + "/secret");
  link("up", "../secret");
  link("circle", "circle");
  link("to-folder", "folder/");
  EXPECT_EQ(put("out", "mine").error().message, "\"out\": leads outside the claim");
  EXPECT_EQ(put("up", "mine").error().reason, Reason::kForbidden);
  EXPECT_EQ(put("circle", "mine").error().message, "\"circle\": too many symbolic links");
  EXPECT_EQ(put("to-folder", "mine").error().message, "\"to-folder\": is a folder");
  EXPECT_EQ(*read_file(outside_ + "/secret"), "secret");
  EXPECT_THAT(names(""), ElementsAre("circle", "folder", "out", "to-folder", "up"));
}

TEST_F(ClaimFolderTest, RemovingALinkKeepsWhatItPointsTo) {
  link("x", outside_);
  ASSERT_TRUE(remove("x", ClaimFiles::Depth::kAll));
  EXPECT_TRUE(fs::exists(outside_ + "/secret"));
}

TEST_F(ClaimFolderTest, AFolderWithFilesIsRemovedOnlyWhenAsked) {
  ASSERT_TRUE(folder_->make_folder("a/b/c"));
  ASSERT_TRUE(folder_->make_folder("a/b/c"));
  ASSERT_TRUE(put("a/b/x", "1"));
  const auto refused = remove("a", ClaimFiles::Depth::kOne);
  EXPECT_EQ(refused.error().reason, Reason::kConflict);
  EXPECT_EQ(refused.error().message, "\"a\": the folder is not empty; add recursive=true to the query");
  EXPECT_TRUE(remove("a/b/c", ClaimFiles::Depth::kOne));
  EXPECT_TRUE(remove("a", ClaimFiles::Depth::kAll));
  EXPECT_THAT(names(""), IsEmpty());
  EXPECT_EQ(remove("", ClaimFiles::Depth::kAll).error().reason, Reason::kBadRequest) << "not the claim itself";
}

/// A folder into which something was written at the end of each of the first `busy` removals.
struct BusyFolder {
  Status remove() {
    ++attempts;
    if (attempts > busy) return ok();
    return Error{.reason = Reason::kConflict, .message = "remove \"x\": ENOTEMPTY"};
  }
  int busy;
  int attempts = 0;
};

TEST(RemoveWhileWritten, TriesAgainWhileAPodWrites) {
  BusyFolder folder{.busy = 3};
  EXPECT_TRUE(remove_while_written("runs", [&] { return folder.remove(); }));
  EXPECT_EQ(folder.attempts, 4);
}

TEST(RemoveWhileWritten, APodThatKeepsWritingIsForTheUserToStop) {
  BusyFolder folder{.busy = 1000};
  const Status removed = remove_while_written("runs", [&] { return folder.remove(); });
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().reason, Reason::kConflict);
  EXPECT_EQ(removed.error().message,
            "\"runs\": is being written to; stop the job that writes there and remove the folder again");
  EXPECT_EQ(folder.attempts, 10);
}

TEST_F(ClaimFolderTest, AFolderThatIsBeingWrittenToGoesOrTheAnswerSaysWhy) {
  const std::string runs = root_.path + "/runs";
  std::jthread job([&runs](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      ::mkdir(runs.c_str(), 0755);
      const Fd folder(::open(runs.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
      bool written = folder.get() >= 0;
      for (int i = 0; written && !stop.stop_requested(); ++i) {
        const std::string name = "epoch-" + std::to_string(i);
        written = Fd(::openat(folder.get(), name.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644)).get() >= 0;
      }
    }
  });
  for (int i = 0; i < 300; ++i) {
    const Status removed = remove("runs", ClaimFiles::Depth::kAll);
    if (removed || removed.error().reason == Reason::kNotFound) continue;
    ASSERT_EQ(removed.error().reason, Reason::kConflict) << removed.error().message;
    ASSERT_EQ(removed.error().message,
              "\"runs\": is being written to; stop the job that writes there and remove the folder again");
  }
  job.request_stop();
  job.join();
  const Status removed = remove("runs", ClaimFiles::Depth::kAll);
  EXPECT_TRUE(removed || removed.error().reason == Reason::kNotFound) << removed.error().message;
}

TEST_F(ClaimFolderTest, MovesWithoutReplacingUnlessAsked) {
  ASSERT_TRUE(put("x", "1"));
  ASSERT_TRUE(put("y", "2"));
  EXPECT_EQ(folder_->move("x", "y", ClaimFiles::Existing::kKept).error().reason, Reason::kAlreadyExists);
  EXPECT_TRUE(folder_->move("x", "y", ClaimFiles::Existing::kReplaced));
  EXPECT_EQ(content("y"), "1");
  EXPECT_EQ(folder_->move("gone", "z", ClaimFiles::Existing::kKept).error().reason, Reason::kNotFound);
  ASSERT_TRUE(folder_->make_folder("a"));
  const auto into_itself = folder_->move("a", "a/b", ClaimFiles::Existing::kKept);
  EXPECT_EQ(into_itself.error().reason, Reason::kBadRequest);
  EXPECT_EQ(into_itself.error().message,
            "\"a\": a folder cannot be moved into itself, got \"a/b\"; choose a folder outside of it");
  ASSERT_TRUE(folder_->make_folder("a/deep"));
  link("to-deep", "a/deep");
  const auto through_link = folder_->move("a", "to-deep/b", ClaimFiles::Existing::kKept);
  EXPECT_EQ(through_link.error().reason, Reason::kBadRequest);
  EXPECT_EQ(through_link.error().message,
            "\"a\": a folder cannot be moved into itself, got \"to-deep/b\"; choose a folder outside of it");
}

TEST_F(ClaimFolderTest, OnlyTheContentOfFilesIsReadAndWritten) {
  ASSERT_EQ(::mkfifo((root_.path + "/pipe").c_str(), 0600), 0);
  ASSERT_EQ(::mknod((root_.path + "/socket").c_str(), S_IFSOCK | 0600, 0), 0);
  for (const std::string name : {"pipe", "socket"}) {
    const std::string why = "\"" + name + "\": is a " + name + "; only the content of files can be read and written";
    EXPECT_EQ(folder_->stat(name)->type, FileType::kOther);
    EXPECT_EQ(folder_->open_file(name).error().reason, Reason::kBadRequest);
    EXPECT_EQ(folder_->open_file(name).error().message, why);
    EXPECT_EQ(put(name, "x").error().message, why);
  }
}

TEST_F(ClaimFolderTest, WrongPathsAreExplained) {
  write("file", "");
  EXPECT_EQ(folder_->stat("none").error().message, "\"none\": no such file or folder");
  EXPECT_EQ(folder_->stat("file/x").error().message, "\"file/x\": a part of the path is not a folder");
  EXPECT_EQ(folder_->open_file("").error().message, "\"/\": is a folder");
  EXPECT_EQ(put("none/x", "").error().message, "\"none\": no such file or folder");
}

TEST_F(ClaimFolderTest, ROOT_NewEntriesBelongToTheOwnerOfTheirFolder) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  ASSERT_TRUE(folder_->make_folder("a"));
  ASSERT_EQ(::chown((root_.path + "/a").c_str(), 1000, 1001), 0);
  ASSERT_TRUE(put("a/x", "1"));
  ASSERT_TRUE(folder_->make_folder("a/b"));
  for (const char* path : {"/a/x", "/a/b"}) {
    struct stat what {};
    ASSERT_EQ(::stat((root_.path + path).c_str(), &what), 0);
    EXPECT_EQ(what.st_uid, 1000U) << path;
    EXPECT_EQ(what.st_gid, 1001U) << path;
  }
}

TEST_F(ClaimFolderTest, ROOT_InANamedFolderItsOwnersRightsCount) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  write("private", "root's");
  ASSERT_EQ(::chmod((root_.path + "/private").c_str(), 0600), 0);
  ASSERT_EQ(::chown(root_.path.c_str(), 1000, 1000), 0);
  ASSERT_EQ(::chmod(root_.path.c_str(), 0755), 0);
  root_.is_named = true;
  folder_.reset();
  {
    const auto named = ClaimFolder::open(root_);
    ASSERT_TRUE(named);
    EXPECT_EQ((*named)->open_file("private").error().reason, Reason::kForbidden);
    auto draft = (*named)->create("own", {}, 1);
    ASSERT_TRUE(draft) << draft.error().message;
    EXPECT_TRUE(draft->commit());
  }
  struct stat what {};
  ASSERT_EQ(::stat((root_.path + "/own").c_str(), &what), 0);
  EXPECT_EQ(what.st_uid, 1000U);
  EXPECT_TRUE(read_file(root_.path + "/private")) << "the thread is root again";
}

}  // namespace
}  // namespace muster::agent
