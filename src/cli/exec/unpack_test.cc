#include "cli/exec/unpack.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/exec/tar.h"

namespace muster::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

struct Sent {
  std::string name;
  char type = '0';
  std::string content = {};
  std::string link = {};
  std::string mode = "0000644";
  std::string size = {};  // "": that of the content
};

/// A header and its content, as a tar program writes them.
std::string packed(const Sent& sent) {
  std::string block(512, '\0');
  const auto put = [&block](std::size_t at, std::string_view text) { block.replace(at, text.size(), text); };
  put(0, sent.name);
  put(100, sent.mode);
  put(124, sent.size.empty() ? fmt::format("{:011o}", sent.content.size()) : sent.size);
  put(148, "        ");
  block[156] = sent.type;
  put(157, sent.link);
  put(257, std::string_view("ustar\0", 6));
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  put(148, fmt::format("{:06o}", sum));
  block[154] = '\0';
  return block + sent.content + std::string((512 - sent.content.size() % 512) % 512, '\0');
}

std::string archive(const std::vector<Sent>& entries) {
  std::string out;
  for (const Sent& sent : entries) out += packed(sent);
  return out + std::string(1024, '\0');
}

std::string pax(const std::string& key, const std::string& value) {
  std::string record = " " + key + "=" + value + "\n";
  std::size_t length = record.size() + 1;
  while (std::to_string(length).size() + record.size() != length) ++length;
  return std::to_string(length) + record;
}

class UnpackTest : public ::testing::Test {
 protected:
  UnpackTest() {
    std::string pattern = (fs::temp_directory_path() / "muster-unpack.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    fs::create_directory(folder_ / "here");
    std::ofstream(folder_ / "outside") << "untouched";
  }
  ~UnpackTest() override { fs::remove_all(folder_); }
  UnpackTest(const UnpackTest&) = delete;
  UnpackTest& operator=(const UnpackTest&) = delete;

  /// Unpacks "sent" as "got" below the folder `here`, in parts of this size. Returns the error, or "".
  std::string unpack(const std::string& bytes, std::size_t part = 4096) {
    const auto unpack = Unpack::open((folder_ / "here").string(), "sent", "got",
                                     [this](const std::string& name, std::string_view what) {
                                       skipped_.push_back(fmt::format("{}: {}", name, what));
                                     });
    EXPECT_TRUE(unpack);
    TarReader reader(**unpack);
    for (std::size_t at = 0; at < bytes.size(); at += part) {
      if (const Status taken = reader.read(std::string_view(bytes).substr(at, part)); !taken) {
        return taken.error().message;
      }
    }
    const Status whole = reader.finish();
    return whole ? "" : whole.error().message;
  }

  std::string text(const std::string& name) const {
    std::ifstream file(folder_ / "here" / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// Everything below the folder of the test, with the content of files.
  std::string tree() const {
    std::vector<std::string> lines;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_)) {
      lines.push_back(fs::relative(entry.path(), folder_).string());
    }
    std::ranges::sort(lines);
    std::string out;
    for (const std::string& line : lines) out += line + " ";
    return out;
  }

  mode_t mode(const std::string& name) const {
    struct stat what {};
    EXPECT_EQ(::lstat((folder_ / "here" / name).c_str(), &what), 0);
    return what.st_mode & 07777;
  }

  fs::path folder_;
  std::vector<std::string> skipped_;
};

TEST_F(UnpackTest, WritesFilesAndFoldersUnderTheNewName) {
  const std::string bytes = archive({{.name = "sent/", .type = '5', .mode = "0000755"},
                                     {.name = "sent/a", .content = "one"},
                                     {.name = "sent/empty"},
                                     {.name = "sent/deep/er/b", .content = std::string(2000, 'b')}});
  for (const std::size_t part : {std::size_t{1}, std::size_t{511}, std::size_t{1} << 20}) {
    EXPECT_EQ(unpack(bytes, part), "");
    EXPECT_EQ(text("got/a"), "one");
    EXPECT_EQ(text("got/empty"), "");
    EXPECT_EQ(text("got/deep/er/b"), std::string(2000, 'b'));
  }
}

TEST_F(UnpackTest, ReadsWhatTarWrites) {
  const std::string name = "sent/" + std::string(90, 'x') + "/" + std::string(200, 'y');
  fs::create_directories((folder_ / name).parent_path());
  std::ofstream(folder_ / name) << "long";
  fs::create_hard_link(folder_ / name, folder_ / "sent" / "z");
  for (const char* format : {"--format=gnu", "--format=pax"}) {
    auto tar = LocalTar::start({format, "-cf", "-", "-C", folder_.string(), "--", "sent"});
    ASSERT_TRUE(tar);
    std::string bytes;
    char buffer[4096];
    for (ssize_t n = 0; (n = ::read(tar->fd(), buffer, sizeof buffer)) > 0;) {
      bytes.append(buffer, static_cast<std::size_t>(n));
    }
    EXPECT_EQ(unpack(bytes), "");
    EXPECT_EQ(text("got" + name.substr(4)), "long");
    EXPECT_EQ(text("got/z"), "long");
  }
}

TEST_F(UnpackTest, NamesThatLeadOutsideAreRefused) {
  const std::string before = tree();
  for (const char* name :
       {"../outside", "sent/../../outside", "sent/..", "/etc/muster-test", "sent/a/../../../outside"}) {
    EXPECT_THAT(unpack(archive({{.name = name, .content = "bad"}})),
                AllOf(HasSubstr("leads outside of the destination"), HasSubstr("check the container")));
  }
  const std::string long_name = pax("path", "../../outside");
  EXPECT_THAT(unpack(archive({{.name = "pax", .type = 'x', .content = long_name}, {.name = "sent", .content = "bad"}})),
              HasSubstr("leads outside"));
  EXPECT_THAT(
      unpack(archive({{.name = "L", .type = 'L', .content = "../outside"}, {.name = "sent", .content = "bad"}})),
      HasSubstr("leads outside"));
  EXPECT_THAT(unpack(archive({{.name = "other", .content = "bad"}})),
              HasSubstr("must hold \"sent\" only, got \"other\""));
  EXPECT_EQ(tree(), before);
}

TEST_F(UnpackTest, NothingIsWrittenThroughALink) {
  const std::vector<Sent> through{{.name = "sent/", .type = '5'},
                                  {.name = "sent/l", .type = '2', .link = "../.."},
                                  {.name = "sent/l/outside", .content = "bad"}};
  EXPECT_EQ(unpack(archive(through)), "");
  EXPECT_THAT(skipped_, ::testing::ElementsAre("sent/l: a symbolic link"));
  EXPECT_EQ(text("got/l/outside"), "bad") << "the name is a folder of the copy";
  EXPECT_EQ(text("../outside"), "untouched");
}

TEST_F(UnpackTest, LinksThatWereThereBeforeAreNotFollowed) {
  fs::create_directory(folder_ / "here" / "got");
  fs::create_directory_symlink("../..", folder_ / "here" / "got" / "l");
  EXPECT_THAT(unpack(archive({{.name = "sent/l/outside", .content = "bad"}})),
              HasSubstr("must be a folder, got a link or a file; remove it"));
  fs::create_symlink("../../outside", folder_ / "here" / "got" / "file");
  EXPECT_EQ(unpack(archive({{.name = "sent/file", .content = "new"}})), "");
  EXPECT_FALSE(fs::is_symlink(folder_ / "here" / "got" / "file"));
  EXPECT_EQ(text("got/file"), "new");
  EXPECT_EQ(text("../outside"), "untouched");
}

TEST_F(UnpackTest, HardLinksStayInTheCopy) {
  EXPECT_EQ(
      unpack(archive({{.name = "sent/a", .content = "one"}, {.name = "sent/d/b", .type = '1', .link = "sent/a"}})), "");
  EXPECT_EQ(text("got/d/b"), "one");
  for (const char* target : {"../outside", "/etc/passwd", "outside", "sent/../../outside"}) {
    EXPECT_NE(unpack(archive({{.name = "sent/x", .type = '1', .link = target}})), "") << target;
  }
  EXPECT_THAT(unpack(archive({{.name = "sent/x", .type = '1', .link = "sent/none"}})), HasSubstr("copied before"));
  fs::create_symlink("../../outside", folder_ / "here" / "got" / "l");
  EXPECT_NE(unpack(archive({{.name = "sent/x", .type = '1', .link = "sent/l"}})), "");
  EXPECT_FALSE(fs::exists(folder_ / "here" / "got" / "x"));
}

TEST_F(UnpackTest, AFileThatIsReplacedKeepsItsOtherNames) {
  fs::create_directory(folder_ / "here" / "got");
  fs::create_hard_link(folder_ / "outside", folder_ / "here" / "got" / "a");
  EXPECT_EQ(unpack(archive({{.name = "sent/a", .content = "new"}})), "");
  EXPECT_EQ(text("got/a"), "new");
  EXPECT_EQ(text("../outside"), "untouched");
}

TEST_F(UnpackTest, OnlyPermissionsAreTaken) {
  EXPECT_EQ(unpack(archive({{.name = "sent/d", .type = '5', .mode = "0007711"},
                            {.name = "sent/f", .content = "x", .mode = "0006755"}})),
            "");
  EXPECT_EQ(mode("got/f") & ~0755U, 0U);
  EXPECT_EQ(mode("got/f") & 0700, 0700U);
  EXPECT_EQ(mode("got/d") & 07000, 0U);
}

TEST_F(UnpackTest, DevicesAndPipesAreLeftOut) {
  EXPECT_EQ(unpack(archive(
                {{.name = "sent/c", .type = '3'}, {.name = "sent/b", .type = '4'}, {.name = "sent/p", .type = '6'}})),
            "");
  EXPECT_THAT(skipped_, ::testing::ElementsAre("sent/c: a device", "sent/b: a device", "sent/p: a pipe"));
  EXPECT_FALSE(fs::exists(folder_ / "here" / "got"));
}

TEST_F(UnpackTest, ACutArchiveIsAnErrorAndLeavesNoPartOfAFile) {
  const std::string bytes = archive({{.name = "sent", .content = std::string(3000, 'x')}});
  for (const std::size_t size : {std::size_t{0}, std::size_t{100}, std::size_t{512}, std::size_t{2000}}) {
    EXPECT_THAT(unpack(bytes.substr(0, size)), HasSubstr("is cut off before its end"));
    EXPECT_FALSE(fs::exists(folder_ / "here" / "got"));
  }
}

TEST_F(UnpackTest, HeadersThatLieAreErrors) {
  const std::string huge = std::string("\x80\0\0\0\x7f", 5) + std::string(7, '\xff');
  EXPECT_THAT(unpack(archive({{.name = "sent", .content = "x", .size = huge}})), HasSubstr("cut off"));
  EXPECT_THAT(unpack(archive({{.name = "sent", .size = std::string(12, '\xff')}})), HasSubstr("size and mode must be"));
  EXPECT_THAT(unpack(archive({{.name = "sent", .size = "12345x"}})), HasSubstr("size and mode must be"));
  EXPECT_THAT(unpack(archive({{.name = "x", .type = 'x', .size = "77777777777"}})), HasSubstr("extended header"));
  EXPECT_THAT(unpack(archive({{.name = "sent", .type = '5', .content = "x"}})), HasSubstr("only files have content"));
  EXPECT_THAT(unpack(archive({{.name = "sent", .type = 'S'}})), HasSubstr("must be a file or a folder, got type"));
  std::string wrong = archive({{.name = "sent", .content = "x"}});
  wrong[3] = 'x';
  EXPECT_THAT(unpack(wrong), HasSubstr("wrong checksum"));
  for (const std::string& records : {std::string("999 path=x\n"), std::string("-1 path=x\n"), std::string("path"),
                                     std::string("5 a=b\n"), pax("size", "-5"), pax("size", "9223372036854775808"),
                                     pax("GNU.sparse.major", "1"), pax("path", std::string("sent/a\0b", 8))}) {
    EXPECT_NE(unpack(archive({{.name = "x", .type = 'x', .content = records}, {.name = "sent", .content = "x"}})), "")
        << records;
  }
  EXPECT_THAT(unpack(archive({{.name = "sent", .content = "x"}}) + std::string(2 << 20, 'x')),
              HasSubstr("does not stop"));
}

TEST_F(UnpackTest, AFolderOrADeviceIsNotReplacedByAFile) {
  fs::create_directories(folder_ / "here" / "got" / "d");
  EXPECT_THAT(unpack(archive({{.name = "sent/d", .content = "x"}})), HasSubstr("must be a file, got a folder"));
  ASSERT_EQ(::mkfifo((folder_ / "here" / "got" / "p").c_str(), 0600), 0);
  EXPECT_THAT(unpack(archive({{.name = "sent/p", .content = "x"}})), HasSubstr("must be a file, got a device"));
}

}  // namespace
}  // namespace muster::cli
